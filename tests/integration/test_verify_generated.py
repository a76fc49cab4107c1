"""Thousands of generated filters, judged by the program and by the simulator."""

import json
import random

import pytest

from processes import Sim
from test_verify import META, checks_of, verify  # noqa: F401  (a fixture)

FIELDS = {
    "documents": ["project_id", "project_id", "key", "_id"],
    "clients": ["project_id", "project_id", "_id", "_id", "status"],
    "changes": ["doc_id", "doc_id", "project_id", "server_seq"],
    "schemas": ["project_id", "name"],
    "users": ["username"],
}


class Generator:
    """Commands whose filters bound, contradict and join in many ways. All ways are used only for 4.4: for some
    contradictions it is unknown which shard later versions ask, so the verdict is wider. sim_tests compares these,
    and gives a reason for each difference (tests/sim/agreement). """

    def __init__(self, seed, version):
        self._random = random.Random(seed)
        self._in_all_ways = version == "4.4"

    def _one_of(self, *makers):
        return self._random.choice(makers)()

    def _id(self):
        return {"$oid": f"{self._random.getrandbits(96):024x}"}

    def _scalar(self):
        chance = self._random
        return self._one_of(
            self._id, self._id, self._id, lambda: chance.randint(-5, 5),
            lambda: chance.choice(["a", "b", ""]), lambda: None, lambda: chance.random() < 0.5,
            lambda: {"$numberLong": str(chance.getrandbits(40))}, lambda: chance.random() * 3,
            lambda: {"$numberDecimal": chance.choice(["1.5", "2.5", "-0.5", "7"])},
            lambda: {"$date": "2020-01-01T00:00:00Z"}, lambda: {"a": 1})

    def _any(self):
        return self._one_of(*[self._scalar] * 8, lambda: {"$minKey": 1}, lambda: {"$maxKey": 1})

    def _list(self, least, most):
        return [self._any() for _ in range(self._random.randint(least, most))]

    def _predicate(self):
        if self._random.random() < 0.4:
            return self._any()
        made = {}
        for _ in range(self._random.choice([1, 1, 1, 2]) if self._in_all_ways else 1):
            name = self._random.choice(["$eq", "$in", "$in", "$gt", "$gte", "$lt", "$lte", "$ne",
                                        "$nin", "$exists", "$type", "$regex", "$all"])
            made[name] = {
                "$in": lambda: self._list(1, 4), "$nin": lambda: self._list(1, 3),
                "$exists": lambda: self._random.random() < 0.5,
                "$type": lambda: self._random.choice([2, 7, "string", "objectId", "number"]),
                "$regex": lambda: self._random.choice(["^a", "a", "^ab.*"]),
                "$all": lambda: self._list(1, 1)}.get(name, self._scalar)()
        return made

    def _filter(self, collection, with_or=True):
        fields = FIELDS[collection]
        made = {self._random.choice(fields): self._predicate()
                for _ in range(self._random.choice([0, 1, 1, 2, 2, 3]))}
        # Not for "changes": its hashed field could get more than two equalities that contradict each other.
        if self._in_all_ways and collection != "changes" and self._random.random() < 0.15:
            made["$and"] = [self._filter(collection, False) for _ in range(2)]
        if with_or and self._random.random() < 0.2:
            beside = made if self._in_all_ways and self._random.random() < 0.5 else {}
            made = {**beside, "$or": self._branches(collection)}
        if not with_or or not self._in_all_ways:
            return made
        if self._random.random() < 0.1:
            made["$nor"] = self._branches(collection)
        if self._random.random() < 0.1:
            made["$expr"] = {self._random.choice(["$eq", "$gt", "$lte"]): [
                "$" + self._random.choice(fields), self._id()]}
        return made

    def _branches(self, collection):
        return [self._filter(collection, False) for _ in range(self._random.randint(1, 3))]

    def command(self):
        chance = self._random
        collection = chance.choice(list(FIELDS))
        query = self._filter(collection)
        kind = chance.choice(["find", "find", "count", "distinct", "aggregate", "update",
                              "delete", "findAndModify"])
        made = {kind: collection}
        if kind == "find":
            made["filter"] = query
            if chance.random() < 0.2:
                made["sort"] = {"key": 1}
            if chance.random() < 0.2:
                made["collation"] = {"locale": chance.choice(["simple", "en"])}
        elif kind == "aggregate":
            made["pipeline"] = [{"$match": query}, chance.choice(
                [{"$sort": {"key": 1}}, {"$group": {"_id": "$key"}}, {"$limit": 3}])]
            made["cursor"] = {}
        elif kind == "update":
            made["updates"] = [{"q": query, "u": {"$set": {"zz": 1}},
                                "multi": chance.random() < 0.5}]
        elif kind == "delete":
            made["deletes"] = [{"q": query, "limit": chance.choice([0, 1])}]
        else:
            made["query"] = query
            made.update({"distinct": {"key": "k"},
                         "findAndModify": {"remove": True}}.get(kind, {}))
        return {**made, "$db": META}


@pytest.mark.parametrize("version", ["4.4", "6.0", "7.0", "8.0"])
@pytest.mark.parametrize("seed", range(4))
def test_the_program_and_the_simulator_agree_on_generated_commands(verify, start, seed, version):  # noqa: F811
    sim = start(Sim, shards=4, further=["--config-format", version])
    generator = Generator(seed, version)
    commands = [generator.command() for _ in range(500)]
    checks, summary = checks_of(verify(sim, "--json", commands=commands))
    wrong = [check for check in checks if check["outcome"] != "agreed"]
    assert wrong == [], json.dumps(wrong[:3], indent=1)
    assert summary["agreed"] == len(commands)
