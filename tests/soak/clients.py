"""The soak's clients: numbered requests, checked replies, connections that die."""

import multiprocessing
import pathlib
import random
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from malformed import TLS_CLIENT_HELLO  # noqa: E402
from raw import header, op_msg, take_message  # noqa: E402

DATABASE = "yorkie-meta"
COUNTERS = ("done", "killed", "ended", "lost", "wrong", "strangers")


class Ended(Exception):
    """The connection has ended, but this client didn't end it."""


class Client:
    """Opens one connection after another through one daemon."""

    def __init__(self, number, port, shared):
        self.chance = random.Random(number)
        self.number, self.port, self.shared = number, port, shared
        self.sequence = 0
        self.socket = None
        self.inserting = None  # the _id of the insert under way
        self.life = 0          # of the simulator, when this round began

    def run(self):
        while not self.shared.stopping.is_set():
            try:
                self.connect()
                while not self.shared.stopping.is_set():
                    self.round()
                    if self.chance.random() < 0.002:
                        self.kill()
                        break
                else:
                    self.socket.close()
            except (Ended, OSError):
                self.count("ended")
                self.socket.close()
                self.look_for_lost()

    def connect(self):
        deadline = time.monotonic() + 60
        while True:
            self.socket = socket.socket()
            self.socket.settimeout(60)
            try:
                self.socket.connect(("127.0.0.1", self.port))
                break
            except OSError:
                self.socket.close()
                if time.monotonic() > deadline or self.shared.stopping.is_set():
                    raise
                time.sleep(0.05)
        self.buffer = bytearray()

    def round(self):
        key = f"{self.number}-{self.sequence}"
        document = {"_id": key, "project_id": self.number, "key": key, "text": self.text()}
        self.life = self.shared.simulator_life.value
        self.inserting = key
        reply = self.ask({"insert": "documents", "documents": [document]})
        self.expect(reply.get("n") == 1, reply)
        self.inserting = None
        where = {"_id": key, "project_id": self.number}
        text = self.text()
        changed = self.ask({"update": "documents", "updates": [self.change(where, text)]})
        self.expect(changed.get("n") == 1, changed)
        found = self.ask({"find": "documents", "filter": where})
        self.expect([d["text"] for d in found["cursor"]["firstBatch"]] == [text], found)
        gone = self.ask({"delete": "documents", "deletes": [{"q": where, "limit": 1}]})
        self.expect(gone.get("n") == 1, gone)
        self.count("done", 4)

    def text(self):
        """A text, sometimes so large that the request is forwarded while it arrives."""
        return "x" * self.chance.choice([10, 10, 10, 1000, 40_000])

    @staticmethod
    def change(where, text):
        return {"q": where, "u": {"$set": {"text": text}}}

    def ask(self, command):
        self.sequence += 1
        self.socket.sendall(op_msg({**command, "$db": DATABASE}, self.sequence))
        while not (message := take_message(self.buffer)):
            data = self.socket.recv(1 << 18)
            if not data:
                raise Ended
            self.buffer += data
        if message.response_to != self.sequence or self.buffer:
            self.count("wrong")
            print("wrong reply:", self.number, self.sequence, message.data[:60], flush=True)
        return message.body

    def expect(self, is_right, what):
        # A simulator that was killed between two of our requests has forgotten the documents.
        if is_right or self.shared.simulator_life.value != self.life:
            return
        self.count("wrong")
        print("wrong:", self.number, self.sequence, what, flush=True)

    def kill(self):
        """In the middle of a request, or of its reply."""
        where = {"project_id": self.number}
        command = self.chance.choice([
            {"find": "documents", "filter": where},
            {"update": "documents", "updates": [self.change(where, "x" * 200_000)]}])
        message = op_msg({**command, "$db": DATABASE}, 1)
        self.socket.sendall(message[:self.chance.randrange(len(message) + 1)])
        if self.chance.random() < 0.5:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
        self.count("killed")

    def look_for_lost(self):
        """After an unexpected end: checks whether the pending insert was executed."""
        key = self.inserting
        if key is None or self.shared.stopping.is_set():
            return
        try:
            self.connect()
            where = {"_id": key, "project_id": self.number}
            found = self.ask({"find": "documents", "filter": where})["cursor"]["firstBatch"]
            if found and self.shared.simulator_life.value == self.life:
                self.count("lost")
                print("lost:", key, flush=True)
            self.ask({"delete": "documents", "deletes": [{"q": where, "limit": 1}]})
        except (Ended, OSError):
            pass
        finally:
            self.inserting = None
            self.socket.close()

    def count(self, what, more=1):
        with self.shared.counts[what].get_lock():
            self.shared.counts[what].value += more


def stranger(number, ports, shared):
    """Garbage, half messages, and unused connections."""
    chance = random.Random(number)
    while not shared.stopping.is_set():
        data = chance.choice([b"", b"\x10", TLS_CLIENT_HELLO, b"GET / HTTP/1.1\r\n\r\n",
                              header(48_000_000) + bytes(1000), chance.randbytes(300),
                              op_msg({"ping": 1, "$db": "admin"})[:-3]])
        try:
            with socket.create_connection(("127.0.0.1", chance.choice(ports)), 60) as one:
                one.sendall(data)
                if chance.random() < 0.3:
                    one.shutdown(socket.SHUT_WR)
                    one.recv(100)
        except OSError:
            pass
        with shared.counts["strangers"].get_lock():
            shared.counts["strangers"].value += 1
        time.sleep(0.01)


class Shared:
    """The state that the processes share."""

    def __init__(self):
        self.stopping = multiprocessing.Event()
        self.simulator_life = multiprocessing.Value("q", 0)  # odd while it is being replaced
        self.counts = {name: multiprocessing.Value("q", 0) for name in COUNTERS}


def work(number, ports, clients, shared):
    """One process: its clients take turns on the daemons."""
    threads = [threading.Thread(target=Client(number * 1000 + n, ports[n % len(ports)],
                                              shared).run) for n in range(clients)]
    threads.append(threading.Thread(target=stranger, args=(number, ports, shared)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
