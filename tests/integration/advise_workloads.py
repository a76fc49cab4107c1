"""Generated traffic of one collection, as mongos logs it. Each kind has its own fields, commands and present keys; a
number gives the same traffic at every run."""

import bisect
import datetime
import itertools
import random
import struct

import bson
from bson import json_util

NAMESPACE = "app.items"
DATABASE, COLLECTION = NAMESPACE.split(".")
START = datetime.datetime(2026, 11, 20, tzinfo=datetime.timezone.utc)
WINDOW, MINUTE = datetime.timedelta(hours=24), datetime.timedelta(minutes=1)
MINUTES, OF_EACH = 40, 55


class Workload:
    """Commands in the order of their times, what the collection is keyed by (None: not sharded), its unique indexes,
    and the number of shards."""

    def __init__(self, number, kind, sent, present, unique, shards):
        self.number, self.kind, self.sent, self.present = number, kind, sent, present
        self.unique, self.shards = unique, shards

    def log(self):
        return "".join(json_util.dumps(log_line(at, command), json_options=json_util.RELAXED_JSON_OPTIONS) + "\n"
                       for at, command in self.sent)

    def catalog(self):
        collections = [{"namespace": NAMESPACE, "shardKey": self.present}] if self.present else []
        return json_util.dumps({"version": "8.0", "collections": collections})

    def indexes(self):
        made = [{"v": 2, "key": {"_id": 1}, "name": "_id_"}]
        made += [{"v": 2, "key": dict.fromkeys(fields, 1), "name": "_".join(fields), "unique": True}
                 for fields in self.unique]
        return json_util.dumps({NAMESPACE: made})


def log_line(at, command):
    database = command.get("$db", DATABASE)
    collection = "$cmd" if database == "admin" else command.get("collection", next(iter(command.values())))
    return {"t": {"$date": at.isoformat(timespec="milliseconds")}, "s": "I", "c": "COMMAND", "id": 51803,
            "ctx": "conn1", "msg": "Slow query",
            "attr": {"type": "command", "ns": f"{database}.{collection}",
                     "command": {**command, "$db": database}, "durationMillis": 0}}


# Commands

def find(query, **more):
    return {"find": COLLECTION, "filter": query, **more}


def insert(*documents, **more):
    return {"insert": COLLECTION, "documents": list(documents), **more}


def update(query, by, **more):
    return {"update": COLLECTION, "updates": [{"q": query, "u": by, **more}]}


def remove(query, limit=1):
    return {"delete": COLLECTION, "deletes": [{"q": query, "limit": limit}]}


def aggregate(*stages):
    return {"aggregate": COLLECTION, "pipeline": list(stages), "cursor": {}}


NOTED = {"$set": {"note": 1}}


# Values

class Chance(random.Random):
    def within(self, low, high):
        """The share of a kind of commands."""
        return self.uniform(low, high)

    def text(self, letter, count):
        return f"{letter}{self.randrange(count):03}"

    def skewed(self, count, skew):
        """A function that picks a number below `count`: the lower, the likelier, if there is a skew."""
        total = list(itertools.accumulate(1 / (1 + i) ** skew for i in range(count)))
        return lambda: bisect.bisect(total, self.random() * total[-1])

    def session(self):
        """What drivers add to commands in transactions and to retryable writes."""
        return {"lsid": {"id": bson.Binary(self.randbytes(16), 4)}, "txnNumber": bson.Int64(self.randrange(1, 99))}

    def object_id(self, at):
        return bson.ObjectId(struct.pack(">I", int(at.timestamp())) + self.randbytes(8))


def exact(at):
    """As precise as BSON has it."""
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def times(chance):
    """The times of all commands: a few busy minutes, the window's first and last among them, or all of the window."""
    if chance.random() < 0.5:
        return sorted(START + chance.random() * WINDOW for _ in range(MINUTES * OF_EACH))
    last = WINDOW // MINUTE - 1
    minutes = sorted({0, last, *chance.sample(range(1, last), MINUTES - 2)})
    return [START + (minute + part) * MINUTE for minute in minutes
            for part in sorted(chance.random() for _ in range(OF_EACH))]


# Kinds: (weight, a function of the time that makes a command) ..., present keys, sets of unique indexes

