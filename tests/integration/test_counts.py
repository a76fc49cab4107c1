"""Every command is counted once: the metrics against two independent counts of what was sent."""

import collections
import subprocess
import threading

import pytest
from pymongo import DeleteOne, UpdateMany

import traffic
from processes import Daemon, program_path
from raw import EXHAUST_ALLOWED, RawClient, op_msg
from relay import CountingRelay
from waiting import wait_until

COMMANDS = "scattergate_commands_total"


@pytest.fixture
def relay(daemon):
    relay = CountingRelay(daemon.port)
    yield relay
    relay.close()


def send_mixed_traffic(port, clients=4, threads=3, rounds=8):
    """Several clients with several threads each; what their drivers say they sent."""
    counter = traffic.Counter()
    opened = [traffic.client_of(port, event_listeners=[counter]) for _ in range(clients)]

    def work(number):
        for i in range(rounds):
            traffic.mixed_round(opened[number % clients], number * rounds + i)
    try:
        traffic.in_threads(work, clients * threads)
    finally:
        for client in opened:
            client.close()
    return counter.sent


def test_commands_are_counted_once_each_by_namespace_and_name(daemon, relay):
    assert daemon.metrics().total("scattergate_workers") == 2
    sent = send_mixed_traffic(relay.port)
    daemon.await_quiet()
    counted = daemon.metrics().by(COMMANDS, "db", "collection", "command")
    assert counted == dict(relay.counts())
    # The driver counts everything except the handshakes.
    by_driver = collections.Counter()
    for (database, _, command), number in counted.items():
        if command not in traffic.HANDSHAKE:
            by_driver[database, command] += number
    assert by_driver == sent


def test_a_streaming_monitor_is_counted_once_per_question(daemon, relay, connect):
    """An exhaust hello has many replies, and a waiting one may have none: each counts once."""
    client = connect(relay, heartbeatFrequencyMS=500, serverMonitoringMode="stream")
    client.admin.command("ping")
    wait_until(lambda: relay.counts()["admin", "", "hello"] >= 1, "the monitor's question")
    client.close()
    daemon.await_quiet()
    counted = daemon.metrics().by(COMMANDS, "db", "collection", "command")
    assert counted == dict(relay.counts())


def test_the_replies_of_a_streaming_monitor_are_matched_next_to_other_traffic(daemon):
    stopping = threading.Event()

    def work():
        with RawClient(daemon.port) as client:
            while not stopping.is_set():
                assert client.run({"ping": 1, "$db": "admin"})["ok"] == 1
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    with RawClient(daemon.port) as monitor:
        version = monitor.run({"hello": 1, "$db": "admin"})["topologyVersion"]
        monitor.send(op_msg({"hello": 1, "topologyVersion": version, "maxAwaitTimeMS": 50,
                             "$db": "admin"}, 55, flags=EXHAUST_ALLOWED))
        chain = [monitor.receive() for _ in range(20)]
    stopping.set()
    for thread in threads:
        thread.join()
    assert [reply.response_to for reply in chain] == [55] + [reply.request_id
                                                            for reply in chain[:-1]]
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_unmatched_replies_total") == 0


def test_durations_and_judgements_are_counted_with_the_commands(daemon, relay):
    send_mixed_traffic(relay.port, clients=2, threads=1, rounds=5)
    daemon.await_quiet()
    metrics = daemon.metrics()
    commands = metrics.total(COMMANDS)
    assert commands == sum(relay.counts().values())
    assert relay.without_reply == 10
    answered = metrics.total("scattergate_command_duration_seconds_count")
    assert answered == commands - relay.without_reply
    assert metrics.total("scattergate_inspect_seconds_count") == commands
    for labels, count in metrics.series("scattergate_command_duration_seconds_count"):
        assert count <= metrics.total(COMMANDS, **labels)
        last = metrics.total("scattergate_command_duration_seconds_bucket", le="+Inf", **labels)
        assert last == count


def test_statements_are_counted_next_to_their_batches(daemon, client):
    documents = client[traffic.DATABASE].documents
    first, second = traffic.PROJECTS[:2]
    documents.insert_many([{"project_id": first, "key": f"k{n}"} for n in range(7)])
    documents.insert_many([{"project_id": p, "key": "other"} for p in (first, second)])
    documents.bulk_write([UpdateMany({"project_id": first}, {"$set": {"a": 1}}),
                          UpdateMany({"project_id": second}, {"$set": {"a": 2}}),
                          UpdateMany({"key": "careless"}, {"$set": {"a": 3}}),
                          DeleteOne({"project_id": first})])
    client.close()
    daemon.await_quiet()
    metrics = daemon.metrics()
    here = {"db": traffic.DATABASE, "collection": "documents"}
    assert metrics.by(COMMANDS, "command", "routing", **here) == {
        ("insert", "single_shard"): 1, ("insert", "multi_shard"): 1,
        ("update", "scatter_gather"): 1, ("delete", "single_shard"): 1}
    assert metrics.by("scattergate_statements_total", "command", "routing", **here) == {
        ("insert", "single_shard"): 9, ("update", "single_shard"): 2,
        ("update", "scatter_gather"): 1, ("delete", "single_shard"): 1}


def test_findings_are_counted_by_why_and_what_was_done(daemon, client):
    meta = client[traffic.DATABASE]
    for n in range(6):
        meta.documents.find_one({"key": f"k{n}"})
        meta.documents.find_one({"project_id": traffic.PROJECTS[0]})
    for n in range(4):
        list(meta.clients.find({"_id": {"$gt": traffic.PROJECTS[0]}, "status": "activated"})
             .sort("_id", 1).limit(10))
    meta.changes.count_documents({"server_seq": 3})
    client.close()
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.by("scattergate_findings_total", "collection", "command", "action") == {
        ("documents", "find", "observed"): 6, ("clients", "find", "accepted"): 4,
        ("changes", "aggregate", "observed"): 1}
    assert metrics.by("scattergate_new_shapes_total", "collection") == {
        ("documents",): 1, ("clients",): 1, ("changes",): 1}
    assert metrics.by(COMMANDS, "routing", collection="documents", command="find") == {
        ("scatter_gather",): 6, ("single_shard",): 6}


def test_the_fan_out_is_what_the_shards_have_seen(start, connect, tmp_path, sim):
    """With the simulator's own chunks as the catalog, checked by its shards' counters."""
    catalog = tmp_path / "catalog.yaml"
    catalog.write_bytes(subprocess.run(
        [program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"), "--preset", "yorkie",
         "--shards", "3", "--print-catalog"], check=True, stdout=subprocess.PIPE).stdout)
    daemon = start(Daemon, sim.address, catalog={"source": str(catalog)})
    client = connect(daemon)
    documents = client[traffic.DATABASE].documents
    for project in traffic.PROJECTS:
        documents.find_one({"project_id": project})
    for n in range(5):
        documents.find_one({"key": f"k{n}"})
    documents.find_one({"project_id": {"$in": [traffic.PROJECTS[0], traffic.PROJECTS[-1]]}})
    documents.find_one({"project_id": {"$gte": traffic.PROJECTS[5]}})
    shards = client.admin.command("simShardStats")["shards"]
    client.close()
    daemon.await_quiet()
    metrics = daemon.metrics()
    here = {"db": traffic.DATABASE, "collection": "documents"}
    assert metrics.total("scattergate_fanout_shards_count", **here) == 17
    assert metrics.total("scattergate_fanout_shards_sum", **here) == sum(
        shard.get("find", 0) for shard in shards.values())
