"""Every accept rule that a report or a daemon prints works when it is pasted."""

import contextlib
import json
import subprocess

import pytest
import yaml
from bson import ObjectId, json_util
from pymongo.errors import OperationFailure

from processes import Daemon, Sim, clean_environment, program_path
from waiting import wait_until

ID = ObjectId("507f1f77bcf86cd799439011")


def scatter(client):
    """One command of each kind that scatters, over Yorkie's collections."""
    database = client["yorkie-meta"]
    documents, changes, clients = database.documents, database.changes, database.clients
    documents.find_one({"key": "a"})
    list(documents.find({"key": {"$gte": "a"}}, batch_size=2))  # and its getMores
    list(documents.aggregate([{"$match": {"key": "b"}}, {"$limit": 3}]))
    documents.count_documents({"key": "c"})
    documents.estimated_document_count()
    documents.distinct("key", {"owner": "a"})
    clients.update_many({"status": "activated"}, {"$set": {"seen": True}})
    changes.delete_many({"actor_id": ID})
    changes.find_one({"actor_id": ID}, sort=[("server_seq", -1)], hint=[("_id", 1)])


def rules_of(report):
    """{shape: rule} of all that can be a finding."""
    printed = {shape["shapeHash"]: shape["acceptRule"] for shape in report["shapes"]
               if shape["routing"] == "scatter_gather" and shape["acceptRule"]}
    return {shape: yaml.safe_load(text)[0] for shape, text in printed.items()}


def report_of(*arguments):
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "report", *arguments, "--format", "json"],
                          capture_output=True, text=True, timeout=60, env=clean_environment())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def sim(start, connect):
    made = start(Sim, shards=3, preset="yorkie")
    return made


def test_rules_printed_by_report_and_pasted_accept_what_they_were_printed_for(start, sim, connect):
    first = start(Daemon, sim.address, name="first")
    with connect(first) as client:
        client["yorkie-meta"].documents.insert_many([{"project_id": ID, "key": f"k{n}"} for n in range(9)])
        scatter(client)
    first.await_quiet()

    def shapes_now():
        made = report_of(first.admin)["shapes"]
        return made if "getMore" in {shape["command"] for shape in made} else None
    shapes = wait_until(shapes_now, "the getMores")
    assert all(shape["acceptRule"] is None for shape in shapes if shape["command"] == "getMore")
    rules = list(rules_of({"shapes": shapes}).values())
    second = start(Daemon, sim.address, name="second", rules=rules)
    checked = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", second.config_path],
                             capture_output=True, text=True, timeout=60, env=clean_environment())
    assert (checked.returncode, checked.stderr) == (0, "")
    with connect(second) as client:
        scatter(client)

    def hits():
        answer = json.loads(second.get("/api/v1/rules")[2])["rules"]
        return {one["name"]: one["hits"].get("accepted", 0) for one in answer}
    assert len(rules) >= 7
    printed = {rule["name"] for rule in rules}
    wait_until(lambda: all(hits().get(name) for name in printed), "hits of every rule")
    second.await_quiet()
    assert second.metrics().total("scattergate_findings_total", action="observed") == 0