def tenants(chance, skew, presents, unique=((),)):
    tenant, items = chance.skewed(chance.choice([40, 80, 150]), skew), chance.choice([300, 900])
    both = lambda: {"tenant": f"t{tenant():03}", "item": chance.randrange(items)}
    return [(chance.choice([.05, .2, .5]), lambda at: find({"tenant": both()["tenant"]})),
            (.4, lambda at: find(both())),
            (.1, lambda at: update(both(), NOTED)),
            (.1, lambda at: insert({**both(), "note": 0}))], presents, unique


def skewed(chance):
    return tenants(chance, 1.6, [{"tenant": 1}, {"tenant": "hashed"}])


def tenant(chance):
    return tenants(chance, .3, [{"item": 1}, {"tenant": 1}], [[], [("tenant", "item")], [("item",)]])


def monotonic(chance):
    last = itertools.count(1000, chance.choice([1, 3]))
    made = [next(last)]

    def new(at):
        made.append(next(last))
        return insert({"seq": made[-1], "group": chance.randrange(60)})
    return [(.4, new), (.5, lambda at: find({"seq": chance.choice(made)})),
            (.1, lambda at: find({"group": chance.randrange(60)}))], [{"group": 1}, {"seq": 1}], [[], [("seq",)]]


def hours(chance):
    """A field that grows, and has one value in each hour."""
    devices = chance.choice([50, 200])
    device = lambda: chance.text("d", devices)
    hour = lambda at: at.strftime("%Y%m%d%H")
    return [(.3, lambda at: insert({"hour": hour(at), "device": device()})),
            (.4, lambda at: find({"hour": hour(at), "device": device()})),
            (chance.within(.05, .2), lambda at: find({"hour": hour(at)})),
            (.15, lambda at: find({"device": device(), "hour": {"$gte": hour(at - datetime.timedelta(hours=3)),
                                                                "$lte": hour(at)}}))], [{"hour": 1}], [[]]


def mixed(chance):
    users, by_mail = chance.choice([200, 800]), chance.choice([.05, .3])
    user = chance.skewed(users, chance.choice([0, .4]))
    return [(by_mail, lambda at: find({"mail": f"m{user()}"})),
            (.5 - by_mail, lambda at: find({"user": user()})),
            (.1, lambda at: find({"user": {"$in": sorted({user(), user(), user()})}})),
            (.15, lambda at: update({"user": user(), "state": chance.choice("ab")}, NOTED)),
            (.1, lambda at: remove({"user": user()})),
            (.15, lambda at: insert(*({"user": user(), "mail": f"m{user()}", "state": "a"}
                                      for _ in range(chance.randrange(1, 4)))))
            ], [{"mail": 1}], [[], [("user",)], [("mail",)]]


def sparse(chance):
    """A field that two of three documents don't have."""
    users = chance.choice([300, 1000])

    def new(at):
        one = chance.randrange(users)
        return insert({"user": one, **({} if one % 3 else {"email": f"e{one}"})})
    return [(chance.within(.1, .5), lambda at: find({"email": f"e{chance.randrange(0, users, 3)}"})),
            (.3, lambda at: find({"user": chance.randrange(users)})),
            (.1, lambda at: update({"user": chance.randrange(users)}, {"$set": {"seen": 1}})),
            (.15, new)], [{"email": 1}, {"user": 1}, {"user": "hashed"}], [[]]


def roots(chance):
    """Trees: most queries are for children of a node, many for those of none."""
    nodes, top = chance.choice([400, 900]), chance.choice([.05, .2, .6])
    parent = lambda: None if chance.random() < top else chance.randrange(nodes)
    node = lambda: chance.randrange(nodes)
    return [(.4, lambda at: find({"parent": parent()})), (chance.within(.1, .4), lambda at: find({"node": node()})),
            (.1, lambda at: find({"parent": parent(), "node": node()})),
            (.2, lambda at: insert({"node": node(), "parent": parent()}))
            ], [{"parent": 1}, {"node": 1}], [[], [("parent", "node")]]


def arrays(chance):
    """A field that can't be in a key."""
    return [(chance.within(.3, .6), lambda at: find({"tags": chance.text("t", 120)})),
            (.25, lambda at: find({"item": chance.randrange(900)})),
            (.2, lambda at: insert({"item": chance.randrange(900),
                                    "tags": [chance.text("t", 120) for _ in range(chance.randrange(1, 4))]}))
            ], [{"item": 1}, {"item": "hashed"}], [[]]


