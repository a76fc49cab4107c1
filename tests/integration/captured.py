"""Reads a capture's messages without the program's own code, for tests that compare both."""

import collections
import dataclasses
import json
import struct
import zlib

import bson
import snappy
from backports import zstd
from bson import json_util

UNPACK = {0: bytes, 1: snappy.decompress, 2: zlib.decompress, 3: zstd.decompress}


@dataclasses.dataclass
class Message:
    """One MongoDB message, as sent."""
    time: float  # seconds since 1970, of the packet that brought its last byte
    client: tuple  # address and port
    is_request: bool
    content: bytes

    def command(self):
        """A request's command as relaxed Extended JSON, what came as a sequence put into it; None for
        what came before OP_MSG."""
        operation, payload = int.from_bytes(self.content[12:16], "little"), self.content[16:]
        if operation == 2012:
            operation, _, compressor = struct.unpack_from("<iiB", payload)
            payload = UNPACK[compressor](payload[9:])
        if operation != 2013:
            return None
        command, sequences, at = {}, {}, 4
        while at < len(payload):
            size = int.from_bytes(payload[at + 1:at + 5], "little")
            content = payload[at + 1:at + 1 + size]
            if payload[at] == 0:
                command = bson.decode(content, bson.CodecOptions(document_class=dict))
            else:
                name, _, documents = content[4:].partition(b"\0")
                sequences[name.decode()] = bson.decode_all(documents)
            at += 1 + size
        return json.loads(json_util.dumps({**command, **sequences}, json_options=json_util.RELAXED_JSON_OPTIONS))

    @property
    def request_id(self):
        return int.from_bytes(self.content[4:8], "little", signed=True)

    @property
    def response_to(self):
        return int.from_bytes(self.content[8:12], "little", signed=True)


def packets(capture):
    """(time, link layer's payload of IPv4) of each packet of a classic pcap file."""
    magic, = struct.unpack_from("<I", capture)
    fraction = {0xA1B2C3D4: 1e6, 0xA1B23C4D: 1e9}[magic]
    link, = struct.unpack_from("<I", capture, 20)
    skip = {0: 4, 1: 14, 113: 16, 276: 20}[link]
    at = 24
    while at < len(capture):
        seconds, parts, size, _ = struct.unpack_from("<IIII", capture, at)
        yield seconds + parts / fraction, capture[at + 16 + skip:at + 16 + size]
        at += 16 + size


class Stream:
    """One direction of a connection: its bytes in the order of the sequence numbers, without duplicates."""

    def __init__(self):
        self.next = None
        self.later = {}
        self.bytes = bytearray()

    def take(self, number, data):
        if self.next is None:
            self.next = number
        self.later[number] = max(data, self.later.get(number, b""), key=len)
        while True:
            fitting = [begin for begin in self.later if (self.next - begin) % 2**32 < 2**31]
            if not fitting:
                return
            begin = fitting[0]
            data = self.later.pop(begin)[(self.next - begin) % 2**32:]
            self.bytes += data
            self.next = (self.next + len(data)) % 2**32

    def messages(self):
        while len(self.bytes) >= 16 and len(self.bytes) >= (size := struct.unpack_from("<i", self.bytes)[0]):
            yield bytes(self.bytes[:size])
            del self.bytes[:size]


def messages(capture, server_port):
    """In the order in which they became complete."""
    streams = collections.defaultdict(Stream)
    for time, packet in packets(capture):
        head = (packet[0] & 15) * 4
        source, target = packet[12:16], packet[16:20]
        segment = packet[head:int.from_bytes(packet[2:4], "big")]
        from_port, to_port, number = struct.unpack_from(">HHI", segment)
        data, flags = segment[(segment[12] >> 4) * 4:], segment[13]
        way = source, from_port, target, to_port
        if flags & 2:  # SYN: another connection, whose first byte has the next number
            streams[way] = Stream()
            streams[way].next = (number + 1) % 2**32
        elif data:
            stream = streams[way]
            stream.take(number, data)
            is_request = to_port == server_port
            for content in stream.messages():
                yield Message(time, (source, from_port) if is_request else (target, to_port), is_request, content)


def recording(of):
    """The messages as a 4.4 server's traffic recording (mongo v4.4: db/traffic_recorder.cpp)."""
    connections = {}
    made = bytearray()
    for order, one in enumerate(of):
        identity = connections.setdefault(one.client, len(connections) + 1)
        remote = ".".join(map(str, one.client[0])) + f":{one.client[1]}"
        body = struct.pack("<Q", identity) + b"127.0.0.1:27017\0" + remote.encode() + b"\0"
        body += struct.pack("<QQ", round(one.time * 1000), order) + one.content
        made += struct.pack("<I", len(body) + 4) + body
    return bytes(made)
