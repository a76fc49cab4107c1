"""What is out of date, or off, is shown as long as that lasts: in the log, on the page, in the API and the metrics."""

import json
import signal
import subprocess

import pytest

from fleet_store import fleet_settings
from log_lines import await_one
from processes import Daemon, Sim, clean_environment, program_path
from raw import RawClient
from waiting import wait_until

ACTIVE = "scattergate_condition_active"
NO_SCATTERS = {"name": "no-scatters", "action": "reject",
               "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"}}
SCATTER = {"find": "documents", "filter": {"key": 1}, "$db": "yorkie-meta"}


def status(daemon):
    return json.loads(daemon.get("/api/v1/status")[2])


def is_active(daemon, kind):
    return daemon.metrics().total(ACTIVE, kind=kind) == 1


@pytest.fixture
def hanging(start):
    """A simulated cluster that a test may stop, and that goes on at the end."""
    sim = start(Sim, name="hanging")
    yield sim
    sim.signal(signal.SIGCONT)


def test_a_catalog_that_is_not_read_turns_red_and_rejections_by_it_say_so(start, hanging):
    daemon = start(Daemon, hanging.address, catalog={"source": "mongos", "refresh": "1s"}, rules=[NO_SCATTERS])
    daemon.await_line(r'"id":7001\b')
    first = status(daemon)["catalog"]
    assert first["readAt"] and not first["stale"] and not is_active(daemon, "catalog_stale")
    with RawClient(daemon.port) as client:
        assert "out of date" not in client.run(SCATTER)["errmsg"]
        hanging.signal(signal.SIGSTOP)
        found = await_one(daemon, 7007)
        assert found["s"] == "E" and found["detail"].startswith("last read 20")
        assert found["detail"].endswith("; rules that reject or throttle by it: no-scatters")
        assert is_active(daemon, "catalog_stale")
        now = status(daemon)
        assert now["catalog"]["stale"] and now["headline"]["level"] == "degraded"
        assert "The catalog is out of date" in now["headline"]["text"]
        assert "The catalog is out of date" in daemon.get("/")[2]
        assert "scattergate's catalog is out of date (last read 20" in client.run(SCATTER)["errmsg"]
        [rule] = json.loads(daemon.get("/api/v1/rules")[2])["rules"]
        assert rule["catalogStale"]
        hanging.signal(signal.SIGCONT)
        await_one(daemon, 7008)
        assert "out of date" not in client.run(SCATTER)["errmsg"]
    assert not is_active(daemon, "catalog_stale") and not status(daemon)["catalog"]["stale"]


def test_a_catalog_that_was_never_read_names_no_previous_one(start, hanging):
    hanging.signal(signal.SIGSTOP)
    daemon = start(Daemon, hanging.address, catalog={"source": "mongos", "refresh": "1s"})
    assert await_one(daemon, 7007)["detail"] == "never read"
    assert await_one(daemon, 7002)["detail"].endswith("no catalog was read before, so commands on collections count as unknown")
    assert status(daemon)["catalog"]["readAt"] is None
    hanging.signal(signal.SIGCONT)
    daemon.await_line(r'"id":7001\b')
    hanging.signal(signal.SIGSTOP)
    daemon.await_line(r'"id":7002\b.*; the previous catalog stays in use"')


def test_a_fleet_without_flushes_turns_red(start, hanging, tmp_path):
    daemon = start(Daemon, start(Sim).address, **fleet_settings(tmp_path, hanging.address, "one"))
    assert status(daemon)["fleet"]["flushes"] >= 0
    wait_until(lambda: status(daemon)["fleet"]["flushedAt"], "a flush, or that there is nothing to flush")
    assert not is_active(daemon, "fleet_stale")
    hanging.signal(signal.SIGSTOP)
    found = await_one(daemon, 5033)
    assert found["s"] == "E" and found["detail"].startswith("last acknowledged 20")
    assert is_active(daemon, "fleet_stale") and status(daemon)["fleet"]["stale"]
    hanging.signal(signal.SIGCONT)
    await_one(daemon, 5034)
    assert not is_active(daemon, "fleet_stale") and not status(daemon)["fleet"]["stale"]


def test_inspection_that_is_off_is_shown(start, sim):
    daemon = start(Daemon, sim.address, rules=[NO_SCATTERS], inspect="off")
    found = await_one(daemon, 3009)
    assert found["s"] == "W" and found["detail"] == "rules that would reject or throttle don't apply: no-scatters"
    assert is_active(daemon, "inspection_off")
    assert status(daemon)["headline"] == {
        "level": "warning", "text": "Inspection is off: no command is judged, and no rule applies"}
    assert "Inspection is off" in daemon.get("/")[2].split("</header>")[0]
    checked = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", daemon.config_path],
                             capture_output=True, text=True, check=False, env=clean_environment())
    assert "warning: inspect is off: no rule applies, and 1 of them would reject or throttle" in checked.stderr
    daemon.write_config(inspect="on")
    daemon.reload()
    await_one(daemon, 3010)
    assert not is_active(daemon, "inspection_off")


def test_a_throttle_that_refuses_most_says_how_much_and_scatters_only_what_passes(start, sim):
    slowly = {**NO_SCATTERS, "name": "slowly", "action": "throttle", "throttle": {"rate": "1/h", "queue": 0}}
    daemon = start(Daemon, sim.address, rules=[slowly])
    with RawClient(daemon.port) as client:
        assert [client.run(SCATTER)["ok"] for _ in range(4)] == [1, 0, 0, 0]
    wait_until(lambda: status(daemon)["headline"] == {"level": "scattering", "text": "Refusing 75 %, scattering 25 %"},
               "the headline")
