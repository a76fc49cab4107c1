"""Attempts to bypass a rule that rejects: none reaches mongos."""

import struct

import bson
import bson.raw_bson
import pytest

from processes import Daemon
from raw import (RawClient, body_section, framed, op_msg, op_query, sectioned,
                 sequence_section)
from upstream import Upstream, answer_all

DB = "yorkie-meta"
RULE = [{"name": "no-scatter", "action": "reject",
         "match": {"namespace": f"{DB}.documents", "routing": "scatter_gather"}}]
HARMLESS = {"find": "documents", "filter": {"project_id": 1}, "$db": DB}
OP_UPDATE, OP_INSERT, OP_DELETE = 2001, 2002, 2006
EVERYTHING = {"q": {}, "u": {"$set": {"x": 1}}, "multi": True}
ONE = {"q": {"project_id": 1}, "u": {"$set": {"x": 1}}}
REFUSED = {"q": {"x": {"$bad": 1}}, "u": {"$set": {"x": 1}}}
UNION = {"$unionWith": "documents"}
FUSION = {"$rankFusion": {"input": {"pipelines": {
    "a": [{"$search": {}}], "b": [{"$sort": {"x": 1}}]}}}}


def with_symbol(body):
    """The command with its first value, a string, as a symbol."""
    data = bytearray(bson.encode(body))
    assert data[4] == 0x02
    data[4] = 0x0E
    return bytes(data)


def aggregate(stages, on="users"):
    return {"aggregate": on, "pipeline": stages, "cursor": {}, "$db": DB}


def update(statements, **more):
    return {"update": "documents", "updates": statements, **more, "$db": DB}


def bulk_write(ops, namespaces):
    return {"bulkWrite": 1, "ops": ops, "nsInfo": [{"ns": f"{DB}.{name}"} for name in namespaces],
            "$db": "admin"}


def nested(stage, levels):
    for _ in range(levels):
        stage = {"$unionWith": {"coll": "users", "pipeline": [stage]}}
    return stage


def twice(document, extra):
    """Both documents' fields, which may be named alike."""
    content = bson.encode(document)[4:-1] + bson.encode(extra)[4:-1]
    return struct.pack("<i", len(content) + 5) + content + b"\0"


def deep(levels):
    condition = {}
    for _ in range(levels):
        condition = {"$and": [condition]}
    return condition


