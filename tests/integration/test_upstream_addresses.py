"""Each address of a mongos's name is a mongos with its own health; names are resolved again and again."""

import json
import signal
import subprocess

import pytest

from malformed import PING
from names import NamedDaemon, may_change_hosts
from processes import Sim, clean_environment, program_path
from raw import RawClient, op_msg
from upstream import ADDRESS_CONNECTIONS, FAILOVERS, OFTEN
from waiting import wait_until

pytestmark = pytest.mark.skipif(not may_change_hosts(), reason="needs a mount namespace of its own")

UP = "scattergate_upstream_address_up"


@pytest.fixture
def pair(start):
    """Two mongos at the same port of two addresses."""
    one = start(Sim, name="sim1", host="127.0.0.1")
    return one, start(Sim, name="sim2", host="127.0.0.2", port=one.port)


def served_by(address):
    """The simulator's topologyVersion distinguishes them."""
    host, port = address.rsplit(":", 1)
    with RawClient(int(port), host=host) as client:
        return client.run({"hello": 1, "$db": "admin"})["topologyVersion"]["processId"]


def used_and_other(daemon, pair):
    return pair if served_by(daemon.address) == served_by(pair[0].address) else pair[::-1]


def await_served_by(daemon, sim):
    expected = served_by(sim.address)
    wait_until(lambda: served_by(daemon.address) == expected, "the other mongos")


def of_listener(daemon):
    return json.loads(daemon.get("/api/v1/status")[2])["listeners"][0]


def listed(daemon):
    """By address: what the API says of it."""
    return {one["address"]: one for name in of_listener(daemon)["upstreams"] for one in name["addresses"]}


def test_of_a_name_with_several_addresses_one_is_used(start, pair):
    one, other = pair
    daemon = start(NamedDaemon, f"mongos:{one.port}")
    process_ids = {served_by(one.address), served_by(other.address)}
    used = served_by(daemon.address)
    assert {served_by(daemon.address) for _ in range(10)} == {used}
    (one if used == served_by(one.address) else other).stop()
    left = served_by(daemon.address)
    assert {used, left} == process_ids
    assert {served_by(daemon.address) for _ in range(10)} == {left}
    assert daemon.metrics().total(FAILOVERS) == 1


def test_an_address_that_hangs_is_left_for_another_of_the_same_name(start, pair):
    daemon = start(NamedDaemon, f"mongos:{pair[0].port}", failover=OFTEN)
    used, other = used_and_other(daemon, pair)
    daemon.await_metric(2, UP)
    with RawClient(daemon.port) as waiting:
        assert waiting.run(PING)["ok"] == 1
        used.signal(signal.SIGSTOP)
        waiting.send(op_msg(PING, 2))  # no answer will ever come
        daemon.await_metric(1, FAILOVERS)
        assert waiting.receive() is None
    assert served_by(daemon.address) == served_by(other.address)
    metrics = daemon.metrics()
    assert metrics.total(UP, address=used.address) == 0 and metrics.total(UP, address=other.address) == 1
    assert metrics.total("scattergate_upstream_up") == 1
    assert daemon.find_line(rf'"id":1015\b.*mongos:{used.port} \({used.address.split(":")[0]}\), behind')
    assert of_listener(daemon)["state"] == "ok"
    used.signal(signal.SIGCONT)
    daemon.await_metric(2, UP)
    daemon.await_line(r'"id":1016\b')


def test_a_name_that_moves_while_its_old_address_hangs_heals(start, pair):
    old, new = pair
    daemon = start(NamedDaemon, f"mongos:{old.port}", failover=OFTEN, names={"mongos": ["127.0.0.1"]})
    assert served_by(daemon.address) == served_by(old.address)
    daemon.await_metric(1, UP, address=old.address)
    old.signal(signal.SIGSTOP)
    daemon.set_addresses(mongos=["127.0.0.2"])
    daemon.await_metric(1, UP, address=new.address)
    wait_until(lambda: list(listed(daemon)) == [new.address], "the old address to go")
    assert served_by(daemon.address) == served_by(new.address)
    wait_until(lambda: not [each for each in json.loads(daemon.get("/api/v1/status")[2])["conditions"]
                            if each["active"]], "the conditions to end")
    old.signal(signal.SIGCONT)