def states(chance):
    """Updates change a field that queries pin."""
    state = lambda: chance.text("s", count)
    count, item = chance.choice([8, 40]), lambda: chance.randrange(900)
    is_retried = chance.random() < .5

    def change(at):
        made = update({"item": item(), "state": state()}, {"$set": {"state": state()}})
        return {**made, **chance.session()} if is_retried else made
    return [(chance.within(.3, .6), lambda at: find({"state": state()})),
            (.2, lambda at: find({"item": item(), "state": state()})),
            (.2, change), (.1, lambda at: insert({"item": item(), "state": state()}))], [{"item": 1}, {"state": 1}], [[]]


def lists(chance):
    tenants, size = chance.choice([60, 300]), chance.choice([3, 10, 30])
    tenant, item = lambda: chance.randrange(tenants), lambda: chance.randrange(700)
    return [(chance.within(.1, .5), lambda at: find({"tenant": {"$in": sorted(chance.sample(range(tenants), size))}})),
            (.4, lambda at: find({"tenant": tenant(), "item": item()})),
            (.1, lambda at: find({"item": {"$in": sorted(chance.sample(range(700), 4))}})),
            (.1, lambda at: insert({"tenant": tenant(), "item": item()}))
            ], [{"tenant": 1}, {"item": 1}, {"tenant": "hashed"}], [[]]


def object_ids(chance):
    owners = chance.choice([60, 300])
    made = [(chance.object_id(START), 0)]

    def new(at):
        made.append((chance.object_id(at), chance.randrange(owners)))
        return insert({"_id": made[-1][0], "owner": made[-1][1]})

    def change(at):
        one, owner = chance.choice(made)
        return update({"_id": one, "owner": owner}, NOTED)
    return [(.3, new), (chance.within(.1, .4), lambda at: find({"_id": chance.choice(made)[0]})),
            (.3, lambda at: find({"owner": chance.randrange(owners)})), (.1, change)
            ], [{"_id": 1}, {"_id": "hashed"}, {"owner": 1}], [[]]


def nested(chance):
    user, city = lambda: chance.randrange(600), lambda: chance.text("c", 90)
    return [(chance.within(.2, .6), lambda at: find({"user.id": user()})),
            (.3, lambda at: find({"$and": [{"user.id": {"$eq": user()}}, {"address.city": city()}]})),
            (.1, lambda at: update({"user.id": user(), "address.city": city()}, NOTED)),
            (.1, lambda at: insert({"user": {"id": user()}, "address": {"city": city()}}))
            ], [{"address.city": 1}, {"user.id": 1}], [[]]


def unsharded(chance):
    a, b, s = lambda: chance.randrange(500), lambda: chance.randrange(80), lambda: chance.choice("yyyn")
    return [(chance.within(.1, .6), lambda at: find({"a": a()})), (.3, lambda at: find({"b": b(), "s": s()})),
            (.1, lambda at: find({"s": s()})), (.2, lambda at: insert({"a": a(), "b": b(), "s": s()}))], [None], [[]]


def few_values(chance):
    a, s = lambda: chance.randrange(800), lambda: f"v{chance.randrange(values)}"
    values = chance.choice([1, 2, 3])
    return [(.5, lambda at: find({"a": a()})), (.25, lambda at: find({"s": s()})), (.1, lambda at: remove({"a": a()})),
            (.15, lambda at: insert({"a": a(), "s": s()}))], [None, {"s": 1}, {"a": 1}], [[], [("s", "a")]]


def unique(chance):
    org, slug = lambda: chance.randrange(90), lambda: f"slug{chance.randrange(800)}"
    both = lambda: {"org": org(), "slug": slug()}
    return [(chance.within(.2, .6), lambda at: find({"slug": slug()})), (.2, lambda at: find(both())),
            (.15, lambda at: find({"org": org()})), (.15, lambda at: insert(both()))
            ], [{"org": 1}, {"org": 1, "slug": 1}, None], [
                [("org", "slug")], [("slug",)], [("org",)], [("slug", "org")], [("org", "slug"), ("org",)]]


