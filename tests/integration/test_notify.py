"""A service manager (systemd's Type=notify) is notified of readiness, reloads and the end."""

import re
import signal
import socket
import time

import pytest

from processes import Daemon
from waiting import PATIENCE


@pytest.fixture
def manager(short_directory):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind(str(short_directory / "notify"))
        made.settimeout(PATIENCE)
        yield made


def take(manager):
    """The next state, as a dictionary."""
    return dict(line.split("=", 1) for line in manager.recv(4096).decode().split("\n"))


def test_a_service_manager_is_notified_of_a_whole_life(start, sim, manager):
    daemon = start(Daemon, sim.address, environment={"NOTIFY_SOCKET": manager.getsockname()})
    ready = take(manager)
    assert ready == {"READY": "1", "STATUS": f"Listening on {daemon.address}"}
    assert daemon.get("/readyz")[0] == 200  # it notifies only when it is ready

    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    daemon.reload()
    reloading = take(manager)
    assert reloading["RELOADING"] == "1" and int(reloading["MONOTONIC_USEC"]) >= before
    assert take(manager) == {"READY": "1", "STATUS": "Configuration reloaded"}

    daemon.write_config(nonsense=1)
    daemon.reload()
    assert take(manager)["RELOADING"] == "1"
    refused = take(manager)
    assert refused["READY"] == "1"  # or systemd would wait for ever
    assert re.match(r"Configuration not reloaded: .*nonsense", refused["STATUS"])

    daemon.signal(signal.SIGTERM)
    assert take(manager) == {"STOPPING": "1", "STATUS": "Draining"}
    assert daemon.wait() == 0


def test_no_one_needs_to_listen(start, sim, short_directory):
    daemon = start(Daemon, sim.address, environment={"NOTIFY_SOCKET": str(short_directory / "gone")})
    assert daemon.get("/readyz")[0] == 200
