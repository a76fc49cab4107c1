"""The fleet's database for tests: a sidecar's settings, and the sums of its documents."""

import json
import os
import pathlib
import random
import struct
import subprocess
import threading

import pymongo

from processes import clean_environment, program_path
from raw import OP_MSG, RawClient
from relay import Relay

DATABASE = "fleet"


def fleet_settings(directory, address, name, **more):
    """Sections of a daemon's configuration."""
    uri_file = pathlib.Path(directory) / f"{name}.uri"
    uri_file.touch(0o600)
    uri_file.write_text(f"mongodb://{address}/\n")
    return {"state": {"file": str(pathlib.Path(directory) / f"{name}.state"), "interval": "1s"},
            "fleet": {"name": name, "uri_file": str(uri_file), "database": DATABASE,
                      "interval": "1s", "logical_shards": 4, **more}}


class Store:
    """The documents of a fleet's database, read directly."""

    def __init__(self, port):
        self.client = pymongo.MongoClient("127.0.0.1", port)
        self.database = self.client[DATABASE]

    def close(self):
        self.client._topology.pop_all_sessions()
        self.client.close()

    def commands(self):
        """By namespace and command; those without a row are under None."""
        sums = {}
        for one in self.database.shapes.find():
            key = (one["database"], one["collection"], one["command"]) if "command" in one else None
            sums[key] = sums.get(key, 0) + one["count"]
        return sums

    def total(self):
        return sum(self.commands().values())

    def callers(self):
        return sum(one["count"] for one in self.database.callers.find())

    def sidecar(self, name):
        """The latest document of this name."""
        return max(self.database.sidecars.find({"name": name}), key=lambda one: one["seenAt"])


def ledger_in(state_file):
    """What the file says about its flushes: the head of its ledger."""
    lines = pathlib.Path(state_file).read_text().splitlines()
    return json.loads(next(line for line in lines if line.startswith('{"type":"scattergate.fleet"')))


def commands_in(state_file):
    """By namespace and command, and the total."""
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "report", state_file,
                           "--format", "json"], capture_output=True, env=clean_environment(),
                          timeout=60, check=True)
    report = json.loads(done.stdout)
    sums = {}
    for one in report["shapes"]:
        database, _, collection = one["ns"].partition(".")
        key = (database, collection, one["command"])
        sums[key] = sums.get(key, 0) + one["count"]
    return sums, report["totals"]["commands"]


class ShiftedClock:
    """A wrong wall clock for a program, set in its environment."""

    def __init__(self, file, days=0):
        self._file = pathlib.Path(file)
        self._file.write_bytes(bytes(8))
        self.jump(days)
        library = program_path("SCATTERGATE_SHIFTED_CLOCK", "tests/integration/libshifted_clock.so")
        self.environment = {
            "LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._file),
            "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0"}

    def jump(self, days):
        """Moves it to this number of days from the right time, while the program runs."""
        self.days = days
        with open(self._file, "r+b") as file:
            file.write(struct.pack("=q", days * 86_400))


class CuttingRelay(Relay):
    """An unreliable relay to a server: each connection ends after a random number of bytes, in either
    direction, while `is_cutting`."""

    class Connection:
        def __init__(self, left, note_cut):
            self._left = left
            self._note_cut = note_cut
            self._lock = threading.Lock()

        def cut_soon(self):
            with self._lock:
                self._left = 0

        def pass_on(self, data, _):
            with self._lock:
                if self._left is None:
                    return data, True
                if len(data) >= self._left:
                    data = data[:self._left]
                    self._left = 0
                    self._note_cut()
                    return data, False
                self._left -= len(data)
                return data, True

    def __init__(self, port, seed, most_bytes=6000):
        self._random = random.Random(seed)
        self._most = most_bytes
        self._connections = []
        self.is_cutting = True
        self.cuts = 0
        super().__init__(port)

    def cut_all(self):
        """Cuts new connections from now on, and open ones at their next byte."""
        self.is_cutting = True
        for connection in self._connections:
            connection.cut_soon()

    def _connection(self):
        made = self.Connection(self._random.randint(1, self._most) if self.is_cutting else None,
                               self._note_cut)
        self._connections.append(made)
        return made

    def _note_cut(self):
        self.cuts += 1


SILENCE = object()  # instead of an answer


class FaultyServer:
    """A script of Upstream: passes everything on to a server, but for the faults of its subclass."""

    def __init__(self, port):
        self._port = port

    def __call__(self, connection):
        with RawClient(self._port) as server:
            while request := connection.message():
                error, is_done = self._fault(request)
                reply = None
                if not error or is_done:
                    server.send(request.data)
                    reply = server.receive()
                    if reply is None:
                        return
                if not error:
                    connection.send(reply.data)
                elif error is not SILENCE:
                    connection.reply(request, error)


class TroubledServer(FaultyServer):
    """Answers what `fault` returns for a request, if anything."""

    fault = None

    def _fault(self, request):
        return self.fault and self.fault(request), False


class ConflictingServer(FaultyServer):
    """Fails some commands of transactions, as a busy or failing cluster does."""

    def __init__(self, port, seed):
        super().__init__(port)
        self._random = random.Random(seed)
        self.conflicts = 0
        self.unknown = 0

    def _fault(self, request):
        """The error to answer with, if any, and whether the server gets the command nevertheless."""
        if request.opcode != OP_MSG or request.body.get("autocommit") is not False:
            return None, False
        if self._random.random() > 0.3:
            return None, False
        if "update" in request.body:
            self.conflicts += 1
            return {"ok": 0.0, "code": 112, "codeName": "WriteConflict", "errmsg": "injected",
                    "errorLabels": ["TransientTransactionError"]}, False
        if "commitTransaction" in request.body:
            self.unknown += 1
            return {"ok": 0.0, "code": 91, "codeName": "ShutdownInProgress", "errmsg": "injected",
                    "errorLabels": ["UnknownTransactionCommitResult"]}, self._random.random() < 0.5
        return None, False