def devices(chance):
    """Time series: new documents with the time, ranges of it."""
    count = chance.choice([30, 300])
    device = lambda: chance.text("d", count)
    last = lambda at, minutes: {"$gte": at - datetime.timedelta(minutes=minutes), "$lte": at}
    return [(.4, lambda at: insert({"device": device(), "ts": at})),
            (chance.within(.2, .5), lambda at: find({"device": device(), "ts": last(at, 120)})),
            (.2, lambda at: find({"device": device()})), (.05, lambda at: find({"ts": last(at, 5)}))
            ], [{"device": "hashed", "ts": 1}, {"ts": 1}, {"ts": "hashed"}, {"device": 1}], [[]]


def batches(chance):
    account, seq = lambda: chance.randrange(60), lambda: chance.randrange(10**6)

    def new(at):
        one = account()
        return insert(*({"account": one, "seq": seq()} for _ in range(chance.randrange(1, 12))))
    return [(chance.within(.2, .6), new), (.2, lambda at: find({"account": account()})),
            (.1, lambda at: find({"account": account(), "seq": seq()})),
            (.1, lambda at: {"update": COLLECTION, "updates": [
                {"q": {"account": account(), "seq": seq()}, "u": NOTED} for _ in range(chance.randrange(1, 6))]})
            ], [{"account": 1}, {"seq": 1}, {"account": "hashed"}], [[]]


def multi_writes(chance):
    group, key = lambda: chance.randrange(100), lambda: chance.randrange(900)
    return [(chance.within(.1, .4), lambda at: update({"group": group()}, NOTED, multi=True)),
            (.1, lambda at: remove({"group": {"$in": [group(), group()]}, "key": key()}, limit=0)),
            (.3, lambda at: find({"key": key()})), (.15, lambda at: find({"group": group(), "key": key()})),
            (.15, lambda at: insert({"group": group(), "key": key()}))
            ], [{"group": 1}, {"key": 1}, {"key": "hashed"}], [[]]


def in_turn(chance):
    """Each hour, most commands are for one tenant: even over the day, hot in every minute."""
    share = chance.within(.5, .9)

    def both(at):
        mine = at.hour * 5 + 2 if chance.random() < share else chance.randrange(120)
        return {"tenant": mine, "item": chance.randrange(3000)}
    return [(.3, lambda at: find({"tenant": both(at)["tenant"]})), (.5, lambda at: find(both(at))),
            (.2, lambda at: insert(both(at)))], [{"tenant": 1}, {"item": 1}], [[]]


def buckets(chance):
    """A sensor's day in one document, which upserts fill."""
    count = chance.choice([60, 400])
    sensor = lambda: chance.text("s", count)
    bucket = lambda at: at.strftime("%H")
    return [(.5, lambda at: update({"sensor": sensor(), "bucket": bucket(at)},
                                   {"$push": {"values": 1}, "$inc": {"count": 1}}, upsert=True)),
            (.3, lambda at: find({"sensor": sensor(), "bucket": bucket(at)})),
            (chance.within(.05, .3), lambda at: find({"sensor": sensor()})),
            (chance.within(0, .1), lambda at: find({"bucket": bucket(at)}))
            ], [{"bucket": 1}, {"sensor": 1}, {"bucket": "hashed"}], [[], [("sensor", "bucket")]]


def queue(chance):
    """Jobs are taken by findAndModify."""
    queues, job = chance.choice([6, 50]), lambda: chance.randrange(5000)
    name = lambda: chance.text("q", queues)
    take = lambda at: {"findAndModify": COLLECTION, "query": {"queue": name(), "status": "new"},
                       "update": {"$set": {"status": "taken"}}, "sort": {"at": 1}}
    return [(.3, take), (.25, lambda at: insert({"queue": name(), "job": job(), "status": "new"})),
            (chance.within(.1, .5), lambda at: find({"job": job()})),
            (.1, lambda at: {"findAndModify": COLLECTION, "query": {"queue": name(), "job": job()}, "remove": True})
            ], [{"status": 1}, {"queue": 1}, {"job": "hashed"}, {"job": 1}], [[], [("job",)]]


def feed(chance):
    """The posts of those whom somebody follows."""
    authors, follows = chance.choice([200, 1000]), chance.choice([2, 5, 20])
    author = chance.skewed(authors, chance.choice([0, .6]))
    post = lambda: chance.randrange(20000)
    several = lambda at: find({"author": {"$in": [author() for _ in range(follows)]}}, sort={"_id": -1}, limit=20)
    return [(chance.within(.1, .5), several), (.2, lambda at: find({"author": author()})),
            (chance.within(.1, .4), lambda at: find({"post": post()})),
            (.1, lambda at: update({"author": author(), "post": post()}, {"$inc": {"likes": 1}})),
            (.2, lambda at: insert({"author": author(), "post": post()}))
            ], [{"author": 1}, {"post": 1}, {"post": "hashed"}], [[], [("post",)]]


