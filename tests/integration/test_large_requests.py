"""Large requests are forwarded while they arrive, and are still judged."""

import contextlib

import bson
import pytest
from pymongo import ReplaceOne, UpdateMany

from audit import counts_by
from processes import Daemon
from raw import CHECKSUM_PRESENT, RawClient, op_msg
from upstream import swallow
from waiting import wait_until

MEGABYTE = 1_000_000
LONG_TEXT = "x" * 15 * MEGABYTE
LONG_BINARY = bson.Binary(b"\xff" * 15 * MEGABYTE)
BY_KEY = {"_id": 1, "project_id": 1}


def statements(daemon, command, routing):
    """Of any namespace: without answers, no namespace has its own label."""
    return daemon.metrics().total("scattergate_statements_total", command=command,
                                  routing=routing)


def uninspected(daemon):
    return daemon.metrics().total("scattergate_uninspected_messages_total")


def request(command, sequences=None, **options):
    """To the collection `documents`."""
    return op_msg({**command, "$db": "yorkie-meta"}, sequences=sequences, **options)


# Each of about 45 MB, of which three statements go to one shard.
LARGE = {
    "insert": lambda: request({"insert": "documents", "documents":
                               [{"project_id": 1, "text": LONG_TEXT}] * 3}),
    "insert in a section": lambda: request(
        {"insert": "documents"}, {"documents": [{"text": LONG_TEXT, "project_id": 1}] * 3}),
    "update": lambda: request({"update": "documents"}, {"updates": [
        {"q": BY_KEY, "u": {"$set": {"text": LONG_TEXT}}},
        {"q": BY_KEY, "u": {"$push": {"changes": {"$each": [{"data": LONG_BINARY}]}}}},
        {"q": BY_KEY, "u": {"text": LONG_TEXT, "project_id": 1}}]}),
    "update by a pipeline": lambda: request({"update": "documents", "updates": [
        {"q": BY_KEY, "u": [{"$set": {"text": LONG_TEXT, "n": "$m"}}]}] * 3}),
    "bulkWrite": lambda: op_msg(
        {"bulkWrite": 1, "$db": "admin"},
        sequences={"ops": [{"insert": 0, "document": {"project_id": 1, "text": LONG_TEXT}},
                           {"update": 0, "filter": BY_KEY,
                            "updateMods": {"$set": {"data": LONG_BINARY}}},
                           {"update": 0, "filter": BY_KEY, "updateMods": {"text": LONG_TEXT}}],
                   "nsInfo": [{"ns": "yorkie-meta.documents"}]}),
}


def test_every_document_of_a_large_batch_is_judged(daemon, client):
    documents = [{"_id": i, "text": "x" * 2_000, "key": f"k{i}", "project_id": i % 7} for i in range(20_000)]
    assert len(client["yorkie-meta"].documents.insert_many(documents).inserted_ids) == 20_000
    assert client["yorkie-meta"].documents.count_documents({"project_id": 3}) == 2857
    assert statements(daemon, "insert", "single_shard") == 20_000
    assert uninspected(daemon) == 0


def test_every_statement_of_a_large_batch_is_judged(daemon, client):
    documents = client["yorkie-meta"].documents
    writes = [UpdateMany({"project_id": i}, {"$set": {"text": "x" * 5_000}}, upsert=i % 2 == 1)
              for i in range(2_000)]
    writes += [ReplaceOne({"_id": i, "project_id": i}, {"project_id": i, "text": "y" * 5_000})
               for i in range(1_000)]
    writes += [UpdateMany({"key": "k"}, {"$set": {"text": "z" * 5_000}}) for _ in range(30)]
    result = documents.bulk_write(writes)
    assert result.upserted_count == 1_000
    assert documents.count_documents({"text": "x" * 5_000}) == 1_000
    assert statements(daemon, "update", "single_shard") == 3_000
    assert statements(daemon, "update", "scatter_gather") == 30
    assert uninspected(daemon) == 0


def test_the_shard_key_may_stand_behind_megabytes(daemon, client):
    client["yorkie-meta"].documents.insert_one({"text": LONG_TEXT, "project_id": 1})
    assert statements(daemon, "insert", "single_shard") == 1
    assert uninspected(daemon) == 0


@pytest.mark.parametrize("kind", LARGE)
def test_it_is_with_the_upstream_before_its_end_has_come(behind, kind):
    there, daemon = behind(swallow)
    message = LARGE[kind]()
    before = daemon.peak_resident_bytes()
    with RawClient(daemon.port) as client:
        client.send(message[:30 * MEGABYTE])
        there.await_received(message[:30 * MEGABYTE])
        client.send(message[30 * MEGABYTE:])
        there.await_received(message)
    daemon.await_quiet()
    assert daemon.peak_resident_bytes() - before < 8 * MEGABYTE
    assert statements(daemon, kind.split()[0], "single_shard") == 3
    assert uninspected(daemon) == 0


