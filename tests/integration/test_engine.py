"""The workers' engine, and the daemon's messages about it."""

import json
import os
import subprocess

import pymongo
import pytest

from engines import FORBID, has_io_uring
from processes import Daemon, clean_environment, program_path

needs_io_uring = pytest.mark.skipif(not has_io_uring(), reason="the kernel refuses io_uring")
REFUSED = "io_uring_setup: Operation not permitted"


class RestrictedDaemon(Daemon):
    """A daemon that may not use io_uring."""

    def command(self):
        return [*FORBID, *super().command()]


def chosen(daemon):
    """The engine in the metric and the log's first line, which must be equal."""
    series = daemon.metrics().series("scattergate_worker_engine_info")
    first = next(line for line in daemon.stderr.splitlines() if line.startswith("{"))
    attributes = json.loads(first)["attr"]
    assert series == [({"engine": attributes["engine"], "reason": attributes["engineReason"]}, 1)]
    return attributes["engine"], attributes["engineReason"]


@pytest.mark.parametrize("kind, configured, expected", [
    pytest.param(Daemon, "epoll", ("epoll", "configured"), id="epoll"),
    pytest.param(Daemon, "io_uring", ("io_uring", "configured"), id="io_uring", marks=needs_io_uring),
    pytest.param(Daemon, "auto", ("io_uring", "available"), id="auto", marks=needs_io_uring),
    pytest.param(RestrictedDaemon, "auto", ("epoll", REFUSED), id="auto, refused"),
    pytest.param(RestrictedDaemon, "epoll", ("epoll", "configured"), id="epoll, refused"),
])
def test_the_setting_chooses_and_the_daemon_says_what_and_why(start, sim, kind, configured, expected):
    daemon = start(kind, sim.address, workers={"engine": configured})
    assert chosen(daemon) == expected
    with pymongo.MongoClient("127.0.0.1", daemon.port) as client:
        assert client.admin.command("ping")["ok"] == 1


@pytest.mark.skipif("TEST_ENGINE" in os.environ, reason="another engine is chosen")
def test_epoll_is_the_default(daemon):
    assert chosen(daemon) == ("epoll", "configured")


@pytest.mark.parametrize("command, line", [
    ("run", "scattergate: workers.engine is io_uring, which this system refuses "
            f"({REFUSED}): set it to auto or epoll"),
    ("check", f"{{file}}:1: this system refuses io_uring ({REFUSED})"),
])
def test_io_uring_that_is_required_and_refused_is_one_line(tmp_path, command, line):
    file = tmp_path / "scattergate.yaml"
    file.write_text("workers: {engine: io_uring}\nlisteners: [{listen: '127.0.0.1:0', upstream: '127.0.0.1:1'}]\n"
                    "catalog: {source: 'off'}\nadmin: {listen: '127.0.0.1:0'}\nlog: {level: error}\n")
    ended = subprocess.run([*FORBID, program_path("SCATTERGATE_BIN", "scattergate"), command, "--config", file],
                           timeout=60, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           env=clean_environment())
    assert ended.returncode == 1
    assert line.format(file=file) in ended.stderr and ended.stderr.count("\n") == 1
