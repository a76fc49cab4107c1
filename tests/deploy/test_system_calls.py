"""The service's SystemCallFilter lets through what the daemon calls, as strace sees it through a life
with traffic, a reload, reopened files and a drain. (The filter itself needs systemd to set it.)"""

import re
import shutil
import signal
import subprocess
import time

import pymongo
import pytest

from documents import DEPLOY
from processes import Daemon, Sim
from waiting import wait_until

def can_trace():
    """Containers may forbid it."""
    return (shutil.which("strace") is not None
            and subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0)


pytestmark = [pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd isn't here"),
              pytest.mark.skipif(not can_trace(), reason="strace isn't here, or may not trace")]


class TracedDaemon(Daemon):
    """strace runs as a separate process (-D), so that the process is the daemon's own."""

    def command(self):
        return ["strace", "-D", "-f", "-qq", "-c", "-S", "name", "-o", self.directory / "calls", *super().command()]

    def __init__(self, directory, upstream, **options):
        self.directory = directory
        super().__init__(directory, upstream, **options)


def calls_of(groups):
    """{name} of the calls in systemd's groups, those that they name included."""
    listed, group = {}, None
    for line in subprocess.run(["systemd-analyze", "syscall-filter"], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        if line.startswith("@"):
            group = listed.setdefault(line.strip(), [])
        elif group is not None and (match := re.fullmatch(r"\s+(@?[\w-]+)", line)):
            group.append(match[1])
    calls, waiting = set(), list(groups)
    while waiting:
        name = waiting.pop()
        waiting += listed[name] if name.startswith("@") else []
        calls |= set() if name.startswith("@") else {name}
    return calls


def test_the_service_may_call_what_the_daemon_calls(start, tmp_path):
    sim = start(Sim)
    daemon = start(TracedDaemon, sim.address, catalog={"source": "mongos"},
                   verify={"self_check": "on", "interval": "100ms"})
    with pymongo.MongoClient("127.0.0.1", daemon.port) as client:
        meta = client["yorkie-meta"]
        wait_until(lambda: daemon.get("/readyz")[0] == 200, "readiness")

        def is_checked():
            meta.documents.find_one({"key": str(time.monotonic())})
            return daemon.metrics().total("scattergate_verify_agreed_total") > 0
        wait_until(is_checked, "a self-check")
    daemon.reload()
    daemon.signal(signal.SIGUSR1)
    assert daemon.stop() == 0
    table = wait_until(lambda: re.search(r"^.* total$", (tmp_path / "calls").read_text(), re.M)
                       and (tmp_path / "calls").read_text(), "strace to sum up")
    used = set(re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +\d+ +(?:\d+ +)?(\w+)$", table, re.M)) - {"total"}
    assert {"epoll_wait", "accept4", "connect", "openat", "timerfd_create"} <= used
    filters = re.findall(r"^SystemCallFilter=(~?)(.*)$", (DEPLOY / "systemd/scattergate.service").read_text(), re.M)
    allowed = set()
    for is_denied, groups in filters:
        allowed = allowed - calls_of(groups.split()) if is_denied else allowed | calls_of(groups.split())
    assert "mount" not in allowed and "setuid" not in allowed
    # The driver process gives up the capabilities of root; the service has none to give up.
    used -= {"capset"}
    assert used <= allowed, used - allowed
