"""MONGODB-X509 if the proxy terminates TLS: mongos would take the proxy's certificate for the client's. The command
never reaches mongos, and the client gets the reason."""

import struct
import zlib

import pymongo
import pytest
from pymongo.errors import OperationFailure

from certificates import Authority
from processes import Daemon, Sim
from raw import (MORE_TO_COME, OP_COMPRESSED, OP_MSG, RawClient, framed, op_msg, op_query,
                 sectioned, sequence_section, body_section)
from upstream import answer_all

REFUSALS = "scattergate_x509_refusals_total"
X509 = {"mechanism": "MONGODB-X509"}
ZLIB = 2
PING = {"ping": 1, "$db": "admin"}
ATTEMPTS = {
    "authenticate": {"authenticate": 1, **X509, "$db": "$external"},
    "on another database": {"authenticate": 1, **X509, "user": "CN=app", "$db": "app"},
    "without a mechanism": {"authenticate": 1, "$db": "$external"},
    "saslStart": {"saslStart": 1, **X509, "payload": b"", "$db": "$external"},
    "hello": {"hello": 1, "speculativeAuthenticate": {"authenticate": 1, **X509},
              "$db": "admin"},
    "isMaster": {"ismaster": 1, "helloOk": True, "$db": "admin",
                 "speculativeAuthenticate": {"saslStart": 1, **X509, "payload": b""}},
}


def packed(message):
    head = struct.pack("<iiB", struct.unpack_from("<i", message, 12)[0], len(message) - 16, ZLIB)
    return framed(head + zlib.compress(message[16:]), 1, opcode=OP_COMPRESSED)


def sequence_first(body):
    return sectioned(struct.pack("<I", 0) + sequence_section("documents", [{"_id": 1}])
                     + body_section(body))


FRAMINGS = {"OP_MSG": op_msg, "OP_QUERY": op_query, "a sequence first": sequence_first,
            "OP_COMPRESSED": lambda body: packed(op_msg(body)),
            "a packed OP_QUERY": lambda body: packed(op_query(body))}


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path / "tls")


@pytest.fixture
def guarded(start, authority, upstream):
    """A scripted mongos without TLS, and a daemon that accepts TLS from clients."""
    def make(inspect="on", **options):
        there = upstream(answer_all)
        tls = {"cert_file": str(authority.issue("proxy"))}
        daemon = start(Daemon, there.address, inspect=inspect, listeners=[
            {"listen": "127.0.0.1:0", "upstream": [there.address], "tls": tls}], **options)
        return there, daemon
    return make


@pytest.fixture
def tls_client(authority):
    from test_tls import TlsClient, client_context
    opened = []

    def make(daemon):
        opened.append(TlsClient(daemon.port, client_context(authority)))
        return opened[-1]
    yield make
    for each in opened:
        each.socket.close()


