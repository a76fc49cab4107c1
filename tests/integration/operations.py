"""Operations of an application, each from a fresh database to a result that can be compared."""

import datetime
import re
import uuid

import bson
import pymongo
from bson import Binary, Code, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from pymongo import DeleteOne, InsertOne, ReplaceOne, UpdateMany, UpdateOne
from pymongo.errors import PyMongoError
from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern

# Fields that always differ between two servers.
VOLATILE = {"$clusterTime", "operationTime", "localTime", "connectionId", "topologyVersion",
            "uuid", "signature", "recoveryToken", "port", "serverInfo"}


def normal(value):
    """A result as plain values, without parts that differ between servers."""
    if isinstance(value, PyMongoError):
        return {"error": type(value).__name__, "code": getattr(value, "code", None),
                "details": normal(getattr(value, "details", None))}
    if isinstance(value, dict):
        return {k: normal(v) for k, v in value.items() if k not in VOLATILE}
    if isinstance(value, (list, tuple)):
        return [normal(v) for v in value]
    return value


def outcome(operation, *arguments, **options):
    """The result, or the error that it ended with."""
    try:
        return normal(operation(*arguments, **options))
    except PyMongoError as error:
        return normal(error)


def numbers(db, count=100, **options):
    db.numbers.insert_many([{"_id": i, "half": i // 2, "text": f"n{i}"} for i in range(count)],
                           **options)
    return db.numbers


def every_type(db):
    db.types.insert_one({
        "_id": ObjectId("0123456789abcdef01234567"), "double": 1.5, "infinite": float("inf"),
        "text": "\u00fc\u4e2d\U0001f600\u0000end", "document": {"a": {"b": [1, {"c": None}]}},
        "binary": Binary(b"\x00\xff", 5), "uuid_": Binary.from_uuid(uuid.UUID(int=7)),
        "bool": True, "date": datetime.datetime(2024, 2, 29, 12), "null": None,
        "regex": Regex("^a.b", "i"), "code": Code("f()"), "scoped": Code("f()", {"x": 1}),
        "int": 5, "timestamp": Timestamp(9, 1), "long": Int64(2**40),
        "decimal": Decimal128("1.10"), "min": MinKey(), "max": MaxKey()})
    return db.types.find_one()


def insert_twice(db):
    db.c.insert_one({"_id": 1})
    return [outcome(lambda: db.c.insert_one({"_id": 1})), db.c.count_documents({})]


def find_in_many_ways(db):
    c = numbers(db)
    return [
        list(c.find({"half": 7})),
        list(c.find({"_id": {"$gte": 90}}, {"text": 1}).sort("_id", -1)),
        list(c.find({"text": re.compile("^n1")}).sort("_id").skip(2).limit(3)),
        list(c.find({"$or": [{"_id": 3}, {"half": 40}]}).sort("_id")),
        c.find_one({"_id": "absent"}),
        list(c.find({"_id": {"$in": [1, 2, 1000]}}).sort("_id").comment("from page.js:12"))]


def cursor_over_batches(db):
    c = numbers(db, 1000)
    seen = [d["_id"] for d in c.find({}, batch_size=37).sort("_id")]
    with c.find({}, batch_size=10).sort("_id") as cursor:
        some = [next(cursor)["_id"] for _ in range(25)]
    piped = list(c.aggregate([{"$sort": {"_id": 1}}, {"$limit": 95}], batchSize=20))
    return [seen, some, piped]


def unknown_cursor(db):
    numbers(db, 3)
    return outcome(db.command, {"getMore": Int64(123456789), "collection": "numbers"})


def bulk_ordered(db):
    c = numbers(db, 10)
    work = [InsertOne({"_id": 100}), UpdateOne({"_id": 1}, {"$set": {"x": 1}}),
            InsertOne({"_id": 5}), DeleteOne({"_id": 2}), InsertOne({"_id": 101})]
    return [outcome(lambda: c.bulk_write(work).bulk_api_result), list(c.find().sort("_id"))]


def bulk_unordered(db):
    c = numbers(db, 10)
    work = [InsertOne({"_id": 5}), InsertOne({"_id": 100}), InsertOne({"_id": 6}),
            UpdateMany({"half": 1}, {"$inc": {"half": 10}}), DeleteOne({"_id": 0}),
            ReplaceOne({"_id": 200}, {"new": True}, upsert=True)]
    return [outcome(lambda: c.bulk_write(work, ordered=False).bulk_api_result),
            list(c.find().sort("_id"))]


def updates_and_deletes(db):
    c = numbers(db, 20)
    return [
        c.update_one({"_id": 3}, {"$inc": {"half": 100}, "$set": {"deep.er": [1, 2]}}).raw_result,
        c.update_many({"half": {"$lt": 4}}, {"$unset": {"text": ""}}).raw_result,
        c.update_one({"_id": 500}, {"$setOnInsert": {"a": 1}}, upsert=True).raw_result,
        c.replace_one({"_id": 4}, {"plain": 1}).raw_result,
        outcome(lambda: c.update_one({"_id": 5}, {"$nonsense": 1}).raw_result),
        c.delete_one({"_id": 6}).raw_result, c.delete_many({"half": {"$gt": 8}}).raw_result,
        list(c.find().sort("_id"))]


def find_and_modify(db):
    c = numbers(db, 5)
    after = pymongo.ReturnDocument.AFTER
    return [c.find_one_and_update({"_id": 1}, {"$inc": {"half": 7}}, return_document=after),
            c.find_one_and_replace({"_id": 2}, {"r": 1}), c.find_one_and_delete({"_id": 3}),
            c.find_one_and_update({"_id": 77}, {"$set": {"x": 1}}, upsert=True,
                                  return_document=after),
            c.find_one_and_delete({"_id": 3}), list(c.find().sort("_id"))]


def aggregates(db):
    c = numbers(db, 30)
    db.names.insert_many([{"_id": i, "name": f"name{i}"} for i in range(15)])
    return [
        list(c.aggregate([{"$match": {"_id": {"$lt": 9}}},
                          {"$group": {"_id": "$half", "sum": {"$sum": "$_id"}}},
                          {"$sort": {"_id": 1}}])),
        list(c.aggregate([{"$lookup": {"from": "names", "localField": "half",
                                       "foreignField": "_id", "as": "found"}},
                          {"$unwind": "$found"}, {"$sort": {"_id": 1}}, {"$skip": 3},
                          {"$project": {"name": "$found.name"}}])),
        list(c.aggregate([{"$match": {"half": 3}}, {"$count": "n"}])),
        outcome(lambda: list(c.aggregate([{"$nonsense": 1}])))]


def counts_and_distinct(db):
    c = numbers(db, 40)
    return [c.count_documents({"half": {"$gt": 3}}), c.estimated_document_count(),
            sorted(c.distinct("half")), c.distinct("text", {"_id": 4}),
            outcome(db.command, "count", "numbers", query={"_id": {"$lt": 9}})]


def definitions(db):
    db.c.insert_one({"_id": 1, "a": 1})
    made = [db.c.create_index([("a", 1)], unique=True), db.c.create_index("b", name="by_b")]
    duplicate = outcome(lambda: db.c.insert_one({"_id": 2, "a": 1}))
    indexes = sorted(i["name"] for i in db.c.list_indexes())
    db.c.drop_index("by_b")
    names = sorted(db.list_collection_names())
    db.c.drop()
    return [made, duplicate, indexes, names, db.list_collection_names(),
            outcome(lambda: db.c.drop_index("absent"))]


def unknown_commands(db):
    return [outcome(db.command, "noSuchCommand"), outcome(db.command, {"find": 17}),
            outcome(db.command, "ping"), outcome(db.client.admin.command, "isdbgrid")]


def sessions(db):
    c = numbers(db, 10)
    with db.client.start_session() as session:
        c.insert_one({"_id": 50}, session=session)
        seen = [d["_id"] for d in c.find(session=session, batch_size=3).sort("_id")]
    return seen


def transactions(db):
    c = numbers(db, 3)
    results = []
    with db.client.start_session() as session:
        with session.start_transaction():
            c.insert_one({"_id": 10}, session=session)
            c.update_one({"_id": 1}, {"$set": {"t": 1}}, session=session)
        results.append(list(c.find().sort("_id")))
        session.start_transaction()
        c.delete_many({}, session=session)
        session.abort_transaction()
        results.append(c.count_documents({}))
        results.append(outcome(lambda: session.with_transaction(
            lambda s: c.insert_one({"_id": 10}, session=s).acknowledged)))
    return results + [list(c.find().sort("_id"))]


def unacknowledged(db):
    quiet = db.get_collection("c", write_concern=WriteConcern(w=0))
    with db.client.start_session():
        for i in range(50):
            quiet.insert_one({"_id": i})
        quiet.insert_one({"_id": 1})  # a duplicate: no error is reported
        quiet.delete_one({"_id": 3})
        quiet.update_one({"_id": 4}, {"$set": {"x": 1}})
    return list(db.c.find().sort("_id"))


def concerns(db):
    safe = db.get_collection("c", write_concern=WriteConcern(w="majority", wtimeout=5000),
                             read_concern=ReadConcern("majority"))
    safe.insert_one({"_id": 1})
    return [safe.find_one(), outcome(lambda: list(safe.find().max_time_ms(5000).hint("_id_")))]


def documents_of_1_and_15_mb(db):
    sizes = []
    for number, size in enumerate((1_000_000, 15_000_000)):
        text = "".join(chr(97 + i % 26) for i in range(1000)) * (size // 1000)
        db.big.insert_one({"_id": number, "text": text, "tail": number})
        found = db.big.find_one({"_id": number})
        sizes.append([len(bson.encode(found)), found["text"] == text, found["tail"]])
    return [sizes, db.big.count_documents({})]


def ten_thousand_documents(db):
    documents = [{"_id": i, "v": f"value {i}", "pad": "p" * 120} for i in range(10_000)]
    inserted = db.many.insert_many(documents).inserted_ids
    return [len(inserted), db.many.count_documents({}),
            [d["v"] for d in db.many.find().sort("_id")]]


def unicode_names(db):
    c = db["\u3042\u3044-\u00e9"]
    c.insert_one({"_id": "\u65e5\u672c", "\u540d": "\U0001f680"})
    return [list(c.find({"\u540d": "\U0001f680"})), db.list_collection_names()]


def sharded_collection(db):
    """Yorkie's own collections, on all shards."""
    meta = db.client["yorkie-meta"]
    projects = [ObjectId(f"{n:02x}{'0' * 22}") for n in range(0, 250, 25)]
    meta.documents.insert_many(
        [{"_id": ObjectId(f"{n:024x}"), "project_id": projects[n % 10], "key": f"k{n}"}
         for n in range(300)])
    return [list(meta.documents.find({"project_id": projects[3]}).sort("_id", -1).limit(7)),
            [d["key"] for d in meta.documents.find(batch_size=11).sort("_id")],
            meta.documents.find_one({"key": "k123"}),
            meta.documents.update_many({"project_id": projects[1]}, {"$set": {"s": 1}}).raw_result,
            meta.documents.count_documents({"s": 1}), meta.documents.delete_many({}).raw_result]


OPERATIONS = [
    every_type, insert_twice, find_in_many_ways, cursor_over_batches, unknown_cursor,
    bulk_ordered, bulk_unordered, updates_and_deletes, find_and_modify, aggregates,
    counts_and_distinct, definitions, unknown_commands, sessions, transactions, unacknowledged,
    concerns, documents_of_1_and_15_mb, ten_thousand_documents, unicode_names,
    sharded_collection]
