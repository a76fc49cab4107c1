"""An OP_QUERY's `$queryOptions`: mongos before 8.1 moves its fields into the command, so mongos would run another command
than the one that rules see. Such a message never reaches mongos."""

import json

import bson
import pytest

from certificates import Authority
from processes import Daemon
from raw import OP_REPLY, RawClient, op_query
from test_x509 import PING, packed, received, tls_client  # noqa: F401 (a fixture)
from upstream import answer_all

UNINSPECTED = "scattergate_uninspected_messages_total"
NEAREST = {"$readPreference": {"mode": "nearest"}}
START = {"saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": b"n,,n=HIDDEN,r=x"}
HIDDEN = {
    "a pipeline": {"aggregate": "HIDDEN", "cursor": {}, "$queryOptions": {"pipeline": []}},
    "a login by certificate": {
        "isMaster": 1, "$queryOptions": {"speculativeAuthenticate": {
            "authenticate": 1, "mechanism": "MONGODB-X509", "user": "CN=HIDDEN"}}},
    "a login by password": {"hello": 1, "$queryOptions": {"speculativeAuthenticate": START}},
    "a mechanism": {"saslStart": 1, "payload": b"HIDDEN", "$queryOptions": {
        "mechanism": "SCRAM-SHA-256"}},
    "beside a read preference": {"isMaster": 1, "$queryOptions": {**NEAREST, "x": "HIDDEN"}},
    "first": {"$queryOptions": {"x": "HIDDEN"}, "isMaster": 1},
    "an array": {"isMaster": 1, "$queryOptions": [{"x": "HIDDEN"}]},
    "a text": {"isMaster": 1, "$queryOptions": "HIDDEN"},
    "beside a wrapper": {"$query": {"isMaster": 1}, "$queryOptions": {"x": "HIDDEN"}},
    "in a wrapper": {"query": {"isMaster": 1, "$queryOptions": {"x": "HIDDEN"}}},
    "behind many fields": {"isMaster": 1, **{f"f{i}": 1 for i in range(5000)},
                           "$queryOptions": {"x": "HIDDEN"}},
    "a large message": {"isMaster": 1, "pad": "x" * 1_000_000, "$queryOptions": {"x": "HIDDEN"}},
}


def twice(first, second):
    """{isMaster: 1} with two fields `$queryOptions`."""
    fields = b"".join(bson.encode({"$queryOptions": each})[4:-1] for each in (first, second))
    return bson.encode({"isMaster": 1})[4:-1] + fields


def as_document(fields):
    return (len(fields) + 5).to_bytes(4, "little") + fields + b"\0"


MESSAGES = {**{what: bson.encode(body) for what, body in HIDDEN.items()},
            "twice, harmless first": as_document(twice(NEAREST, {"x": "HIDDEN"})),
            "twice, harmless last": as_document(twice({"x": "HIDDEN"}, NEAREST))}
HARMLESS = {
    "a read preference": {"isMaster": 1, "$queryOptions": NEAREST},
    "another spelling": {"isMaster": 1, "$QueryOptions": {"x": 1}},
    "below the top level": {"isMaster": 1, "client": {"$queryOptions": {"x": 1}}},
}


def refuse_all(daemon, there, client, besides=()):
    """Sends each message plain and compressed. Each gets an error reply, and none reaches mongos."""
    count = 0
    for what, body in MESSAGES.items():
        if what in besides:
            continue
        for frame in (op_query, lambda each: packed(op_query(each))):
            client.send(frame(body))
            answer = client.receive()
            assert answer.opcode == OP_REPLY and answer.response_to == 1, what
            assert answer.body["ok"] == 0 and answer.body["codeName"] == "QueryRejectedBySettings", what
            assert "$queryOptions" in answer.body["errmsg"], what
            count += 1
    assert client.run(PING)["ok"] == 1
    assert b"HIDDEN" not in received(there)
    assert daemon.metrics().total(UNINSPECTED, reason="hidden_arguments") == count
    for what, body in HARMLESS.items():
        client.send(op_query(body))
        assert client.receive().body["ok"] == 1, what


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_they_never_reach_mongos(behind, inspect):
    there, daemon = behind(answer_all, inspect=inspect)
    with RawClient(daemon.port) as client:
        refuse_all(daemon, there, client)


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_they_never_reach_mongos_as_the_certificate_of_the_proxy(start, upstream, tmp_path,
                                                                 tls_client, inspect):  # noqa: F811
    authority = Authority(tmp_path / "tls")
    there = upstream(answer_all)
    daemon = start(Daemon, there.address, inspect=inspect, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [there.address],
         "tls": {"cert_file": str(authority.issue("proxy"))}}])
    # The guard against MONGODB-X509 refuses these two for reasons of its own.
    refuse_all(daemon, there, tls_client(daemon), {"a mechanism", "behind many fields"})


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path / "tls")


def test_they_are_findings(behind):
    _, daemon = behind(answer_all)
    with RawClient(daemon.port) as client:
        client.send(op_query(HIDDEN["a pipeline"]))
        assert client.receive().body["ok"] == 0
    daemon.await_metric(1, "scattergate_findings_total", reason="unreadable", action="rejected")
    daemon.stop()
    lines = [json.loads(line)["param"] for line in daemon.audit_path.read_text().splitlines()]
    shapes = [line for line in lines if line.get("action") == "rejected"]
    assert [line["shape"] for line in shapes] == [{"unreadable": "hidden_arguments"}]