def received(there):
    return b"".join(bytes(connection.received) for connection in there.connections)


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_every_way_is_refused_and_the_connection_goes_on(guarded, tls_client, inspect):
    there, daemon = guarded(inspect)
    client = tls_client(daemon)
    count = 0
    for what, body in ATTEMPTS.items():
        for framing, frame in FRAMINGS.items():
            client.send(frame(body))
            answer = client.receive()
            assert answer.response_to == 1, (what, framing)
            assert answer.body["ok"] == 0 and answer.body["code"] == 18, (what, framing)
            assert answer.body["codeName"] == "AuthenticationFailed"
            assert answer.body["errmsg"].startswith("scattergate: MONGODB-X509 is refused")
            assert (answer.opcode == OP_MSG) == ("OP_QUERY" not in framing), (what, framing)
            count += 1
    assert client.run(PING)["ok"] == 1
    assert b"MONGODB-X509" not in received(there) and b"authenticate" not in received(there)
    assert daemon.metrics().total(REFUSALS, action="rejected") == count
    assert daemon.metrics().total(REFUSALS, action="closed") == 0


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_an_unknown_identity_ends_the_connection(guarded, tls_client, inspect):
    there, daemon = guarded(inspect, limits={"memory": "1MiB"})
    large = sequence_section("documents", [{"x": "y" * 1_000_000}] * 3)
    hostile = {
        "a section of an unknown kind": sectioned(
            struct.pack("<I", 0) + b"\2" + body_section(ATTEMPTS["authenticate"])),
        "a body that is cut": op_msg(b"\xff\0\0\0\x10authenticate\0\1\0\0\0\0"),
        "not what zlib makes": framed(struct.pack("<iiB", OP_MSG, 99, ZLIB) + b"\xff" * 50,
                                        opcode=OP_COMPRESSED),
        "an unknown compressor": framed(struct.pack("<iiB", OP_MSG, 99, 77) + b"x" * 99,
                                        opcode=OP_COMPRESSED),
        "compressed twice": packed(packed(op_msg(ATTEMPTS["authenticate"]))),
        "too large to be held, its body last": sectioned(
            struct.pack("<I", 0) + large + body_section(ATTEMPTS["authenticate"])),
        "too large to be unpacked": packed(
            sectioned(struct.pack("<I", 0) + large + body_section(PING))),
    }
    for number, (what, message) in enumerate(hostile.items(), 1):
        client = tls_client(daemon)
        assert client.run(PING)["ok"] == 1
        try:
            client.send(message)
        except OSError:
            pass  # it was closed while it came
        assert client.read_to_end() == b"", what
        daemon.await_metric(number, REFUSALS, action="closed")
        daemon.await_metric(number, "scattergate_connections_closed_total", reason="x509")
    assert b"authenticate" not in received(there)


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_a_large_message_passes_where_its_beginning_is_harmless(guarded, tls_client, inspect):
    _, daemon = guarded(inspect, limits={"memory": "1MiB"})
    client = tls_client(daemon)
    documents = {"documents": [{"x": "y" * 1_000_000}] * 3}
    assert client.run({"insert": "c", "$db": "app"}, sequences=documents)["ok"] == 1
    assert client.run({"update": "c", "$db": "app"}, sequences=documents)["ok"] == 1


def test_one_that_asks_for_no_reply_is_dropped(guarded, tls_client):
    there, daemon = guarded()
    client = tls_client(daemon)
    client.send(op_msg(ATTEMPTS["authenticate"], flags=MORE_TO_COME))
    assert client.run(PING, 2)["ok"] == 1
    assert b"authenticate" not in received(there)
    assert daemon.metrics().total(REFUSALS, action="rejected") == 1


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_a_driver_says_why_and_others_come_in(start, sim, authority, inspect):
    daemon = start(Daemon, sim.address, inspect=inspect, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [sim.address],
         "tls": {"cert_file": str(authority.issue("proxy"))}}])
    options = {"tls": True, "tlsCAFile": str(authority.ca_file)}
    with pymongo.MongoClient("127.0.0.1", daemon.port, authMechanism="MONGODB-X509",
                             tlsCertificateKeyFile=str(authority.issue("app")),
                             **options) as client:
        with pytest.raises(OperationFailure, match="scattergate: MONGODB-X509 is refused") as no:
            client.admin.command("ping")
        assert no.value.code == 18
    with pymongo.MongoClient("127.0.0.1", daemon.port, **options) as client:
        assert client.admin.command("ping")["ok"] == 1


def test_towards_a_mongos_under_tls_it_is_refused_too(start, authority):
    sim = start(Sim, further=["--tls-cert-file", authority.issue("mongos")])
    daemon = start(Daemon, sim.address, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [sim.address],
         "upstream_tls": {"ca_file": str(authority.ca_file)}}])
    with RawClient(daemon.port) as client:
        answer = client.run(ATTEMPTS["authenticate"])
        assert answer["code"] == 18 and answer["errmsg"].startswith("scattergate: ")
        assert client.run(PING)["ok"] == 1


def test_where_nothing_is_terminated_mongos_answers_for_itself(behind):
    there, daemon = behind()
    with RawClient(daemon.port) as client:
        assert client.run(ATTEMPTS["authenticate"])["ok"] == 1
    assert b"MONGODB-X509" in received(there)
