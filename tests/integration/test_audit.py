"""The audit log: the exact count of every finding, its senders, and never a value."""

import json
import re
import uuid

import bson
import bson.json_util
import pymongo
import pytest
from bson import ObjectId

import traffic
from audit import counts_by
from processes import Daemon, Sim
from raw import RawClient, op_msg
from waiting import wait_until

SECRET = "s3cr3t-value"


def careless(client, times=1, **options):
    for _ in range(times):
        client["yorkie-meta"].documents.find_one({"key": SECRET}, **options)


def await_count(daemon, count):
    wait_until(lambda: sum(counts_by(daemon.audit()).values()) == count,
               f"{count} commands in the audit log")


def test_a_first_finding_is_written_at_once_in_mongodbs_envelope(daemon, connect):
    client = connect(daemon, appname="billing")
    careless(client, comment="page.js:12")
    [line] = wait_until(daemon.audit, "the first line")
    assert list(line) == ["schemaVersion", "atype", "ts", "uuid", "local", "param", "result"]
    assert (line["schemaVersion"], line["atype"]) == (1, "scattergate.finding")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["ts"]["$date"])
    as_bson = bson.json_util.loads(bson.json_util.dumps(line))
    assert isinstance(as_bson["uuid"], (uuid.UUID, bson.Binary))
    assert line["local"] == {"ip": "127.0.0.1", "port": daemon.port}
    assert line["result"] == 0
    param = line["param"]
    assert set(param) == {
        "command", "ns", "routing", "bounds", "reason", "shardKey", "missing", "shape",
        "shapeHash", "queryShapeHash", "fanout", "rule", "action", "why", "count", "durationMillis", "callers",
        "suggestion"}
    assert (param["command"], param["ns"]) == ("find", "yorkie-meta.documents")
    assert (param["routing"], param["bounds"], param["reason"]) == (
        "scatter_gather", "full", "missing_key")
    assert param["shardKey"] == {"project_id": 1}
    assert param["missing"] == ["project_id"]
    assert param["shape"]["filter"] == {"key": "?string"}
    assert re.fullmatch(r"[0-9a-f]{16}", param["shapeHash"])
    assert (param["action"], param["rule"], param["why"]) == ("observed", None, None)
    assert param["fanout"] is None
    assert param["durationMillis"]["total"] >= param["durationMillis"]["max"] > 0
    assert "project_id" in param["suggestion"]
    [caller] = param["callers"]
    assert caller.pop("driver").startswith("PyMongo")
    assert caller == {"appName": "billing", "remote": "127.0.0.1", "comment": "page.js:12",
                      "count": 1}


def test_a_lines_fan_out_is_that_of_its_last_command(start, sim, connect, tmp_path):
    keys = tmp_path / "keys.yaml"
    keys.write_text("""
collections:
  - namespace: shop.orders
    shardKey: {n: 1}
    chunks:
      - {min: {n: {$minKey: 1}}, max: {n: 10}, shard: s0}
      - {min: {n: 10}, max: {n: 20}, shard: s1}
      - {min: {n: 20}, max: {n: {$maxKey: 1}}, shard: s2}
""")
    daemon = start(Daemon, sim.address, catalog={"source": str(keys)}, audit={"interval": "1s"},
                   workers={"threads": 1},
                   rules=[{"name": "ranges", "match": {"namespace": "shop.orders"}, "action": "observe"}])
    orders = connect(daemon)["shop"]["orders"]
    # The same value over and over is recalled, and another in between must not be.
    for low in (5, 15, 5, 5, 15, 25, 15):
        list(orders.find({"n": {"$gte": low, "$lt": low + 1}}))
    await_count(daemon, 7)
    lines = [line["param"] for line in daemon.audit()]
    assert len({line["shapeHash"] for line in lines}) == 1
    assert (lines[0]["fanout"], lines[-1]["fanout"]) == (["s0"], ["s1"])


def test_an_accepted_finding_is_written_as_such(daemon, client):
    list(client["yorkie-meta"].clients.find(
        {"_id": {"$gt": ObjectId()}, "status": "activated"}).sort("_id", 1).limit(9))
    [line] = wait_until(daemon.audit, "the line")
    param = line["param"]
    assert (param["action"], param["rule"]) == ("accepted", "housekeeping")
    assert "maintenance" in param["why"]
    assert line["result"] == 0


