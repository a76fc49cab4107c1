"""The answer of $queryStats about a command: its shape as MongoDB writes it once it has parsed it
(mongo: db/query/query_shape, matcher/expression_*.cpp). Written for the tests, from the
sources' tests; it shares nothing with the program."""

TYPES = {"$oid": "objectId", "$numberLong": "number", "$numberInt": "number", "$numberDouble": "number",
         "$numberDecimal": "number", "$date": "date", "$binary": "binData", "$timestamp": "timestamp",
         "$minKey": "minKey", "$maxKey": "maxKey", "$regularExpression": "regex", "$undefined": "undefined",
         "$symbol": "string"}
COMPARISONS = ("$eq", "$gt", "$gte", "$lt", "$lte")


def type_of(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    if isinstance(value, list):
        return "array"
    return TYPES.get(next(iter(value), ""), "object")


def literal(value):
    if not isinstance(value, list):
        return "?" + type_of(value)
    if not value:
        return "[]"
    types = {type_of(each) for each in value}
    return f"?array<?{types.pop()}>" if len(types) == 1 else "?array<>"


def is_condition(value):
    return isinstance(value, dict) and next(iter(value), "").startswith("$") and type_of(value) == "object"


def conditions(value):
    """The conditions of one field, each a document of one operator."""
    if not is_condition(value):
        return [{"$regex": "?string"}] if type_of(value) == "regex" else [{"$eq": literal(value)}]
    made = []
    for op, argument in value.items():
        if op in COMPARISONS:
            made.append({op: literal(argument)})
        elif op == "$ne":
            made.append({"$not": {"$eq": literal(argument)}})
        elif op == "$in":
            made.append({"$in": literal(argument)})
        elif op == "$nin":
            made.append({"$not": {"$in": literal(argument)}})
        elif op == "$exists":
            made.append({"$exists": "?bool"} if argument else {"$not": {"$exists": "?bool"}})
        elif op == "$not":
            inside = conditions(argument)
            if len(inside) != 1:
                raise NotImplementedError
            made.append({"$not": inside[0]})
        elif op == "$all":
            made += [{"$eq": literal(each)} for each in argument]
        elif op == "$elemMatch":
            made.append({"$elemMatch": elements(argument)})
        elif op == "$mod":
            made.append({op: ["?number", "?number"]})
        elif op.startswith("$bits"):
            made.append({op: "?array<?number>"})
        elif op in ("$regex", "$size"):
            made.append({op: literal(argument) if op == "$size" else "?string"})
        elif op == "$options":
            made[-1]["$options"] = "?string"
        elif op == "$type":
            made.append({op: argument if isinstance(argument, list) else [argument]})
        else:
            raise NotImplementedError
    return made


def elements(condition):
    """Inside of $elemMatch: what is asked of values, or a filter of documents."""
    if is_condition(condition) and next(iter(condition)) not in ("$and", "$or", "$nor"):
        return {op: argument for each in conditions(condition) for op, argument in each.items()}
    return filter_shape(condition)


def filter_shape(of):
    parts = []
    for name, value in of.items():
        if name in ("$and", "$or", "$nor"):
            parts.append({name: [filter_shape(each) for each in value]})
        elif name == "$expr":
            parts.append({name: expression_shape(value)})
        elif name.startswith("$"):
            raise NotImplementedError
        else:
            parts += [{name: each} for each in conditions(value)]
    return parts[0] if len(parts) == 1 else {"$and": parts} if parts else {}


def expression_shape(of):
    if isinstance(of, list):
        return [expression_shape(each) for each in of]
    if isinstance(of, str):
        return of if of.startswith("$") else "?string"
    if type_of(of) != "object":
        return literal(of)
    if "$literal" in of:
        return literal(of["$literal"])
    return {name: expression_shape(value) for name, value in of.items()}


def stage_shape(stage):
    (name, body), = stage.items()
    if name == "$match":
        return {name: filter_shape(body)}
    if name in ("$limit", "$skip"):
        return {name: "?number"}
    if name in ("$group", "$addFields", "$redact", "$sortByCount", "$replaceRoot"):
        return {name: expression_shape(body)}
    if name == "$project":
        fields = {field: bool(value) if isinstance(value, (int, bool)) else expression_shape(value)
                  for field, value in body.items()}
        return {name: {"_id": True, **fields}}
    return stage


def shape_of(command, db):
    """key.queryShape; a batch must have one statement. NotImplementedError if it isn't known
    here what MongoDB would write."""
    name = next(iter(command))
    shape = {"cmdNs": {"db": db, "coll": command[name]}}
    rest = {key: value for key, value in command.items() if key != name}
    if name in ("update", "delete"):
        statement, = rest["updates" if name == "update" else "deletes"]
        rest = {**({"multi": False, "upsert": False} if name == "update" else {}), **statement}
    shape["command"] = name
    for key, value in rest.items():
        if key in ("filter", "query", "q"):
            shape[key] = filter_shape(value)
        elif key == "pipeline":
            shape[key] = [stage_shape(each) for each in value]
        elif key in ("limit", "skip") and name != "delete":
            shape[key] = "?number"
        elif key == "u" and not is_condition(value):
            shape[key] = "?object"
        elif key not in ("cursor", "$db"):
            shape[key] = value
    return shape


def entry(command, db, app, **options):
    return made_entry(shape_of(command, db), app, **options)


def made_entry(shape, app, count=1, micros=1000, at="2026-11-22T04:08:10.754Z"):
    times = {"sum": micros * count, "max": micros, "min": micros, "sumOfSquares": {"$numberDecimal": "0"}}
    return {"key": {"queryShape": shape,
                    "client": {"application": {"name": app}, "driver": {"name": "test"}},
                    "collectionType": "collection"},
            "keyHash": "", "metrics": {"lastExecutionMicros": micros, "execCount": count, "totalExecMicros": times,
                                       "firstSeenTimestamp": {"$date": at}, "latestSeenTimestamp": {"$date": at}},
            "asOf": {"$timestamp": {"t": 1795320490, "i": 0}}}
