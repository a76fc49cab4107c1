"""An application gets the same results with and without the proxy."""

import pymongo
import pytest
from pymongo.errors import OperationFailure

import operations
from operations import outcome
from processes import Daemon, Sim
from waiting import wait_until


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two fresh servers; the second is behind the daemon."""
    directory = tmp_path_factory.mktemp("pair")
    users = ["ann:secret of ann"]
    direct = Sim(directory, "direct", users=users)
    behind = Sim(directory, "behind", users=users)
    daemon = Daemon(directory, behind.address)
    yield direct, daemon
    assert daemon.stop() == 0, daemon.stderr
    direct.stop()
    behind.stop()


def connect(server, password="secret of ann", **options):
    return pymongo.MongoClient("127.0.0.1", server.port, username="ann", password=password,
                               **options)


@pytest.mark.parametrize("operation", operations.OPERATIONS, ids=lambda o: o.__name__)
def test_operations_give_the_same(pair, operation):
    results = []
    for server in pair:
        with connect(server) as client:
            results.append(operation(client[operation.__name__]))
    assert operations.normal(results[1]) == operations.normal(results[0])


def hello_of(server, **options):
    with connect(server, **options) as client:
        return operations.normal(client.admin.command("hello"))


def test_hello_is_the_same(pair):
    direct, through = (hello_of(server, appname="billing") for server in pair)
    assert through == direct
    assert through["msg"] == "isdbgrid"


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-1"])
def test_authentication_succeeds_and_fails_alike(pair, mechanism):
    results = []
    for server in pair:
        with connect(server, authMechanism=mechanism) as client:
            good = outcome(client.admin.command, "connectionStatus")
        # After a failed handshake pymongo awaits the next heartbeat.
        with connect(server, "wrong", authMechanism=mechanism,
                     heartbeatFrequencyMS=500) as client:
            bad = outcome(client.admin.command, "ping")
            with pytest.raises(OperationFailure):
                client.admin.command("ping")
        with pymongo.MongoClient("127.0.0.1", server.port) as client:
            none = outcome(client.shop.orders.find_one)
        results.append([good, bad, none])
    assert results[1] == results[0]
    assert results[1][0]["authInfo"]["authenticatedUsers"] == [{"user": "ann", "db": "admin"}]
    assert results[1][1]["code"] == 18
    assert results[1][2]["code"] == 13


def test_a_monitor_streams_through_the_proxy(pair):
    """Awaitable hello, as an exhaust chain: several replies to one request."""
    class Beats(pymongo.monitoring.ServerHeartbeatListener):
        def __init__(self):
            self.awaited = self.failed = 0

        def started(self, event):
            pass

        def succeeded(self, event):
            self.awaited += event.awaited

        def failed(self, event):
            self.failed += 1

    beats = Beats()
    with connect(pair[1], event_listeners=[beats], heartbeatFrequencyMS=500,
                 serverMonitoringMode="stream") as client:
        client.admin.command("ping")
        wait_until(lambda: beats.awaited >= 3, "three awaited heartbeats")
    assert beats.failed == 0
