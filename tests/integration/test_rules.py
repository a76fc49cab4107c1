"""observe, accept and reject, as applications experience them."""

import json
import subprocess
from datetime import datetime

import pymongo
import pytest
from bson import Decimal128
from pymongo.errors import OperationFailure
from pymongo.write_concern import WriteConcern

from processes import Daemon, clean_environment, program_path
from traffic import PROJECTS
from waiting import wait_until

FINDINGS = "scattergate_findings_total"
NO_CARELESS_FINDS = {
    "name": "no-scatter", "action": "reject", "why": "ask with project_id",
    "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"}}


def reached_shards(client, command):
    """How many commands of that name have reached any shard."""
    shards = client.admin.command("simShardStats")["shards"]
    return sum(shard.get(command, 0) for shard in shards.values())


@pytest.fixture
def rejecting(start, sim):
    return start(Daemon, sim.address, rules=[NO_CARELESS_FINDS])


def test_a_rejected_command_gets_an_error_and_never_reaches_a_shard(rejecting, connect):
    client = connect(rejecting)
    documents = client["yorkie-meta"].documents
    documents.insert_one({"_id": 1, "project_id": PROJECTS[0]})
    before = reached_shards(client, "find")
    with pytest.raises(OperationFailure) as refusal:
        documents.find_one({"key": "k"})
    assert refusal.value.code == 411
    assert refusal.value.details["codeName"] == "QueryRejectedBySettings"
    assert "errorLabels" not in refusal.value.details
    for part in ("scattergate: ", "project_id", "no-scatter", "ask with project_id"):
        assert part in refusal.value.details["errmsg"]
    assert reached_shards(client, "find") == before
    # The same connection still works.
    assert documents.find_one({"project_id": PROJECTS[0]})["_id"] == 1
    assert rejecting.metrics().total("scattergate_connections_closed_total") == 0
    client.close()
    rejecting.stop()
    [line] = rejecting.audit()
    assert (line["result"], line["param"]["action"]) == (411, "rejected")
    assert (line["param"]["rule"], line["param"]["why"]) == ("no-scatter", "ask with project_id")


def test_a_rejected_command_is_counted_once(rejecting, connect):
    client = connect(rejecting)
    client["yorkie-meta"].documents.find_one({"project_id": PROJECTS[0]})  # no stranger
    for _ in range(7):
        with pytest.raises(OperationFailure):
            client["yorkie-meta"].documents.update_many({}, {"$set": {"x": 1}})
    metrics = rejecting.metrics()
    assert metrics.total("scattergate_commands_total", command="update",
                         routing="scatter_gather", collection="documents") == 7
    assert metrics.by(FINDINGS, "command", "action") == {("update", "rejected"): 7}

    def refused():
        return [shape for shape in json.loads(rejecting.get("/api/v1/shapes")[2])["shapes"] if shape["refused"] == 7]
    wait_until(refused, "the shape")
    shape, = refused()
    assert (shape["count"], shape["fanout"]["max"], shape["wastedShardRequests"]) == (7, 0, 0), "no shard got it"
    assert reached_shards(client, "update") == 0


def test_a_rejected_command_in_a_transaction_leaves_it_to_the_application(rejecting, connect):
    client = connect(rejecting)
    documents = client["yorkie-meta"].documents
    with client.start_session() as session, session.start_transaction():
        documents.insert_one({"_id": 1, "project_id": PROJECTS[0], "key": 1}, session=session)
        with pytest.raises(OperationFailure):
            documents.find_one({"key": 1}, session=session)
        documents.insert_one({"_id": 2, "project_id": PROJECTS[0], "key": 2}, session=session)
    assert documents.count_documents({"project_id": PROJECTS[0]}) == 2


def test_a_rejected_command_without_a_reply_is_dropped_and_counted(rejecting, connect):
    client = connect(rejecting, maxPoolSize=1)
    documents = client["yorkie-meta"].documents
    documents.insert_one({"_id": 1, "project_id": PROJECTS[0], "x": 0})
    quiet = documents.with_options(write_concern=WriteConcern(w=0))
    quiet.update_many({"key": "k"}, {"$set": {"x": 1}})
    quiet.update_many({"project_id": PROJECTS[0]}, {"$set": {"y": 1}})
    assert documents.find_one({"project_id": PROJECTS[0], "y": 1})["x"] == 0
    assert reached_shards(client, "update") == 1
    metrics = rejecting.metrics()
    assert metrics.total("scattergate_rejected_without_reply_total") == 1
    assert metrics.by(FINDINGS, "command", "action") == {("update", "rejected"): 1}


