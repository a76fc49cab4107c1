"""A second opinion on shard keys: every key of up to three pinned fields is tried on a part of a workload, command by
command and chunk by chunk, and ranked by the order of merit of docs/advise.md. It reads commands as MongoDB's manual
describes them, and shares no code with the program."""

import bisect
import collections
import datetime
import functools
import hashlib
import itertools
import math
import struct

import bson

import advise_workloads

LEAST, GREATEST = (-1,), (99,)
LEAST_PART, LEAST_OF_SHARD, GROWS_FROM = 0.01, 0.2, 0.7


# Values

def milliseconds(at):
    return int((at - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(milliseconds=1))


def typed(value):
    """BSON's canonical type, by which values of different types are ordered, and what orders those of one type."""
    if value is None:
        return 5, 0
    if isinstance(value, bool):
        return 40, value
    if isinstance(value, (int, float)):
        return 10, value
    if isinstance(value, str):
        return 15, value.encode()
    if isinstance(value, bson.ObjectId):
        return 35, value.binary
    return 45, milliseconds(value)


@functools.lru_cache(maxsize=None)
def hashed(rank):
    """MongoDB's hash of a value, as a rank."""
    kind, value = rank
    if kind == 15:
        value = struct.pack("<i", len(value) + 1) + value + b"\0"
    elif kind == 5:
        value = b""
    elif kind in (10, 45):
        value = struct.pack("<q", int(value))
    elif kind == 40:
        value = bytes([value])
    return 10, int.from_bytes(hashlib.md5(struct.pack("<ii", 0, kind) + value).digest()[:8], "little", signed=True)


def value_at(document, path):
    for name in path.split("."):
        document = document.get(name) if isinstance(document, dict) else None
    return document


# Statements

Range = collections.namedtuple("Range", "low high")


def conditions(query):
    """field -> ranks that it is equal to, or a Range, of a conjunction."""
    found = {}
    for field, expected in query.items():
        if field == "$and":
            for each in expected:
                found.update(conditions(each))
        elif field.startswith("$"):
            continue
        elif not isinstance(expected, dict):
            found[field] = [typed(expected)]
        elif "$in" in expected:
            found[field] = sorted({typed(value) for value in expected["$in"]})
        elif "$eq" in expected:
            found[field] = [typed(expected["$eq"])]
        else:
            low, high = (next((typed(expected[name]) for name in names if name in expected), None)
                         for names in (("$gte", "$gt"), ("$lte", "$lt")))
            found[field] = Range(low or (high[0],), high or (low[0] + 1,))  # of the same type
    return found


class Statement:
    """One request: a find, one update of a batch, one new document."""

    def __init__(self, query=None, document=None, changes=frozenset(), is_multi=False, is_write=False):
        self.document, self.changes, self.is_multi, self.is_write = document, changes, is_multi, is_write
        self.may_move = False  # a change of the key may move the document to another shard
        query = query or {}
        self.equal = {field: one for field, one in conditions(query).items() if not isinstance(one, Range)}
        self.branches = [conditions({**query, **branch}) for branch in query.get("$or", [{}])]

    @property
    def is_new(self):
        return self.document is not None

    def ranks(self, field):
        """The values of a field that it pins, or has; None: it doesn't pin it; [] of an array."""
        if not self.is_new:
            return self.equal.get(field)
        value = value_at(self.document, field)
        if value is None and field == "_id":
            return None
        return [] if isinstance(value, list) else [typed(value)]

    def shape(self):
        return frozenset((field, isinstance(one, Range)) for branch in self.branches for field, one in branch.items())


def changed(query, by):
    """The fields that an update sets to another value than the filter's."""
    return {field for name, fields in by.items() if name.startswith("$") and name != "$setOnInsert"
            for field, value in fields.items() if name != "$set" or conditions(query).get(field) != [typed(value)]}


def updating(query, by, is_multi=False):
    return Statement(query, changes=changed(query, by), is_multi=is_multi, is_write=True)


def statements(command):
    """Those on the collection."""
    name = next(iter(command))
    if name == "bulkWrite":
        ours = [at for at, each in enumerate(command["nsInfo"]) if each["ns"] == advise_workloads.NAMESPACE]
        return [Statement(document=one["document"]) if "insert" in one
                else updating(one["filter"], one["updateMods"], one.get("multi", False)) if "update" in one
                else Statement(one["filter"], is_multi=one.get("multi", False), is_write=True)
                for one in command["ops"] if next(iter(one.values())) in ours]
    if command[name] != advise_workloads.COLLECTION:
        return []
    if name == "insert":
        return [Statement(document=one) for one in command["documents"]]
    if name == "update":
        return [updating(one["q"], one["u"], one.get("multi", False)) for one in command["updates"]]
    if name == "delete":
        return [Statement(one["q"], is_multi=one["limit"] == 0, is_write=True) for one in command["deletes"]]
    if name == "findAndModify":
        return [updating(command["query"], command.get("update", {}))]
    if name == "aggregate":
        return [Statement(command["pipeline"][0].get("$match", {}))]
    return [Statement(command[field]) for field in ("filter", "query") if field in command]


def read(command):
    found = statements(command)
    for each in found:
        each.may_move = "txnNumber" in command and not each.is_multi
    return found


Command = collections.namedtuple("Command", "at name statements")


class Traffic:
    """A workload's commands, as the oracle reads them."""

    def __init__(self, of):
        self.of, self.shards = of, of.shards
        self.commands = [Command(at, next(iter(command)), found) for at, command in of.sent
                         if (found := read(command))]
        first, last = self.commands[0].at, self.commands[-1].at
        held_out_from = last - (last - first) / 5
        self.early = [one for one in self.commands if one.at < held_out_from]
        self.late = [one for one in self.commands if one.at >= held_out_from]
        self.grows = functools.cache(self.grows)
        self.values = functools.cache(self.values)

    def each_statement(self):
        return (each for one in self.commands for each in one.statements)

    def values(self, field):
        return {rank for each in self.each_statement() for rank in each.ranks(field) or []}

    def grows(self, field):
        """Whether new documents' values, otherwise those of queries, follow the order of arrival."""
        is_new = {True: [], False: []}
        for each in self.each_statement():
            is_new[each.is_new] += each.ranks(field) or []
        if len(is_new[True]) >= 10:
            return is_following(is_new[True])
        if field == "_id" and all(kind == 35 for kind, _ in is_new[False]):
            return True  # a generated one begins with the time
        return len(is_new[False]) >= 10 and is_following(is_new[False])

    def pinned_fields(self):
        """The six that most commands pin, if one in a hundred does."""
        counts = collections.Counter(field for one in self.commands
                                     for field in {field for each in one.statements for field in each.equal})
        return [field for field, count in counts.most_common(6) if count >= 0.01 * len(self.commands)]

    def candidates(self):
        fields = self.pinned_fields()
        for length in (1, 2, 3):
            for chosen in itertools.permutations(fields, length):
                first = next((field for field in chosen if self.grows(field)), None)
                yield {field: "hashed" if field == first else 1 for field in chosen}
                if length == 2 and first == chosen[1]:
                    yield dict.fromkeys(chosen, 1)


def is_following(values):
    order = {value: rank for rank, value in enumerate(sorted(set(values)))}
    ranks = [order[value] for value in values]
    n, mean = len(ranks), sum(ranks) / len(ranks)
    both = sum((i - (n - 1) / 2) * (rank - mean) for i, rank in enumerate(ranks))
    spread = sum((i - (n - 1) / 2) ** 2 for i in range(n)) * sum((rank - mean) ** 2 for rank in ranks)
    return spread > 0 and abs(both) / math.sqrt(spread) >= GROWS_FROM


# Routing

Asked = collections.namedtuple("Asked", "shards scatters is_refused")


class Chunks:
    """One key, with an equal chunk on each shard, by the values before the last fifth."""

    def __init__(self, traffic, key):
        self.fields, self.is_hashed = list(key), [kind == "hashed" for kind in key.values()]
        self.all = set(range(traffic.shards))
        if self.is_hashed[0]:
            width = (2**64 - 1) // traffic.shards
            self.bounds = [((10, width * i - 2**63),) for i in range(1, traffic.shards)]
            return
        for length in range(len(key), 0, -1):
            found = sorted({point for one in traffic.early for each in one.statements
                            for point in self.points(each, length)})
            if len(found) >= traffic.shards:
                break
        parts = min(traffic.shards, len(found))
        self.bounds = [found[len(found) * i // parts] for i in range(1, parts)]

    def place(self, number, rank):
        return hashed(rank) if self.is_hashed[number] else rank

    def product(self, values):
        return itertools.product(*([self.place(i, rank) for rank in ranks] for i, ranks in enumerate(values)))

    def points(self, statement, length=None):
        """The values of the key, or of its first fields, that a statement pins."""
        values = [statement.ranks(field) for field in self.fields[:length]]
        return [] if None in values else list(self.product(values))

    def chunk(self, point):
        return bisect.bisect_right(self.bounds, point)

    def of_branch(self, found):
        """The chunks of a conjunction, and whether it narrows the key."""
        values = (found.get(field) for field in self.fields)
        prefix = list(itertools.takewhile(lambda ranks: isinstance(ranks, list), values))
        if len(prefix) == len(self.fields):
            return {self.chunk(point) for point in self.product(prefix)}, True
        edge = found.get(self.fields[len(prefix)])
        has_range = isinstance(edge, Range) and not self.is_hashed[len(prefix)]
        if not prefix and not has_range:
            return self.all, False
        low, high = edge if has_range else (LEAST, GREATEST)
        asked = set()
        for point in self.product(prefix):
            asked.update(range(self.chunk((*point, low)), self.chunk((*point, high, GREATEST)) + 1))
        return asked, True

    def asked_by(self, statement):
        if statement.is_new:
            values = [statement.ranks(field) for field in self.fields]
            if [] in values:
                return Asked(self.all, False, True)
            if None in values:
                return Asked({0}, False, False)  # an _id that is generated
            return Asked({self.chunk(point) for point in self.product(values)}, False, False)
        pins_all = all(len(statement.equal.get(field, [])) == 1 for field in self.fields)
        if not statement.changes.isdisjoint(self.fields) and not (pins_all and statement.may_move):
            return Asked(self.all, True, True)
        parts = [self.of_branch(branch) for branch in statement.branches]
        shards = set().union(*(asked for asked, _ in parts))
        if statement.is_write and statement.is_multi and len(shards) > 1:
            shards = self.all  # mongos broadcasts them
        return Asked(shards, not all(narrows for _, narrows in parts), False)


# Merit


class Measured:
    """The routing of these commands with a key."""

    def __init__(self, traffic, key, commands):
        self.traffic, self.key = traffic, key
        self.forbids = any(list(fields[:len(key)]) != list(key) for fields in traffic.of.unique)
        chunks = Chunks(traffic, key)
        ends = next((place for place, (field, kind) in enumerate(key.items())
                     if kind != "hashed" and traffic.grows(field)), None)
        self.scattering, self.refused, self.changes, self.shapes = set(), 0, 0, collections.defaultdict(list)
        self.values, self.new = collections.Counter(), collections.Counter()
        minutes, requests = collections.defaultdict(collections.Counter), collections.Counter()
        shards_asked = 0
        for number, one in enumerate(commands):
            asked = [chunks.asked_by(each) for each in one.statements]
            is_refused = any(each.is_refused for each in asked)
            shards = chunks.all if is_refused else set().union(*(each.shards for each in asked))
            shards_asked += len(shards)
            self.refused += is_refused
            if any(each.scatters for each in asked):
                self.scattering.add(number)
            self.shapes[one.name, frozenset(each.shape() for each in one.statements)].append(shards == chunks.all)
            minute = one.at.replace(second=0, microsecond=0)
            requests[minute] += len(one.statements)
            for each in one.statements:
                self.changes += not each.changes.isdisjoint(key)
                points = chunks.points(each)
                self.values.update(points)
                minutes[minute].update(points)
                if each.is_new:
                    self.new.update(points)
                    if ends is not None:  # New documents that are alike before a growing field go to one chunk.
                        minutes[minute].update(("end", *point) for point in chunks.points(each, ends))
        self.per_minute = self.in_periods(minutes, requests) if self.values else 1
        self.hottest = max(self.values.values(), default=0) / requests.total()
        distinct = max(len(self.values), *(len(traffic.values(field)) for field in key))
        self.is_hot = 0 < distinct < traffic.shards or max(self.hottest, self.per_minute) > 1 / traffic.shards
        self.is_jumbo = self.new.total() >= 10 * traffic.shards and \
            max(self.new.values()) > self.new.total() / traffic.shards
        self.per_command = shards_asked / len(commands)

    def in_periods(self, minutes, requests):
        """The share of the hottest value in a minute, on average. Minutes with too few requests are taken together."""
        hot, all_of_them, values, count = 0, 0, collections.Counter(), 0
        for minute in sorted(requests):
            values.update(minutes[minute])
            count += requests[minute]
            if count >= 10 * self.traffic.shards:
                hot += min(count, max(values.values(), default=0))
                all_of_them += count
                values, count = collections.Counter(), 0
        return hot / all_of_them if all_of_them else 0

    def always_everywhere(self):
        return {shape for shape, everywhere in self.shapes.items() if all(everywhere)}

    def asks_more(self, than):
        return self.per_command - than.per_command > LEAST_PART * than.per_command

    def is_hotter(self, than):
        return self.per_minute - than.per_minute > LEAST_OF_SHARD / self.traffic.shards

    def beats(self, other):
        for mine, its in ((self.forbids, other.forbids), (self.is_hot, other.is_hot),
                          (self.asks_more(other), other.asks_more(self)),
                          (self.is_hotter(other), other.is_hotter(self))):
            if mine != its:
                return its
        return False


def elimination(rest):
    for is_bad in (lambda one: one.forbids, lambda one: one.is_hot):
        rest = [one for one in rest if not is_bad(one)] or rest
    cheapest = min(rest, key=lambda one: one.per_command)
    rest = [one for one in rest if not one.asks_more(cheapest)]
    coolest = min(rest, key=lambda one: one.per_minute)
    rest = [one for one in rest if not one.is_hotter(coolest)]
    fewest = min(len(one.key) for one in rest)
    return [one for one in rest if len(one.key) == fewest]


def items(key):
    return tuple(key.items())


def best_keys(traffic, commands=None):
    """The keys that come first in the last fifth, or in another part of the time: those that differ in nothing, and
    the present key, unless one of them beats it."""
    commands = commands or traffic.late
    keys = {items(key): key for key in traffic.candidates()}
    if traffic.of.present:
        keys.setdefault(items(traffic.of.present), traffic.of.present)
    tried = [Measured(traffic, key, commands) for key in keys.values()]
    best = {items(one.key): one for one in elimination(tried)}
    if traffic.of.present:
        present = next(one for one in tried if items(one.key) == items(traffic.of.present))
        if not any(one.beats(present) for one in best.values()):
            best[items(present.key)] = present
    return best


def wrongly_safe(traffic, key):
    """What speaks against a key that is called safe."""
    found = set()
    for commands in (traffic.early, traffic.late):
        one = Measured(traffic, key, commands)
        found |= {text for text, is_so in (("forbids", one.forbids), ("hot", one.is_hot), ("refused", one.refused),
                                           ("changed", one.changes)) if is_so}
        present = traffic.of.present and Measured(traffic, traffic.of.present, commands)
        if one.scattering - (present.scattering if present else set()):
            found.add("scatters")
        if one.always_everywhere() - (present.always_everywhere() if present else set()):
            found.add("a shape always scatters")
        if present and items(key) != items(traffic.of.present) and not one.beats(present):
            found.add("not better")
    if key[next(iter(key))] != "hashed" and traffic.grows(next(iter(key))):
        found.add("grows")
    if Measured(traffic, key, traffic.commands).is_jumbo:
        found.add("jumbo")
    return found