def reports(chance):
    store, day = lambda: chance.randrange(150), lambda: f"2026-11-{chance.randrange(1, 31):02}"
    total = {"$group": {"_id": "$sku", "n": {"$sum": 1}}}
    return [(chance.within(.1, .4), lambda at: aggregate({"$match": {"store": store()}}, total)),
            (chance.within(.1, .4), lambda at: aggregate({"$match": {"day": day()}}, total)),
            (.1, lambda at: aggregate({"$match": {"store": store(), "day": day()}}, {"$sort": {"n": 1}})),
            (.02, lambda at: aggregate(total)),
            (.1, lambda at: {"distinct": COLLECTION, "key": "sku", "query": {"store": store()}}),
            (.1, lambda at: {"count": COLLECTION, "query": {"store": {"$in": [store(), store()]}}}),
            (.2, lambda at: insert({"store": store(), "day": day(), "sku": chance.randrange(999)}))
            ], [{"day": 1}, {"store": 1}, {"sku": "hashed"}], [[]]


def accounts(chance):
    org, login = lambda: chance.randrange(70), lambda: f"l{chance.randrange(3000)}"
    one = lambda: {"org": org(), "login": login()}
    return [(chance.within(.2, .5), lambda at: find(one())), (.1, lambda at: find({"org": org()})),
            (chance.within(.1, .3), lambda at: find({"mail": f"{login()}@x"})),
            (.1, lambda at: update(one(), {"$set": {"mail": f"{login()}@x"}})),
            (.1, lambda at: insert({**one(), "mail": f"{login()}@x"}))
            ], [{"org": 1}, {"mail": 1}, {"login": "hashed"}, None], [
                [], [("mail",)], [("org", "login")], [("org", "login"), ("mail",)]]


def three_fields(chance):
    """Two fields of few values each, and a third one; an index that is unique on all of them."""
    few = chance.choice([2, 3])
    region, kind, code = lambda: chance.text("r", few), lambda: chance.text("k", few), lambda: chance.randrange(4000)
    whole = lambda: {"region": region(), "kind": kind(), "code": code()}
    return [(chance.within(.2, .6), lambda at: find(whole())),
            (.1, lambda at: find({"region": region(), "kind": kind()})),
            (.15, lambda at: update(whole(), NOTED)), (.15, lambda at: insert(whole()))
            ], [{"region": 1}, {"region": 1, "kind": 1}, {"kind": 1}], [[], [("region", "kind", "code")]]


def ledger(chance):
    """Transactions of a few statements on one account."""
    account, entry = chance.skewed(chance.choice([80, 400]), chance.choice([0, .5])), lambda: chance.randrange(10**6)
    session = lambda: {**chance.session(), "autocommit": False}
    return [(.3, lambda at: find({"account": account()}, **session(), startTransaction=True)),
            (.2, lambda at: {**update({"account": account(), "entry": entry()}, {"$inc": {"sum": 1}}), **session()}),
            (.2, lambda at: insert({"account": account(), "entry": entry()}, **session())),
            (.1, lambda at: {"commitTransaction": 1, **session(), "$db": "admin"}),
            (chance.within(.05, .3), lambda at: find({"entry": entry()}))
            ], [{"account": 1}, {"entry": 1}, {"account": "hashed"}], [[], [("account", "entry")]]


def bulk(chance):
    """bulkWrite on this collection and another one; commands on others; the rests of cursors."""
    shop, order = lambda: chance.randrange(120), lambda: chance.randrange(9000)
    both = lambda: {"shop": shop(), "order": order()}

    def write(at):
        ops = [chance.choice([{"insert": 0, "document": both()}, {"insert": 1, "document": {"order": 1}},
                              {"update": 0, "filter": both(), "updateMods": NOTED},
                              {"delete": 0, "filter": both()}]) for _ in range(chance.randrange(1, 5))]
        return {"bulkWrite": 1, "ops": [{"insert": 0, "document": both()}, *ops],
                "nsInfo": [{"ns": NAMESPACE}, {"ns": f"{DATABASE}.others"}], "$db": "admin"}
    return [(chance.within(.1, .4), write), (.3, lambda at: find({"shop": shop()})),
            (chance.within(.1, .4), lambda at: find({"order": order()})), (.1, lambda at: find(both())),
            (.2, lambda at: {"find": "others", "filter": {"order": 1}}),
            (.1, lambda at: {"getMore": bson.Int64(chance.randrange(1, 10**9)), "collection": COLLECTION})
            ], [{"shop": 1}, {"order": 1}, {"order": "hashed"}], [[], [("order",)]]


