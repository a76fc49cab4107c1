"""A slow reader slows only its own connection down, and nothing grows; a client that resets a
connection that is stuck ends it on both sides."""

import select
import socket
import struct
import threading
import zlib

import pytest

from malformed import PING
from processes import Daemon
from raw import MORE_TO_COME, OP_COMPRESSED, OP_MSG, RawClient, framed, op_msg
from upstream import answer_all, large_reply, swallow
from waiting import PATIENCE, wait_until

MEGABYTE = 1_000_000
SPARE = 30 * MEGABYTE  # besides what is stuck: a tenth of it


def await_standstill(measure):
    """Until a figure no longer moves; the figure."""
    last = [None, 0]

    def still():
        now = measure()
        last[1] = last[1] + 1 if now == last[0] else 0
        last[0] = now
        return last[1] >= 15
    wait_until(still, "everything to stand still")
    return last[0]


def test_replies_that_a_client_does_not_read_stay_at_the_upstream(behind):
    sent = [0]

    def script(connection):
        request = connection.message()
        reply = large_reply(request, 20 * MEGABYTE)
        for _ in range(15):  # a chain of strays after the first: all pass
            connection.send(reply)
            sent[0] += len(reply)
    _, daemon = behind(script)
    before = daemon.resident_bytes()
    with RawClient(daemon.port, receive_buffer=65_536) as client:
        client.send(op_msg(PING))
        received = await_standstill(
            lambda: daemon.metrics().total("scattergate_reply_bytes_total"))
        assert received < 100 * MEGABYTE
        assert daemon.resident_bytes() - before < SPARE
        for _ in range(15):
            assert client.receive().length > 19 * MEGABYTE
    assert sent[0] > 285 * MEGABYTE
    assert daemon.resident_bytes() - before < SPARE


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_requests_that_the_upstream_does_not_read_stay_at_the_client(behind, inspect):
    may_read = threading.Event()

    def script(connection):
        may_read.wait(60)
        while request := connection.message():
            connection.reply(request)
    _, daemon = behind(script, inspect=inspect)
    insert = op_msg({"insert": "c", "$db": "shop", "documents": [{"t": "x" * MEGABYTE}]})
    before = daemon.resident_bytes()
    with RawClient(daemon.port) as client:
        sender = threading.Thread(target=lambda: [client.send(insert) for _ in range(300)])
        sender.start()
        await_standstill(lambda: daemon.metrics().total("scattergate_request_bytes_total"))
        assert daemon.resident_bytes() - before < SPARE
        may_read.set()
        for _ in range(300):
            assert client.receive().body["ok"] == 1
        sender.join()
    assert daemon.resident_bytes() - before < SPARE


def test_requests_without_end_and_no_reply_are_not_read_for_ever(behind):
    """The number of pending requests is bounded: the client is read again when replies come."""
    may_answer = threading.Event()

    def script(connection):
        may_answer.wait(60)
        answer_all(connection)
    _, daemon = behind(script)
    ping = op_msg(PING)
    count = 200_000
    with RawClient(daemon.port) as client:
        sender = threading.Thread(target=lambda: client.send(ping * count))
        sender.start()
        taken = await_standstill(
            lambda: daemon.metrics().total("scattergate_request_bytes_total"))
        assert taken < len(ping) * count
        may_answer.set()
        for _ in range(count):
            assert client.receive().response_to == 1
        sender.join()
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_commands_total", command="ping") == count


def test_a_stuck_client_does_not_hold_others_up(behind):
    def script(connection):
        while request := connection.message():
            if request.body.get("large"):
                connection.send(large_reply(request, 20 * MEGABYTE))
            else:
                connection.reply(request)
    _, daemon = behind(script, workers={"threads": 1})
    stuck = [RawClient(daemon.port, receive_buffer=65_536) for _ in range(5)]
    for client in stuck:
        client.send(op_msg({**PING, "large": True}))
    with RawClient(daemon.port) as client:
        for number in range(200):
            assert client.run(PING, number)["ok"] == 1
    for client in stuck:
        assert client.receive().length > 19 * MEGABYTE
        client.socket.close()


