"""Relays between drivers and a server. One counts what passes, to compare with the metrics."""

import collections
import socket
import threading

from raw import MORE_TO_COME, OP_COMPRESSED, OP_MSG, OP_QUERY, take_message

# Names whose first value is no collection.
WITHOUT_COLLECTION = {
    "hello", "ismaster", "isMaster", "ping", "buildInfo", "buildinfo", "endSessions",
    "listDatabases", "listCollections", "saslStart", "saslContinue", "commitTransaction",
    "abortTransaction", "bulkWrite", "explain", "serverStatus", "dbStats", "dropDatabase",
    "connectionStatus", "getParameter"}
# Commands that have another name in the metrics.
LABELS = {"ismaster": "isMaster", "buildinfo": "buildInfo", "isdbgrid": "shardingAdmin"}


def describe(message):
    """(database, collection, command) of a request, as the metrics name it."""
    body = message.body
    name = next(iter(body))
    collection = body.get("collection") if name == "getMore" else body[name]
    if name in WITHOUT_COLLECTION or not isinstance(collection, str):
        collection = ""
    return body.get("$db", "admin"), collection, LABELS.get(name, name)


class Relay:
    """Listens, and connects each client to the server at `port`. A connection object of _connection()
    sees the bytes: its pass_on(data, is_request) returns those to forward, and whether to go on."""

    def __init__(self, port):
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            connection = self._connection()
            for source, sink, is_request in ((client, server, True), (server, client, False)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._relay, args=(source, sink, connection, is_request),
                                 daemon=True).start()

    @staticmethod
    def _relay(source, sink, connection, is_request):
        try:
            goes_on = True
            while goes_on and (data := source.recv(1 << 18)):
                data, goes_on = connection.pass_on(data, is_request)
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        source.close()


class CountingRelay(Relay):
    """Stands between drivers and the daemon and counts every request."""

    class Connection:
        def __init__(self, count):
            self._count = count
            self._buffer = bytearray()

        def pass_on(self, data, is_request):
            if is_request:
                self._buffer += data
                while message := take_message(self._buffer):
                    self._count(message)
            return data, True

    def __init__(self, port):
        self._lock = threading.Lock()
        self._counts = collections.Counter()
        self.without_reply = 0
        super().__init__(port)

    def counts(self):
        with self._lock:
            return collections.Counter(self._counts)

    def _connection(self):
        return self.Connection(self._count)

    def _count(self, message):
        assert message.opcode in (OP_MSG, OP_QUERY), OP_COMPRESSED
        with self._lock:
            self._counts[describe(message)] += 1
            if message.opcode == OP_MSG and message.flags & MORE_TO_COME:
                self.without_reply += 1


class CompressedRelay(CountingRelay):
    """Counts only the compressed requests, by compressorId."""

    def __init__(self, port):
        self.compressed = collections.Counter()
        super().__init__(port)

    def _count(self, message):
        if message.opcode == OP_COMPRESSED:
            with self._lock:
                self.compressed[message.data[24]] += 1
