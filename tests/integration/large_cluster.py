"""A config database of very many collections, which applies filters: reading all of its chunks
for every question about a few would take longer than the effects that the tests measure."""

from bson import Binary, Int64, MaxKey, MinKey, ObjectId, Timestamp

from fake_mongos import SHARDS, WIRE_VERSIONS, FakeMongos


class LargeCluster:
    """`size` collections shop.c00000, ..., each of one chunk on the first shard."""

    def __init__(self, version, size):
        self.version, self.size = version, size
        self.names_by_uuid = WIRE_VERSIONS[version] >= WIRE_VERSIONS["5.0"]
        self.collections = [self._collection(number) for number in range(size)]
        self._chunks = {self._key(number): [self._chunk(number, MinKey(), MaxKey(), 0, 1, 0)]
                        for number in range(size)}
        self.views = []
        self.questions = []  # those about chunks

    @staticmethod
    def name(number):
        return f"c{number:05}"

    def halve(self, number):
        """Simulates a split, and a move of the upper half to the second shard."""
        self._chunks[self._key(number)] = [self._chunk(number, MinKey(), 5, 0, 2, 1),
                                           self._chunk(number, 5, MaxKey(), 1, 2, 0)]

    def find(self, body):
        if body["find"] == "chunks":
            return self._find_chunks(body["filter"])
        return {"collections": self.collections,
                "shards": [{"_id": name, "host": f"{name}/h:27018"} for name in SHARDS],
                "databases": [{"_id": "shop", "primary": SHARDS[0]}],
                "version": [{"_id": 1, "clusterId": ObjectId(b"cluster-id-1")}]}.get(body["find"], [])

    def _find_chunks(self, asked):
        self.questions.append(asked)
        field = "uuid" if self.names_by_uuid else "ns"
        found = []
        for branch in asked.get("$or", [asked]):
            name = branch[field]
            least = branch.get("lastmod", {}).get("$gte", Timestamp(0, 0))
            for each in name["$in"] if isinstance(name, dict) else [name]:
                found += [chunk for chunk in self._chunks.get(each, []) if chunk["lastmod"] >= least]
        return sorted(found, key=lambda chunk: (chunk[field], chunk["lastmod"]))

    def _uuid(self, number):
        return Binary(number.to_bytes(16, "big"), 4)

    def _key(self, number):
        return self._uuid(number) if self.names_by_uuid else f"shop.{self.name(number)}"

    def _collection(self, number):
        made = {"_id": f"shop.{self.name(number)}", "uuid": self._uuid(number),
                "lastmodEpoch": ObjectId(b"epoch-000000"), "key": {"n": 1}, "unique": False}
        return {**made, **({"timestamp": Timestamp(1700000000, 3)} if self.names_by_uuid else {})}

    def _chunk(self, number, low, high, owner, major, minor):
        name = ({"uuid": self._uuid(number)} if self.names_by_uuid else
                {"ns": f"shop.{self.name(number)}", "lastmodEpoch": ObjectId(b"epoch-000000")})
        return {**name, "min": {"n": low}, "max": {"n": high}, "shard": SHARDS[owner],
                "lastmod": Timestamp(major, minor)}


class LargeMongos(FakeMongos):
    def __init__(self, cluster):
        super().__init__(cluster, batch=5000)

    def answer(self, body):
        if next(iter(body)) == "find" and body["$db"] == "config":
            self.asked.append("find")
            return self.next_batch("firstBatch", len(self._rest) + 1, "config." + body["find"],
                                   list(self.config.find(body)))
        return super().answer(body)