LOOKUP = {"from": "documents", "pipeline": [], "as": "found"}
DOUBLED_LOOKUP = twice({"from": "users", "pipeline": [], "as": "found"}, {"from": "documents"})
WALKS = {
    "symbol": op_msg(with_symbol(update([EVERYTHING]))),
    "symbol in explain": op_msg({"explain": bson.raw_bson.RawBSONDocument(
        with_symbol(update([EVERYTHING]))), "$db": DB}),
    "refused beside": op_msg(update([REFUSED, EVERYTHING], ordered=False)),
    "refused behind": op_msg(update([EVERYTHING, REFUSED])),
    "second namespace": op_msg(bulk_write(
        [{"insert": 0, "document": {"a": 1}},
         {"update": 1, "filter": {}, "updateMods": {"$set": {"x": 1}}, "multi": True}],
        ["users", "documents"])),
    "behind a hundred namespaces": op_msg(bulk_write(
        [{"insert": i, "document": {}} for i in range(100)]
        + [{"delete": 100, "filter": {}, "multi": True}],
        [f"n{i}" for i in range(100)] + ["documents"])),
    "union": op_msg(aggregate([UNION])),
    "union beside a scatter of another": op_msg(aggregate([UNION], on="clients")),
    "lookup": op_msg(aggregate([{"$lookup": LOOKUP}])),
    "graph lookup": op_msg(aggregate([{"$graphLookup": {
        "from": "documents", "startWith": "$x", "connectFromField": "x", "connectToField": "y",
        "as": "z"}}])),
    "in a facet": op_msg(aggregate([{"$facet": {"a": [], "b": [{"$lookup": LOOKUP}]}}])),
    "ten pipelines deep": op_msg(aggregate([nested(UNION, 10)])),
    "thirty pipelines deep": op_msg(aggregate([nested(UNION, 30)])),
    "in a pipeline without a collection": op_msg(aggregate(
        [{"$unionWith": {"pipeline": [{"$documents": []}, UNION]}}])),
    "behind collStats": op_msg(aggregate([{"$collStats": {}}, UNION], on="clients")),
    "beside a search in a fusion": op_msg(aggregate([FUSION], on="documents")),
    "in a joined fusion": op_msg(aggregate(
        [{"$unionWith": {"coll": "documents", "pipeline": [FUSION]}}])),
    "a lookup with two names": op_msg(aggregate(
        [{"$lookup": bson.raw_bson.RawBSONDocument(DOUBLED_LOOKUP)}])),
    "explain": op_msg({"explain": {"find": "documents", "filter": {}}, "$db": DB}),
    "explain with two filters": op_msg({"explain": bson.raw_bson.RawBSONDocument(twice(
        {"find": "documents", "filter": {"project_id": 1}}, {"filter": {}})), "$db": DB}),
    "another command's argument": op_msg(
        {"distinct": "documents", "key": "x", "query": {}, "filter": {"project_id": 1},
         "$db": DB}),
    "two filters": op_msg(twice({"find": "documents", "filter": {"project_id": 1}, "$db": DB},
                                {"filter": {}})),
    "two hundred fields": op_msg(
        {"distinct": "documents", "key": "x", **{f"f{i}": 1 for i in range(200)}, "$db": DB}),
    "eighty levels deep": op_msg({"find": "documents", "filter": deep(80), "$db": DB}),
    "wrapped": op_query({"$query": {"count": "documents", "query": {}}}, collection=f"{DB}.$cmd"),
    "wrapped in an array": op_query(
        bytes(bson.encode({"$query": {"count": "documents"}})).replace(b"\x03$query",
                                                                       b"\x04$query"),
        collection=f"{DB}.$cmd"),
    "body last": sectioned(struct.pack("<I", 0) + sequence_section("updates", [EVERYTHING])
                           + body_section({"update": "documents", "$db": DB})),
    "legacy find": op_query({}, collection=f"{DB}.documents"),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    upstream = Upstream(answer_all)
    daemon = Daemon(tmp_path_factory.mktemp("walks"), upstream.address, rules=RULE)
    yield upstream, daemon
    daemon.stop()
    upstream.close()


def received(upstream):
    return b"".join(bytes(each.received) for each in upstream.connections)


@pytest.mark.parametrize("name", WALKS)
def test_no_way_leads_around_a_rule(guarded, name):
    upstream, daemon = guarded
    message = WALKS[name]
    with RawClient(daemon.port) as client:
        client.send(message)
        reply = client.receive()
        assert reply is not None and (reply.body["ok"], reply.body["code"]) == (0, 411)
        assert "no-scatter" in reply.body["errmsg"]
        client.send(op_msg(HARMLESS, 2))  # the connection still works
        assert client.receive().body["ok"] == 1
    assert message not in received(upstream)


@pytest.mark.parametrize("opcode, rest", [
    (OP_UPDATE, struct.pack("<i", 2) + bson.encode({}) + bson.encode({"$set": {"x": 1}})),
    (OP_INSERT, bson.encode({"x": 1})),
    (OP_DELETE, struct.pack("<i", 0) + bson.encode({}))])
def test_a_legacy_write_is_dropped_where_a_rule_that_rejects_is_on_its_namespace(
        guarded, opcode, rest):
    upstream, daemon = guarded
    before = daemon.metrics().total("scattergate_rejected_without_reply_total")

    def write(name):
        return framed(struct.pack("<i", 0) + f"{DB}.{name}".encode() + b"\0" + rest,
                      opcode=opcode)
    with RawClient(daemon.port) as client:
        client.send(write("documents") + write("users") + op_msg(HARMLESS, 2))
        assert client.receive().body["ok"] == 1
    assert write("documents") not in received(upstream)
    assert write("users") in received(upstream)
    assert daemon.metrics().total("scattergate_rejected_without_reply_total") == before + 1


def test_a_finding_stands_under_the_namespace_whose_rule_decided(behind):
    _, daemon = behind(answer_all, rules=RULE)
    with RawClient(daemon.port) as client:
        assert client.run({"count": "tickets", "$db": DB})["ok"] == 1  # no stranger, then
        assert client.run(aggregate([UNION]))["code"] == 411
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.by("scattergate_findings_total", "collection", "action") == {
        ("documents", "rejected"): 1}
    assert metrics.by("scattergate_commands_total", "collection", "routing",
                      command="aggregate") == {("users", "scatter_gather"): 1}
    daemon.stop()
    [line] = daemon.audit()
    assert (line["param"]["ns"], line["param"]["rule"]) == (f"{DB}.documents", "no-scatter")


def test_a_finding_is_accepted_only_where_every_namespace_accepts_it(behind):
    accept = [{"name": "users", "action": "accept", "match": {"namespace": f"{DB}.users"}},
              {"name": "documents", "action": "accept", "match": {
                  "namespace": f"{DB}.documents", "app": "nobody"}}]
    _, daemon = behind(answer_all, rules=accept)
    with RawClient(daemon.port) as client:
        assert client.run(aggregate([UNION]))["ok"] == 1
    daemon.await_quiet()
    assert daemon.metrics().by("scattergate_findings_total", "collection", "action") == {
        ("documents", "observed"): 1}


def test_statements_of_a_bulk_write_count_where_they_are(behind):
    _, daemon = behind(answer_all)
    ops = [{"insert": 0, "document": {"project_id": 1}},
           {"delete": 1, "filter": {"project_id": 1}, "multi": True},
           {"delete": 1, "filter": {}, "multi": True},
           {"insert": 2, "document": {}}]
    with RawClient(daemon.port) as client:
        assert client.run(bulk_write(ops, ["documents", "schemas", "fresh"]))["ok"] == 1
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.by("scattergate_statements_total", "collection", "routing") == {
        ("documents", "single_shard"): 1, ("schemas", "single_shard"): 1,
        ("schemas", "scatter_gather"): 1, ("fresh", "unsharded"): 1}
    assert metrics.total("scattergate_commands_total", command="bulkWrite") == 1
