"""The fleet's database for tests: a sidecar's settings, and what its documents add up to."""

import json
import pathlib
import random
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
        """By namespace and command; of those without a row under None."""
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


class CuttingRelay(Relay):
    """A way to a server that breaks: each connection ends after a random number of bytes, in either
    direction, while `is_cutting`."""

    class Connection:
        def __init__(self, left, note_cut):
            self._left = left
            self._note_cut = note_cut
            self._lock = threading.Lock()

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
        self.is_cutting = True
        self.cuts = 0
        super().__init__(port)

    def _connection(self):
        return self.Connection(self._random.randint(1, self._most) if self.is_cutting else None,
                               self._note_cut)

    def _note_cut(self):
        self.cuts += 1


class ConflictingServer:
    """A script of Upstream: passes everything on to a server, but fails some commands of transactions,
    as a busy or failing cluster does."""

    def __init__(self, port, seed):
        self._port = port
        self._random = random.Random(seed)
        self.conflicts = 0
        self.unknown = 0

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
                if error:
                    connection.reply(request, error)
                else:
                    connection.send(reply.data)

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
