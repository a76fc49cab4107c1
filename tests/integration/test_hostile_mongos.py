"""A hostile or broken mongos affects only its own clients: its replies to the daemon's own questions, for the catalog,
the self-check and the health checks, are checked like a client's requests. The daemon stays, serves clients, and says
what fails."""

import json

import pytest

from certificates import Authority
from hostile_mongos import (ABSURD, BAD_WAYS, BROKEN_FRAMES, GOOD_WAYS, HELLOS, IMPATIENT, MIB, POINT, SCATTERED, WAYS,
                            Dripping, HostileMongos, absurd, is_catalogs, is_drivers_handshake, is_explain, is_health_check,
                            large_records, without_a_dot, without_contents, without_end)
from malformed import PING
from processes import Daemon, Sim, has_sanitizer
from raw import RawClient
from test_live_catalog import await_followed, await_state, state
from waiting import wait_until

FOLLOW = {"source": "mongos", "refresh": "1h"}
LARGEST_LINE = 65_536  # of the log

# The least that a catalog has (docs/catalog.md), kept by a load, by the driver and in snapshots, and malloc's share.
GROWTH = 96 * MIB


@pytest.fixture
def before(start, upstream):
    """A daemon that has little memory, before a mongos that attacks it."""
    def make(attack=None, hello=None, way=None, on=is_catalogs, catalog=None, **sections):
        there = HostileMongos(attack, hello, on, way)
        address = upstream(there).address
        follow = {**FOLLOW, "uri": f"mongodb://{address}/?{IMPATIENT}"} if way else FOLLOW
        daemon = start(Daemon, address, limits={"memory": "16MiB"}, workers={"threads": 1},
                       catalog=catalog or follow, **sections)
        return there, daemon
    return make


def check_that_it_serves(daemon):
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        assert client.run(SCATTERED)["ok"] == 1
    assert daemon.is_alive()
    if not has_sanitizer():
        assert daemon.peak_resident_bytes() < GROWTH


def check_that_it_stays(daemon, why=""):
    daemon.await_line(rf'"id":7002\b.*{why}')
    check_that_it_serves(daemon)


@pytest.mark.parametrize("attack, why", [
    (without_a_dot, "empty batches"), (without_end, "config.collections"),
    (without_contents, "empty batches"), (large_records, "config.collections")])
def test_replies_that_lie_or_never_end(before, attack, why):
    _, daemon = before(attack)
    check_that_it_stays(daemon, why)
    assert state(daemon) == "failed"


def test_what_was_read_stays(before):
    there, daemon = before()
    await_followed(daemon)
    collections = daemon.metrics().total("scattergate_catalog_collections")
    there.attack = without_end
    daemon.reload()
    await_state(daemon, "failed")
    check_that_it_stays(daemon, "config.collections")
    assert daemon.metrics().total("scattergate_catalog_collections") == collections
    there.attack = None
    daemon.reload()
    await_state(daemon, "live")


@pytest.mark.parametrize("case", BROKEN_FRAMES)
def test_frames_that_are_broken(before, case):
    _, daemon = before(lambda _, request, body: BROKEN_FRAMES[case](request))
    check_that_it_stays(daemon)


@pytest.mark.parametrize("way", WAYS)
def test_replies_for_the_catalog_however_they_come(before, way):
    _, daemon = before(way=WAYS[way])
    if way == "in pieces":
        await_followed(daemon)
    if way in BAD_WAYS:
        check_that_it_stays(daemon)
    check_that_it_serves(daemon)


def test_tls_that_comes_byte_by_byte(start, upstream, tmp_path):
    """The time limit of a handshake or a record holds, however many bytes arrive in that time."""
    authority = Authority(tmp_path / "tls")
    sim = start(Sim, further=["--tls-cert-file", authority.issue("mongos")])
    relay = Dripping(sim.port)
    address = upstream(relay).address
    daemon = start(Daemon, address, catalog={
        **FOLLOW, "uri": f"mongodb://{address}/?tls=true&tlsCAFile={authority.ca_file}&{IMPATIENT}"})
    await_followed(daemon)
    relay.is_slow = True
    daemon.reload()
    await_state(daemon, "unreachable")
    wait_until(lambda: daemon.metrics().total("scattergate_catalog_load_failures_total") >= 3, "handshakes that fail")
    relay.is_slow = False
    await_state(daemon, "live")


@pytest.mark.parametrize("hello", HELLOS)
def test_handshakes_with_absurd_values(before, hello):
    _, daemon = before(hello=HELLOS[hello])
    wait_until(lambda: state(daemon) != "loading", "a load")
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1


