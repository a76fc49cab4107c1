"""Large inserts pass while they come in, and are judged all the same."""

import pytest

from processes import Daemon
from raw import RawClient, op_msg
from upstream import swallow
from waiting import wait_until

MEGABYTE = 1_000_000
NAMESPACE = {"db": "yorkie-meta", "collection": "documents"}


def statements(daemon, routing):
    return daemon.metrics().total("scattergate_statements_total", command="insert",
                                  routing=routing, **NAMESPACE)


def test_every_document_of_a_large_batch_is_judged(daemon, client):
    documents = [{"_id": i, "text": "x" * 2_000, "key": f"k{i}", "project_id": i % 7} for i in range(20_000)]
    assert len(client["yorkie-meta"].documents.insert_many(documents).inserted_ids) == 20_000
    assert client["yorkie-meta"].documents.count_documents({"project_id": 3}) == 2857
    metrics = daemon.metrics()
    assert metrics.total("scattergate_statements_total", command="insert",
                         routing="single_shard", **NAMESPACE) == 20_000
    assert metrics.total("scattergate_uninspected_messages_total") == 0


def test_the_shard_key_may_stand_behind_megabytes(daemon, client):
    client["yorkie-meta"].documents.insert_one({"text": "x" * 15 * MEGABYTE, "project_id": 1})
    assert statements(daemon, "single_shard") == 1
    assert daemon.metrics().total("scattergate_uninspected_messages_total") == 0


def test_an_insert_is_with_the_upstream_before_its_end_has_come(behind):
    there, daemon = behind(swallow)
    message = op_msg({"insert": "documents", "$db": "yorkie-meta",
                      "documents": [{"project_id": 1, "text": "x" * 15 * MEGABYTE}] * 3})
    before = daemon.resident_bytes()
    with RawClient(daemon.port) as client:
        client.send(message[:20 * MEGABYTE])
        there.await_received(message[:20 * MEGABYTE])
        client.send(message[20 * MEGABYTE:])
        there.await_received(message)
        assert daemon.resident_bytes() - before < 15 * MEGABYTE
    daemon.await_quiet()
    assert statements(daemon, "single_shard") == 3


def test_it_is_held_where_a_rule_may_reject(start, upstream):
    there = upstream(swallow)
    daemon = start(Daemon, there.address, rules=[
        {"name": "no", "match": {"command": "find"}, "action": "reject"}])
    message = op_msg({"insert": "documents", "$db": "yorkie-meta",
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
    message = bytearray(op_msg({"insert": "documents", "$db": "yorkie-meta",
                                "documents": [{"text": "x" * MEGABYTE, "project_id": 1}]}))
    at = message.index(b"project_id\0")
    message[at - 1] = 0x42 if spoilt == "type" else 0
    with RawClient(daemon.port) as client:
        client.send(bytes(message))
        there.await_received(bytes(message))
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_uninspected_messages_total") == 1
