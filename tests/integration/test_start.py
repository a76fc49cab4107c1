"""Starting: what is required and what isn't; a failed start logs one line that says why."""

import json
import os
import re
import resource
import socket
import subprocess

import pytest

from malformed import PING
from processes import Daemon, Process, clean_environment, program_path
from raw import RawClient
from upstream import Upstream


def run(*arguments, environment=None):
    """A program that ends by itself."""
    return subprocess.run(
        [str(program_path("SCATTERGATE_BIN", "scattergate")), *map(str, arguments)], timeout=60,
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={**clean_environment(), **(environment or {})})


def written(path, text):
    path.write_text(text)
    return path


def test_an_unreachable_mongos_does_not_keep_it_from_starting(start):
    daemon = start(Daemon, "127.0.0.1:1")
    assert daemon.get("/healthz")[0] == 200
    assert daemon.get("/readyz")[0] == 200


def test_flags_alone_are_enough(tmp_path):
    upstream = Upstream()
    daemon = Process("flags", [
        program_path("SCATTERGATE_BIN", "scattergate"), "run", "--listen", "127.0.0.1:0",
        "--upstream", upstream.address, "--admin", "127.0.0.1:0", "--catalog", "preset:yorkie",
        "--threads", "1", "--audit", "off"], tmp_path)
    line = daemon.await_line(r"^scattergate ready: listening on 127\.0\.0\.1:(\d+) for mongos at "
                             + re.escape(upstream.address) + r", admin on http://127\.0\.0\.1:\d+$")
    with RawClient(int(line[1])) as client:
        assert client.run(PING)["ok"] == 1
    assert daemon.stop() == 0
    upstream.close()


def test_the_first_line_of_the_log_says_what_runs_and_where(start, tmp_path):
    upstreams = [Upstream(), Upstream()]
    token = tmp_path / "token"  # a warning of it comes later
    token.write_text("a token of enough characters\n")
    token.chmod(0o644)
    state = str(tmp_path / "state")
    daemon = start(Daemon, upstreams[0].address, state={"file": state}, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [each.address]} for each in upstreams],
        admin={"page_listen": "127.0.0.1:0", "token_file": str(token)})
    lines = [json.loads(line) for line in daemon.stderr.splitlines() if line.startswith("{")]
    assert (lines[0]["id"], lines[0]["msg"]) == (1000, "scattergate is starting")
    assert {8002, 1001} <= {line["id"] for line in lines[1:]}
    said = lines[0]["attr"]
    page = said.pop("page")
    assert (said.pop("engine"), said.pop("engineReason")) == (os.environ.get("TEST_ENGINE") or "epoll", "configured")
    version = run("--version").stdout.split()[1]
    assert said == {"version": version, "pid": daemon.pid, "config": str(daemon.config_path),
                    "listeners": daemon.addresses, "upstreams": [each.address for each in upstreams],
                    "admin": daemon.admin, "catalog": "preset:yorkie", "audit": str(daemon.audit_path), "state": state}
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", page) and page != daemon.admin
    for upstream in upstreams:
        upstream.close()


def test_the_plain_line_can_be_left_out(tmp_path):
    daemon = Process("flags", [
        program_path("SCATTERGATE_BIN", "scattergate"), "run", "--listen", "127.0.0.1:0", "--upstream", "127.0.0.1:1",
        "--admin", "127.0.0.1:0", "--catalog", "preset:yorkie"], tmp_path, {"SCATTERGATE_LOG_READY_LINE": "off"})
    assert daemon.await_start()["page"].startswith("http://127.0.0.1:")
    assert daemon.stop() == 0
    assert all(line.startswith("{") for line in daemon.stderr.splitlines())


def test_the_environment_is_above_the_file_and_flags_are_above_both(start, tmp_path):
    other = str(tmp_path / "other.json")
    daemon = start(Daemon, "127.0.0.1:1", environment={"SCATTERGATE_AUDIT_FILE": other,
                                                       "SCATTERGATE_WORKERS_THREADS": "3"})
    assert daemon.metrics().total("scattergate_workers") == 3
    assert not daemon.audit_path.exists()
    shown = run("config", "--config", daemon.config_path,
                environment={"SCATTERGATE_AUDIT_INTERVAL": "5s"})
    assert shown.returncode == 0
    assert "interval: 5s" in shown.stdout