def test_batches_are_asked_for_in_the_session_of_their_cursor(before):
    """Where users log in, mongos refuses others."""
    there, daemon = before(hello={"logicalSessionTimeoutMinutes": 30})
    await_followed(daemon)
    sessions = [lsid for name, lsid in there.sessions if name in ("find", "getMore")]
    assert "getMore" in dict(there.sessions) and sessions[0]
    assert all(lsid == sessions[0] for lsid in sessions)


@pytest.fixture
def self_checking(start, upstream, tmp_path):
    """A daemon that has a hostile mongos explain finds."""
    def make(**attack):
        there = HostileMongos(**attack)
        address = upstream(there).address
        keys, uri = tmp_path / "keys.yaml", tmp_path / "uri"
        keys.write_text("collections:\n  - {namespace: shop.orders, shardKey: {customer: 1}}\n")
        uri.write_text(f"mongodb://{address}/?{IMPATIENT}\n")
        daemon = start(Daemon, address, limits={"memory": "16MiB"}, workers={"threads": 1},
                       catalog={"source": str(keys)},
                       verify={"self_check": True, "interval": "100ms", "uri_file": str(uri)})
        return there, daemon
    return make


def checks(daemon, *outcomes):
    return sum(daemon.metrics().total(f"scattergate_verify_{outcome}_total")
               for outcome in outcomes or ("agreed", "disagreed", "failed"))


def await_checks(daemon, there, what):
    """Until two checks have come out, so that one has met what the mongos does now."""
    there.attacked, before = 0, checks(daemon)
    with RawClient(daemon.port) as client:
        def has_checked():
            assert client.run(POINT)["ok"] == 1 and client.run(SCATTERED)["ok"] == 1
            return checks(daemon) >= before + 2 and (there.attacked or not (there.attack or there.way))
        wait_until(has_checked, f"self-checks that meet {what}")


def check_log_and_memory(daemon, before):
    for line in daemon.stderr.splitlines():
        assert line == daemon.ready_line or json.loads(line)
        assert len(line) < LARGEST_LINE, line[:1000]
    if not has_sanitizer():
        assert daemon.peak_resident_bytes() < before + GROWTH


def check_that_it_recovers(daemon, there):
    there.attack = there.way = None
    agreed = checks(daemon, "agreed")
    wait_until(lambda: await_checks(daemon, there, "nothing") or checks(daemon, "agreed") > agreed,
               "a good self-check")


def test_self_checks_however_replies_come(self_checking):
    there, daemon = self_checking(on=is_explain)
    before = daemon.resident_bytes()
    for name, there.way in {**BAD_WAYS, **GOOD_WAYS}.items():  # the last keeps its connection
        await_checks(daemon, there, name)
    check_that_it_recovers(daemon, there)
    check_log_and_memory(daemon, before)


@pytest.mark.parametrize("way", BAD_WAYS)
def test_self_checks_and_hostile_handshakes(self_checking, way):
    there, daemon = self_checking(on=is_drivers_handshake, way=BAD_WAYS[way])
    before = daemon.resident_bytes()
    await_checks(daemon, there, way)
    assert not checks(daemon, "agreed", "disagreed")
    check_that_it_recovers(daemon, there)
    check_log_and_memory(daemon, before)


def test_self_checks_and_broken_frames(self_checking):
    there, daemon = self_checking(on=is_explain)
    before = daemon.resident_bytes()
    for name, frame in BROKEN_FRAMES.items():
        there.attack = lambda _, request, body, frame=frame: frame(request)
        await_checks(daemon, there, name)
    check_that_it_recovers(daemon, there)
    check_log_and_memory(daemon, before)


def test_self_checks_and_absurd_plans(self_checking):
    there, daemon = self_checking(on=is_explain)
    before = daemon.resident_bytes()
    for name in ABSURD:
        there.attack = absurd(name)
        await_checks(daemon, there, name)
    check_that_it_recovers(daemon, there)
    check_log_and_memory(daemon, before)


# The result of a health check for each: the reason if it fails.
CHECKED = {"in pieces": None, "again and again": None, "too slowly": "timeout", "not at all": "timeout",
           "to its header": "closed", "to its last byte": "closed", "as zeros": "other", "as text": "other",
           "as megabytes of nothing": "other"}


@pytest.mark.parametrize("way", WAYS)
def test_health_checks_however_replies_come(before, way):
    there, daemon = before(on=is_health_check, way=WAYS[way], catalog={"source": "preset:yorkie"},
                           failover={"check_interval": "200ms"})
    if CHECKED[way]:
        wait_until(lambda: daemon.metrics().total("scattergate_upstream_failures_total", reason=CHECKED[way]), way)
        daemon.await_line(r'.*"id":1015\b')
    else:
        daemon.await_metric(1, "scattergate_upstream_up")
    check_that_it_serves(daemon)
    there.way = None
    daemon.await_metric(1, "scattergate_upstream_up")
