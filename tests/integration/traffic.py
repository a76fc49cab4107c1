"""Traffic like Yorkie's, well routed and careless, for tests that count."""

import collections
import threading

import pymongo
from bson import ObjectId
from pymongo.monitoring import CommandListener
from pymongo.write_concern import WriteConcern

DATABASE = "yorkie-meta"
PROJECTS = [ObjectId(f"{n:02x}{'1' * 22}") for n in range(0, 250, 25)]
HANDSHAKE = {"hello", "isMaster", "saslStart", "saslContinue"}


class Counter(CommandListener):
    """Counts what the driver says it has sent, by (database, command)."""

    def __init__(self):
        self._lock = threading.Lock()
        self.sent = collections.Counter()

    def started(self, event):
        with self._lock:
            self.sent[event.database_name, event.command_name] += 1

    def succeeded(self, event):
        pass

    def failed(self, event):
        pass


def mixed_round(client, number):
    """Sends every kind of command once; the tests compute the sums."""
    meta = client[DATABASE]
    project = PROJECTS[number % len(PROJECTS)]
    document = ObjectId()
    meta.documents.insert_one({"_id": document, "project_id": project, "key": f"k{number}"})
    meta.documents.find_one({"project_id": project, "key": f"k{number}"})
    list(meta.documents.find({"project_id": project}, batch_size=2).limit(6))
    meta.documents.find_one({"key": f"k{number}"})  # careless: no project_id
    meta.changes.insert_many([{"doc_id": document, "project_id": project, "server_seq": i}
                              for i in range(5)])
    list(meta.changes.find({"project_id": project, "doc_id": document,
                            "server_seq": {"$gte": 1, "$lte": 3}}).sort("server_seq", 1))
    meta.revisions.find_one({"_id": ObjectId()})  # careless: no doc_id
    meta.documents.update_one({"project_id": project, "_id": document}, {"$set": {"n": number}})
    meta.changes.delete_many({"doc_id": document})
    meta.get_collection("snapshots", write_concern=WriteConcern(w=0)).insert_one(
        {"doc_id": document, "server_seq": number})
    list(meta.documents.aggregate([{"$group": {"_id": "$project_id", "n": {"$sum": 1}}}]))
    meta.users.find_one({"username": "ann"})
    client.shop.orders.insert_one({"number": number})
    client.shop.orders.count_documents({})
    client.admin.command("ping")


def in_threads(work, threads):
    """Runs work(0), work(1), ... side by side; fails where one fails."""
    failures = []

    def run(number):
        try:
            work(number)
        except Exception as failure:  # shown below, in the test's own thread
            failures.append(failure)

    running = [threading.Thread(target=run, args=(n,)) for n in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if failures:
        raise failures[0]


def client_of(port, host="127.0.0.1", **options):
    """A client whose monitor polls, without awaitable hellos."""
    return pymongo.MongoClient(host, port, serverMonitoringMode="poll", **options)
