"""Several mongos behind one listener: one at a time, and how the next one is chosen."""

import signal
import ssl

import pytest

from balancer import BalancerPort
from certificates import Authority
from log_lines import lines_of
from processes import OWN_HOST, Daemon, Sim, port_of
from raw import RawClient, op_msg
from upstream import FAILOVERS
from waiting import wait_until

PING = {"ping": 1, "$db": "admin"}
ACTIVE = "scattergate_upstream_active"
CHECKS = "scattergate_upstream_health_checks_total"
CLOSED = "scattergate_connections_closed_total"


@pytest.fixture
def pair(start):
    return start(Sim, name="sim1", host=OWN_HOST), start(Sim, name="sim2", host=OWN_HOST)


def before(start, *upstreams, check_interval="200ms", **options):
    listener = {"listen": "127.0.0.1:0", "upstream": list(upstreams), "upstream_choice": "listed", **options}
    return start(Daemon, upstreams[0], listeners=[listener],
                 failover={"check_interval": check_interval})


def await_active(daemon, upstream, **labels):
    daemon.await_metric(1, ACTIVE, upstream=upstream, **labels)


def await_further_checks(daemon, count, **labels):
    now = daemon.metrics().total(CHECKS, **labels)
    wait_until(lambda: daemon.metrics().total(CHECKS, **labels) >= now + count, "health checks")


def served_by(address):
    """The simulator's topologyVersion distinguishes them."""
    host, port = address.rsplit(":", 1)
    with RawClient(int(port), host=host) as client:
        return client.run({"hello": 1, "$db": "admin"})["topologyVersion"]["processId"]


def test_a_hung_mongos_is_left(start, pair, connect):
    first, second = pair
    daemon = before(start, first.address, second.address)
    client = connect(daemon, serverSelectionTimeoutMS=60_000)
    client.shop.orders.insert_one({"_id": "in the first"})
    with RawClient(daemon.port) as waiting, RawClient(daemon.port) as idle:
        assert idle.run(PING)["ok"] == 1
        assert waiting.run(PING)["ok"] == 1
        assert daemon.metrics().total(ACTIVE, upstream=first.address) == 1
        first.signal(signal.SIGSTOP)
        waiting.send(op_msg(PING, 2))  # no answer will ever come
        await_active(daemon, second.address)
        assert waiting.receive() is None
        assert idle.receive() is None
    client.shop.orders.insert_one({"_id": "in the second"})
    assert client.shop.orders.distinct("_id") == ["in the second"]
    metrics = daemon.metrics()
    assert metrics.total(ACTIVE, upstream=first.address) == 0
    assert metrics.total(FAILOVERS) == 1
    assert metrics.total(CHECKS, result="failed") >= 2
    assert metrics.total(CLOSED, reason="upstream_left") >= 2
    assert daemon.find_line(r'"id":1011\b.*' + second.address)
    # It never switches back by itself.
    first.signal(signal.SIGCONT)
    await_further_checks(daemon, 5, result="passed")
    assert daemon.metrics().total(ACTIVE, upstream=second.address) == 1
    assert client.shop.orders.distinct("_id") == ["in the second"]
    assert daemon.metrics().total(FAILOVERS) == 1


def test_a_dead_mongos_is_left_and_a_living_one_kept(start, pair):
    first, second = pair
    daemon = before(start, first.address, second.address)
    process_ids = [served_by(sim.address) for sim in pair]
    assert served_by(daemon.address) == process_ids[0]
    first.stop()
    assert served_by(daemon.address) == process_ids[1]
    start(Sim, name="sim3", host=OWN_HOST, port=first.port)
    await_further_checks(daemon, 5, result="passed")
    assert served_by(daemon.address) == process_ids[1]
    assert daemon.metrics().total(FAILOVERS) == 1
    # The other way round, as the first is well again.
    second.stop()
    assert served_by(daemon.address) == served_by(first.address)
    await_active(daemon, first.address)
    assert daemon.metrics().total(FAILOVERS) == 2


def test_all_down_and_one_back(start, pair):
    first, second = pair
    daemon = before(start, first.address, second.address)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        first.stop()
        second.stop()
        assert client.receive() is None
    for _ in range(3):
        with RawClient(daemon.port) as client:
            client.send(op_msg(PING))
            assert client.receive() is None
    metrics = daemon.metrics()
    assert metrics.total(CLOSED, reason="upstream_unreachable") == 3
    assert metrics.total(ACTIVE) == 0
    assert daemon.get("/readyz")[0] == 200
    start(Sim, name="sim3", host=OWN_HOST, port=second.port)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    await_active(daemon, second.address)


