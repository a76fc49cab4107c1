"""When mongos fails: clients are closed cleanly, the failure is counted, and everything works again afterwards."""

import socket
import struct

import pytest

from malformed import FIND, PING
from processes import OWN_HOST, Daemon, Sim, free_port
from raw import RawClient, header, op_msg
from upstream import Upstream, answer_all, large_reply

CLOSED = "scattergate_connections_closed_total"


def assert_clean_end(client):
    """A FIN, not a reset: the client reads to an end."""
    client.socket.settimeout(60)
    data = b""
    while more := client.socket.recv(1 << 20):
        data += more
    return data


def test_an_upstream_that_refuses_is_counted_and_found_again(start):
    port = free_port()
    daemon = start(Daemon, f"{OWN_HOST}:{port}")
    for _ in range(3):
        with RawClient(daemon.port) as client:
            client.send(op_msg(PING))
            assert client.receive() is None
    metrics = daemon.metrics()
    assert metrics.total(CLOSED, reason="upstream_unreachable") == 3
    assert metrics.total("scattergate_upstream_connect_failures_total") >= 3
    assert daemon.get("/readyz")[0] == 200
    upstream = Upstream(port=port, host=OWN_HOST)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    upstream.close()


def test_a_client_that_stays_after_its_end_holds_no_one_up(start):
    """Closed by us while mongos couldn't be reached, and not by the client."""
    daemon = start(Daemon, "127.0.0.1:1", workers={"threads": 1})
    staying = [RawClient(daemon.port) for _ in range(3)]
    for client in staying:
        assert client.receive() is None
    daemon.await_metric(3, CLOSED, reason="upstream_unreachable")
    assert daemon.stop() == 0
    for client in staying:
        client.socket.close()


def test_an_upstream_that_closes_on_accept(behind):
    upstream, daemon = behind(lambda connection: None)
    with RawClient(daemon.port) as client:
        assert_clean_end(client)
    daemon.await_metric(1, CLOSED, reason="upstream_closed")
    upstream.script = answer_all
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1


@pytest.mark.parametrize("bytes_sent", [0, 1, 15, 16, 30, 500_000])
def test_an_upstream_that_closes_in_the_middle_of_a_reply(behind, bytes_sent):
    def script(connection):
        request = connection.message()
        connection.send(large_reply(request, 1_000_000)[:bytes_sent])
    upstream, daemon = behind(script)
    with RawClient(daemon.port) as client:
        client.send(op_msg(FIND))
        received = assert_clean_end(client)
    assert len(received) == (bytes_sent if bytes_sent >= 16 else 0)
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total(CLOSED, reason="upstream_closed") == 1
    assert metrics.total("scattergate_commands_total", command="find") == 1
    assert metrics.total("scattergate_findings_total") == 1
    upstream.script = answer_all
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1


def test_an_upstream_that_resets(behind):
    def script(connection):
        connection.message()
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    _, daemon = behind(script)
    with RawClient(daemon.port) as client:
        client.send(op_msg(FIND))
        assert assert_clean_end(client) == b""
    daemon.await_metric(1, CLOSED, reason="upstream_closed")


@pytest.mark.parametrize("length", [-1, 0, 15, 48_000_001])
def test_an_upstream_that_breaks_its_framing(behind, length):
    def script(connection):
        connection.message()
        connection.send(header(length, 5, 1) + b"x" * 100)
        connection.read()
    _, daemon = behind(script)
    with RawClient(daemon.port) as client:
        client.send(op_msg(FIND))
        assert assert_clean_end(client) == b""
    assert daemon.metrics().total("scattergate_wire_errors_total", reason="bad_length") == 1


def test_a_restart_of_mongos_is_only_a_retry_to_a_driver(start, connect):
    """Drivers retry a read and a write by themselves: no error reaches the application."""
    sim = start(Sim, host=OWN_HOST)
    daemon = start(Daemon, sim.address)
    client = connect(daemon, heartbeatFrequencyMS=500)
    client.shop.orders.insert_one({"_id": 1})
    for name in ("second", "third"):
        assert sim.stop() == 0
        sim = start(Sim, name=name, host=OWN_HOST, port=sim.port)
        if name == "second":
            assert client.shop.orders.find_one() is None
        client.shop.orders.insert_one({"_id": name})
    assert [d["_id"] for d in client.shop.orders.find()] == ["third"]


def test_the_next_upstream_takes_over(start, connect):
    first, second = start(Sim, name="sim1"), start(Sim, name="sim2")
    daemon = start(Daemon, first.address, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [first.address, second.address], "upstream_choice": "listed"}])
    client = connect(daemon, heartbeatFrequencyMS=500)
    client.shop.orders.insert_one({"_id": "in the first"})
    client.close()
    first.stop()
    client = connect(daemon, heartbeatFrequencyMS=500, serverSelectionTimeoutMS=60_000)
    client.shop.orders.insert_one({"_id": "in the second"})
    assert [d["_id"] for d in client.shop.orders.find()] == ["in the second"]


def test_a_listener_each_for_its_own_upstream(start):
    upstreams = [Upstream(), Upstream()]
    daemon = start(Daemon, upstreams[0].address, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [each.address]} for each in upstreams])
    ports = [int(part.split(" ", 1)[0].rsplit(":", 1)[1]) for part in
             daemon.ready_line.split("listening on ")[1].split(", ")[:2]]
    for port, upstream in zip(ports, upstreams):
        with RawClient(port) as client:
            assert client.run(PING)["ok"] == 1
        upstream.await_received(op_msg(PING))
        upstream.close()