@pytest.mark.parametrize("match", [
    {"app": "report"}, {"comment": "nightly*"}, {"namespace": "yorkie-meta.docu*"},
    {"command": "find"}, {"missing": ["project_id"]}], ids=lambda match: next(iter(match)))
def test_the_first_rule_that_matches_decides(start, sim, connect, match):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "known", "match": match, "action": "accept", "why": "known", "by": "dba"},
        NO_CARELESS_FINDS])
    client = connect(daemon, appname="report")
    client["yorkie-meta"].documents.find_one({"key": 1}, comment="nightly report")
    assert daemon.metrics().by(FINDINGS, "action") == {("accepted",): 1}
    other = connect(daemon, appname="shop")
    if match.keys() & {"app", "comment"}:
        with pytest.raises(OperationFailure):
            other["yorkie-meta"].documents.find_one({"key": 1}, comment="page.js")


def test_only_what_is_known_by_its_shape_is_accepted(start, sim, connect):
    first = start(Daemon, sim.address, name="first")
    client = connect(first)
    client["yorkie-meta"].documents.find_one({"key": 1})
    client.close()
    first.stop()
    [line] = first.audit()
    second = start(Daemon, sim.address, name="second", rules=[
        {"name": "known", "match": {"shape": line["param"]["shapeHash"]}, "action": "accept"}])
    client = connect(second)
    client["yorkie-meta"].documents.find_one({"key": 9})
    client["yorkie-meta"].documents.find_one({"name": 9})
    assert second.metrics().by(FINDINGS, "action") == {("accepted",): 1, ("observed",): 1}


# MongoDB's manual has this find, and what 8.0 calls its shape.
PIZZA_HASH = "ab8ecadee8f0eb0f447a30744eb4813ae7e0bfef523b0870ca10fcbc87f5d8f1"
PIZZA_CATALOG = 'schemaVersion: 1\n{}collections: [{{namespace: test.pizzaOrders, shardKey: {{shop: 1}}}}]\n'


def find_pizzas(client, since, **others):
    return list(client.test.pizzaOrders.find({"orderDate": {"$gt": datetime(since, 5, 10)}}, **others)
                .sort("totalNumber", 1))


@pytest.mark.parametrize("version", ["8.0", None])
def test_a_rule_knows_a_find_by_what_mongodb_calls_its_shape(start, sim, connect, tmp_path, version):
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text(PIZZA_CATALOG.format(f'version: "{version}"\n' if version else ""))
    daemon = start(Daemon, sim.address, catalog={"source": str(catalog)}, rules=[
        {"name": "known", "match": {"queryShapeHash": [PIZZA_HASH]}, "action": "reject"}])
    client = connect(daemon)
    client.test.pizzaOrders.find_one({"shop": 1})  # no stranger
    for year in (2022, 2023, 2024):
        if version is None:  # the routing is uncertain
            find_pizzas(client, year)
            continue
        with pytest.raises(OperationFailure, match="known"):
            find_pizzas(client, year, comment=str(year))
    find_pizzas(client, 2024, limit=3)
    find_pizzas(client, 2024, collation={"locale": "de"})
    assert daemon.metrics().by("scattergate_rule_hits_total", "rule", "action") == (
        {("known", "rejected"): 3} if version else {})
    client.close()
    daemon.stop()
    hashes = {line["param"]["queryShapeHash"] for line in daemon.audit() if line["result"] == 411}
    assert hashes == ({PIZZA_HASH.upper()} if version else set())


def test_a_dry_run_reports_what_it_would_reject(start, sim, connect):
    daemon = start(Daemon, sim.address, rules=[{**NO_CARELESS_FINDS, "dry_run": True}])
    connect(daemon)["yorkie-meta"].documents.find_one({"key": 1})
    metrics = daemon.metrics()
    assert metrics.by(FINDINGS, "action") == {("observed",): 1, ("would_reject",): 1}
    assert metrics.by("scattergate_rule_hits_total", "rule", "action") == {
        ("no-scatter", "would_reject"): 1}


