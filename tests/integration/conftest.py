"""Fixtures: a simulator, a daemon, clients. Each ends cleanly with its test."""

import os
import pathlib
import shutil
import tempfile

import pymongo
import pytest

import engines
from fleet_store import Store
from processes import Daemon, Sim, has_sanitizer
from upstream import Upstream, answer_all

NO_ENGINE = 77  # ctest: skipped


def pytest_sessionstart():
    if engines.environment() and not engines.has_io_uring():
        pytest.exit("the kernel refuses io_uring", NO_ENGINE)


# AddressSanitizer keeps 256 MB of what was freed, which would hide any growth of a daemon's.
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=16")


@pytest.fixture
def start(tmp_path):
    """Starts programs; each must have ended cleanly, without findings of sanitizers."""
    running = []

    def start_one(kind, *arguments, **options):
        process = kind(tmp_path, *arguments, **options)
        running.append(process)
        return process

    yield start_one
    ended = [(process, process.stop()) for process in reversed(running)]
    for process, code in ended:
        if isinstance(process, Daemon):
            assert code == process.ends_with, f"{process.name} ended with {code}: {process.stderr}"


@pytest.fixture
def short_directory():
    """For Unix sockets, whose paths have 107 bytes at most."""
    made = tempfile.mkdtemp(prefix="sg")
    yield pathlib.Path(made)
    shutil.rmtree(made)


@pytest.fixture
def sim(start):
    return start(Sim)


@pytest.fixture
def server(start):
    """The fleet's database."""
    return start(Sim, name="server", preset=None, shards=2)


@pytest.fixture
def store(server):
    """The documents of the fleet's database."""
    made = Store(server.port)
    yield made
    made.close()


@pytest.fixture
def daemon(start, sim):
    return start(Daemon, sim.address)


@pytest.fixture
def connect():
    """Makes clients of a daemon or a simulator."""
    opened = []

    def connect_to(server, **options):
        if has_sanitizer():  # a large insert keeps the simulator busy for longer than a heartbeat's 20 s
            options.setdefault("connectTimeoutMS", 120_000)
        client = pymongo.MongoClient("127.0.0.1", server.port, **options)
        opened.append(client)
        return client

    yield connect_to
    for client in opened:
        # Otherwise it searches a server on which to end them, for half a minute if the daemon has ended.
        client._topology.pop_all_sessions()
        client.close()


@pytest.fixture
def client(connect, daemon):
    return connect(daemon)


@pytest.fixture
def upstream():
    made = []

    def make(*arguments, **options):
        made.append(Upstream(*arguments, **options))
        return made[-1]
    yield make
    for each in made:
        each.close()


@pytest.fixture
def behind(start, upstream):
    """An upstream with a script, and a daemon in front of it."""
    def make(script=answer_all, **options):
        there = upstream(script)
        return there, start(Daemon, there.address, **options)
    return make
