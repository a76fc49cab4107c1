"""HUP and USR1: a changed file applies from the next message on, a bad one doesn't."""

import json
import os
import signal
import subprocess

import pytest
from pymongo.errors import OperationFailure

from processes import Daemon, program_path
from traffic import PROJECTS
from waiting import wait_until

FINDINGS = "scattergate_findings_total"
FAILURES = "scattergate_config_reload_failures_total"
REJECT = {"name": "no-scatter", "action": "reject",
          "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"}}


def careless(client):
    return client["yorkie-meta"].documents.find_one({"key": 1})


def test_rules_change_for_open_connections(daemon, connect):
    client = connect(daemon, maxPoolSize=1)
    careless(client)
    daemon.write_config(rules=[REJECT])
    daemon.reload()
    wait_until(lambda: is_refused(client), "the rule")
    daemon.write_config(rules=[{**REJECT, "action": "accept"}])
    daemon.reload()
    wait_until(lambda: not is_refused(client), "the rule to go")
    metrics = daemon.metrics()
    by_action = metrics.by(FINDINGS, "action")
    assert by_action["observed",] >= 1 and by_action["rejected",] >= 1
    assert by_action["accepted",] >= 1
    assert metrics.total("scattergate_connections_closed_total") == 0
    assert metrics.total(FAILURES) == 0


def is_refused(client):
    try:
        careless(client)
    except OperationFailure as refusal:
        assert refusal.code == 411
        return True
    return False


@pytest.mark.parametrize("text", [
    "rules: [{name: a, action: shoot}]\n", "lis: *x\n", "nonsense: 1\n"])
def test_a_bad_file_keeps_the_old_rules(start, sim, connect, text):
    daemon = start(Daemon, sim.address, rules=[REJECT])
    client = connect(daemon)
    assert is_refused(client)
    loaded = daemon.metrics().total("scattergate_config_last_load_timestamp_seconds")
    daemon.config_path.write_text(text)
    daemon.reload()
    metrics = daemon.metrics()
    assert metrics.total(FAILURES) == 1
    assert metrics.total("scattergate_config_last_load_timestamp_seconds") == loaded
    assert str(daemon.config_path) + ":1" in daemon.find_line(r'.*"id":3002\b.*')[0]
    assert is_refused(client)
    daemon.write_config(rules=[])
    daemon.reload()
    wait_until(lambda: not is_refused(client), "the good file")


def test_the_catalog_is_read_again_and_a_bad_one_is_not_taken(start, sim, connect, tmp_path):
    catalog = tmp_path / "catalog.yaml"

    def write(key):
        catalog.write_text("collections:\n"
                           f"  - {{namespace: yorkie-meta.documents, shardKey: {{{key}: 1}}}}\n")
    write("project_id")
    daemon = start(Daemon, sim.address, catalog={"source": str(catalog)})
    client = connect(daemon)
    here = {"db": "yorkie-meta", "collection": "documents", "command": "find"}

    def routings():
        return daemon.metrics().by("scattergate_commands_total", "routing", **here)
    careless(client)
    assert routings() == {("scatter_gather",): 1}
    write("key")
    daemon.reload()
    wait_until(lambda: careless(client) or routings().get(("single_shard",)), "the new key")
    catalog.write_text("collections: 5\n")
    daemon.reload()
    metrics = daemon.metrics()
    assert metrics.total("scattergate_catalog_load_failures_total") == 1
    assert metrics.total(FAILURES) == 1
    targeted = routings()["single_shard",]
    careless(client)
    assert routings()["single_shard",] == targeted + 1


