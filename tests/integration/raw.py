"""Messages byte by byte, and a client that sends any bytes."""

import socket
import struct

import bson

from waiting import PATIENCE

OP_REPLY, OP_QUERY, OP_COMPRESSED, OP_MSG = 1, 2004, 2012, 2013
CHECKSUM_PRESENT, MORE_TO_COME, EXHAUST_ALLOWED = 1, 2, 1 << 16


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def header(length, request_id=1, response_to=0, opcode=OP_MSG):
    return struct.pack("<iiii", length, request_id, response_to, opcode)


def framed(payload, request_id=1, response_to=0, opcode=OP_MSG):
    return header(16 + len(payload), request_id, response_to, opcode) + payload


def body_section(document):
    return b"\0" + (document if isinstance(document, bytes) else bson.encode(document))


def sequence_section(name, documents):
    content = name.encode() + b"\0" + b"".join(map(bson.encode, documents))
    return b"\1" + struct.pack("<i", len(content) + 4) + content


def op_msg(body, request_id=1, flags=0, sequences=None, response_to=0):
    """An OP_MSG; `body` is a document or its bytes. A checksum is added where flagged."""
    payload = struct.pack("<I", flags) + body_section(body)
    for name, documents in (sequences or {}).items():
        payload += sequence_section(name, documents)
    return sectioned(payload, request_id, flags, response_to)


def sectioned(payload, request_id=1, flags=0, response_to=0):
    """An OP_MSG of ready-made flags and sections."""
    if not flags & CHECKSUM_PRESENT:
        return framed(payload, request_id, response_to)
    message = header(16 + len(payload) + 4, request_id, response_to) + payload
    return message + struct.pack("<I", crc32c(message))


def op_query(document, request_id=1, collection="admin.$cmd"):
    payload = (struct.pack("<i", 0) + collection.encode() + b"\0" + struct.pack("<ii", 0, -1)
               + (document if isinstance(document, bytes) else bson.encode(document)))
    return framed(payload, request_id, opcode=OP_QUERY)


def op_reply(document, response_to, request_id=1):
    """An OP_REPLY with one document, as a server answers an OP_QUERY; None: with no document."""
    documents = b"" if document is None else bson.encode(document)
    payload = struct.pack("<iqii", 8, 0, 0, 0 if document is None else 1) + documents
    return framed(payload, request_id, response_to, OP_REPLY)


class Message:
    """One whole message."""

    def __init__(self, data):
        self.data = data
        self.length, self.request_id, self.response_to, self.opcode = struct.unpack_from(
            "<iiii", data)

    @property
    def flags(self):
        return struct.unpack_from("<I", self.data, 16)[0]

    @property
    def body(self):
        """The body of an OP_MSG, or the first document of an OP_REPLY or OP_QUERY."""
        if self.opcode == OP_MSG:
            start = 21
        elif self.opcode == OP_REPLY:
            start = 36
        else:
            start = self.data.index(b"\0", 20) + 9
        size = struct.unpack_from("<i", self.data, start)[0]
        return bson.decode(self.data[start:start + size])


def take_message(buffer):
    """Removes the first message of a bytearray; None if it isn't whole yet."""
    if len(buffer) < 16:
        return None
    length = struct.unpack_from("<i", buffer)[0]
    if len(buffer) < length:
        return None
    message = Message(bytes(buffer[:length]))
    del buffer[:length]
    return message


class RawClient:
    """A socket that speaks in bytes."""

    def __init__(self, port, receive_buffer=None, host="127.0.0.1"):
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((host, port))
        self._buffer = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        """The next message, or None at the end of the connection."""
        while True:
            message = take_message(self._buffer)
            if message:
                return message
            data = self._read()
            if not data:
                assert not self._buffer, f"{len(self._buffer)} bytes of a message, then the end"
                return None
            self._buffer += data

    def await_first_bytes(self):
        """Until something of the next message is there."""
        self._buffer += self._read()

    def run(self, body, request_id=1, **options):
        """Sends a command and returns its reply's body."""
        self.send(op_msg(body, request_id, **options))
        reply = self.receive()
        assert reply is not None, "closed instead of a reply"
        assert reply.response_to == request_id
        return reply.body

    def read_to_end(self):
        """All bytes up to the connection's end."""
        data = bytes(self._buffer)
        self._buffer.clear()
        while True:
            more = self._read()
            if not more:
                return data
            data += more

    def finish(self):
        """No more requests; replies may still come."""
        self.socket.shutdown(socket.SHUT_WR)

    def _read(self):
        try:
            return self.socket.recv(1 << 20)
        except ConnectionResetError:
            return b""