def test_both_hung_and_one_back(start, pair):
    first, second = pair
    daemon = before(start, first.address, second.address)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        for sim in pair:
            sim.signal(signal.SIGSTOP)
        await_further_checks(daemon, 3, result="failed")
        assert daemon.metrics().total(FAILOVERS) == 0  # no other mongos is better
        daemon.await_line(r'"id":1012\b.*no upstream answers health checks')
        client.send(op_msg(PING, 2))
        first.signal(signal.SIGCONT)
        assert client.receive().response_to == 2  # it was only slow
        daemon.await_line(r'"id":1013\b')
    second.signal(signal.SIGCONT)


@pytest.fixture
def tls_pair(start, tmp_path):
    """Two mongos with TLS, and a daemon before them. A mongos that hangs accepts connections, but not
    their handshakes."""
    authority = Authority(tmp_path / "tls")
    pem = authority.issue("mongos")
    sims = [start(Sim, name=f"sim{n}", host=OWN_HOST, further=["--tls-cert-file", pem]) for n in (1, 2)]
    daemon = before(start, *(sim.address for sim in sims), check_interval="2s",
                    upstream_tls={"ca_file": str(authority.ca_file), "server_name": "localhost"})
    daemon.await_metric(2, "scattergate_upstream_up")
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    return daemon, *sims


def knock(daemon):
    """A client whose connection the daemon closes, because it gets no connection to mongos; or an answer."""
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING))
        return client.receive()


def test_a_clean_failover_says_why_and_is_no_outage(tls_pair):
    daemon, first, second = tls_pair
    first.signal(signal.SIGSTOP)
    wait_until(lambda: knock(daemon) is not None, "the second to serve")
    [switch] = lines_of(daemon, 1011)
    assert switch["from"] == first.address and switch["to"] == second.address
    assert "no answer" in switch["why"]
    assert not lines_of(daemon, 1012) and not lines_of(daemon, 1013)
    first.signal(signal.SIGCONT)


def test_while_all_hang_a_connection_is_no_recovery(tls_pair):
    daemon, first, second = tls_pair
    for sim in (first, second):
        sim.signal(signal.SIGSTOP)
    daemon.await_line(r'"id":1012\b.*no upstream answers health checks')
    assert [knock(daemon) for _ in range(2)] == [None, None]
    assert not lines_of(daemon, 1013)
    second.signal(signal.SIGCONT)
    daemon.await_line(r'"id":1013\b')
    assert knock(daemon) is not None
    first.signal(signal.SIGCONT)


def test_a_mongos_alone_is_never_left(start):
    sim = start(Sim)
    daemon = before(start, sim.address)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        sim.signal(signal.SIGSTOP)
        client.send(op_msg(PING, 2))
        await_further_checks(daemon, 3, result="failed")
        sim.signal(signal.SIGCONT)
        assert client.receive().response_to == 2
    assert daemon.metrics().total(FAILOVERS) == 0


def test_listeners_fail_over_each_by_itself(start, pair):
    first, second = pair
    daemon = start(Daemon, first.address, failover={"check_interval": "200ms"}, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [sim.address for sim in order], "upstream_choice": "listed"}
        for order in (pair, pair[::-1])])
    process_ids = [served_by(sim.address) for sim in pair]
    assert [served_by(address) for address in daemon.addresses] == process_ids
    with RawClient(port_of(daemon.addresses[1])) as client:
        assert client.run(PING)["ok"] == 1
        first.signal(signal.SIGSTOP)
        await_active(daemon, second.address, listener=daemon.addresses[0])
        assert client.run(PING)["ok"] == 1  # the second listener's mongos is well
    assert [served_by(address) for address in daemon.addresses] == [process_ids[1]] * 2
    metrics = daemon.metrics()
    assert metrics.by(FAILOVERS, "listener") == {(daemon.addresses[0],): 1}
    first.signal(signal.SIGCONT)


def test_a_health_check_comes_by_proxy_header_and_tls(start, tmp_path):
    """Like the clients' connections; otherwise a healthy mongos would appear dead."""
    authority = Authority(tmp_path / "tls")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority.issue("mongos"))
    ports = [BalancerPort(start(Sim, name=f"sim{n}").port, context) for n in (1, 2)]
    daemon = before(start, *(port.address for port in ports), proxy_protocol="v2",
                    upstream_tls={"ca_file": str(authority.ca_file)})
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        await_further_checks(daemon, 8, result="passed")
        assert client.run(PING)["ok"] == 1
    assert daemon.metrics().total(CHECKS, result="failed") == 0
    sent = [header[0] for header in ports[0].headers]
    assert sent.count("PROXY") == 1
    assert sent.count("LOCAL") >= 1
    assert {header[0] for header in ports[1].headers} == {"LOCAL"}
    for port in ports:
        port.close()
        assert port.malformed == []
