"""pymongo with an independent server: the same results directly and through the proxy.

Needs Java and Maven, which fetches mongo-java-server: scripts/test --all.
"""

import pathlib
import shutil
import sys

import pymongo
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import operations  # noqa: E402
from operations import normal, outcome  # noqa: E402
from processes import Daemon  # noqa: E402
from relay import CountingRelay  # noqa: E402
from server import TOOLS, ForeignServer  # noqa: E402

# It closes the connection at a write without acknowledgement, sooner or later.
OPERATIONS = [each for each in operations.OPERATIONS if each is not operations.unacknowledged]
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not found: {', '.join(MISSING)}")


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Two fresh servers, the second behind a daemon, and what passed the daemon."""
    directory = tmp_path_factory.mktemp("foreign")
    direct, behind = (ForeignServer(directory, name) for name in ("direct", "behind"))
    daemon = Daemon(directory, behind.address)
    relay = CountingRelay(daemon.port)
    yield direct, relay, daemon
    relay.close()
    assert daemon.stop() == 0, daemon.stderr
    direct.stop()
    behind.stop()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: o.__name__)
def test_operations_give_the_same(servers, operation):
    results = []
    for port in (servers[0].port, servers[1].port):
        with pymongo.MongoClient("127.0.0.1", port) as client:
            results.append(outcome(operation, client[operation.__name__]))
    assert normal(results[1]) == normal(results[0])


def test_most_operations_work_there(servers):
    """Equal results would prove little if all of them were errors."""
    with pymongo.MongoClient("127.0.0.1", servers[1].port) as client:
        works = [operation.__name__ for operation in OPERATIONS
                 if "error" not in (outcome(operation, client["again_" + operation.__name__]))]
    assert len(works) >= len(OPERATIONS) - 4


def test_every_command_was_counted_once(servers):
    _, relay, daemon = servers
    daemon.await_quiet()
    counted = daemon.metrics().by("scattergate_commands_total", "command")
    sent = {}
    for (_, _, command), number in relay.counts().items():
        sent[command,] = sent.get((command,), 0) + number
    sent["other",] = sent.pop(("noSuchCommand",))  # outside the closed list of labels
    assert counted == sent
