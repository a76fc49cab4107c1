"""The daemon runs as an ordinary user, and its admin address is read-only."""

import os
import pathlib
import shutil
import signal
import socket
import tempfile

import pymongo
import pytest

from processes import Daemon, program_path
from waiting import PATIENCE, wait_until

NOBODY = 65534
PATHS = ("/", "/metrics", "/healthz", "/readyz", "/api/v1/", "/api/v1/config", "/config",
         "/reload", "/-/reload", "/-/quit", "/quitquitquit", "/drain_listeners", "/logging",
         "/debug/pprof", "/server-status", "/../../etc/passwd", "/%2e%2e/etc/passwd", "*",
         "http://other.example/metrics", "other.example:443", "/" + "a" * 4000)
METHODS = ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PURGE",
           "PROPFIND", "MKCOL", "COPY", "MOVE", "LOCK", "get", "RELOAD")


@pytest.fixture
def as_nobody(monkeypatch):
    """A directory with the program, owned by an unprivileged user; the current user unless it is root."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sg"))
    if os.geteuid() == 0:
        program = shutil.copy(program_path("SCATTERGATE_BIN", "scattergate"),
                              directory / "program")
        wrapper = directory / "scattergate"
        wrapper.write_text(f"#!/bin/sh\nexec setpriv --reuid {NOBODY} --regid {NOBODY} "
                           f"--clear-groups --no-new-privs --bounding-set=-all "
                           f'"{program}" "$@"\n')
        wrapper.chmod(0o755)
        os.chown(directory, NOBODY, NOBODY)
        monkeypatch.setenv("SCATTERGATE_BIN", str(wrapper))
    yield directory
    shutil.rmtree(directory)


def status_of(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def test_everything_is_done_by_an_ordinary_user(as_nobody, start, sim):
    daemon = Daemon(as_nobody, sim.address,
                    listeners=[{"listen": "127.0.0.1:0", "upstream": [sim.address]},
                               {"listen": f"unix:{as_nobody}/m.sock",
                                "upstream": [sim.address]}],
                    handover={"socket": str(as_nobody / "handover.sock")})
    try:
        status = status_of(daemon.pid)
        assert "0" not in status["Uid"].split() and int(status["CapEff"], 16) == 0
        for address in (f"127.0.0.1:{daemon.port}", f"{as_nobody}/m.sock".replace("/", "%2F")):
            with pymongo.MongoClient(f"mongodb://{address}/") as client:
                list(client["yorkie-meta"].documents.find({"key": 1}))
        daemon.reload()
        daemon.signal(signal.SIGUSR1)
        wait_until(daemon.audit, "an audit line")
        # No other user may read its files, nor connect to its handover socket.
        assert daemon.audit_path.stat().st_mode & 0o007 == 0
        assert (as_nobody / "handover.sock").stat().st_mode & 0o077 == 0
        assert daemon.get("/metrics")[0] == 200
    finally:
        assert daemon.stop() == 0, daemon.stderr


def ask(daemon, method, path):
    """The status of the answer; None without an answer."""
    address = daemon.admin.removeprefix("http://").rsplit(":", 1)
    with socket.create_connection((address[0], int(address[1])), timeout=PATIENCE) as peer:
        peer.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while data := peer.recv(65536):
            answer += data
    return int(answer.split()[1]) if answer else None


def test_no_method_and_no_path_changes_anything(start, sim):
    daemon = start(Daemon, sim.address)
    before = (daemon.config_path.read_bytes(),
              daemon.metrics().total("scattergate_config_reloads_total"))
    for path in PATHS:
        for method in METHODS:
            # 400 where the request line isn't HTTP's.
            assert ask(daemon, method, path) in (405, 400), (method, path)
        known = path in ("/", "/metrics", "/healthz", "/readyz")
        assert ask(daemon, "GET", path) == (200 if known else 404), path
        assert ask(daemon, "HEAD", path) == (200 if known else 404), path
    assert daemon.get("/readyz")[0] == 200
    assert before == (daemon.config_path.read_bytes(),
                      daemon.metrics().total("scattergate_config_reloads_total"))
    with pymongo.MongoClient("127.0.0.1", daemon.port) as client:
        assert client.admin.command("ping")["ok"] == 1