def test_the_memory_of_large_requests_is_given_back(behind):
    """Each size that malloc might keep."""
    def script(connection):
        while request := connection.message():
            connection.send(op_msg({"ok": 1.0}, 7, response_to=request.request_id))
    _, daemon = behind(script)
    before = daemon.resident_bytes()
    packed = []
    for size in (100_000, 300_000, MEGABYTE, 3 * MEGABYTE, 8 * MEGABYTE, 15 * MEGABYTE):
        plain = op_msg({"find": "documents", "filter": {"key": "x" * size}, "$db": "yorkie-meta"})
        packed.append(framed(struct.pack("<iiB", OP_MSG, len(plain) - 16, 2)
                             + zlib.compress(plain[16:], 1), 1, opcode=OP_COMPRESSED))

    def work(number):
        with RawClient(daemon.port) as client:
            for turn in range(18):
                client.send(packed[(turn * 5 + number) % len(packed)])
                assert client.receive().response_to == 1
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    daemon.await_quiet()
    assert daemon.resident_bytes() - before < SPARE


# Resets of stuck connections

def reset(client):
    """Closes with an RST."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()


def send_until_stuck(client, daemon, data):
    """Sends again and again, until the daemon takes no more."""
    client.socket.setblocking(False)
    rest = [memoryview(data)]

    def taken():
        try:
            while True:
                rest[0] = rest[0][client.socket.send(rest[0]):] or memoryview(data)
        except BlockingIOError:
            return daemon.metrics().total("scattergate_request_bytes_total")
    await_standstill(taken)


def assert_closed_for_the_client(daemon):
    daemon.await_metric(1, "scattergate_connections_closed_total", reason="client_error")
    daemon.await_metric(0, "scattergate_connections")
    daemon.await_metric(0, "scattergate_upstream_connections")


@pytest.mark.parametrize("inspect", ["on", "off"])
@pytest.mark.parametrize("size", [100, 20_000, 2 * MEGABYTE])
def test_a_reset_behind_requests_that_the_upstream_does_not_read(behind, inspect, size):
    """mongos notices at once, although it doesn't read: it aborts its work."""
    noticed = threading.Event()

    def script(connection):
        connection.message()
        poll = select.poll()
        poll.register(connection.socket, select.POLLRDHUP)
        if poll.poll(PATIENCE * 1000):
            noticed.set()
    _, daemon = behind(script, inspect=inspect)
    client = RawClient(daemon.port)
    quiet = op_msg({"insert": "c", "$db": "shop", "documents": [{"t": "x" * size}]},
                   flags=MORE_TO_COME)
    client.send(op_msg(PING))
    send_until_stuck(client, daemon, quiet)
    reset(client)
    assert_closed_for_the_client(daemon)
    assert noticed.wait(PATIENCE)


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_a_reset_behind_more_requests_than_may_await_their_replies(behind, inspect):
    upstream, daemon = behind(swallow, inspect=inspect)
    client = RawClient(daemon.port)
    send_until_stuck(client, daemon, op_msg(PING) * 1000)
    assert daemon.metrics().total("scattergate_connections") == 1
    reset(client)
    assert_closed_for_the_client(daemon)
    wait_until(lambda: upstream.connections[0].has_ended, "the upstream's end")


def test_a_reset_behind_an_end(behind):
    """A client whose reply mongos still works on."""
    may_end = threading.Event()

    def script(connection):
        swallow(connection)
        may_end.wait(PATIENCE)
    upstream, daemon = behind(script)
    client = RawClient(daemon.port)
    client.send(op_msg(PING))
    client.finish()
    wait_until(lambda: upstream.await_connection().has_ended, "the end at the upstream")
    assert daemon.metrics().total("scattergate_connections") == 1
    reset(client)
    assert_closed_for_the_client(daemon)
    may_end.set()


def test_a_reset_while_mongos_is_being_reached(start):
    """Without waiting for the result."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        daemon = start(Daemon, "127.0.0.1:%d" % full.getsockname()[1])
        with socket.create_connection(full.getsockname()):  # no room for another

            def is_noticed():
                client = RawClient(daemon.port)
                client.send(op_msg(PING))
                reset(client)
                daemon.await_metric(0, "scattergate_connections")
                return daemon.metrics().total("scattergate_connections_closed_total",
                                              reason="client_error")
            wait_until(is_noticed, "a reset that is noticed before the attempt to connect ends")
