"""Which mongos of several a listener uses: upstream_choice, returning, and changes of the list by a reload."""

import contextlib
import json
import signal

import pytest

from balancer import BalancerPort
from malformed import PING
from processes import OWN_HOST, Daemon, Sim
from raw import RawClient, op_msg
from upstream import ADDRESS_CONNECTIONS, FAILOVERS, OFTEN
from waiting import wait_until

ACTIVE = "scattergate_upstream_active"
UP = "scattergate_upstream_up"
CLOSED = "scattergate_connections_closed_total"


@pytest.fixture
def sims(start):
    return [start(Sim, name=f"sim{n}", host=OWN_HOST) for n in range(3)]


def behind(start, upstreams, listen="127.0.0.1:0", failover=None, **options):
    listener = {"listen": listen, "upstream": [each.address for each in upstreams], **options}
    return start(Daemon, upstreams[0].address, listeners=[listener], failover={**OFTEN, **(failover or {})})


def used_by(daemon, sims):
    """The mongos that a client of the daemon gets."""
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    [used] = [each for each in sims if daemon.metrics().total(ACTIVE, upstream=each.address)]
    return used


def shown(daemon):
    """By mongos: what the API says of its address."""
    listeners = json.loads(daemon.get("/api/v1/status")[2])["listeners"]
    return {each["address"]: each["addresses"][0] for each in listeners[0]["upstreams"]}


def test_a_choice_is_stable_over_restarts_whatever_the_order_of_the_list(start, sims):
    daemon = behind(start, sims)
    used = used_by(daemon, sims)
    address = daemon.address
    assert daemon.stop() == 0
    daemon = behind(start, sims[::-1], listen=address)
    assert used_by(daemon, sims) == used
    assert daemon.metrics().total(FAILOVERS) == 0
    assert not daemon.find_line(r'"id":1011\b')


def test_the_choices_of_several_listeners_differ(start, sims):
    listeners = [{"listen": "127.0.0.1:0", "upstream": [each.address for each in sims]} for _ in range(12)]
    daemon = start(Daemon, sims[0].address, listeners=listeners, failover=OFTEN)
    for address in daemon.addresses:
        with RawClient(int(address.rsplit(":", 1)[1])) as client:
            assert client.run(PING)["ok"] == 1
    used = daemon.metrics().by(ACTIVE, "upstream")
    assert sum(used.values()) == 12
    assert len([share for share in used.values() if share]) > 1  # else by chance: once in 3 ** 11


def test_a_listener_returns_to_its_mongos_once_no_cursor_is_open(start, sims):
    daemon = behind(start, sims[:2], failover={"return_after": "100ms"})
    preferred = used_by(daemon, sims[:2])
    other = sims[1] if preferred is sims[0] else sims[0]
    preferred.signal(signal.SIGSTOP)
    daemon.await_metric(1, FAILOVERS)
    with RawClient(daemon.port) as client:
        rows = [{"_id": n} for n in range(5)]
        assert client.run({"insert": "rows", "documents": rows, "$db": "shop"})["n"] == 5
        cursor = client.run({"find": "rows", "batchSize": 2, "$db": "shop"})["cursor"]["id"]
        preferred.signal(signal.SIGCONT)
        daemon.await_metric(1, UP, upstream=preferred.address)
        checks = daemon.metrics().total("scattergate_upstream_health_checks_total")
        wait_until(lambda: daemon.metrics().total("scattergate_upstream_health_checks_total") > checks + 20,
                   "further checks")
        assert daemon.metrics().total(ACTIVE, upstream=other.address) == 1
        assert client.run({"getMore": cursor, "collection": "rows", "$db": "shop"})["cursor"]["id"] == 0
        daemon.await_metric(1, ACTIVE, upstream=preferred.address)
        assert client.receive() is None  # idle, so that it could close
    daemon.await_line(r'"id":1022\b.*prefers')
    metrics = daemon.metrics()
    assert metrics.total(FAILOVERS) == 1
    assert metrics.total(CLOSED, reason="drained") == 1


def test_a_reload_changes_the_list_and_drains_what_is_gone(start, sims):
    first, second, third = sims
    daemon = behind(start, [first, second], upstream_choice="listed")
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        assert daemon.metrics().total(ACTIVE, upstream=first.address) == 1
        daemon.config["listeners"][0]["upstream"] = [third.address, second.address]
        daemon.write_config()
        daemon.reload()
        daemon.await_metric(1, UP, upstream=third.address)
        daemon.await_metric(1, ACTIVE, upstream=third.address)
        assert client.receive() is None
    wait_until(lambda: list(shown(daemon)) == [third.address, second.address], "the gone one to go")
    assert used_by(daemon, sims) == third
    metrics = daemon.metrics()
    assert metrics.total(FAILOVERS) == 0
    assert metrics.total(CLOSED, reason="drained") == 1
    assert metrics.total(CLOSED, reason="upstream_left") == 0
    assert not daemon.find_line(r'"id":3003\b')


def test_a_reload_heals_a_listener_without_a_mongos(start, sims):
    daemon = start(Daemon, f"{OWN_HOST}:1", failover=OFTEN)
    daemon.await_line(r'"id":1015\b')
    daemon.config["listeners"][0]["upstream"] = [sims[0].address]
    daemon.write_config()
    daemon.reload()
    daemon.await_metric(1, UP)
    assert used_by(daemon, sims[:1]) == sims[0]
    wait_until(lambda: not [each for each in json.loads(daemon.get("/api/v1/status")[2])["conditions"]
                            if each["active"]], "the condition to end")


def test_each_connection_gets_the_mongos_with_the_fewest(start, sims):
    ports = [BalancerPort(sim.port, host=OWN_HOST) for sim in sims[:2]]
    daemon = behind(start, ports, upstream_choice="connections", proxy_protocol="v2")
    daemon.await_metric(2, UP)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(RawClient(daemon.port)) for _ in range(10)]
        services = [client.run({"hello": 1, "loadBalanced": True, "$db": "admin"})["serviceId"] for client in clients]
        assert sorted(services.count(each) for each in set(services)) == [5, 5]
        assert sorted(daemon.metrics().by(ADDRESS_CONNECTIONS, "upstream").values()) == [5, 5]
        assert daemon.metrics().total(ACTIVE) == 2
        # One hangs: its connections close, those of the other stay, and new ones go there.
        sims[0].signal(signal.SIGSTOP)
        left = [client for client, service in zip(clients, services) if service == ports[0].service]
        stay = [client for client in clients if client not in left]
        for client in left:
            client.send(op_msg(PING, 2))
        for client in left:
            assert client.receive() is None
        for client in stay:
            assert client.run(PING, 3)["ok"] == 1
        new = stack.enter_context(RawClient(daemon.port))
        assert new.run({"hello": 1, "loadBalanced": True, "$db": "admin"})["serviceId"] == ports[1].service
        sims[0].signal(signal.SIGCONT)
        daemon.await_metric(2, UP)
        new = stack.enter_context(RawClient(daemon.port))
        assert new.run({"hello": 1, "loadBalanced": True, "$db": "admin"})["serviceId"] == ports[0].service
    metrics = daemon.metrics()
    assert metrics.total(CLOSED, reason="upstream_left") == 5
    assert {header[0] for port in ports for header in port.headers} == {"LOCAL", "PROXY"}
    for port in ports:
        port.close()
        assert port.malformed == []
