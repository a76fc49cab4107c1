"""A hostile client that reaches a limit doesn't affect other clients: for each limit."""

import resource
import socket
import threading
import time

import pytest

from malformed import FIND, PING
from neighbours import Neighbours
from raw import header, op_msg
from upstream import answer_all, swallow
from test_back_pressure import await_standstill
from waiting import wait_until

GENEROUS = {"first_message": "10m", "message": "10m", "idle": "0s", "connections": 10_000,
            "connections_per_address": 0, "message_size": 48_000_000}


@pytest.fixture(scope="module")
def around(tmp_path_factory):
    made = Neighbours(tmp_path_factory.mktemp("limits"), limits=GENEROUS)
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def others_go_on(around):
    around.begin()
    yield
    set_limits(around, **GENEROUS)
    around.check()


def set_limits(around, **limits):
    around.daemon.write_config(limits=limits)
    around.daemon.reload()


def drip(client, data):
    """Sends a byte now and then, until the daemon closes the connection."""
    client.socket.settimeout(0.02)
    try:
        for byte in data:
            client.socket.sendall(bytes([byte]))
            try:
                if not client.socket.recv(1):
                    return
            except TimeoutError:
                pass
    except OSError:
        return
    raise AssertionError("the daemon has taken all of it")


@pytest.mark.parametrize("sent", [b"", b"\x10", op_msg(PING)[:20], header(48_000_000) + b"x" * 9])
def test_a_first_message_that_never_comes(around, sent):
    before = around.closed("first_message")
    with around.client() as client:
        client.send(sent)
        around.healthy.check()
        set_limits(around, first_message="200ms")
        assert client.receive() is None
    assert around.closed("first_message") == before + 1


def test_a_first_message_that_drips_in(around):
    before = around.closed("first_message")
    set_limits(around, first_message="500ms")
    with around.client() as client:
        drip(client, op_msg({**PING, "comment": "x" * 5000}))
    assert around.closed("first_message") == before + 1


def test_a_later_message_that_drips_in(around):
    before = around.closed("message")
    with around.client() as client:
        assert client.run(PING)["ok"] == 1
        set_limits(around, message="500ms", first_message="200ms")
        drip(client, op_msg({**PING, "comment": "x" * 5000}))
    assert around.closed("message") == before + 1


def test_time_that_mongos_takes_is_not_the_clients(around):
    """Waits neither for a reply nor for a reader of what has arrived here."""
    goes_on = threading.Event()

    def script(connection):
        if first := connection.message():
            goes_on.wait(60)
            connection.reply(first)
            answer_all(connection)
    around.begin(script)
    insert = op_msg({"insert": "c", "$db": "shop", "documents": [{"t": "x" * 1_000_000}]}, 2)
    with around.client() as waiting, around.client() as pushing, around.client() as dripping:
        before = around.closed("first_message")
        # Both wait for mongos before there are limits, which the clients of a busy machine would reach.
        waiting.send(op_msg(PING))
        pushed = []

        def push():
            for message in [op_msg(PING, 1)] + [insert] * 30:
                pushing.send(message)
                pushed.append(message)
        sender = threading.Thread(target=push)
        sender.start()
        wait_until(lambda: sum(each.received.startswith(op_msg(PING))
                               for each in around.upstream.connections) == 2, "both at mongos")
        await_standstill(lambda: len(pushed))
        dripping.send(b"x")
        set_limits(around, message="300ms", first_message="300ms")
        assert dripping.receive() is None  # by now the others would have been, too
        assert around.closed("first_message") == before + 1
        time.sleep(0.6)  # three looks at the clock: what must not happen can't be waited for
        set_limits(around, **GENEROUS)  # from here on the rest of what is pushed may be late
        goes_on.set()
        assert waiting.receive().body["ok"] == 1
        assert [pushing.receive().response_to for _ in range(31)] == [1] + [2] * 30
        sender.join()


