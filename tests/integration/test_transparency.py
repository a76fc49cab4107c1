"""Both directions are forwarded byte for byte, however they are split."""

import random
import socket

import bson
import pytest

from malformed import BROKEN_FRAMES, FIND, GOOD, PING, QUIET, UNJUDGEABLE, UNREADABLE
from raw import EXHAUST_ALLOWED, MORE_TO_COME, RawClient, framed, op_msg
from upstream import answer_all, large_reply, swallow


def in_pieces(data, chance, largest):
    while data:
        size = chance.randint(1, largest)
        yield data[:size]
        data = data[size:]


def insert_of(count, number):
    return op_msg({"insert": "documents", "$db": "yorkie-meta"}, number, sequences={
        "documents": [{"project_id": n, "text": "t" * 500} for n in range(count)]})


EVERYTHING = [*(data for data in GOOD.values()), QUIET, op_msg(FIND, 3), insert_of(50, 4),
              insert_of(3000, 5), *(data for data, _ in UNREADABLE.values()),
              *(data for data, _ in UNJUDGEABLE.values())]


def test_the_upstream_receives_exactly_what_was_sent(behind):
    upstream, daemon = behind(swallow)
    with RawClient(daemon.port) as client:
        client.send(b"".join(EVERYTHING))
        upstream.await_received(b"".join(EVERYTHING))


@pytest.mark.parametrize("inspect", ["on", "off"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_requests_cut_at_random_arrive_whole(behind, seed, inspect):
    chance = random.Random(seed)
    upstream, daemon = behind(swallow, inspect=inspect)
    sent = b"".join(chance.sample(EVERYTHING[:12], 12)) + insert_of(20, 9)
    with RawClient(daemon.port) as client:
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in in_pieces(sent, chance, chance.choice([300, 5000, 50_000])):
            client.send(piece)
        upstream.await_received(sent)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_replies_cut_at_random_arrive_whole(behind, seed):
    chance = random.Random(seed)
    replies = []

    def script(connection):
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while request := connection.message():
            reply = large_reply(request, chance.choice([2000, 40_000, 700_000]))
            replies.append(reply)
            for piece in in_pieces(reply, chance, chance.choice([200, 3000, 90_000])):
                connection.send(piece)
    _, daemon = behind(script)
    with RawClient(daemon.port) as client:
        for number in range(1, 11):
            client.send(op_msg(FIND, number))
            assert client.receive().data == replies[-1]
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_commands_total", command="find") == 10
    assert daemon.metrics().total("scattergate_unmatched_replies_total") == 0


def test_a_reply_of_20_mb_and_a_request_of_40_mb_pass(behind):
    sizes = []

    def script(connection):
        while request := connection.message():
            sizes.append(request.length)
            connection.send(large_reply(request, 20_000_000))
    upstream, daemon = behind(script)
    request = insert_of(80_000, 1)
    assert 39_000_000 < len(request) < 48_000_000
    with RawClient(daemon.port) as client:
        client.send(request)
        reply = client.receive()
        assert reply.length > 19_000_000
        assert reply.data == large_reply(reply_to(1), 20_000_000)
        client.send(op_msg(FIND, 2))
        assert client.receive().data == large_reply(reply_to(2), 20_000_000)
    upstream.await_received(request + op_msg(FIND, 2))


def reply_to(number):
    class Request:
        request_id = number
    return Request


def test_an_exhaust_chain_passes_and_counts_once(behind):
    """Each reply of a chain answers the reply before it, and has an id of its own."""
    def script(connection):
        while request := connection.message():
            answers = request.request_id
            for number in range(100, 120):
                last = number == 119
                connection.send(op_msg({"ok": 1.0, "n": number}, number,
                                       0 if last else MORE_TO_COME, response_to=answers))
                answers = number
    _, daemon = behind(script)
    hello = op_msg({"hello": 1, "topologyVersion": {"processId": bson.ObjectId(),
                                                    "counter": bson.Int64(0)},
                    "maxAwaitTimeMS": 10, "$db": "admin"}, 7, EXHAUST_ALLOWED)
    with RawClient(daemon.port) as client:
        for _ in range(2):
            client.send(hello)
            replies = [client.receive() for _ in range(20)]
            assert [reply.body["n"] for reply in replies] == list(range(100, 120))
            assert [reply.response_to for reply in replies] == [7, *range(100, 119)]
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total("scattergate_commands_total", command="hello") == 2
    assert metrics.total("scattergate_unmatched_replies_total") == 0


def test_replies_no_one_asked_for_pass_and_are_counted(behind):
    def script(connection):
        while request := connection.message():
            connection.send(op_msg({"ok": 1.0, "stray": True}, 50, response_to=123_456))
            connection.reply(request)
    _, daemon = behind(script)
    with RawClient(daemon.port) as client:
        for number in (1, 2):
            client.send(op_msg(PING, number))
            assert client.receive().response_to == 123_456
            assert client.receive().response_to == number
    metrics = daemon.metrics()
    assert metrics.total("scattergate_unmatched_replies_total") == 2
    assert metrics.total("scattergate_commands_total", command="ping") == 2


def test_pipelined_replies_may_be_cut_anywhere(behind):
    """All replies of ten pipelined requests in one burst, and request ids that repeat."""
    def script(connection):
        requests = [connection.message() for _ in range(10)]
        connection.send(b"".join(op_msg({"ok": 1.0, "n": n}, n, response_to=r.request_id)
                                 for n, r in enumerate(requests)))
        connection.read()
    _, daemon = behind(script)
    with RawClient(daemon.port) as client:
        client.send(b"".join(op_msg(FIND, 7) for _ in range(10)))
        assert [client.receive().body["n"] for _ in range(10)] == list(range(10))
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_commands_total", command="find") == 10
    assert daemon.metrics().total("scattergate_command_duration_seconds_count") == 10


def test_broken_framing_lets_nothing_through(behind):
    upstream, daemon = behind(swallow, limits={"message": "1s"})  # for replies, which never come
    for data, _ in BROKEN_FRAMES.values():
        before = len(upstream.connections)
        with RawClient(daemon.port) as client:
            client.send(data)
            client.read_to_end()
        connection = upstream.await_connection(before)
        passed = bytes(connection.received)
        assert passed in (b"", op_msg(PING) + op_msg(PING, 2))


def test_a_relay_reads_nothing_but_frames(behind):
    """inspect: off. Nothing is judged, counted or remembered."""
    upstream, daemon = behind(answer_all, inspect="off")
    with RawClient(daemon.port) as client:
        for number in range(1, 6):
            assert client.run(FIND, number)["ok"] == 1
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total("scattergate_commands_total") == 0
    assert metrics.total("scattergate_findings_total") == 0
    assert metrics.total("scattergate_request_bytes_total") == 5 * len(op_msg(FIND))
    assert metrics.total("scattergate_reply_bytes_total") == 5 * len(op_msg({"ok": 1.0}))
    assert daemon.audit() == []


def test_a_compressed_reply_passes(behind):
    compressed = framed(b"\xdd\x07\0\0\x10\0\0\0\x02" + bytes(range(200)), 9, 1, 2012)

    def script(connection):
        connection.message()
        connection.send(compressed)
        connection.read()
    _, daemon = behind(script)
    with RawClient(daemon.port) as client:
        client.send(op_msg(FIND, 1))
        assert client.receive().data == compressed
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_commands_total", command="find") == 1
