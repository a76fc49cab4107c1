"""The fleet on a server without transactions, mongo-java-server: documents remember each flush.

Needs Java and Maven, which fetches mongo-java-server: scripts/test --all.
"""

import pathlib
import shutil
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from fleet_lives import ROUNDS, advise_as_the_state_files_do, cut_and_kill, traffic  # noqa: E402
from fleet_store import Store, commands_in, fleet_settings  # noqa: E402
from processes import Daemon  # noqa: E402
from server import TOOLS, ForeignServer  # noqa: E402
from waiting import wait_until  # noqa: E402

MISSING = [tool for tool in TOOLS if not shutil.which(tool)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not found: {', '.join(MISSING)}")


@pytest.fixture
def server(tmp_path):
    made = ForeignServer(tmp_path, "server")
    yield made
    made.stop()


@pytest.fixture
def store(server):
    made = Store(server.port)
    yield made
    made.close()


def test_documents_remember_each_flush(start, connect, sim, server, store, tmp_path):
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, server.address, "one"))
    client = connect(daemon)
    traffic(client, 20)
    wait_until(lambda: store.commands().get(("yorkie", "clients", "insert")) == 20, "the first flush")
    traffic(client, 5)
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    _, total = commands_in(tmp_path / "one.state")
    assert store.total() == total
    sidecar = store.sidecar("one")
    assert sidecar["begunFlush"]["how"] == "marks"
    marks = [one["marks"][sidecar["_id"]] for one in store.database.shapes.find()]
    assert max(mark["flush"] for mark in marks) == sidecar["lastFlush"]["number"]
    assert len({one["n"] for one in store.database.shapes.find()}) == 1


def test_advise_says_of_a_fleet_what_it_says_of_its_state_files(start, connect, sim, server, store, tmp_path):
    advise_as_the_state_files_do(start, connect, sim, server, store, tmp_path)


def test_cut_connections_and_kills(start, connect, sim, server, store, tmp_path):
    assert cut_and_kill(start, connect, sim, server.port, store, tmp_path, ROUNDS) >= ROUNDS