def test_a_bad_collection_costs_no_other_its_verdicts(start, sim, connect, tmp_path):
    catalog = tmp_path / "catalog.yaml"

    def write(key):
        catalog.write_text("collections:\n"
                           "  - {namespace: yorkie-meta.documents, shardKey: {key: 1}}\n"
                           f"  - {{namespace: yorkie-meta.clients, shardKey: {{{key}: 1}}}}\n")

    def unreadable():
        return [each for each in json.loads(daemon.get("/api/v1/status")[2])["conditions"]
                if each["kind"] == "collection_unreadable" and each["active"]]
    write("x.$y")
    daemon = start(Daemon, sim.address, catalog={"source": str(catalog)})
    line = daemon.await_line(r'.*"id":7011\b.*')[0]
    assert "yorkie-meta.clients" in line and f"{catalog}:3: " in line and "starts with $" in line
    assert [each["subject"] for each in unreadable()] == ["yorkie-meta.clients"]
    client = connect(daemon)
    careless(client)
    client["yorkie-meta"].clients.find_one({"x": 1})
    found = daemon.metrics().by("scattergate_commands_total", "collection", "routing", command="find")
    assert found["documents", "single_shard"] == 1 and found["clients", "unknown"] == 1
    checked = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", daemon.config_path],
                             capture_output=True, text=True, timeout=120)
    assert checked.returncode == 1 and f"{catalog}:3: yorkie-meta.clients: " in checked.stderr
    write("x")
    daemon.reload()
    daemon.await_line(r'"id":7012\b')
    assert not unreadable()
    write("x.$y")
    daemon.reload()
    wait_until(unreadable, "the condition after a reload")
    assert daemon.metrics().total(FAILURES) == 0


def test_inspection_is_switched_off_and_on(daemon, connect):
    client = connect(daemon, maxPoolSize=1)
    careless(client)
    for inspect in ("off", "on"):
        daemon.write_config(inspect=inspect)
        daemon.reload()

        def has_taken_effect():
            before = daemon.metrics().total(FINDINGS)
            careless(client)
            return (daemon.metrics().total(FINDINGS) == before) == (inspect == "off")
        wait_until(has_taken_effect, f"inspect: {inspect}")


def test_the_audit_file_is_opened_anew(daemon, client):
    careless(client)
    wait_until(daemon.audit, "the first line")
    rotated = daemon.audit_path.with_suffix(".1")
    os.rename(daemon.audit_path, rotated)
    client["yorkie-meta"].documents.find_one({"name": 1})
    wait_until(lambda: len(rotated.read_text().splitlines()) == 2, "the second, where the first is")
    daemon.signal(signal.SIGUSR1)
    wait_until(daemon.audit_path.exists, "a new file")
    client["yorkie-meta"].documents.find_one({"place": 1})
    wait_until(daemon.audit, "the third line in the new file")
    assert len(rotated.read_text().splitlines()) == 2
    assert os.stat(daemon.audit_path).st_mode & 0o777 == 0o640


def test_the_log_file_is_opened_anew(start, tmp_path):
    log = tmp_path / "daemon.log"
    daemon = start(Daemon, "127.0.0.1:1", log={"file": str(log)})
    wait_until(lambda: "Accepting clients" in log.read_text(), "the first line")
    rotated = log.with_suffix(".1")
    os.rename(log, rotated)
    daemon.signal(signal.SIGUSR1)
    wait_until(log.exists, "a new file")
    daemon.signal(signal.SIGHUP)
    wait_until(lambda: "Configuration reloaded" in log.read_text(), "a line in the new file")
    assert "Configuration reloaded" not in rotated.read_text()
    for line in (rotated.read_text() + log.read_text()).splitlines():
        assert {"t", "s", "c", "id", "ctx", "msg"} <= json.loads(line).keys()


def test_nothing_is_lost_to_reloads_under_load(daemon, connect):
    """Rules change while commands flow: each command is counted once, under one action."""
    client = connect(daemon)
    sent = 0
    for round_ in range(20):
        daemon.write_config(rules=[REJECT] if round_ % 2 else [])
        daemon.signal(signal.SIGHUP)
        for _ in range(25):
            is_refused(client)
            client["yorkie-meta"].documents.find_one({"project_id": PROJECTS[0]})
            sent += 1
    assert daemon.metrics().total("scattergate_commands_total", command="find") == 2 * sent
    assert daemon.metrics().total(FINDINGS) == sent
    client.close()
    assert daemon.stop() == 0
    assert sum(line["param"]["count"] for line in daemon.audit()) == sent
