"""Rejections on the wire: in the client's framing, in request order, never inside a reply."""

import threading

import bson
import pytest

from malformed import FIND, PING, UNJUDGEABLE
from processes import Daemon
from raw import OP_MSG, OP_REPLY, MORE_TO_COME, RawClient, op_msg, op_query
from upstream import answer_all, large_reply

REJECT = [{"name": "no-scatter", "action": "reject",
           "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"}}]
GOOD_FIND = {"find": "documents", "filter": {"project_id": 1}, "$db": "yorkie-meta"}


def is_rejection(message):
    return message.body["ok"] == 0 and message.body["code"] == 411


def test_rejections_stand_in_request_order_between_replies(behind):
    upstream, daemon = behind(answer_all, rules=REJECT)
    kinds = [GOOD_FIND, FIND, FIND, PING, FIND, GOOD_FIND, GOOD_FIND, FIND] * 20
    with RawClient(daemon.port) as client:
        client.send(b"".join(op_msg(body, n) for n, body in enumerate(kinds)))
        for number, body in enumerate(kinds):
            reply = client.receive()
            assert (reply.response_to, reply.opcode) == (number, OP_MSG)
            assert is_rejection(reply) == (body is FIND)
    upstream.await_received(b"".join(op_msg(body, n) for n, body in enumerate(kinds)
                                     if body is not FIND))
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total("scattergate_commands_total") == 160
    assert metrics.total("scattergate_findings_total", action="rejected") == 80


def test_a_rejection_waits_for_the_reply_that_is_on_its_way(behind):
    """The upstream pauses in the middle of a large reply; then the rejected command arrives."""
    go_on = threading.Event()

    def script(connection):
        reply = large_reply(connection.message(), 3_000_000)
        connection.send(reply[:1_000_000])
        go_on.wait(60)
        connection.send(reply[1_000_000:])
        answer_all(connection)
    _, daemon = behind(script, rules=REJECT)
    with RawClient(daemon.port) as client:
        client.send(op_msg(GOOD_FIND, 1))
        client.await_first_bytes()
        client.send(op_msg(FIND, 2) + op_msg(GOOD_FIND, 3))
        daemon.await_metric(len(op_msg(FIND)) + 2 * len(op_msg(GOOD_FIND)),
                            "scattergate_request_bytes_total")
        go_on.set()
        replies = [client.receive() for _ in range(3)]
    assert [reply.response_to for reply in replies] == [1, 2, 3]
    assert [is_rejection(reply) for reply in replies] == [False, True, False]


def test_a_dropped_write_leaves_no_gap(behind):
    upstream, daemon = behind(answer_all, rules=REJECT)
    careless = {"delete": "documents", "$db": "yorkie-meta", "deletes": [
        {"q": {"key": 1}, "limit": 0}]}
    with RawClient(daemon.port) as client:
        client.send(op_msg(careless, 1, MORE_TO_COME) + op_msg(GOOD_FIND, 2)
                    + op_msg(careless, 3, MORE_TO_COME) + op_msg(careless, 4))
        assert not is_rejection(client.receive())
        assert is_rejection(client.receive())
    upstream.await_received(op_msg(GOOD_FIND, 2))
    assert daemon.metrics().total("scattergate_rejected_without_reply_total") == 2


def test_a_legacy_command_is_rejected_in_legacy_framing(behind):
    _, daemon = behind(answer_all, rules=REJECT)
    with RawClient(daemon.port) as client:
        client.send(op_query({"find": "documents", "filter": {"key": 1}}, 5,
                             "yorkie-meta.$cmd"))
        reply = client.receive()
    assert (reply.opcode, reply.response_to) == (OP_REPLY, 5)
    assert is_rejection(reply)


@pytest.mark.parametrize("case", UNJUDGEABLE)
@pytest.mark.parametrize("on_uninspected", ["forward", "reject"])
def test_what_cannot_be_judged_is_rejected(behind, case, on_uninspected):
    message, reason = UNJUDGEABLE[case]
    upstream, daemon = behind(answer_lazily, rules=REJECT, on_uninspected=on_uninspected)
    with RawClient(daemon.port) as client:
        client.send(message)
        reply = client.receive()
    assert is_rejection(reply)
    upstream.await_received(b"")
    metrics = daemon.metrics()
    assert metrics.total("scattergate_uninspected_messages_total", reason=reason) == 1
    assert metrics.total("scattergate_findings_total", action="rejected") == 1


def answer_lazily(connection):
    """Without reading what is in the requests: they can't be decoded here either."""
    while request := connection.message():
        connection.send(op_msg({"ok": 1.0}, 99, response_to=request.request_id))


def test_other_namespaces_are_forwarded_anyway(start, sim):
    daemon = start(Daemon, sim.address, rules=REJECT, on_uninspected="reject")
    body = bson.encode({"find": "orders", "filter": {"zz": 1}, "$db": "shop"})
    message = op_msg(body.replace(b"\x10zz", b"\x42zz"))
    with RawClient(daemon.port) as client:
        client.send(message)
        client.finish()
        replies = client.read_to_end()
    assert b"QueryRejectedBySettings" not in replies
    assert daemon.metrics().total("scattergate_findings_total") == 0
