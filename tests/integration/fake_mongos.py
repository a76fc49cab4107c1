"""A mongos that has only a config database, in the format of some version: it answers the handshake, ping,
buildInfo, find, listCollections (of views) and getMore, and ignores filter, sort and projection."""

import datetime
import threading

from bson import Binary, Int64, MaxKey, MinKey, ObjectId, Timestamp

WIRE_VERSIONS = {"4.4": 9, "5.0": 13, "6.0": 17, "7.0": 21, "8.0": 25}
SHARDS = ["rs0", "rs1", "rs2"]


class ConfigDatabase:
    """shop.orders on all three shards, shop.carts hashed on two, and the other records that each version leaves
    there."""

    def __init__(self, version):
        self.version = version
        self.collections, self.chunks = [], []
        self.shards = [{"_id": name, "host": f"{name}/h1:27018,h2:27018", "state": 1}
                       for name in SHARDS]
        self.databases = [{"_id": "shop", "primary": "rs0", "partitioned": True}]
        self.views = [{"name": name, "type": "view", "info": {"readOnly": True}, "options": {
            "viewOn": "orders", "pipeline": [{"$match": {"state": {"$ne": name}}}]}}
            for name in ("recent", "open", "late")]
        self.version_record = {"_id": 1, "clusterId": ObjectId(b"cluster-id-0")}
        orders = self.add("shop.orders", {"customer": 1.0}, mark=b"o")
        self.add_chunks(orders, "customer", [MinKey(), 100, 200, MaxKey()], SHARDS)
        carts = self.add("shop.carts", {"_id": "hashed"}, mark=b"c",
                         defaultCollation={"locale": "de", "strength": 2, "version": "57.1"})
        self.add_chunks(carts, "_id", [MinKey(), Int64(0), MaxKey()], SHARDS[1:])
        if version < "5.0":
            self.collections.append({"_id": "shop.gone", "dropped": True,
                                     "lastmodEpoch": ObjectId("0" * 24)})
        else:
            copy = self.add("shop.system.resharding.a1b2", {"x": 1}, mark=b"r",
                            temporary=True)
            self.add_chunks(copy, "x", [MinKey(), MaxKey()], SHARDS[:1])
        if version >= "6.0":
            series = self.add("shop.system.buckets.weather", {"meta": 1}, mark=b"t",
                              timeseriesFields={"timeField": "at", "metaField": "meta"})
            self.add_chunks(series, "meta", [MinKey(), MaxKey()], SHARDS[:1])
        if version >= "8.0":
            alone = self.add("shop.alone", {"_id": 1}, mark=b"a", unsplittable=True)
            self.add_chunks(alone, "_id", [MinKey(), MaxKey()], SHARDS[2:])

    def add(self, ns, key, mark, **further):
        made = {"_id": ns, "lastmodEpoch": ObjectId(mark * 12), "uuid": Binary(mark * 16, 4),
                "lastmod": datetime.datetime(2024, 5, 1), "key": key, "unique": False}
        if self.version >= "5.0":
            made["timestamp"] = Timestamp(1700000000, 3)
        self.collections.append({**made, **further})
        return made

    def add_chunks(self, of, field, bounds, owners):
        for i, owner in enumerate(owners):
            name = {"uuid": of["uuid"]} if self.version >= "5.0" else {
                "ns": of["_id"], "lastmodEpoch": of["lastmodEpoch"]}
            self.chunks.append({
                "_id": ObjectId(), **name, "min": {field: bounds[i]}, "max": {field: bounds[i + 1]},
                "shard": owner, "lastmod": Timestamp(1, i), "jumbo": False, "history": []})

    def find(self, name):
        return {"collections": self.collections, "chunks": self.chunks, "shards": self.shards,
                "databases": self.databases, "version": [self.version_record]}.get(name, [])


class FakeMongos:
    """The script of an Upstream."""

    def __init__(self, config, batch=2):
        self.config = config
        self.batch = batch
        self.asked = []
        self._rest = {}
        self._lock = threading.Lock()

    def __call__(self, connection):
        while request := connection.message():
            with self._lock:
                answer = self.answer(request.body)
            connection.reply(request, answer)

    def answer(self, body):
        name = next(iter(body))
        self.asked.append(name)
        if name.lower() in ("hello", "ismaster"):
            return {"ismaster": True, "msg": "isdbgrid", "maxBsonObjectSize": 16777216,
                    "maxMessageSizeBytes": 48000000, "maxWriteBatchSize": 100000,
                    "minWireVersion": 0, "ok": 1.0,
                    "maxWireVersion": WIRE_VERSIONS[self.config.version]}
        if name == "ping":  # of a connection that was idle for a while
            return {"ok": 1.0}
        if name == "buildInfo":
            return {"version": self.config.version + ".9", "ok": 1.0}
        if name == "find" and body["$db"] == "config":
            return self.next_batch("firstBatch", len(self._rest) + 1, "config." + body["find"],
                                   list(self.config.find(body["find"])))
        if name == "listCollections":
            assert body["filter"] == {"type": "view"}
            views = self.config.views if body["$db"] == "shop" else []
            return self.next_batch("firstBatch", len(self._rest) + 1,
                                   body["$db"] + ".$cmd.listCollections", list(views))
        if name == "getMore":
            ns, rest = self._rest.pop(body["getMore"])
            return self.next_batch("nextBatch", body["getMore"], ns, rest)
        if name == "find":
            return {"cursor": {"id": Int64(0), "ns": f"{body['$db']}.{body['find']}",
                               "firstBatch": []}, "ok": 1.0}
        return {"ok": 0.0, "errmsg": f"no such command: '{name}'", "code": 59,
                "codeName": "CommandNotFound"}

    def next_batch(self, field, cursor, ns, documents):
        now, rest = documents[:self.batch], documents[self.batch:]
        if rest:
            self._rest[cursor] = (ns, rest)
        return {"cursor": {"id": Int64(cursor if rest else 0), "ns": ns, field: now}, "ok": 1.0}