def test_what_was_accepted_until_a_day_that_is_over_alarms_again(start, sim, connect):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "known", "match": {"command": "find"}, "action": "accept", "why": "till then",
         "until": "2001-01-01"}])
    client = connect(daemon)
    client["yorkie-meta"].documents.find_one({"key": 1})
    assert daemon.metrics().by(FINDINGS, "action") == {("expired",): 1}
    client.close()
    daemon.stop()
    [line] = daemon.audit()
    assert (line["param"]["rule"], line["param"]["action"]) == ("known", "expired")


def test_a_network_and_a_fan_out_decide(start, sim, connect):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "here", "match": {"remote": ["10.0.0.0/8", "127.0.0.0/8"], "command": "count"},
         "action": "reject"},
        {"name": "elsewhere", "match": {"remote": "192.0.2.0/24"}, "action": "accept"}])
    client = connect(daemon)
    client["yorkie-meta"].documents.find_one({"key": 1})
    assert daemon.metrics().by(FINDINGS, "action") == {("observed",): 1}
    with pytest.raises(OperationFailure):
        client["yorkie-meta"].command("count", "documents", query={"key": 1})


def test_a_comment_accepts_what_is_observed_where_that_is_allowed(start, sim, connect):
    daemon = start(Daemon, sim.address, comments={"accept": ["yorkie-meta.documents"]}, rules=[
        {"name": "no count", "match": {"command": "count"}, "action": "reject"}])
    client = connect(daemon)
    meta = client["yorkie-meta"]
    why = "scattergate:accept the nightly export"
    meta.documents.find_one({"key": 1}, comment=why)
    meta.clients.find_one({"key": 1}, comment=why)
    with pytest.raises(OperationFailure):
        meta.command("count", "documents", query={"key": 1}, comment=why)
    assert daemon.metrics().by(FINDINGS, "collection", "action") == {
        ("documents", "accepted"): 1, ("clients", "observed"): 1, ("documents", "rejected"): 1}
    client.close()
    daemon.stop()
    [accepted] = [each for each in daemon.audit() if each["param"]["action"] == "accepted"]
    assert accepted["param"]["why"] == "the nightly export"
    assert accepted["param"]["rule"] is None


def test_the_why_of_a_comment_is_that_of_the_latest_command(start, sim, connect):
    daemon = start(Daemon, sim.address, comments={"accept": ["*"]})
    client = connect(daemon)
    for written, why in enumerate(("the nightly export", "the weekly export")):
        client["yorkie-meta"].documents.find_one({"key": 1}, comment=f"scattergate:accept {why}")
        if written == 0:  # commands that come before a line is written are one line
            wait_until(lambda: len(daemon.audit()) == 1, "the first line")
    client.close()
    daemon.stop()
    assert [(line["param"]["why"], line["param"]["count"]) for line in daemon.audit()] == [
        ("the nightly export", 1), ("the weekly export", 1)]


def test_check_warns_of_rules_that_are_odd(tmp_path):
    file = tmp_path / "rules.yaml"
    file.write_text("rules:\n"
                    "- {name: a, match: {namespace: 'shop.*'}, action: accept}\n"
                    "- {name: b, match: {namespace: shop.orders, app: x}, action: accept}\n"
                    "- {name: c, match: {namespace: '*.orders'}, action: reject}\n")
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", file,
                           "--upstream", "mongos"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 0, done.stderr
    [covered, overlapping] = done.stderr.splitlines()
    assert covered.startswith(f"{file}:3: warning: rule 'b' never decides")
    assert overlapping.startswith(f"{file}:4: warning: rule 'c' overlaps with rule 'a'")


def test_an_observed_command_works_as_without_the_proxy(daemon, client):
    meta = client["yorkie-meta"]
    meta.documents.insert_one({"_id": 1, "project_id": PROJECTS[0], "key": "k"})
    assert meta.documents.find_one({"key": "k"})["_id"] == 1
    assert reached_shards(client, "find") == 3
    assert daemon.metrics().by(FINDINGS, "action") == {("observed",): 1}


@pytest.mark.parametrize("verbosity, passes", [
    ("queryPlanner", True), ("executionStats", False), ("allPlansExecution", False), (None, False)])