@pytest.mark.parametrize("which", ["listen", "admin"])
def test_a_taken_address_is_refused_in_one_line(start, which):
    first = start(Daemon, "127.0.0.1:1")
    address = first.address if which == "listen" else first.admin.removeprefix("http://")
    flags = {"listen": "127.0.0.1:0", "admin": "127.0.0.1:0", which: address}
    refused = run("run", "--upstream", "127.0.0.1:1", "--audit", "off",
                  "--listen", flags["listen"], "--admin", flags["admin"])
    assert refused.returncode == 1
    [line] = [line for line in refused.stderr.splitlines() if not line.startswith("{")]
    assert address in line and "in use" in line
    assert first.get("/readyz")[0] == 200


def test_a_second_instance_by_accident_is_refused(start, tmp_path):
    """SO_REUSEPORT would share the port silently: half of the clients would be lost."""
    first = start(Daemon, "127.0.0.1:1")
    config = {**first.config, "listeners": [{"listen": first.address, "upstream": ["127.0.0.1:1"]}]}
    refused = run("run", "--config", written(tmp_path / "second.yaml", json.dumps(config)))
    assert refused.returncode == 1


@pytest.mark.parametrize("text, line, word", [
    ("listeners:\n  - listen: 127.0.0.1:0\n    upstream: nowhere:none\n", 3,
     "nowhere"),
    ("listeners:\n  - listen: 127.0.0.1:0\n    upstream: [h:1]\nwrokers: {threads: 2}\n", 4,
     "wrokers"),
    ("workers: {threads: many}\n", 1, "threads"),
    ("rules:\n  - name: a\n    match: {routing: everywhere}\n    action: observe\n", 3,
     "everywhere"),
    ("audit:\n  interval: soon\n", 2, "soon"),
    ("a: [\n", 2, ""),
    ("a: *b\n", 1, "")])
def test_a_bad_configuration_is_refused_with_its_line(tmp_path, text, line, word):
    config = written(tmp_path / "bad.yaml", text)
    for command in ("check", "run"):
        refused = run(command, "--config", config)
        assert refused.returncode == 1
        first = (refused.stdout + refused.stderr).splitlines()[0]
        assert f"{config}:{line}: " in first
        assert word in first


def test_a_good_configuration_passes_check(start):
    daemon = start(Daemon, "127.0.0.1:1")
    passed = run("check", "--config", daemon.config_path)
    assert passed.returncode == 0, passed.stdout + passed.stderr


@pytest.mark.parametrize("text", ["unlisted: some\ncollections: []\n", "schemaVersion: 9\n",
                                  "collections: 7\n"])
def test_a_bad_catalog_is_refused_with_its_line(tmp_path, text):
    catalog = written(tmp_path / "catalog.yaml", text)
    refused = run("run", "--upstream", "h:1", "--listen", "127.0.0.1:0", "--catalog", catalog)
    assert refused.returncode == 1
    assert re.search(re.escape(str(catalog)) + r":\d+: ", refused.stderr)


def test_a_unix_socket_in_use_is_refused_and_a_stale_one_replaced(start, sim, short_directory):
    path = short_directory / "clients.sock"
    listener = {"listen": f"unix:{path}", "upstream": [sim.address]}
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    first = start(Daemon, sim.address, listeners=[listener])
    refused = run("run", "--listen", f"unix:{path}", "--upstream", sim.address,
                  "--admin", "127.0.0.1:0", "--audit", "off")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert str(path) in refused.stderr and "in use" in refused.stderr
    assert first.stop() == 0
    assert not path.exists()


def test_an_audit_file_that_cannot_be_written_is_refused(tmp_path):
    refused = run("run", "--upstream", "h:1", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                  "--audit", tmp_path / "absent" / "audit.json")
    assert refused.returncode == 1
    assert "audit.json" in refused.stderr


def test_health_is_for_containers(start):
    daemon = start(Daemon, "127.0.0.1:1")
    admin = daemon.admin.removeprefix("http://")
    assert run("health", "--admin", admin).returncode == 0
    daemon.stop()
    assert run("health", "--admin", admin).returncode == 1


def test_the_version_is_printed():
    done = run("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"scattergate \d+\.\d+\.\d+\n", done.stdout)


def test_the_soft_file_limit_is_raised(start):
    daemon = start(Daemon, "127.0.0.1:1")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert daemon.metrics().total("process_max_fds") == hard
