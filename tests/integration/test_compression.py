"""Compressed commands: the same results, the same judgement, the same bytes."""

import zlib

import pymongo
import pytest
import snappy
from backports import zstd
from pymongo.errors import OperationFailure

import operations
import test_libmongoc
import traffic
from processes import Daemon, Sim
from raw import OP_COMPRESSED, OP_MSG, RawClient, framed, op_msg
from relay import CompressedRelay

COMPRESSORS = ["snappy", "zlib", "zstd"]
IDS = {"noop": 0, "snappy": 1, "zlib": 2, "zstd": 3}
PACK = {"noop": bytes, "snappy": snappy.compress, "zlib": zlib.compress, "zstd": zstd.compress}
COMMANDS = "scattergate_commands_total"
UNINSPECTED = "scattergate_uninspected_messages_total"
REJECT = [{"name": "no-scatter", "match": {"namespace": "yorkie-meta.documents",
                                           "routing": "scatter_gather"}, "action": "reject"}]
CARELESS = {"find": "documents", "filter": {"key": 1}, "$db": "yorkie-meta"}


def packed(message, by, request_id=1, response_to=0):
    body = message[16:]
    head = OP_MSG.to_bytes(4, "little") + len(body).to_bytes(4, "little") + bytes([IDS[by]])
    return framed(head + PACK[by](body), request_id, response_to, OP_COMPRESSED)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two fresh servers; the second is behind the daemon."""
    directory = tmp_path_factory.mktemp("pair")
    direct, behind = Sim(directory, "direct"), Sim(directory, "behind")
    daemon = Daemon(directory, behind.address)
    yield direct, daemon
    assert daemon.stop() == 0, daemon.stderr
    direct.stop()
    behind.stop()


@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_operations_give_the_same(pair, compressor):
    for operation in operations.OPERATIONS:
        results = []
        for server in pair:
            with pymongo.MongoClient("127.0.0.1", server.port, compressors=compressor) as client:
                results.append(operation(client[f"{operation.__name__}_{compressor}"]))
        assert operations.normal(results[1]) == operations.normal(results[0]), operation


def judged(start, name, **options):
    """The counts of the same traffic, and the number of requests by compressor."""
    sim = start(Sim, name=f"sim-{name}")
    daemon = start(Daemon, sim.address, name=f"daemon-{name}")
    relay = CompressedRelay(daemon.port)
    with traffic.client_of(relay.port, **options) as client:
        for number in range(12):
            traffic.mixed_round(client, number)
    relay.close()
    daemon.await_quiet()
    metrics = daemon.metrics()
    labels = ("db", "collection", "command", "routing")
    commands = {key: count for key, count in metrics.by(COMMANDS, *labels).items()
                if key[2] not in traffic.HANDSHAKE}
    assert metrics.total(UNINSPECTED) == 0
    assert metrics.total("scattergate_unmatched_replies_total") == 0
    findings = metrics.by("scattergate_findings_total", *labels[:3], "reason", "action")
    return (commands, findings), relay.compressed


def test_they_are_judged_like_plain_ones(start):
    plain, compressed = judged(start, "plain")
    assert not compressed
    for compressor in COMPRESSORS:
        packed_ones, compressed = judged(start, compressor, compressors=compressor)
        assert packed_ones == plain
        assert set(compressed) == {IDS[compressor]}
        assert sum(compressed.values()) >= sum(plain[0].values())


@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_a_driver_takes_a_rejection_that_is_not_compressed(start, sim, connect, compressor):
    daemon = start(Daemon, sim.address, rules=REJECT)
    client = connect(daemon, compressors=compressor)
    documents = client["yorkie-meta"].documents
    for _ in range(3):
        with pytest.raises(OperationFailure) as refused:
            documents.find_one({"key": 1})
        assert refused.value.code == 411
        documents.find_one({"project_id": 1})
    client.close()
    daemon.await_quiet()
    assert daemon.metrics().by(COMMANDS, "routing", command="find") == {
        ("scatter_gather",): 3, ("single_shard",): 3}


@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_libmongoc_gets_the_same_and_all_is_counted(start, compressor):
    test_libmongoc.test_libmongoc_gets_the_same_and_all_is_counted(
        start, f"compressors={compressor}")


@pytest.mark.parametrize("compressor", PACK)
def test_the_bytes_that_go_on_are_those_that_came(behind, compressor):
    upstream, daemon = behind(answer_packed)
    message = packed(op_msg(CARELESS), compressor)
    with RawClient(daemon.port) as client:
        client.send(message)
        reply = client.receive()
    assert reply.data == REPLY
    upstream.await_received(message)
    daemon.await_quiet()
    assert daemon.metrics().by(COMMANDS, "collection", "routing") == {
        ("documents", "scatter_gather"): 1}


REPLY = packed(op_msg({"ok": 1.0}, response_to=1), "zlib", 99, 1)


def answer_packed(connection):
    while connection.message():
        connection.send(REPLY)


def test_a_message_of_many_megabytes_is_read_too(daemon, connect):
    client = connect(daemon, compressors="zstd")
    client["yorkie-meta"].documents.insert_one({"project_id": 1, "text": "x" * 15_000_000})
    client.close()
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total(UNINSPECTED) == 0
    assert metrics.total(COMMANDS, command="insert", routing="single_shard") == 1


@pytest.mark.parametrize("on_uninspected", ["forward", "reject"])
def test_nothing_hides_from_a_reject_rule_in_bad_compression(behind, on_uninspected):
    _, daemon = behind(answer_packed, rules=REJECT, on_uninspected=on_uninspected)
    spoilt = bytearray(packed(op_msg(CARELESS), "zlib"))
    spoilt[-1] ^= 1
    with RawClient(daemon.port) as client:
        client.send(bytes(spoilt))
        reply = client.receive()
    assert b"QueryRejectedBySettings" in reply.data
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total(UNINSPECTED, reason="bad_compression") == 1
    assert metrics.total("scattergate_findings_total", action="rejected",
                         reason="unreadable") == 1
    daemon.stop()
    assert [(line["param"]["count"], line["param"]["shape"]) for line in daemon.audit()] == [
        (1, {"unreadable": "bad_compression"})]
