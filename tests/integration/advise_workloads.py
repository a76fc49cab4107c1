"""Generated traffic of one collection, and a second opinion on its shard key: every key of up to three pinned
fields is tried on the last fifth of the time, chunk by chunk and request by request, and ranked by the order of
merit of docs/advise.md. The earlier requests determine the chunks. None of this is the program's own code."""

import bisect
import collections
import datetime
import hashlib
import itertools
import json
import random

SHARDS = 3
SLICES = 50
NAMESPACE = "app.items"
START = datetime.datetime(2026, 11, 20, 0, 0, tzinfo=datetime.timezone.utc)
WINDOW = datetime.timedelta(hours=24)

Sent = collections.namedtuple("Sent", "at name statements")  # statements: (kind, filter or document)


class Workload:
    """Commands ordered by time, the collection's key, and its unique indexes."""

    def __init__(self, seed, kind, sent, present, unique):
        self.seed, self.kind, self.sent = seed, kind, sorted(sent, key=lambda one: one.at)
        self.present, self.unique = present, unique

    def log(self):
        """The commands as mongos logs them."""
        return "".join(json.dumps(log_line(one)) + "\n" for one in self.sent)

    def catalog(self):
        return json.dumps({"version": "8.0", "collections": [{"namespace": NAMESPACE, "shardKey": self.present}]})

    def indexes(self):
        made = [{"v": 2, "key": {"_id": 1}, "name": "_id_"}]
        made += [{"v": 2, "key": {field: 1 for field in fields}, "name": "_".join(fields), "unique": True}
                 for fields in self.unique]
        return json.dumps({NAMESPACE: made})


def log_line(one):
    collection = NAMESPACE.split(".")[1]
    command = {one.name: collection}
    if one.name == "insert":
        command["documents"] = [document for _, document in one.statements]
    elif one.name == "update":
        command["updates"] = [{"q": query, "u": {"$set": {"note": 1}}} for _, query in one.statements]
    elif one.name == "delete":
        command["deletes"] = [{"q": query, "limit": 1} for _, query in one.statements]
    else:
        command["filter"] = one.statements[0][1]
    command["$db"] = NAMESPACE.split(".")[0]
    return {"t": {"$date": one.at.isoformat(timespec="milliseconds")}, "s": "I", "c": "COMMAND", "id": 51803,
            "ctx": "conn1", "msg": "Slow query",
            "attr": {"type": "command", "ns": NAMESPACE, "command": command, "durationMillis": 0}}


# Traffic

