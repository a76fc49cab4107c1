"""The end of a daemon's life: TERM, and TERM again."""

import signal
import threading

import pytest

import traffic
from malformed import FIND, PING
from processes import OWN_HOST, Daemon, Sim
from raw import EXHAUST_ALLOWED, RawClient, op_msg
from upstream import large_reply
from waiting import wait_until


@pytest.fixture
def slow(behind):
    """An upstream that answers a find only on request."""
    go_on = threading.Event()

    def script(connection):
        while request := connection.message():
            if "find" in request.body:
                go_on.wait(60)
            connection.reply(request)
    upstream, daemon = behind(script, drain={"grace": "50s"})
    daemon.go_on = go_on
    daemon.upstream = upstream
    yield daemon
    go_on.set()


def await_draining(daemon):
    wait_until(lambda: daemon.get("/readyz")[0] == 503, "readyz to say so")


def test_a_drain_closes_who_is_idle_and_lets_the_others_finish(slow):
    with RawClient(slow.port) as idle, RawClient(slow.port) as busy, RawClient(slow.port) as silent:
        assert idle.run(PING)["ok"] == 1
        busy.send(op_msg(FIND, 8))
        wait_until(lambda: any(b"find" in each.received for each in slow.upstream.connections),
                   "the find to arrive")
        slow.signal(signal.SIGTERM)
        await_draining(slow)
        assert slow.get("/readyz")[2] == "draining\n"
        assert idle.receive() is None
        assert silent.receive() is None
        slow.await_metric(1, "scattergate_connections")
        assert slow.get("/healthz")[0] == 200
        with pytest.raises(ConnectionRefusedError):
            RawClient(slow.port)
        assert slow.is_alive()
        slow.go_on.set()
        assert busy.receive().response_to == 8
        assert busy.receive() is None
    assert slow.wait() == 0
    [line] = slow.audit()
    assert line["param"]["count"] == 1
    assert line["param"]["durationMillis"]["max"] > 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_does_not_wait(slow, number):
    with RawClient(slow.port) as busy:
        busy.send(op_msg(FIND, 8))
        slow.upstream.await_received(op_msg(FIND, 8))
        slow.signal(number)
        await_draining(slow)
        slow.signal(number)
        assert busy.receive() is None
        assert slow.wait() == 0
    # Commands in progress are still counted.
    [line] = slow.audit()
    assert line["param"]["count"] == 1


def test_the_grace_time_ends_a_drain(behind):
    never = threading.Event()

    def script(connection):
        connection.message()
        never.wait(60)
    upstream, daemon = behind(script, drain={"grace": "1s"})
    with RawClient(daemon.port) as busy:
        busy.send(op_msg(FIND))
        upstream.await_received(op_msg(FIND))
        daemon.signal(signal.SIGTERM)
        assert busy.receive() is None
        assert daemon.wait() == 0
    never.set()


def test_a_half_sent_request_is_waited_for(slow):
    message = op_msg(PING, 3)
    with RawClient(slow.port) as client:
        client.send(message[:20])
        slow.await_metric(20, "scattergate_request_bytes_total")
        slow.signal(signal.SIGTERM)
        await_draining(slow)
        client.send(message[20:])
        assert client.receive().response_to == 3
        assert client.receive() is None
    assert slow.wait() == 0


def test_requests_that_have_arrived_are_answered(slow):
    """Requests sent before the drain began but not read yet, because the daemon was suspended."""
    clients = [RawClient(slow.port) for _ in range(20)]
    for client in clients:
        assert client.run(PING)["ok"] == 1
    slow.signal(signal.SIGSTOP)
    for client in clients:
        client.send(op_msg(PING, 2))
    slow.signal(signal.SIGTERM)
    slow.signal(signal.SIGCONT)
    for client in clients:
        assert client.receive().response_to == 2
        assert client.receive() is None
        client.socket.close()
    assert slow.wait() == 0


def test_a_waiting_hello_holds_nothing_up(start, connect):
    """A monitor's awaitable hello would be answered in ten seconds: the drain doesn't wait for it."""
    daemon = start(Daemon, start(Sim).address, drain={"grace": "50s"})
    with RawClient(daemon.port) as monitor:
        hello = monitor.run({"hello": 1, "$db": "admin"})
        monitor.send(op_msg({"hello": 1, "topologyVersion": hello["topologyVersion"],
                             "maxAwaitTimeMS": 60_000, "$db": "admin"}, 2, EXHAUST_ALLOWED))
        daemon.await_metric(1, "scattergate_connections")
        daemon.signal(signal.SIGTERM)
        assert monitor.receive() is None
    assert daemon.wait() == 0


def test_a_driver_loses_nothing_over_a_rolling_restart(start):
    """Acknowledged writes only: what pymongo retries arrives once, on the next instance."""
    sim = start(Sim)
    listener = {"listen": f"{OWN_HOST}:0", "upstream": [sim.address]}
    daemon = start(Daemon, sim.address, listeners=[listener])
    listener["listen"] = daemon.address
    client = traffic.client_of(daemon.port, OWN_HOST, heartbeatFrequencyMS=500)
    client.shop.orders.insert_one({"_id": -1})
    acknowledged, stop = [], threading.Event()

    def write():
        while not stop.is_set():
            client.shop.orders.insert_one({"_id": len(acknowledged)})
            acknowledged.append(len(acknowledged))
    writer = threading.Thread(target=write)
    writer.start()
    for name in ("second", "third"):
        target = len(acknowledged) + 50
        wait_until(lambda: len(acknowledged) >= target or not writer.is_alive(), "fifty writes")
        assert daemon.stop() == 0
        daemon = start(Daemon, sim.address, name=name, listeners=[listener])
    target = len(acknowledged) + 50
    wait_until(lambda: len(acknowledged) >= target or not writer.is_alive(), "fifty more")
    assert writer.is_alive()
    stop.set()
    writer.join()
    assert [d["_id"] for d in client.shop.orders.find().sort("_id")] == [-1, *acknowledged]
    client.close()


def test_clients_that_stop_reading_do_not_outlive_the_grace_time(behind):
    def script(connection):
        connection.send(large_reply(connection.message(), 20_000_000))
    _, daemon = behind(script, drain={"grace": "1s"})
    with RawClient(daemon.port, receive_buffer=4096) as stuck:
        stuck.send(op_msg(PING))
        stuck.await_first_bytes()
        daemon.signal(signal.SIGTERM)
        assert daemon.wait() == 0