# One scattering command of each kind; some that join, or name more namespaces.
SCATTERING = [
    {"find": "documents", "filter": {"key": "a"}},
    {"find": "documents", "filter": {}},
    {"find": "documents", "filter": {"project_id": {"$ne": ID}}, "sort": {"key": -1}, "limit": 3},
    {"find": "documents", "filter": {"$or": [{"key": "a"}, {"key": {"$in": []}}]}, "hint": {"_id": 1}},
    {"aggregate": "documents", "pipeline": [{"$match": {"key": "b"}}, {"$limit": 3}], "cursor": {}},
    {"aggregate": "documents", "pipeline": [{"$group": {"_id": "$project_id"}}], "cursor": {}},
    {"aggregate": "projects", "pipeline": [{"$lookup": {"from": "documents", "localField": "_id", "foreignField": "key",
                                                        "as": "d"}}], "cursor": {}},
    {"aggregate": "documents", "pipeline": [{"$lookup": {"from": "clients", "localField": "key",
                                                         "foreignField": "status", "as": "d"}}], "cursor": {}},
    {"count": "documents", "query": {"key": "c"}},
    {"count": "documents"},
    {"distinct": "documents", "key": "key", "query": {"owner": "a"}},
    {"update": "clients", "updates": [{"q": {"status": "activated"}, "u": {"$set": {"seen": True}}, "multi": True}]},
    {"update": "clients", "updates": [{"q": {"status": "x"}, "u": {"$set": {"seen": True}}},
                                      {"q": {"key": "x"}, "u": [{"$set": {"seen": True}}], "multi": True}]},
    {"delete": "changes", "deletes": [{"q": {"actor_id": ID}, "limit": 0}]},
    {"delete": "changes", "deletes": [{"q": {}, "limit": 0}]},
    {"findAndModify": "clients", "query": {"status": "activated"}, "update": {"$set": {"seen": True}}},
    {"findAndModify": "clients", "query": {"status": "activated"}, "remove": True},
    {"bulkWrite": 1, "ops": [{"delete": 0, "filter": {"status": "gone"}, "multi": True},
                             {"update": 1, "filter": {"key": "x"}, "updateMods": {"$set": {"a": 1}}, "multi": True}],
     "nsInfo": [{"ns": "yorkie-meta.clients"}, {"ns": "yorkie-meta.documents"}]},
]


def test_rules_printed_of_a_file_of_commands_accept_what_the_daemon_sees(start, sim, connect, tmp_path):
    """A shape has one hash in every source: each rule accepts its command, and no finding is left."""
    commands = tmp_path / "commands.jsonl"
    lines = [{**command, "$db": "admin" if "bulkWrite" in command else "yorkie-meta"} for command in SCATTERING]
    commands.write_text("".join(json_util.dumps(line) + "\n" for line in lines))
    shapes = report_of(str(commands), "--as", "commands", "--catalog", "preset:yorkie")["shapes"]
    assert all(shape["routing"] == "scatter_gather" and shape["acceptRule"] for shape in shapes)
    assert {shape["command"] for shape in shapes} == {next(iter(command)) for command in SCATTERING}
    daemon = start(Daemon, sim.address, rules=[yaml.safe_load(shape["acceptRule"])[0] for shape in shapes])
    with connect(daemon) as client:
        for command in SCATTERING:
            database = client["admin" if "bulkWrite" in command else "yorkie-meta"]
            with contextlib.suppress(OperationFailure):  # the proxy also judges what the simulator doesn't know
                database.command(command)
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total("scattergate_findings_total", action="observed") == 0
    assert metrics.total("scattergate_findings_total", action="accepted") >= len(SCATTERING)
    hits = {one["name"]: one["hits"] for one in json.loads(daemon.get("/api/v1/rules")[2])["rules"]}
    assert all(hits[f"accept-{shape['shapeHash']}"].get("accepted") for shape in shapes)


@pytest.mark.parametrize("command, send", [
    ({"update": "clients"}, lambda on: on.update_many({"status": "activated"}, {"$set": {"seen": True}})),
    ({"delete": "clients"}, lambda on: on.delete_many({"status": "gone"})),
])
def test_a_batch_that_mongos_did_not_log_has_a_rule_that_matches(start, sim, connect, tmp_path, command, send):
    log = tmp_path / "mongos.log"
    log.write_text(json.dumps({
        "t": {"$date": "2026-11-22T04:08:09.967+00:00"}, "s": "I", "c": "COMMAND", "id": 51803, "ctx": "conn1",
        "msg": "Slow query", "attr": {"type": "command", "ns": "yorkie-meta.clients", "nShards": 3,
                                      "command": {**command, "$db": "yorkie-meta"}}}) + "\n")
    shape, = report_of(str(log), "--catalog", "preset:yorkie")["shapes"]
    rule, = yaml.safe_load(shape["acceptRule"])
    daemon = start(Daemon, sim.address, rules=[rule])
    with connect(daemon) as client:
        send(client["yorkie-meta"].clients)
    daemon.await_metric(1, "scattergate_findings_total", action="accepted")
    daemon.await_metric(0, "scattergate_findings_total", action="observed")