def test_an_explain_that_runs_nothing_passes_a_rule_that_rejects(rejecting, connect, verbosity, passes):
    explain = {"explain": {"find": "documents", "filter": {"key": "k"}}, "verbosity": verbosity}
    if verbosity is None:
        del explain["verbosity"]
    database = connect(rejecting)["yorkie-meta"]
    if passes:
        assert database.command(explain)["ok"] == 1
    else:
        with pytest.raises(OperationFailure) as refusal:
            database.command(explain)
        assert refusal.value.code == 411
    action = "observed" if passes else "rejected"
    assert rejecting.metrics().by(FINDINGS, "command", "action") == {("explain", action): 1}


def test_a_bulk_write_is_rejected_as_a_whole(rejecting, connect):
    documents = connect(rejecting)["yorkie-meta"].documents
    with pytest.raises(OperationFailure) as refusal:
        documents.bulk_write([pymongo.UpdateMany({"project_id": 1}, {"$set": {"a": 1}}),
                              pymongo.UpdateMany({"key": 1}, {"$set": {"a": 1}})])
    assert refusal.value.code == 411
    assert documents.count_documents({"project_id": 1, "a": 1}) == 0


def test_the_api_reports_each_rule_with_what_it_has_done(start, sim, connect):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "clients", "match": {"namespace": "yorkie-meta.clients"}, "action": "accept", "why": "rare"},
        {"name": "unused", "match": {"namespace": "nowhere.*"}, "action": "reject", "why": "never"}])
    for _ in range(3):
        connect(daemon)["yorkie-meta"].clients.find_one({"status": "activated"})

    def listed():
        status, kind, body = daemon.get("/api/v1/rules")
        assert (status, kind) == (200, "application/json")
        return {one["name"]: one for one in json.loads(body)["rules"]}
    wait_until(lambda: listed()["clients"]["hits"] == {"accepted": 3}, "three hits")
    assert listed()["unused"]["hits"] == {}
    assert (listed()["unused"]["action"], listed()["clients"]["why"]) == ("reject", "rare")


# Each of these runs on a real mongos, or did in some version, although it looks like an error.
LOOKS_LIKE_AN_ERROR = [
    {"delete": "documents", "deletes": [{"q": {}, "limit": Decimal128("0")}]},
    {"delete": "documents", "deletes": [{"q": {}, "limit": Decimal128("1E-6000")}]},
    {"find": "documents", "filter": {"x": {"$type": Decimal128("2")}}},
    {"find": "documents", "filter": {"x": {"$in": [{"$gt": 1, "$ref": "a", "$id": 1}]}}},
    {"find": "documents", "filter": {"project_id": {"$exists": "no"}}},
    {"count": "documents", "autocommit": None},
    {"distinct": "documents", "key": "x", "autocommit": None},
    {"aggregate": "documents", "cursor": {}, "pipeline": [{"$out": "copy"}], "autocommit": None},
    {"explain": {"find": "documents"}, "autocommit": None},
    {"explain": {"count": "documents", "autocommit": False}},
    # Errors of mongos, which a rule that rejects scatters doesn't wait for.
    {"find": "documents", "filter": {"x": {"$unknown": 1}}},
    {"find": "documents", "limit": -1},
    {"update": "documents", "updates": [{"q": {}, "u": {"x": 1}, "multi": True}]},
    {"aggregate": "documents", "cursor": {}, "pipeline": [{"$unknown": 1}]},
]


@pytest.mark.parametrize("command", LOOKS_LIKE_AN_ERROR, ids=str)
def test_a_scatter_that_looks_like_an_error_of_mongos_is_rejected(rejecting, connect, command):
    client = connect(rejecting)
    with pytest.raises(OperationFailure) as refusal:
        client["yorkie-meta"].command(command)
    assert (refusal.value.code, refusal.value.details["codeName"]) == (411, "QueryRejectedBySettings")
    assert "no-scatter" in refusal.value.details["errmsg"]
    # With the key, the same error is mongos's own.
    if command.get("filter") == {"x": {"$unknown": 1}}:
        bounded = {**command, "filter": {**command["filter"], "project_id": PROJECTS[0], "key": "k"}}
        with pytest.raises(OperationFailure) as of_mongos:
            client["yorkie-meta"].command(bounded)
        assert "no-scatter" not in of_mongos.value.details["errmsg"]