def test_the_user_is_known_once_authenticated(start, connect):
    sim = start(Sim, users=["ann:secret of ann"])
    daemon = start(Daemon, sim.address)
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-1"):
        client = connect(daemon, username="ann", password="secret of ann",
                         authMechanism=mechanism, appname=mechanism)
        careless(client)
        client.close()
    stranger = connect(daemon, appname="stranger")
    with pytest.raises(pymongo.errors.OperationFailure):
        careless(stranger)
    stranger.close()
    daemon.stop()
    callers = {caller["appName"]: caller.get("user")
               for line in daemon.audit() for caller in line["param"]["callers"]
               if not caller.get("other")}
    # A stranger gets no caller's place in a finding of known clients.
    assert callers.pop("stranger", None) is None
    assert callers == {"SCRAM-SHA-256": "ann", "SCRAM-SHA-1": "ann"}
    assert "secret of ann" not in daemon.audit_path.read_text() + daemon.stderr


def test_lines_of_an_interval_report_what_came_since(start, sim, connect):
    daemon = start(Daemon, sim.address, audit={"interval": "1s"})
    client = connect(daemon)
    careless(client)
    await_count(daemon, 1)
    careless(client, 25)
    await_count(daemon, 26)
    careless(client, 5)
    await_count(daemon, 31)
    lines = daemon.audit()
    assert lines[0]["param"]["count"] == 1
    assert len(lines) >= 3
    assert len({line["uuid"]["$binary"]["base64"] for line in lines}) == len(lines)
    assert len({line["param"]["shapeHash"] for line in lines}) == 1
    assert daemon.metrics().total("scattergate_audit_findings_total") == 31


def test_counts_add_up_to_the_commands_sent_also_over_a_sigterm(daemon):
    """Several clients' threads, then a drain long before the interval's end."""
    clients = [traffic.client_of(daemon.port, appname=f"app{n}") for n in range(3)]

    def work(number):
        client = clients[number % 3]
        for i in range(10):
            traffic.mixed_round(client, number * 10 + i)
            list(client["yorkie-meta"].clients.find(
                {"_id": {"$gt": ObjectId()}, "status": "activated"}).sort("_id", 1).limit(9))
    traffic.in_threads(work, 6)
    found = daemon.metrics().by("scattergate_findings_total", "collection", "command", "action")
    for client in clients:
        client.close()
    assert daemon.stop() == 0
    lines = daemon.audit()
    counts = {(ns.split(".", 1)[1], command, action): n
              for (ns, command, action), n in counts_by(lines, "ns", "command", "action").items()}
    assert counts == {("documents", "find", "observed"): 60, ("revisions", "find", "observed"): 60,
                      ("documents", "aggregate", "observed"): 60,
                      ("clients", "find", "accepted"): 60}
    assert counts == found
    by_app = {}
    for line in lines:
        assert line["param"]["count"] == sum(c["count"] for c in line["param"]["callers"])
        for caller in line["param"]["callers"]:
            by_app[caller["appName"]] = by_app.get(caller["appName"], 0) + caller["count"]
    assert by_app == {"app0": 80, "app1": 80, "app2": 80}


def test_no_value_is_ever_written(daemon, client):
    meta = client["yorkie-meta"]
    careless(client)
    meta.documents.find_one({"$or": [{"key": {"$in": [SECRET, SECRET + "2"]}}, {"x.y": SECRET}]},
                            {"found": SECRET})
    list(meta.documents.aggregate([{"$match": {"key": {"$regex": "^" + SECRET}}},
                                   {"$project": {"a": {"$literal": SECRET}}}]))
    meta.documents.update_many({"key": SECRET}, {"$set": {"k": SECRET}})
    meta.documents.delete_many({"key": {"$gte": SECRET}})
    meta.documents.distinct("key", {"deep": {"er": [SECRET]}})
    with pytest.raises(pymongo.errors.OperationFailure):
        meta.documents.find_one({"$nonsense": SECRET})
    client.close()
    daemon.stop()
    assert sum(counts_by(daemon.audit()).values()) >= 6
    for text in (daemon.audit_path.read_text(), daemon.stderr, daemon.stdout):
        assert SECRET not in text


def test_callers_and_comments_are_bounded(daemon, client):
    for n in range(40):
        careless(client, comment=f"site {n} " + "\u00e9" * 300)
    client.close()
    daemon.stop()
    lines = daemon.audit()
    assert sum(counts_by(lines).values()) == 40
    others = 0
    for line in lines:
        callers = line["param"]["callers"]
        assert len(callers) <= 17
        for caller in callers:
            others += caller["count"] if caller.get("other") else 0
            assert len(caller.get("comment", "").encode()) <= 256
    assert 0 < others < 40


