"""The behaviour when a resource runs out: connections, memory, disk."""

import json
import os
import re
import resource
import socket
import subprocess
import sys

import pytest

from malformed import FIND, PING
from processes import Daemon
from raw import RawClient, op_msg
from upstream import swallow
from waiting import wait_until

CLOSED = "scattergate_connections_closed_total"


def test_connections_beyond_the_limit_are_closed_and_counted(start, sim):
    daemon = start(Daemon, sim.address, limits={"connections": 3})
    kept = [RawClient(daemon.port) for _ in range(3)]
    for client in kept:
        assert client.run(PING)["ok"] == 1
    for _ in range(5):
        with RawClient(daemon.port) as refused:
            assert refused.receive() is None
    daemon.await_metric(5, CLOSED, reason="limit")
    assert kept[0].run(PING)["ok"] == 1
    kept.pop().socket.close()
    daemon.await_metric(2, "scattergate_connections")
    kept.append(RawClient(daemon.port))
    for client in kept:
        assert client.run(PING)["ok"] == 1
        client.socket.close()


AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c"]
ASK = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect(sys.argv[1])
    client.sendall(bytes.fromhex(sys.argv[2]))
    print(len(client.recv(16)))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_on_a_unix_socket_users_have_connections_of_their_own(start, sim, short_directory):
    short_directory.chmod(0o755)
    path = short_directory / "clients.sock"
    daemon = start(Daemon, sim.address, limits={"connections_per_address": 1},
                   listeners=[{"listen": f"unix:{path}", "upstream": [sim.address]}])
    path.chmod(0o666)

    def asked_by(*program):
        done = subprocess.run([*program, ASK, path, op_msg(PING).hex()], text=True, timeout=60,
                              capture_output=True, check=False, cwd="/")
        return done.stdout.strip(), done.stderr
    with socket.socket(socket.AF_UNIX) as kept:
        kept.connect(str(path))
        kept.sendall(op_msg(PING))
        assert kept.recv(16)
        assert asked_by(sys.executable, "-c")[0] != "16"
        assert asked_by(*AS_NOBODY) == ("16", "")
    daemon.await_metric(1, CLOSED, reason="limit")


def test_what_does_not_fit_into_the_memory_limit_passes_unread(behind):
    upstream, daemon = behind(swallow, limits={"memory": "1MiB"})
    large = op_msg({"find": "documents", "$db": "yorkie-meta",
                    "filter": {"project_id": 1, "text": "x" * 3_000_000}})
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING) + large + op_msg(FIND))
        upstream.await_received(op_msg(PING) + large + op_msg(FIND))
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.by("scattergate_uninspected_messages_total", "reason") == {("too_large",): 1}
    assert metrics.by("scattergate_commands_total", "command") == {
        ("ping",): 1, ("find",): 1, ("other",): 1}


def test_a_full_disk_under_the_audit_log_stops_no_traffic(start, sim, connect):
    daemon = start(Daemon, sim.address, audit={"file": "/dev/full", "interval": "1s"})
    client = connect(daemon)
    for _ in range(20):
        client["yorkie-meta"].documents.find_one({"key": 1})
    daemon.await_metric(20, "scattergate_audit_outstanding_findings")
    metrics = daemon.metrics()
    assert metrics.total("scattergate_audit_write_failures_total") >= 1
    assert metrics.total("scattergate_audit_lines_total") == 0
    assert metrics.total("scattergate_findings_total") == 20
    client.close()
    assert daemon.stop() == 1
    daemon.ends_with = 1


def test_the_audit_log_may_be_off(start, sim, connect):
    daemon = start(Daemon, sim.address, audit={"file": "off"})
    client = connect(daemon)
    client["yorkie-meta"].documents.find_one({"key": 1})
    client.close()
    assert daemon.stop() == 0
    assert daemon.stdout == ""


def test_the_audit_log_may_be_the_standard_output(start, sim, connect):
    daemon = start(Daemon, sim.address, audit={"file": "-"})
    client = connect(daemon)
    for _ in range(3):
        client["yorkie-meta"].documents.find_one({"key": 1})
    client.close()
    assert daemon.stop() == 0
    lines = [json.loads(line) for line in daemon.stdout.splitlines()]
    assert sum(line["param"]["count"] for line in lines) == 3


def status(daemon):
    return json.loads(daemon.get("/api/v1/status")[2])


def refusing(daemon):
    """The subjects of the condition that clients can't connect."""
    return [each["subject"] for each in status(daemon)["conditions"] if each["active"] and each["kind"] == "clients_refused"]


def headline(daemon):
    return status(daemon)["headline"]


def test_the_page_is_not_green_while_limits_connections_keep_clients_out(start, sim):
    daemon = start(Daemon, sim.address, limits={"connections": 1})
    with RawClient(daemon.port) as kept:
        assert kept.run(PING)["ok"] == 1
        with RawClient(daemon.port) as refused:
            assert refused.receive() is None
        assert wait_until(lambda: refusing(daemon), "the condition") == ["limits.connections"]
        assert headline(daemon) == {
            "level": "degraded", "text": "New clients can't connect, because connections or file descriptors are used up"}
        daemon.await_line(r'"id":1038\b.*limits\.connections.*1 are open')
    wait_until(lambda: not refusing(daemon), "the end")
    daemon.await_line(r'"id":1039\b')
    assert headline(daemon)["level"] == "ok"


def test_without_descriptors_clients_wait_and_no_mongos_is_blamed(start, sim):
    """Neither by the clients that can't connect, nor by health checks that have no descriptor of their own."""
    daemon = start(Daemon, sim.address, failover={"check_interval": "100ms"})
    daemon.await_metric(1, "scattergate_upstream_up")
    limit = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    with RawClient(daemon.port) as first:
        assert first.run(PING)["ok"] == 1
    daemon.await_metric(0, "scattergate_connections")
    held = int(daemon.metrics().total("process_open_fds"))
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (held + 9, limit[1]))
    clients = [RawClient(daemon.port) for _ in range(30)]
    for client in clients:
        client.send(op_msg(PING))
    assert wait_until(lambda: refusing(daemon), "the condition") == ["file descriptors"]
    assert headline(daemon)["level"] == "degraded"
    before = daemon.metrics().total("scattergate_upstream_health_checks_total")
    wait_until(lambda: daemon.metrics().total("scattergate_upstream_health_checks_total") > before + 40, "checks")
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, limit)
    for client in clients:  # all are served in the end: none was accepted without both descriptors
        assert client.receive().body["ok"] == 1
        client.socket.close()
    metrics = daemon.metrics()
    assert metrics.total(CLOSED, reason="upstream_unreachable") == 0
    assert metrics.total(CLOSED, reason="out_of_resources") == 0
    assert metrics.total("scattergate_upstream_health_checks_total", result="failed") == 0
    assert metrics.total("scattergate_upstream_connect_failures_total") == 0
    assert not re.search(r'"id":10(12|15)\b', daemon.stderr)
    wait_until(lambda: not refusing(daemon), "the end")
    assert headline(daemon)["level"] == "ok"
