"""Every accept rule that a report or a daemon prints works when it is pasted."""

import json
import subprocess

import pytest
import yaml
from bson import ObjectId

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


def test_a_batch_that_mongos_did_not_log_has_a_rule_that_matches(start, sim, connect, tmp_path):
    log = tmp_path / "mongos.log"
    log.write_text(json.dumps({
        "t": {"$date": "2026-11-22T04:08:09.967+00:00"}, "s": "I", "c": "COMMAND", "id": 51803, "ctx": "conn1",
        "msg": "Slow query", "attr": {"type": "command", "ns": "yorkie-meta.clients", "nShards": 3,
                                      "command": {"update": "clients", "$db": "yorkie-meta"}}}) + "\n")
    shape, = report_of(str(log), "--catalog", "preset:yorkie")["shapes"]
    rule, = yaml.safe_load(shape["acceptRule"])
    daemon = start(Daemon, sim.address, rules=[rule])
    with connect(daemon) as client:
        client["yorkie-meta"].clients.update_many({"status": "activated"}, {"$set": {"seen": True}})
    daemon.await_metric(1, "scattergate_findings_total", action="accepted")
    daemon.await_metric(0, "scattergate_findings_total", action="observed")
