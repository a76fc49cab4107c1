"""The class of each kind of command, as a driver sends it, on Yorkie's shard keys."""

import pymongo
import pytest
from bson import ObjectId
from pymongo import InsertOne

from processes import Daemon, Sim
from traffic import PROJECTS, client_of

A, B = PROJECTS[:2]
ID = ObjectId("0123456789abcdef01234567")
ACTIVE = {"_id": {"$gt": ID}, "status": "activated"}


def start_and_close(cursor):
    with cursor:
        next(cursor)


# what a driver must do -> (database, collection), {(command, class): how often}
TABLE = {
    "a page of a project's documents": (
        lambda m: list(m.documents.find({"project_id": A, "removed_at": {"$exists": False},
                                         "_id": {"$gt": ID}}).sort("_id", -1).limit(20)),
        "documents", {("find", "single_shard"): 1}),
    "documents of two projects": (
        lambda m: list(m.documents.find({"project_id": {"$in": [A, B]}})),
        "documents", {("find", "multi_shard"): 1}),
    "documents of a range of projects": (
        lambda m: m.documents.find_one({"project_id": {"$gt": A}}),
        "documents", {("find", "multi_shard"): 1}),
    "documents by key alone": (
        lambda m: m.documents.find_one({"key": "a"}),
        "documents", {("find", "scatter_gather"): 1}),
    "documents of all projects but one": (
        lambda m: m.documents.find_one({"project_id": {"$ne": A}}),
        "documents", {("find", "scatter_gather"): 1}),
    "changes of a document": (
        lambda m: list(m.changes.find({"project_id": A, "doc_id": ID,
                                       "server_seq": {"$gte": 1, "$lte": 9}})),
        "changes", {("find", "single_shard"): 1}),
    "changes of a range of documents": (
        lambda m: m.changes.find_one({"doc_id": {"$gt": ID}}),
        "changes", {("find", "scatter_gather"): 1}),
    "a client by its reference key": (
        lambda m: m.clients.find_one({"project_id": A, "_id": ID}),
        "clients", {("find", "single_shard"): 1}),
    "clients of a project": (
        lambda m: m.clients.find_one({"project_id": A}),
        "clients", {("find", "multi_shard"): 1}),
    "housekeeping": (
        lambda m: list(m.clients.find(ACTIVE).sort("_id", 1).limit(9)),
        "clients", {("find", "scatter_gather"): 1}),
    "users": (
        lambda m: m.users.find_one({"username": "ann"}),
        "users", {("find", "unsharded"): 1}),
    "insert one": (
        lambda m: m.schemas.insert_one({"project_id": A}),
        "schemas", {("insert", "single_shard"): 1}),
    "insert for two projects": (
        lambda m: m.schemas.insert_many([{"project_id": A}, {"project_id": B}]),
        "schemas", {("insert", "multi_shard"): 1}),
    "insert without the key": (
        lambda m: m.schemas.insert_one({"name": "s"}),
        "schemas", {("insert", "single_shard"): 1}),
    "update by key": (
        lambda m: m.schemas.update_one({"project_id": A}, {"$set": {"x": 1}}),
        "schemas", {("update", "single_shard"): 1}),
    "update everything": (
        lambda m: m.schemas.update_many({}, {"$set": {"x": 1}}),
        "schemas", {("update", "scatter_gather"): 1}),
    "delete by key": (
        lambda m: m.revisions.delete_many({"doc_id": ID}),
        "revisions", {("delete", "single_shard"): 1}),
    "delete by _id alone": (
        lambda m: m.revisions.delete_one({"_id": ID}),
        "revisions", {("delete", "scatter_gather"): 1}),
    "find and modify by key": (
        lambda m: m.schemas.find_one_and_update({"project_id": A}, {"$inc": {"n": 1}}),
        "schemas", {("findAndModify", "single_shard"): 1}),
    "aggregate from a match": (
        lambda m: list(m.schemas.aggregate([{"$match": {"project_id": A}}, {"$count": "n"}])),
        "schemas", {("aggregate", "single_shard"): 1}),
    "aggregate from a group": (
        lambda m: list(m.schemas.aggregate([{"$group": {"_id": "$name"}}])),
        "schemas", {("aggregate", "scatter_gather"): 1}),
    "look up in a collection by what isn't its key": (
        lambda m: list(m.users.aggregate([{"$lookup": {
            "from": "schemas", "localField": "a", "foreignField": "b", "as": "s"}}])),
        "users", {("aggregate", "scatter_gather"): 1}),
    "count": (
        lambda m: m.schemas.estimated_document_count(),
        "schemas", {("count", "scatter_gather"): 1}),
    "distinct": (
        lambda m: m.schemas.distinct("name", {"project_id": A}),
        "schemas", {("distinct", "single_shard"): 1}),
    "a cursor follows its find": (
        lambda m: (m.versionvectors.insert_many([{"doc_id": ID, "client_id": n}
                                                 for n in range(9)]),
                   list(m.versionvectors.find({"doc_id": ID}, batch_size=4)),
                   list(m.versionvectors.find({"client_id": {"$gte": 0}}, batch_size=4))),
        "versionvectors", {("insert", "single_shard"): 1, ("find", "single_shard"): 1,
                           ("getMore", "single_shard"): 2, ("find", "scatter_gather"): 1,
                           ("getMore", "scatter_gather"): 2}),
    "a killed cursor follows its find": (
        lambda m: (m.users.insert_many([{"_id": n} for n in range(9)]),
                   start_and_close(m.users.find({}, batch_size=2))),
        "users", {("insert", "unsharded"): 1, ("find", "unsharded"): 1,
                  ("killCursors", "unsharded"): 1}),
    "a cursor that wasn't seen": (
        lambda m: pytest.raises(pymongo.errors.OperationFailure, m.command, {
            "getMore": 999_999_999_999, "collection": "users"}),
        "users", {("getMore", "unknown"): 1}),
    "indexes of a sharded collection": (
        lambda m: (m.schemas.create_index("name"), list(m.schemas.list_indexes())),
        "schemas", {("createIndexes", "scatter_gather"): 1,
                    ("listIndexes", "single_shard"): 1}),
    "indexes of an unsharded collection": (
        lambda m: m.users.create_index("name"),
        "users", {("createIndexes", "unsharded"): 1}),
    "explain": (
        lambda m: m.command("explain", {"find": "documents", "filter": {"project_id": A}}),
        "documents", {("explain", "single_shard"): 1}),
    "a client's bulk write": (
        lambda m: m.client.bulk_write([InsertOne({"project_id": A, "key": "bulk"},
                                                 namespace="yorkie-meta.documents")]),
        "documents", {("bulkWrite", "single_shard"): 1}),
    "databases and collections": (
        lambda m: m.list_collection_names(),
        "", {("listCollections", "not_routed"): 1}),
    "a command that MongoDB doesn't have": (
        lambda m: pytest.raises(pymongo.errors.OperationFailure, m.command, "nonsense"),
        "", {("other", "unknown"): 1}),
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    directory = tmp_path_factory.mktemp("classes")
    sim = Sim(directory)
    daemon = Daemon(directory, sim.address)
    client = client_of(daemon.port)
    # So that the pair (yorkie-meta, "") has a label before an unknown command fails on it.
    client["yorkie-meta"].command("ping")
    yield daemon, client["yorkie-meta"]
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    sim.stop()


def counted(daemon, collection):
    return daemon.metrics().by("scattergate_commands_total", "command", "routing",
                               db="yorkie-meta", collection=collection)


@pytest.mark.parametrize("case", TABLE)
def test_classes(cluster, case):
    daemon, meta = cluster
    work, collection, expected = TABLE[case]
    before = counted(daemon, collection)
    work(meta)
    after = counted(daemon, collection)
    assert {k: n - before.get(k, 0) for k, n in after.items() if n != before.get(k)} == expected