def either(chance):
    """Several values by $or."""
    tenant, code = lambda: chance.randrange(200), lambda: chance.randrange(3000)
    return [(chance.within(.1, .4), lambda at: find({"$or": [{"tenant": tenant()}, {"tenant": tenant()}]})),
            (chance.within(0, .2), lambda at: find({"$or": [{"tenant": tenant()}, {"code": code()}]})),
            (.3, lambda at: find({"tenant": tenant(), "code": code()})), (.1, lambda at: find({"code": code()})),
            (.15, lambda at: insert({"tenant": tenant(), "code": code()}))], [{"tenant": 1}, {"code": 1}], [[]]


def numbers(chance):
    """Numbers of two types, which are equal."""
    number = lambda count: chance.choice([int, float])(chance.randrange(count))
    both = lambda: {"part": number(400), "lot": number(50)}
    return [(chance.within(.1, .4), lambda at: find({"part": number(400)})), (.2, lambda at: find(both())),
            (chance.within(.05, .3), lambda at: find({"lot": {"$gte": number(50)}})), (.2, lambda at: insert(both()))
            ], [{"lot": 1}, {"part": "hashed"}, {"part": 1}], [[]]


def periods(chance):
    """Orders of a customer in a period; new ones are of today."""
    customers = chance.choice([100, 700])
    customer = lambda: chance.text("c", customers)

    def days(at):
        begin = at - datetime.timedelta(hours=chance.randrange(1, 24))
        return {"$gte": begin, "$lt": begin + datetime.timedelta(hours=1)}
    return [(.3, lambda at: insert({"customer": customer(), "at": at, "number": chance.randrange(10**6)})),
            (.3, lambda at: find({"customer": customer(), "at": days(at)}, sort={"at": -1})),
            (chance.within(.05, .3), lambda at: find({"at": days(at)})),
            (chance.within(.05, .3), lambda at: find({"number": chance.randrange(10**6)}))
            ], [{"at": 1}, {"customer": 1}, {"customer": 1, "at": 1}, {"number": "hashed"}], [[], [("number",)]]


def per_tenant_sequences(chance):
    """Numbers that count up within each tenant."""
    tenants = chance.choice([30, 90])
    tenant = chance.skewed(tenants, chance.choice([0, .8]))
    last = [1] * tenants

    def new(at):
        one = tenant()
        last[one] += 1
        return insert({"tenant": one, "number": last[one]})

    def look(at):
        one = tenant()
        return find({"tenant": one, "number": chance.randrange(1, last[one] + 1)})
    return [(.3, new), (.4, look), (chance.within(.05, .4), lambda at: find({"tenant": tenant()}, sort={"number": -1}))
            ], [{"tenant": 1}, {"number": 1}, {"tenant": "hashed"}], [[], [("tenant", "number")]]


KINDS = (skewed, tenant, monotonic, hours, mixed, sparse, roots, arrays, states, lists, object_ids, nested, unsharded,
         few_values, unique, devices, batches, multi_writes, in_turn, buckets, queue, feed, reports, accounts,
         three_fields, ledger, bulk, either, numbers, periods, per_tenant_sequences)


def workload(number):
    kind = KINDS[number % len(KINDS)]
    chance = Chance(f"{kind.__name__} {number}")
    makes, presents, uniques = kind(chance)
    present, unique_indexes = chance.choice(presents), chance.choice(uniques)
    shards = chance.choice([2, 3, 3, 3, 5])
    total = list(itertools.accumulate(weight for weight, _ in makes))
    sent = []
    for at in map(exact, times(chance)):
        _, make = makes[bisect.bisect(total, chance.random() * total[-1])]
        sent.append((at, make(at)))
    return Workload(number, kind.__name__, sent, present, unique_indexes, shards)
