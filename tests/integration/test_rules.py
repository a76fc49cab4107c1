"""observe, accept and reject, as applications meet them."""

import pymongo
import pytest
from pymongo.errors import OperationFailure
from pymongo.write_concern import WriteConcern

from processes import Daemon
from traffic import PROJECTS

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
    assert refusal.value.code == 20
    assert refusal.value.details["codeName"] == "IllegalOperation"
    assert "errorLabels" not in refusal.value.details
    for part in ("scattergate: ", "project_id", "no-scatter", "ask with project_id"):
        assert part in refusal.value.details["errmsg"]
    assert reached_shards(client, "find") == before
    # The same connection goes on.
    assert documents.find_one({"project_id": PROJECTS[0]})["_id"] == 1
    assert rejecting.metrics().total("scattergate_connections_closed_total") == 0
    client.close()
    rejecting.stop()
    [line] = rejecting.audit()
    assert (line["result"], line["param"]["action"]) == (20, "rejected")
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


def test_an_observed_command_works_as_without_the_proxy(daemon, client):
    meta = client["yorkie-meta"]
    meta.documents.insert_one({"_id": 1, "project_id": PROJECTS[0], "key": "k"})
    assert meta.documents.find_one({"key": "k"})["_id"] == 1
    assert reached_shards(client, "find") == 3
    assert daemon.metrics().by(FINDINGS, "action") == {("observed",): 1}


def test_a_bulk_write_is_rejected_as_a_whole(rejecting, connect):
    documents = connect(rejecting)["yorkie-meta"].documents
    with pytest.raises(OperationFailure) as refusal:
        documents.bulk_write([pymongo.UpdateMany({"project_id": 1}, {"$set": {"a": 1}}),
                              pymongo.UpdateMany({"key": 1}, {"$set": {"a": 1}})])
    assert refusal.value.code == 20
    assert documents.count_documents({"project_id": 1, "a": 1}) == 0
