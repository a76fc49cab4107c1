"""Server-sent events of the admin address, read as they come."""

import json
import socket
import time

from processes import port_of
from waiting import PATIENCE


class EventStream:
    """A client that listens to a path."""

    def __init__(self, daemon, target, source="127.0.0.1", tls=None):
        self.socket = socket.create_connection(("127.0.0.1", port_of(daemon.admin)), timeout=60,
                                               source_address=(source, 0))
        if tls:  # an ssl.SSLContext
            self.socket = tls.wrap_socket(self.socket)
        self.socket.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.seen = b""
        self.status = int(self.line().split()[1])
        self.headers = {}
        while line := self.line().strip():
            name, _, value = line.decode().partition(": ")
            self.headers[name] = value

    def line(self):
        line = self.file.readline()
        self.seen += line
        return line

    def next(self):
        """The next event and its data; None if it has ended."""
        kind = None
        deadline = time.monotonic() + PATIENCE
        while line := self.line():
            assert time.monotonic() < deadline, "nothing but comments"
            if line.startswith(b"event: "):
                kind = line[7:].strip().decode()
            if line.startswith(b"data: "):
                return kind, json.loads(line[6:])
        return None

    def close(self):
        self.file.close()
        self.socket.close()
