"""libmongoc leaves nothing on the host that could disturb another process."""

import contextlib
import os
import pathlib
import subprocess

import pytest

from malformed import PING
from processes import Daemon, clean_environment, program_path
from raw import RawClient
from waiting import wait_until

SHARED = pathlib.Path("/dev/shm")

# A leftover of a killed process with the same id, in a form that can't be opened.
IN_THE_WAY = ["sh", "-c", 'name="/dev/shm/mongoc-$$"; rm -rf "$name" && mkdir "$name" && exec "$@"', "sh"]
OUT_OF_THE_WAY = ["sh", "-c", 'rm -rf "/dev/shm/mongoc-$$" && exec "$@"', "sh"]

pytestmark = pytest.mark.skipif(not os.access(SHARED, os.W_OK), reason="no /dev/shm here")


@pytest.fixture(autouse=True)
def removes_what_stood_in_the_way():
    before = set(SHARED.glob("mongoc-*"))
    yield
    for left in set(SHARED.glob("mongoc-*")) - before:
        if left.is_dir():
            with contextlib.suppress(FileNotFoundError):  # another clone runs this test, too
                left.rmdir()


class Unhindered(Daemon):
    def command(self):
        return OUT_OF_THE_WAY + [str(part) for part in super().command()]


class Hindered(Daemon):
    def command(self):
        return IN_THE_WAY + [str(part) for part in super().command()]


def await_catalog(daemon):
    wait_until(lambda: daemon.metrics().total("scattergate_catalog_state", state="live") == 1,
               "the cluster's catalog")


def test_a_daemon_shares_no_memory(start, sim):
    daemon = start(Unhindered, sim.address, catalog={"source": "mongos"})
    await_catalog(daemon)
    assert not (SHARED / f"mongoc-{daemon.pid}").exists()


def test_a_daemon_says_nothing_but_its_log_and_that_it_is_ready(start, sim):
    daemon = start(Hindered, sim.address, catalog={"source": "mongos"})
    await_catalog(daemon)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    assert daemon.stop() == 0
    others = [line for line in daemon.stderr.splitlines() if not line.startswith("{")]
    assert others == [daemon.ready_line]


@pytest.mark.parametrize("arguments, text", [
    (["catalog", "mongos", "--catalog-uri"], ""),
    (["verify", "--commands", "-", "--uri"], '{"find": "documents", "$db": "yorkie-meta"}\n')])
def test_programs_that_ask_a_mongos_say_nothing_either(sim, arguments, text):
    asked = subprocess.run(
        IN_THE_WAY + [str(program_path("SCATTERGATE_BIN", "scattergate")), *arguments,
                      f"mongodb://{sim.address}/"],
        input=text, capture_output=True, text=True, timeout=60, env=clean_environment(),
        check=False)
    assert asked.stdout
    assert asked.stderr == ""