def test_a_connection_that_rests_too_long(around):
    """Exception: a connection that waits for a reply."""
    goes_on = threading.Event()

    def script(connection):
        connection.reply(connection.message())
        request = connection.message()
        if request:
            goes_on.wait(60)
            connection.reply(request)
            swallow(connection)
    around.begin(script)
    before = around.closed("idle")
    with around.client() as resting, around.client() as waiting:
        assert resting.run(PING)["ok"] == 1
        assert waiting.run(PING)["ok"] == 1
        waiting.send(op_msg(FIND, 2))
        set_limits(around, idle="2s")
        assert resting.receive() is None
        assert around.closed("idle") > before
        goes_on.set()
        assert waiting.receive().response_to == 2
        assert waiting.receive() is None


def open_now(around):
    """The number of open connections, without those that were closed before."""
    seen = []

    def is_settled():
        seen.append(int(around.daemon.metrics().total("scattergate_connections")))
        return len(seen) >= 10 and len(set(seen[-10:])) == 1
    wait_until(is_settled, "connections to come to rest")
    return seen[-1]


def test_too_many_from_one_address(around):
    here = open_now(around)
    set_limits(around, connections_per_address=here + 3)
    before = around.closed("limit")
    clients = [around.client() for _ in range(3)]
    for client in clients:
        assert client.run(PING)["ok"] == 1
    for _ in range(5):
        with around.client() as refused:
            assert refused.receive() is None
    assert around.closed("limit") == before + 5
    with socket.create_connection(("127.0.0.1", around.port),
                                  source_address=("127.0.0.9", 0)) as elsewhere:
        elsewhere.sendall(op_msg(PING))
        assert elsewhere.recv(16)
    clients.pop().socket.close()
    around.daemon.await_metric(here + 2, "scattergate_connections")
    clients.append(around.client())
    for client in clients:
        assert client.run(PING)["ok"] == 1
        client.socket.close()


def test_a_message_larger_than_allowed(around):
    set_limits(around, message_size=65_536)
    before = around.closed("limit")
    around.begin(answer_all)
    ping = op_msg(PING)
    with around.client() as client:
        client.send(ping + header(65_537) + b"x" * 10_000)
        assert client.receive().body["ok"] == 1
        assert client.receive() is None
        around.upstream.await_received(ping)
    assert around.closed("limit") == before + 1


def test_no_file_descriptors_left(around):
    """Accepting pauses and resumes; what is open goes on, and readiness says so."""
    metrics = around.daemon.metrics()
    failures = metrics.total("scattergate_accept_failures_total")
    open_now = int(metrics.total("process_open_fds"))
    limit = resource.prlimit(around.daemon.pid, resource.RLIMIT_NOFILE)
    with around.client() as kept:
        assert kept.run(PING)["ok"] == 1
        resource.prlimit(around.daemon.pid, resource.RLIMIT_NOFILE, (open_now + 12, limit[1]))
        clients = [around.client() for _ in range(100)]
        for number in range(2, 200):
            assert kept.run(PING, number)["ok"] == 1
        around.healthy.check()
        wait_until(lambda: around.daemon.metrics().total("scattergate_accept_failures_total")
                   > failures, "accepting to rest")
        for _ in range(20):
            assert around.daemon.get("/healthz")[0] == 200
            assert around.daemon.get("/readyz")[0] == 200
        for client in clients:
            client.socket.close()
        resource.prlimit(around.daemon.pid, resource.RLIMIT_NOFILE, limit)
        with around.client() as late:
            assert late.run(PING)["ok"] == 1
        assert kept.run(PING, 1000)["ok"] == 1
    assert around.daemon.metrics().total("scattergate_accept_failures_total") > failures


def test_the_admin_port_flooded(around):
    port = int(around.daemon.admin.rsplit(":", 1)[1])
    stopping = threading.Event()
    request = b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    def flood():
        while not stopping.is_set():
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=5) as admin:
                    admin.sendall(request)
                    admin.recv(100)
            except OSError:
                pass
    held = []
    for _ in range(300):
        held.append(socket.create_connection(("127.0.0.1", port)))
    threads = [threading.Thread(target=flood) for _ in range(8)]
    for thread in threads:
        thread.start()
    with around.client() as client:
        for number in range(500):
            assert client.run(PING, number)["ok"] == 1
        around.healthy.check()
    stopping.set()
    for thread in threads:
        thread.join()
    for each in held:
        each.close()
    wait_until(lambda: around.daemon.get("/healthz")[0] == 200, "the admin port")
