"""Load that must not notice what happens to the daemon, and daemons that replace one another."""

import itertools
import socket
import threading
import urllib.parse

import pymongo
from pymongo.monitoring import CommandListener

from processes import Daemon
from raw import op_msg, take_message

HELLO = {"hello": 1, "$db": "admin"}


class Answered(CommandListener):
    """Counts the commands that were answered, by name."""

    def __init__(self):
        self._lock = threading.Lock()
        self.counts = {}

    def started(self, event):
        pass

    def succeeded(self, event):
        with self._lock:
            self.counts[event.command_name] = self.counts.get(event.command_name, 0) + 1

    def failed(self, event):
        pass


class Load:
    """Threads that work through one driver, and plain connections, until stop()."""

    def __init__(self, target, threads=4):
        """`target`: ("127.0.0.1", port), or a Unix socket's path."""
        self._target = target
        self._is_over = threading.Event()
        self.failures = []
        self.rounds = 0
        self.connects = 0
        self.answered = Answered()
        where = target if isinstance(target, tuple) else [urllib.parse.quote_plus(str(target))]
        self.client = pymongo.MongoClient(*where, event_listeners=[self.answered])
        self._threads = [threading.Thread(target=self._repeat, args=(self._round, number))
                         for number in range(threads)]
        self._threads.append(threading.Thread(target=self._repeat, args=(self._connect, 0)))
        for thread in self._threads:
            thread.start()

    def stop(self):
        """Fails with the first failure."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()
        self.client.close()
        assert self.failures == [], f"{len(self.failures)} of {self.rounds}: {self.failures[0]}"

    def _repeat(self, work, number):
        for turn in itertools.count():
            if self._is_over.is_set():
                return
            try:
                work(number, turn)
            except Exception as failure:  # shown by stop(), in the test's own thread
                self.failures.append(repr(failure))

    def _round(self, number, turn):
        orders = self.client["yorkie-meta"].documents
        mine = f"{number}-{turn}"
        orders.insert_one({"_id": mine, "project_id": number})
        assert orders.find_one({"_id": mine})["project_id"] == number  # careless: a finding
        assert orders.delete_one({"_id": mine, "project_id": number}).deleted_count == 1
        self.rounds += 1

    def _connect(self, _, turn):
        """A connection that was accepted is answered, by either process."""
        if isinstance(self._target, tuple):
            client = socket.create_connection(self._target, timeout=60)
        else:
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(60)
            client.connect(str(self._target))
        with client:
            client.sendall(op_msg(HELLO, turn))
            buffer = bytearray()
            while not (reply := take_message(buffer)):
                data = client.recv(65536)
                assert data, "closed instead of a reply"
                buffer += data
            assert reply.response_to == turn
        self.connects += 1


class Generations:
    """Daemons that replace one another over a handover socket."""

    def __init__(self, start, upstream, directory, **options):
        self._start = start
        self._upstream = upstream
        self._options = {"handover": {"socket": str(directory / "handover.sock")}, **options}
        self._names = (f"daemon{number}" for number in itertools.count())
        self.daemon = self.begin()

    def begin(self, **options):
        return self._start(Daemon, self._upstream, name=next(self._names),
                           **{**self._options, **options})

    def succeed(self, **options):
        """Starts the next one, and waits until it is ready; returns the previous one."""
        before, self.daemon = self.daemon, self.begin(**options)
        return before
