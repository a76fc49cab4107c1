"""A scripted upstream: it records what it receives and does what a test requests."""

import socket
import threading

import bson

from raw import OP_QUERY, framed, op_msg, op_reply, take_message
from waiting import PATIENCE, wait_until

FAILOVERS = "scattergate_upstream_failovers_total"
ADDRESS_CONNECTIONS = "scattergate_upstream_address_connections"
OFTEN = {"check_interval": "200ms"}  # failover's settings


class Connection:
    """One connection from the daemon."""

    def __init__(self, sock):
        self.socket = sock
        self.received = bytearray()
        self.has_ended = False
        self._buffer = bytearray()

    def read(self):
        """Some more bytes; empty at the end."""
        try:
            data = self.socket.recv(1 << 18)
        except OSError:
            data = b""
        self.received += data
        self._buffer += data
        self.has_ended = not data
        return data

    def message(self):
        """The next whole request; None at the end."""
        while True:
            message = take_message(self._buffer)
            if message or not self.read():
                return message

    def send(self, data):
        self.socket.sendall(data)

    def reply(self, request, body=None, **options):
        """Answers an OP_QUERY with an OP_REPLY, as servers do; otherwise with an OP_MSG."""
        body = body or {"ok": 1.0}
        reply_id = 1000 + request.request_id
        if request.opcode == OP_QUERY:
            self.send(op_reply(body, request.request_id, reply_id))
        else:
            self.send(op_msg(body, reply_id, response_to=request.request_id, **options))


def answer_all(connection):
    """Answers every command with {ok: 1}."""
    while request := connection.message():
        connection.reply(request)


def swallow(connection):
    """Reads and never answers."""
    while connection.read():
        pass


class Upstream:
    """Runs `script` on a thread per connection."""

    def __init__(self, script=answer_all, port=0, receive_buffer=None, host="127.0.0.1"):
        self.script = script
        self.connections = []
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if receive_buffer:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._listener.bind((host, port))
        self._listener.listen(4096)  # in the order in which they come, however many
        self.port = self._listener.getsockname()[1]
        self.address = f"{host}:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.settimeout(PATIENCE)
            connection = Connection(sock)
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            self.script(connection)
        except OSError:
            pass  # the daemon has closed: tests look at what was received
        finally:
            connection.socket.close()

    def await_connection(self, number=0):
        wait_until(lambda: len(self.connections) > number, f"connection {number}")
        return self.connections[number]

    def await_received(self, expected, number=0):
        """Waits until a connection has received these bytes and no others."""
        connection = self.await_connection(number)
        wait_until(lambda: len(connection.received) >= len(expected) or connection.has_ended,
                   f"{len(expected)} bytes at the upstream")
        assert bytes(connection.received) == expected

    def close(self):
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        for connection in self.connections:
            try:
                connection.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def large_reply(request, size):
    """A whole reply message of about `size` bytes, as a find's."""
    batch = [{"n": i, "text": "x" * 1000} for i in range(size // 1024)]
    body = {"cursor": {"id": bson.Int64(0), "ns": "db.c", "firstBatch": batch}, "ok": 1.0}
    return framed(b"\0\0\0\0\0" + bson.encode(body), 7, request.request_id)
