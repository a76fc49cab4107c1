"""Connections that break, stall or send false data in every way, from either side; a healthy application
works during each of them, on the same worker."""

import signal
import socket
import struct
import subprocess
import sys
import threading

import pytest

from malformed import FIND, PING
from neighbours import Neighbours
from raw import EXHAUST_ALLOWED, MORE_TO_COME, framed, header, op_msg, op_query
from upstream import answer_all, large_reply, swallow
from waiting import wait_until

MEGABYTE = 1_000_000
UNMATCHED = "scattergate_unmatched_replies_total"
HELLO = {"hello": 1, "maxAwaitTimeMS": 10_000, "$db": "admin"}


@pytest.fixture(scope="module", params=["on", "off"])
def around(request, tmp_path_factory):
    made = Neighbours(tmp_path_factory.mktemp("faults"), inspect=request.param)
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def others_go_on(around):
    around.begin()
    yield
    around.check()


def is_inspected(around):
    return around.daemon.config["inspect"] == "on"


def reset(sock):
    """Closes with an RST."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def ok(request, request_id=1000, **options):
    return op_msg({"ok": 1.0}, request_id, response_to=request.request_id, **options)


def single_bytes(sock, data):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in data:
        sock.sendall(bytes([byte]))


# Split, stalled, large

def test_split_at_every_byte(around):
    requests = [op_msg(PING, 1), op_msg(PING, 2, flags=MORE_TO_COME), op_query({"isMaster": 1}, 3),
                op_msg({"insert": "c", "$db": "shop"}, 4, sequences={"documents": [{"a": 1}]})]
    stream = b"".join(requests)

    def script(connection):
        while request := connection.message():
            if not (request.opcode == 2013 and request.flags & MORE_TO_COME):
                single_bytes(connection.socket, ok(request))
    around.begin(script)
    with around.client() as client:
        single_bytes(client.socket, stream)
        assert [client.receive().response_to for _ in range(3)] == [1, 3, 4]
        around.upstream.await_received(stream)
    for cut in range(1, len(stream)):
        with around.client() as client:
            client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.send(stream[:cut])
            client.send(stream[cut:])
            assert [client.receive().response_to for _ in range(3)] == [1, 3, 4]


def test_a_message_that_stalls_half_way_and_goes_on(around):
    def script(connection):
        request = connection.message()
        reply = large_reply(request, MEGABYTE)
        connection.send(reply[:400_000])
        around.healthy.check()
        connection.send(reply[400_000:])
    around.begin(script)
    message = op_msg({"insert": "c", "$db": "shop", "documents": [{"t": "x" * MEGABYTE}]})
    with around.client() as client:
        for start, end in ((0, 10), (10, 30), (30, 500_000), (500_000, len(message))):
            client.send(message[start:end])
            around.healthy.check()
        assert client.receive().length > 990_000


def test_a_reply_of_a_hundred_megabytes_and_more(around):
    """A chain of messages of the largest size."""
    def script(connection):
        request = connection.message()
        for number in range(3):
            flags = struct.pack("<I", MORE_TO_COME if number < 2 else 0)
            large = large_reply(request, 40 * MEGABYTE)
            connection.send(header(len(large), 50 + number, 49 + number if number else 1)
                            + flags + large[20:])
    around.begin(script)
    before = around.daemon.resident_bytes()
    with around.client() as client:
        client.send(op_msg(FIND, flags=EXHAUST_ALLOWED))
        for number in range(3):
            reply = client.receive()
            assert reply.length > 39 * MEGABYTE and reply.request_id == 50 + number
        assert len(reply.body["cursor"]["firstBatch"]) > 30_000
    assert around.daemon.resident_bytes() - before < 20 * MEGABYTE


# Resets

@pytest.mark.parametrize("sent", [0, 1, 16, 40, 500_000])
def test_a_client_that_resets_in_the_middle_of_a_request(around, sent):
    around.begin(swallow)
    before = around.closed("client_error")
    client = around.client()
    client.send(op_msg({"insert": "c", "$db": "shop", "documents": [{"t": "x" * MEGABYTE}]})[:sent])
    reset(client.socket)
    around.daemon.await_metric(before + 1, "scattergate_connections_closed_total",
                               reason="client_error")


def test_a_client_that_resets_in_the_middle_of_a_reply(around):
    def script(connection):
        connection.send(large_reply(connection.message(), 20 * MEGABYTE))
        swallow(connection)
    around.begin(script)
    before = around.closed("client_error")
    client = around.client(receive_buffer=65_536)
    client.send(op_msg(FIND))
    client.await_first_bytes()
    reset(client.socket)
    around.daemon.await_metric(before + 1, "scattergate_connections_closed_total",
                               reason="client_error")
    wait_until(lambda: around.upstream.connections[0].has_ended
               or around.upstream.connections[0].socket.fileno() < 0, "the upstream's end")


@pytest.mark.parametrize("sent", [0, 1, 16, 40, 500_000])
def test_an_upstream_that_resets_in_the_middle_of_a_reply(around, sent):
    def script(connection):
        request = connection.message()
        connection.send(large_reply(request, MEGABYTE)[:sent])
        reset(connection.socket)
    around.begin(script)
    before = around.closed("upstream_closed")
    with around.client() as client:
        client.send(op_msg(FIND))
        assert len(client.read_to_end()) <= max(sent, 0)
    assert around.closed("upstream_closed") == before + 1


def test_an_upstream_that_resets_in_the_middle_of_a_request(around):
    def script(connection):
        while len(connection.received) < 100_000:
            connection.read()
        reset(connection.socket)
    around.begin(script)
    before = around.closed("upstream_closed")
    with around.client() as client:
        try:
            for _ in range(100):
                client.send(op_msg({"insert": "c", "$db": "shop",
                                    "documents": [{"t": "x" * MEGABYTE}]}))
        except OSError:
            pass
        client.read_to_end()
    assert around.closed("upstream_closed") == before + 1


# Half-closed

def test_a_client_that_ends_gets_the_replies_still_due(around):
    def script(connection):
        asked = []
        while request := connection.message():
            asked.append(request)
        for request in asked:
            connection.send(ok(request))
    around.begin(script)
    with around.client() as client:
        for number in range(1, 51):
            client.send(op_msg(PING, number))
        client.finish()
        assert [client.receive().response_to for _ in range(50)] == list(range(1, 51))
        assert client.receive() is None


def test_an_upstream_that_ends_with_replies_due(around):
    def script(connection):
        connection.send(ok(connection.message()))
        connection.message()
        connection.socket.shutdown(socket.SHUT_WR)
        swallow(connection)
    around.begin(script)
    with around.client() as client:
        # In one piece: the connection may end at any time after the second.
        client.send(b"".join(op_msg(PING, number) for number in range(1, 6)))
        assert client.receive().response_to == 1
        assert client.receive() is None


# False response ids

def test_replies_that_answer_nothing_pass_and_move_nothing(around):
    def script(connection):
        first, second = connection.message(), connection.message()
        for stray in (0, 99, -1, 2**31 - 1):
            connection.send(op_msg({"ok": 1.0, "stray": stray}, 7, response_to=stray))
        connection.send(ok(second) + ok(first) + ok(second))
    around.begin(script)
    before = around.daemon.metrics().total(UNMATCHED)
    with around.client() as client:
        client.send(op_msg(PING, 1) + op_msg(PING, 2))
        assert [client.receive().response_to for _ in range(7)] == [0, 99, -1, 2**31 - 1, 2, 1, 2]
    # The first was passed over when the second was answered: its own reply comes too late.
    more = 6 if is_inspected(around) else 0
    around.daemon.await_metric(before + more, UNMATCHED)


def test_replies_before_any_request(around):
    def script(connection):
        connection.send(op_msg({"ok": 1.0}, 7, response_to=1) * 1000)
        answer_all(connection)
    around.begin(script)
    with around.client() as client:
        for _ in range(1000):
            assert client.receive().request_id == 7
        assert client.run(PING)["ok"] == 1


def test_a_flood_of_replies_to_a_client_that_asked_once(around):
    def script(connection):
        request = connection.message()
        for _ in range(100):
            connection.send(op_msg({"ok": 1.0}, 7, response_to=12345) * 1000)
        connection.send(ok(request))
    around.begin(script)
    with around.client() as client:
        client.send(op_msg(PING, 5))
        for _ in range(100_000):
            assert client.receive().response_to == 12345
        assert client.receive().response_to == 5


@pytest.mark.parametrize("reply", [
    framed(b"", 5, 1), framed(b"\0\0", 5, 1), framed(b"\xff" * 40, 5, 1),
    framed(b"\0" * 40, 5, 1, opcode=1), framed(b"junk", 5, 1, opcode=2012),
    framed(b"\2\0\0\0\0" + struct.pack("<i", 2**31 - 1), 5, 1), framed(b"x", 5, 1, opcode=-7)])
def test_a_reply_that_makes_no_sense_passes(around, reply):
    def script(connection):
        connection.message()
        connection.send(reply)
        answer_all(connection)
    around.begin(script)
    with around.client() as client:
        client.send(op_msg(PING, 1))
        assert client.receive().data == reply
        assert client.run(PING, 2)["ok"] == 1


def test_an_exhaust_chain_that_no_one_asked_for_and_that_never_ends(around):
    def script(connection):
        previous = connection.message().request_id
        for number in range(2000):
            connection.send(op_msg({"ok": 1.0}, 100 + number, flags=MORE_TO_COME,
                                   response_to=previous))
            previous = 100 + number
        answer_all(connection)
    around.begin(script)
    with around.client() as client:
        client.send(op_msg(PING, 1))
        assert [client.receive().request_id for _ in range(2000)] == list(range(100, 2100))
        assert client.run(PING, 3)["ok"] == 1


def test_a_client_that_leaves_an_exhaust_chain(around):
    def script(connection):
        previous = connection.message().request_id
        while True:
            connection.send(op_msg({"ok": 1.0, "t": "x" * 10_000}, previous + 1,
                                   flags=MORE_TO_COME, response_to=previous))
            previous += 1
    around.begin(script)
    client = around.client()
    client.send(op_msg(HELLO, 1, flags=EXHAUST_ALLOWED))
    client.receive()
    reset(client.socket)
    wait_until(lambda: around.upstream.connections[0].socket.fileno() < 0, "the upstream's end")


# Clients that don't read

def test_an_upstream_that_answers_and_does_not_read(around):
    """Requests wait for replies to come, and then for mongos to take them: both at once."""
    count = 8000
    has_checked = threading.Event()

    def script(connection):
        connection.message()
        for _ in range(count - 100):
            connection.send(op_msg({"ok": 1.0}, 7, response_to=8))
        around.healthy.check()  # whose worker must have time for it
        has_checked.set()
        answer_all(connection)
    around.begin(script)
    message = op_msg({**PING, "comment": "x" * 1000}, 8)
    with around.client() as client:
        sender = threading.Thread(target=lambda: client.send(message * count))
        sender.start()
        for _ in range(count - 100):
            assert client.receive().response_to == 8
        wait_until(has_checked.is_set, "the healthy client")
        reader = threading.Thread(target=client.read_to_end)  # some came before their requests
        reader.start()
        around.upstream.await_received(message * count)
        sender.join()
        client.finish()
        reader.join()


def test_a_client_that_is_stopped(around):
    """SIGSTOP: it neither reads nor closes."""
    def script(connection):
        while request := connection.message():
            connection.send(large_reply(request, 20 * MEGABYTE))
    around.begin(script)
    before = around.daemon.resident_bytes()
    program = (
        "import socket, sys\n"
        f"s = socket.create_connection(('127.0.0.1', {around.port}))\n"
        "s.sendall(bytes.fromhex(sys.argv[1]))\n"
        "print(len(s.recv(1)), flush=True)\n"
        "while s.recv(1 << 20): pass\n")
    child = subprocess.Popen([sys.executable, "-c", program, (op_msg(FIND) * 5).hex()],
                             stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == b"1\n"
        child.send_signal(signal.SIGSTOP)
        around.healthy.check()
        assert around.daemon.resident_bytes() - before < 20 * MEGABYTE
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_mongos_that_stops_between_two_bytes_of_a_reply_holds_only_its_client_up(around):
    def script(connection):
        request = connection.message()
        connection.send(ok(request)[:20])
        swallow(connection)
    around.begin(script)
    clients = [around.client() for _ in range(50)]
    for client in clients:
        client.send(op_msg(PING))
    for client in clients:
        client.await_first_bytes()
    around.healthy.check()
    for client in clients:
        client.socket.close()