def test_a_new_address_joins_and_a_gone_one_drains(start, pair):
    old, new = pair
    daemon = start(NamedDaemon, f"mongos:{old.port}", failover=OFTEN, names={"mongos": ["127.0.0.1"]})
    with RawClient(daemon.port) as with_cursor, RawClient(daemon.port) as idle:
        assert idle.run(PING)["ok"] == 1
        rows = [{"_id": n} for n in range(5)]
        assert with_cursor.run({"insert": "rows", "documents": rows, "$db": "shop"})["n"] == 5
        cursor = with_cursor.run({"find": "rows", "batchSize": 2, "$db": "shop"})["cursor"]["id"]
        assert daemon.metrics().total(ADDRESS_CONNECTIONS, address=old.address) == 2
        daemon.set_addresses(mongos=["127.0.0.2"])
        daemon.await_metric(1, UP, address=new.address)
        # The old one stays in use while a client has a cursor there.
        assert listed(daemon)[old.address]["active"] and not listed(daemon)[new.address]["active"]
        assert with_cursor.run({"getMore": cursor, "collection": "rows", "$db": "shop"})["cursor"]["id"] == 0
        assert idle.receive() is None
        assert with_cursor.receive() is None
    daemon.await_line(r'"id":1022\b')
    wait_until(lambda: list(listed(daemon)) == [new.address], "the old address to go")
    assert served_by(daemon.address) == served_by(new.address)
    metrics = daemon.metrics()
    assert metrics.total(FAILOVERS) == 0
    assert metrics.by("scattergate_connections_closed_total", "reason")["drained",] == 2


def test_a_name_that_is_no_longer_resolved_keeps_its_addresses(start, pair):
    sim = pair[0]
    daemon = start(NamedDaemon, f"mongos:{sim.port}", failover=OFTEN, names={"mongos": ["127.0.0.1"]})
    daemon.await_metric(1, UP)
    daemon.set_addresses()
    wait_until(lambda: daemon.metrics().total("scattergate_upstream_failures_total", reason="dns"), "a failed lookup")
    assert served_by(daemon.address) == served_by(sim.address)
    assert of_listener(daemon)["state"] == "ok"
    assert daemon.metrics().total(UP) == 1


def test_of_very_many_addresses_some_are_left_out(start, pair):
    many = [f"127.0.1.{n}" for n in range(1, 40)]
    daemon = start(NamedDaemon, f"mongos:{pair[0].port}", failover=OFTEN, names={"mongos": many})
    wait_until(lambda: len(listed(daemon)) == 32, "as many as are used")
    daemon.await_metric(7, "scattergate_upstream_addresses_left_out")


def test_an_ip_version_that_mongos_does_not_serve_is_no_fault(start, pair):
    """As for localhost, which is ::1 first, and 127.0.0.1."""
    sim = pair[0]
    daemon = start(NamedDaemon, f"mongos:{sim.port}", failover=OFTEN, names={"mongos": ["::1", "127.0.0.1"]})
    assert served_by(daemon.address) == served_by(sim.address)
    daemon.await_metric(1, "scattergate_upstream_up")
    wait_until(lambda: list(listed(daemon)) == [sim.address], "the version that isn't served to be left out")
    assert not daemon.find_line(r'"id":1015\b')
    assert of_listener(daemon)["state"] == "ok"


def test_check_connect_warns_of_an_address_that_refuses(pair, tmp_path):
    one, other = pair
    other.stop()
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 mongos\n127.0.0.2 mongos\n")
    check = [program_path("SCATTERGATE_BIN", "scattergate"), "check", "--connect", "--upstream", f"mongos:{one.port}",
             "--listen", "127.0.0.1:0", "--catalog", "preset:yorkie"]
    ended = subprocess.run(["unshare", "-m", "sh", "-c", f'mount --bind "{hosts}" /etc/hosts && exec "$@"', "sh", *check],
                           capture_output=True, text=True, check=False, env=clean_environment())
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"connected to 127.0.0.1:{one.port}" in ended.stdout
    assert f"127.0.0.2:{one.port}: Connection refused" in ended.stdout