def test_filters_are_kept_and_judged_whatever_their_size(behind):
    there, daemon = behind(swallow)
    keys = [f"k{i}" for i in range(40_000)]
    message = request({"find": "documents", "filter": {"key": {"$in": keys}}})
    other = request({"delete": "documents", "deletes": [
        {"q": {"project_id": i, "key": "x" * 1_000}, "limit": 0} for i in range(2_000)]})
    with RawClient(daemon.port) as client:
        client.send(message[:400_000])
        there.await_received(message[:400_000])
        client.send(message[400_000:] + other)
        there.await_received(message + other)
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_commands_total", command="find",
                                  routing="scatter_gather") == 1
    assert statements(daemon, "delete", "single_shard") == 2_000


def test_its_shape_is_that_of_a_small_one(daemon, client):
    documents = client["yorkie-meta"].documents
    for size in (10, MEGABYTE):
        documents.update_many({"key": "k"}, {"$set": {"text": "x" * size, "z": {"a": "y" * size}}})
    client.close()
    daemon.await_quiet()
    assert daemon.stop() == 0
    assert list(counts_by(daemon.audit(), "ns", "command", "shapeHash").values()) == [2]


def test_many_at_once_share_little_memory(behind):
    there, daemon = behind(swallow, limits={"memory": "2MiB"})
    message = LARGE["update"]()
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(RawClient(daemon.port)) for _ in range(4)]
        for client in clients:
            client.send(message[:20 * MEGABYTE])
        for client in clients:
            client.send(message[20 * MEGABYTE:])
        for number in range(len(clients)):
            there.await_received(message, number)
    daemon.await_quiet()
    assert statements(daemon, "update", "single_shard") == 12
    assert uninspected(daemon) == 0


@pytest.mark.parametrize("held", [False, True])
def test_what_is_only_claimed_takes_no_memory_from_others(start, upstream, held):
    there = upstream(swallow)
    rules = [{"name": "no", "match": {"command": "find"}, "action": "reject"}] if held else []
    daemon = start(Daemon, there.address, limits={"memory": "3MiB"}, rules=rules)
    claim = LARGE["insert"]()[:1_000]
    message = request({"insert": "documents",
                       "documents": [{"project_id": 1, "text": "x" * MEGABYTE}]})
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(RawClient(daemon.port)).send(claim)
        daemon.await_metric(20 * len(claim), "scattergate_request_bytes_total")
        stack.enter_context(RawClient(daemon.port)).send(message)
        wait_until(lambda: any(message in each.received for each in there.connections),
                   "the whole request at the upstream")
    daemon.await_quiet()
    assert statements(daemon, "insert", "single_shard") == 1
    assert daemon.metrics().total("scattergate_uninspected_messages_total",
                                  reason="too_large") == 0


def test_its_checksum_is_compared(behind):
    there, daemon = behind(swallow)
    good = request({"update": "documents", "updates": [
        {"q": BY_KEY, "u": {"$set": {"text": "x" * 100_000}}}]}, flags=CHECKSUM_PRESENT)
    bad = good[:-1] + bytes([good[-1] ^ 1])
    with RawClient(daemon.port) as client:
        client.send(good + bad)
        there.await_received(good + bad)
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_checksums_verified_total") == 2
    assert daemon.metrics().total("scattergate_checksum_failures_total") == 1
    assert statements(daemon, "update", "single_shard") == 2


def test_it_is_held_where_a_rule_may_reject(start, upstream):
    there = upstream(swallow)
    daemon = start(Daemon, there.address, rules=[
        {"name": "no", "match": {"command": "find"}, "action": "reject"}])
    message = request({"insert": "documents",
                       "documents": [{"project_id": 1, "text": "x" * MEGABYTE}]})
    with RawClient(daemon.port) as client:
        client.send(message[:-1])
        wait_until(lambda: daemon.metrics().total("scattergate_request_bytes_total")
                   == len(message) - 1, "all to be read")
        assert not there.await_connection(0).received
        client.send(message[-1:])
        there.await_received(message)


@pytest.mark.parametrize("spoilt", ["short", "type"])
def test_what_breaks_on_the_way_is_counted_and_passes(behind, spoilt):
    there, daemon = behind(swallow)
    message = bytearray(request({"insert": "documents", "documents":
                                 [{"text": "x" * MEGABYTE, "project_id": 1}]}))
    at = message.index(b"project_id\0")
    message[at - 1] = 0x42 if spoilt == "type" else 0
    with RawClient(daemon.port) as client:
        client.send(bytes(message))
        there.await_received(bytes(message))
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_uninspected_messages_total",
                                  reason="bad_bson") == 1