def test_shapes_beyond_the_cap_are_counted_together(start, sim, connect):
    daemon = start(Daemon, sim.address, audit={"max_shapes": 5})
    client = connect(daemon)
    for n in range(30):
        client["yorkie-meta"].documents.find_one({f"field{n}": 1})
    client.close()
    assert daemon.stop() == 0
    lines = daemon.audit()
    assert sum(counts_by(lines).values()) == 30
    by_shape = counts_by(lines, "shapeHash")
    assert len(by_shape) <= 6 and by_shape["__other__",] >= 25


REFUSED = """
schemaVersion: 1
{version}
collections:
  - namespace: app.people
    shardKey: {{_id: 1}}
"""


def refusing(connection):
    """A mongos that refuses each write, as 4.4 does: in the reply's writeErrors or as an error."""
    while request := connection.message():
        body = request.body
        command = next(iter(body))
        error = {"code": 61, "codeName": "ShardKeyNotFound", "errmsg": "no"}
        answer = {"ok": 1.0}
        if command == "delete":
            answer = {"ok": 1.0, "n": 0, "writeErrors": [{"index": 0, **error}]}
        elif command == "findAndModify":
            answer = {"ok": 0.0, **error}
        elif command == "aggregate":
            answer = {"ok": 0.0, "code": 40324, "codeName": "Location40324", "errmsg": "no"}
        connection.reply(request, answer)


BY_NO_KEY = {"_id": {"$gte": 1, "$lte": 1}}
REFUSED_COMMANDS = [
    {"findAndModify": "people", "query": BY_NO_KEY, "update": {"$set": {"v": 1}}, "$db": "app"},
    {"delete": "people", "deletes": [{"q": BY_NO_KEY, "limit": 1}], "$db": "app"},
    {"aggregate": "people", "pipeline": [{"$nonsense": 1}], "cursor": {}, "$db": "app"},
]


@pytest.mark.parametrize("version", ['version: "4.4.17"', ""])
def test_a_command_that_mongos_refuses_is_a_finding_if_the_version_is_known(behind, tmp_path, version):
    keys = tmp_path / "keys.yaml"
    keys.write_text(REFUSED.format(version=version))
    _, daemon = behind(refusing, catalog={"source": str(keys)})
    with RawClient(daemon.port) as client:
        client.send(op_msg({"find": "people", "filter": {"_id": 1}, "$db": "app"}))
        client.receive()
        for body in REFUSED_COMMANDS:
            client.send(op_msg(body))
            client.receive()
    daemon.await_quiet()
    found = daemon.metrics().by("scattergate_findings_total", "collection", "command", "reason", "action")
    page = daemon.get("/")[2]
    shapes = json.loads(daemon.get("/api/v1/shapes")[2])["shapes"]
    daemon.stop()
    lines = counts_by(daemon.audit(), "command", "ns", "reason")
    if not version:
        # Of a scatter that mongos would refuse, the scatter is a finding in any case.
        assert not [key for key in lines if key[2] == "refused"] and "findAndModify" not in str(lines)
        return
    assert found == {("people", command, reason, "observed"): 1 for command, reason in (
        ("findAndModify", "refused"), ("delete", "refused"), ("aggregate", "no_leading_match"))}
    assert lines[("findAndModify", "app.people", "refused")] == 1
    assert lines[("delete", "app.people", "refused")] == 1
    errors = {line["param"]["command"]: line["param"].get("refused") for line in daemon.audit()}
    assert errors["findAndModify"] == errors["delete"] == "ShardKeyNotFound"
    for shape in shapes:
        if shape["reason"] == "refused":
            assert shape["kind"] == "finding" and shape["suggestion"].startswith("give each field")
    assert {shape["command"] for shape in shapes if shape["reason"] == "refused"} == {"findAndModify", "delete"}
    assert "give each field of the shard key" in page


def accepting(connection):
    """A mongos that runs each command."""
    while request := connection.message():
        connection.reply(request, {"ok": 1.0})


def test_a_command_that_mongos_runs_after_all_is_no_finding(behind, tmp_path):
    keys = tmp_path / "keys.yaml"
    keys.write_text(REFUSED.format(version='version: "4.4.17"'))
    _, daemon = behind(accepting, catalog={"source": str(keys)})
    with RawClient(daemon.port) as client:
        for _ in range(3):
            client.send(op_msg(REFUSED_COMMANDS[0]))
            client.receive()
    daemon.await_quiet()
    assert not daemon.metrics().by("scattergate_findings_total", "command")
    totals = json.loads(daemon.get("/api/v1/shapes")[2])
    daemon.stop()
    assert not daemon.audit()
    assert not [shape for shape in totals["shapes"] if shape["reason"] == "refused"]
