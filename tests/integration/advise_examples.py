"""Writes the traffic of docs/advise.md's worked examples: tests/integration/examples/*.log.gz, a day of
mongos's log with all commands. A project of each has most of the traffic, as the sources show."""

import bisect
import datetime
import gzip
import itertools
import json
import pathlib
import random

FOLDER = pathlib.Path(__file__).with_name("examples")
START = datetime.datetime(2026, 11, 20, tzinfo=datetime.timezone.utc)
MINUTES = range(0, 1440, 19)
OF_A_MINUTE = 45


def line(at, database, collection, command):
    return json.dumps({
        "t": {"$date": at.isoformat(timespec="milliseconds")}, "s": "I", "c": "COMMAND", "id": 51803, "ctx": "conn1",
        "msg": "Slow query", "attr": {"type": "command", "ns": f"{database}.{collection}",
                                      "command": {**command, "$db": database}, "durationMillis": 1}})


class Ids:
    """ObjectIds: they begin with the time."""

    def __init__(self, chance):
        self.chance, self.known = chance, {}

    def new(self, project, at):
        made = {"$oid": f"{int(at.timestamp()):08x}{self.chance.getrandbits(64):016x}"}
        self.known.setdefault(project, []).append(made)
        return made

    def any(self, project, at):
        known = self.known.get(project)
        return self.chance.choice(known) if known else self.new(project, at)


def projects(chance, count):
    """Picks a project: the first has two fifths of the requests."""
    total = list(itertools.accumulate([0.4] + [0.6 / (count - 1)] * (count - 1)))
    ids = [{"$oid": f"62{chance.getrandbits(88):022x}"} for _ in range(count)]
    return lambda: ids[min(count - 1, bisect.bisect(total, chance.random()))]


def day(chance):
    for minute in (*MINUTES, 1439):
        for second in sorted(chance.random() * 60 for _ in range(OF_A_MINUTE)):
            yield START + datetime.timedelta(minutes=minute, seconds=second)


def yorkie():
    chance = random.Random(1)
    project_of = projects(chance, 60)
    clients, documents = Ids(chance), Ids(chance)
    for at in day(chance):
        project = project_of()
        kind = chance.random()
        its = {"project_id": project}
        name = json.dumps(project)
        if kind < 0.25:
            query = {**its, "_id": clients.any(name, at)}
            yield line(at, "yorkie-meta", "clients", {"find": "clients", "filter": query, "limit": 1})
        elif kind < 0.42:
            query = {**its, "_id": clients.any(name, at)}
            change = {"$set": {"status": "activated", "updated_at": {"$date": at.isoformat(timespec="milliseconds")}}}
            yield line(at, "yorkie-meta", "clients", {"update": "clients", "updates": [{"q": query, "u": change}]})
        elif kind < 0.50:
            document = {"_id": clients.new(name, at), **its, "key": f"c{chance.randrange(10 ** 6)}", "status": "activated"}
            yield line(at, "yorkie-meta", "clients", {"insert": "clients", "documents": [document]})
        elif kind < 0.58:
            since = {"$lte": {"$date": (at - datetime.timedelta(days=1)).isoformat(timespec="milliseconds")}}
            query = {**its, "status": "activated", "updated_at": since}
            yield line(at, "yorkie-meta", "clients", {"find": "clients", "filter": query, "limit": 500})
        elif kind < 0.59:
            query = {"_id": {"$gt": clients.any(name, at)}, "status": "activated"}
            yield line(at, "yorkie-meta", "clients",
                       {"find": "clients", "filter": query, "sort": {"_id": 1}, "limit": 500})
        elif kind < 0.80:
            query = {**its, "key": f"d{chance.randrange(3000)}", "removed_at": {"$exists": False}}
            yield line(at, "yorkie-meta", "documents", {"find": "documents", "filter": query, "limit": 1})
        elif kind < 0.86:
            query = {**its, "key": f"d{chance.randrange(3000)}"}
            change = {"$set": {"updated_at": {"$date": at.isoformat(timespec="milliseconds")}}}
            yield line(at, "yorkie-meta", "documents", {"update": "documents", "updates": [{"q": query, "u": change}]})
        elif kind < 0.90:
            query = {**its, "_id": documents.any(name, at)}
            yield line(at, "yorkie-meta", "documents", {"find": "documents", "filter": query, "limit": 1})
        elif kind < 0.96:
            document = {"_id": documents.new(name, at), **its, "key": f"d{chance.randrange(3000)}"}
            yield line(at, "yorkie-meta", "documents", {"insert": "documents", "documents": [document]})
        else:
            query = {**its, "removed_at": {"$exists": False}, "_id": {"$lt": documents.any(name, at)}}
            yield line(at, "yorkie-meta", "documents",
                       {"find": "documents", "filter": query, "sort": {"_id": -1}, "limit": 20})


def bugsnag():
    chance = random.Random(2)
    project_of = projects(chance, 60)
    events = Ids(chance)
    for at in day(chance):
        project = project_of()
        kind = chance.random()
        its, name = {"projectId": project}, json.dumps(project)
        if kind < 0.5:
            document = {"_id": events.new(name, at), **its, "class": chance.choice(["Timeout", "NoMethod", "Argument"])}
            yield line(at, "bugsnag", "events", {"insert": "events", "documents": [document]})
        elif kind < 0.75:
            query = {**its, "_id": events.any(name, at)}
            yield line(at, "bugsnag", "events", {"find": "events", "filter": query, "limit": 1})
        elif kind < 0.80:
            yield line(at, "bugsnag", "events", {"find": "events", "filter": {"_id": events.any(name, at)}, "limit": 1})
        else:
            query = {**its, "_id": {"$lt": events.any(name, at)}}
            yield line(at, "bugsnag", "events", {"find": "events", "filter": query, "sort": {"_id": -1}, "limit": 30})


EXAMPLES = {"yorkie": yorkie, "bugsnag": bugsnag}


def log(name):
    return "".join(one + "\n" for one in EXAMPLES[name]())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in EXAMPLES:
        with open(FOLDER / f"{each}.log.gz", "wb") as file:
            file.write(gzip.compress(log(each).encode(), mtime=0))
