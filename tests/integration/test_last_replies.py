"""A connection whose client can't continue ends only after earlier requests are answered."""

import socket
import struct
import time

import pytest

from malformed import FIND, PING
from raw import RawClient, op_msg
from test_tls import TlsClient, authority, client_context, secured  # noqa: F401, fixtures
from upstream import swallow

CLOSED = "scattergate_connections_closed_total"
WIRE_ERRORS = "scattergate_wire_errors_total"
GARBAGE = b"\xff" * 60
RESET = (socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def answer_late(connection):
    """Answers when no more is likely to arrive."""
    while request := connection.message():
        time.sleep(0.3)
        connection.reply(request)


@pytest.mark.parametrize("garbage", [GARBAGE, GARBAGE * 1000, b"\x10\x00\x00\x03" + GARBAGE])
def test_requests_before_garbage_are_answered(behind, garbage):
    upstream, daemon = behind(answer_late)
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING, 1) + op_msg(PING, 2) + garbage)
        assert [client.receive().response_to for _ in range(2)] == [1, 2]
        assert client.receive() is None
    metrics = daemon.metrics()
    assert metrics.total(WIRE_ERRORS) == 1
    assert metrics.total(CLOSED, reason="wire_error") == 1
    assert upstream.connections[0].received == op_msg(PING, 1) + op_msg(PING, 2)


def test_a_large_reply_before_garbage_comes_whole(behind):
    text = "x" * 8_000_000

    def answer(connection):
        connection.reply(connection.message(), {"ok": 1.0, "text": text})
    _, daemon = behind(answer)
    with RawClient(daemon.port, receive_buffer=4096) as client:
        client.send(op_msg(PING) + GARBAGE)
        time.sleep(0.5)
        assert client.receive().body["text"] == text
        assert client.receive() is None


def test_a_client_that_has_half_closed_inside_a_message_has_its_replies(behind):
    _, daemon = behind(answer_late)
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING, 1) + op_msg(PING, 2)[:30])
        client.finish()
        assert client.receive().response_to == 1
        assert client.receive() is None
    metrics = daemon.metrics()
    assert metrics.total(WIRE_ERRORS, reason="truncated") == 1
    assert metrics.total(CLOSED, reason="client_error") == 1


def test_requests_before_too_large_a_message_are_answered(behind):
    _, daemon = behind(answer_late, limits={"message_size": "64KiB"})
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING) + op_msg({**FIND, "filter": {"text": "x" * 80_000}}))
        assert client.receive().response_to == 1
        assert client.receive() is None
    assert daemon.metrics().total(CLOSED, reason="limit") == 1


def test_a_mongos_that_never_answers_holds_nothing_for_ever(behind):
    upstream, daemon = behind(swallow, limits={"message": "1s"})
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING) + GARBAGE)
        assert client.receive() is None
    daemon.await_metric(1, CLOSED, reason="wire_error")


def test_a_client_that_is_gone_is_not_waited_for(behind):
    upstream, daemon = behind(swallow, limits={"message": "0s"})
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING) + GARBAGE)
        upstream.await_received(op_msg(PING))
        client.socket.setsockopt(*RESET)
    daemon.await_metric(0, "scattergate_connections")


def test_requests_before_garbage_are_answered_under_tls(secured, authority, upstream):  # noqa: F811
    mongos = upstream(answer_late)
    daemon = secured(mongos.address)
    with TlsClient(daemon.port, client_context(authority)) as client:
        client.send(op_msg(PING, 1) + op_msg(PING, 2) + GARBAGE)
        assert [client.receive().response_to for _ in range(2)] == [1, 2]
        assert client.receive() is None
    assert daemon.metrics().total(CLOSED, reason="wire_error") == 1


def test_requests_before_what_may_be_x509_are_answered(secured, authority, upstream):  # noqa: F811
    mongos = upstream(answer_late)
    daemon = secured(mongos.address)
    unclear = bytearray(op_msg(PING, 2))
    unclear[20] = 9  # no kind of section
    with TlsClient(daemon.port, client_context(authority)) as client:
        client.send(op_msg(PING, 1) + bytes(unclear))
        assert client.receive().response_to == 1
        assert client.receive() is None
    assert daemon.metrics().total(CLOSED, reason="x509") == 1