def bursts(chance, minutes, of_each):
    """Times in this number of minutes of the window, including its first and last."""
    whole = int(WINDOW.total_seconds() // 60)
    chosen = sorted({0, whole - 1, *chance.sample(range(whole), minutes - 2)})
    for minute in chosen:
        for second in sorted(chance.random() * 60 for _ in range(of_each)):
            yield START + datetime.timedelta(minutes=minute, seconds=second)


def by_weight(chance, count, skew):
    """Picks a number below `count`: the lower, the likelier, if there is a skew."""
    weights = [1 / (1 + i) ** skew for i in range(count)]
    total = list(itertools.accumulate(weights))
    return lambda: bisect.bisect(total, chance.random() * total[-1])


def of_tenants(chance, skew, share_of_tenant_alone):
    tenant = by_weight(chance, chance.choice([40, 80, 150]), skew)
    items = chance.choice([300, 900])
    for at in bursts(chance, 48, 45):
        mine = {"tenant": f"t{tenant():03}", "item": chance.randrange(items)}
        kind = chance.random()
        if kind < share_of_tenant_alone:
            yield Sent(at, "find", [("read", {"tenant": mine["tenant"]})])
        elif kind < 0.8:
            yield Sent(at, "find", [("read", mine)])
        elif kind < 0.9:
            yield Sent(at, "update", [("write", mine)])
        else:
            yield Sent(at, "insert", [("new", {**mine, "note": 0})])


def skewed(chance):
    return of_tenants(chance, 1.6, chance.choice([0.05, 0.2])), {"tenant": 1}, []


def tenant(chance):
    unique = chance.choice([[], [("tenant", "item")], [("item",)]])
    return of_tenants(chance, 0.3, chance.choice([0.3, 0.6])), {"item": 1}, unique


def monotonic(chance):
    def made():
        last = 1000
        for at in bursts(chance, 48, 45):
            kind = chance.random()
            if kind < 0.4:
                last += chance.randrange(1, 4)
                yield Sent(at, "insert", [("new", {"seq": last, "group": chance.randrange(60)})])
            elif kind < 0.9:
                yield Sent(at, "find", [("read", {"seq": chance.randrange(1000, last + 1)})])
            else:
                yield Sent(at, "find", [("read", {"group": chance.randrange(60)})])
    return made(), {"group": 1}, chance.choice([[], [("seq",)]])


def time_based(chance):
    devices = chance.choice([50, 200])

    def made():
        for at in bursts(chance, 48, 45):
            hour = at.strftime("%Y%m%d%H")
            device = f"d{chance.randrange(devices):03}"
            kind = chance.random()
            if kind < 0.3:
                yield Sent(at, "insert", [("new", {"hour": hour, "device": device})])
            elif kind < 0.7:
                yield Sent(at, "find", [("read", {"hour": hour, "device": device})])
            elif kind < 0.85:
                yield Sent(at, "find", [("read", {"hour": hour})])
            else:
                since = (at - datetime.timedelta(hours=3)).strftime("%Y%m%d%H")
                yield Sent(at, "find", [("read", {"device": device, "hour": {"$gte": since, "$lte": hour}})])
    return made(), {"hour": 1}, []


def mixed(chance):
    users = chance.choice([200, 800])
    by_mail = chance.choice([0.05, 0.3])
    pick = by_weight(chance, users, chance.choice([0, 0.4]))

    def made():
        for at in bursts(chance, 48, 45):
            user = pick()
            kind = chance.random()
            if kind < by_mail:
                yield Sent(at, "find", [("read", {"mail": f"m{user}"})])
            elif kind < 0.55:
                yield Sent(at, "find", [("read", {"user": user})])
            elif kind < 0.65:
                yield Sent(at, "find", [("read", {"user": {"$in": sorted({pick(), pick(), pick()})}})])
            elif kind < 0.8:
                yield Sent(at, "update", [("write", {"user": user, "state": chance.choice("ab")})])
            elif kind < 0.9:
                yield Sent(at, "delete", [("write", {"user": user})])
            else:
                yield Sent(at, "insert", [("new", {"user": pick(), "mail": f"m{pick()}", "state": "a"})
                                          for _ in range(chance.randrange(1, 4))])
    return made(), {"mail": 1}, chance.choice([[], [("user",)], [("mail",)]])


KINDS = {"skewed": skewed, "tenant": tenant, "monotonic": monotonic, "time_based": time_based, "mixed": mixed}


def workload(number):
    kind = list(KINDS)[number % len(KINDS)]
    chance = random.Random(number)
    sent, present, unique = KINDS[kind](chance)
    return Workload(number, kind, list(sent), present, unique)


# The second opinion

def hashed(value):
    return int.from_bytes(hashlib.sha256(repr(value).encode()).digest()[:8], "big") - 2 ** 63


def pinned(query):
    """field -> values, for the filter's equalities."""
    found = {}
    for field, said in query.items():
        if not isinstance(said, dict):
            found[field] = [said]
        elif "$in" in said:
            found[field] = list(said["$in"])
    return found


class Trial:
    """One key, with equal chunks on all shards, by the values before the last fifth."""

    def __init__(self, of, key):
        self.fields, self.hashed_fields = list(key), {field for field, kind in key.items() if kind == "hashed"}
        places = set()
        for length in range(len(self.fields), 0, -1):
            for one in early(of):
                for kind, said in one.statements:
                    places.update(self.places(pinned(said), length))
            if len(places) >= SHARDS or length == 1:
                break
            places.clear()
        ranked = sorted(places)
        if self.fields[0] in self.hashed_fields:
            self.bounds = [(-2 ** 63 + 2 ** 64 * i // SHARDS,) for i in range(1, SHARDS)]
        else:
            self.bounds = sorted({ranked[len(ranked) * i // SHARDS] for i in range(1, SHARDS)})

    def place(self, field, value):
        return hashed(value) if field in self.hashed_fields else value

    def places(self, values, length):
        fields = self.fields[:length]
        if any(field not in values for field in fields):
            return []
        return itertools.product(*([self.place(field, each) for each in values[field]] for field in fields))

    def shards(self, said):
        """The shards that a filter or a document asks."""
        prefix, values = 0, pinned(said)
        while prefix < len(self.fields) and self.fields[prefix] in values:
            prefix += 1
        if prefix == len(self.fields):
            return {bisect.bisect_right(self.bounds, place) for place in self.places(values, prefix)}
        edge = said.get(self.fields[prefix])
        has_range = isinstance(edge, dict) and "$gte" in edge and self.fields[prefix] not in self.hashed_fields
        if prefix == 0 and not has_range:
            return set(range(SHARDS))
        asked = set()
        for place in self.places(values, prefix) if prefix else [()]:
            low, high = place, place
            if has_range:
                low, high = (*low, edge["$gte"]), (*high, edge["$lte"])
            first = sum(bound <= low for bound in self.bounds)
            # A bound that begins with `high` lies within what it bounds.
            last = sum(bound[:len(high)] <= high for bound in self.bounds)
            asked.update(range(first, last + 1))
        return asked

    def value(self, said):
        return [tuple(place) for place in self.places(pinned(said), len(self.fields))]


def is_late(of, one):
    first, last = of.sent[0].at, of.sent[-1].at
    return one.at >= last - (last - first) / 5


def late(of):
    """The last fifth of the time."""
    return [one for one in of.sent if is_late(of, one)]


def early(of):
    return [one for one in of.sent if not is_late(of, one)]


def is_growing(of, field):
    """Whether new documents' values, otherwise those asked for, follow the time."""
    new = [said[field] for one in of.sent for kind, said in one.statements if kind == "new" and field in said]
    values = new or [value for one in of.sent for _, said in one.statements for value in pinned(said).get(field, [])]
    order = {value: rank for rank, value in enumerate(sorted(set(values)))}
    ranks = [order[value] for value in values]
    n, mean = len(ranks), sum(ranks) / max(1, len(ranks))
    both = sum((i - (n - 1) / 2) * (rank - mean) for i, rank in enumerate(ranks))
    spread = sum((i - (n - 1) / 2) ** 2 for i in range(n)) * sum((rank - mean) ** 2 for rank in ranks)
    return spread > 0 and abs(both) / spread ** 0.5 >= 0.7


def candidates(of):
    fields = sorted({field for one in of.sent for kind, said in one.statements if kind != "new"
                     for field in pinned(said)})
    growing = {field for field in fields if is_growing(of, field)}
    for length in (1, 2, 3):
        for chosen in itertools.permutations(fields, length):
            first = next((field for field in chosen if field in growing), None)
            yield {field: "hashed" if field == first else 1 for field in chosen}
            if length == 2 and first == chosen[1]:
                yield dict.fromkeys(chosen, 1)


def is_forbidden(of, key):
    return any(list(fields[:len(key)]) != list(key) for fields in of.unique)


class Measured:
    """The routing of these commands with a key."""

    def __init__(self, of, key, sent):
        trial = Trial(of, key)
        first, last = of.sent[0].at, of.sent[-1].at
        # New documents that are alike in front of a growing field go to the end of that range.
        ends = next((place for place, (field, kind) in enumerate(key.items())
                     if kind != "hashed" and is_growing(of, field)), None)
        self.key, self.forbids = key, is_forbidden(of, key)
        self.slices = collections.defaultdict(lambda: [0, 0])  # commands, shards asked
        self.scatters = 0
        values, minutes = collections.Counter(), collections.defaultdict(collections.Counter)
        requests = collections.Counter()
        for one in sent:
            shards = set().union(*(trial.shards(said) for _, said in one.statements))
            of_slice = self.slices[min(SLICES - 1, int((one.at - first) / (last - first) * SLICES))]
            of_slice[0] += 1
            of_slice[1] += len(shards)
            self.scatters += len(shards) == SHARDS and any(not trial.value(said) for _, said in one.statements) and \
                any(list(key)[0] not in said for _, said in one.statements)
            minute = one.at.replace(second=0, microsecond=0)
            requests[minute] += len(one.statements)
            for kind, said in one.statements:
                if ends is not None and kind == "new":
                    for front in trial.places(pinned(said), ends):
                        minutes[minute]["at the end of", tuple(front)] += 1
                for value in trial.value(said):
                    values[value] += 1
                    minutes[minute][value] += 1
        busy = [minute for minute in requests if requests[minute] >= 10 * SHARDS]
        self.per_minute = sum(max(minutes[minute].values(), default=0) for minute in busy) / \
            sum(requests[minute] for minute in busy)
        self.hottest = max(values.values(), default=0) / requests.total()
        self.is_hot = self.hottest > 1 / SHARDS or self.per_minute > 1 / SHARDS
        self.commands = sum(commands for commands, _ in self.slices.values())
        self.per_command = sum(asked for _, asked in self.slices.values()) / self.commands

    def asks_more(self, than):
        """By a hundredth, and by twice the standard error over the slices of the time."""
        more = self.per_command - than.per_command
        rests = [(asked - than.slices[number][1]) - more * commands
                 for number, (commands, asked) in self.slices.items()]
        error = (sum(rest ** 2 for rest in rests) * len(rests) / (len(rests) - 1)) ** 0.5 / self.commands
        return more > 0.01 * than.per_command and more > 2 * error

    def is_hotter(self, than):
        """In a minute, by a fifth of a shard's share."""
        return self.per_minute - than.per_minute > 0.2 / SHARDS

    def beats(self, other):
        for mine, its in ((self.forbids, other.forbids), (self.is_hot, other.is_hot),
                          (self.asks_more(other), other.asks_more(self)), (self.is_hotter(other), other.is_hotter(self))):
            if mine != its:
                return its
        return False


def best_keys(of):
    """All keys that rank first on the last fifth: those without a difference."""
    sent = late(of)
    rest = [Measured(of, key, sent) for key in [*candidates(of), of.present]]
    for is_bad in (lambda one: one.forbids, lambda one: one.is_hot):
        rest = [one for one in rest if not is_bad(one)] or rest
    cheapest = min(rest, key=lambda one: one.per_command)
    rest = [one for one in rest if not one.asks_more(cheapest)]
    coolest = min(rest, key=lambda one: one.per_minute)
    rest = [one for one in rest if not one.is_hotter(coolest)]
    fewest = min(len(one.key) for one in rest)
    return [one.key for one in rest if len(one.key) == fewest]
