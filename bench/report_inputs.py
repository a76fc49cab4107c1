"""Inputs for bench/reports, of any size, from what tests/real has of a real cluster: each
is a generator of blocks that never ends."""

import gzip
import itertools
import json
import pathlib
import struct
import zlib

REAL = pathlib.Path(__file__).resolve().parents[1] / "tests/real"

SHAPES = 10_000
BLOCK = 1 << 20


def real(name):
    return gzip.decompress((REAL / f"{name}.gz").read_bytes())


def repeated(content):
    block = content * max(1, BLOCK // len(content))
    while True:
        yield block


def joined(lines):
    """Blocks of an endless iterator of lines."""
    while True:
        yield "".join(itertools.islice(lines, 1000)).encode()


def field(number):
    return f"field{number % 100}.of{number // 100}"


def log_line(number):
    """A find of its own, as mongos logs it."""
    return ('{"t":{"$date":"2026-11-22T04:51:21.194+00:00"},"s":"I",  "c":"COMMAND",  "id":51803,   '
            f'"ctx":"conn{number % 500}","msg":"Slow query","attr":{{"type":"command","ns":"shop.orders",'
            f'"appName":"app{number % 40}","command":{{"find":"orders","filter":{{"{field(number % SHAPES)}":'
            f'{number}}},"lsid":{{"id":{{"$uuid":"0d2a8b8d-3f2e-4d24-9e3b-5b0c5b8f5f8a"}}}},"$db":"shop"}},'
            '"nShards":6,"cursorExhausted":true,"numYields":0,"nreturned":1,"reslen":221,'
            f'"remote":"10.0.{number % 7}.{number % 250}:{20000 + number % 30000}","protocol":"op_msg",'
            f'"durationMillis":{number % 300}}}}}\n')


def audit_line(number):
    """A finding, as docs/audit.md has it."""
    name = field(number % SHAPES)
    callers = [{"appName": f"app{(number + i) % 40}", "driver": "PyMongo|c 4.20.0", "user": "shop@admin",
                "remote": f"10.0.{number % 7}.{(number + i) % 250}", "comment": f"orders.py:{number % 90}",
                "count": 3} for i in range(3)]
    return json.dumps({
        "schemaVersion": 1, "atype": "scattergate.finding", "ts": {"$date": "2026-11-22T04:51:21.194Z"},
        "param": {
            "ns": "shop.orders", "command": "find", "shape": {"filter": {name: "?number"}},
            "shapeHash": f"{zlib.crc32(name.encode()):016x}", "routing": "scatter_gather", "bounds": "full",
            "reason": "missing_key", "missing": ["customer", "_id"],
            "shardKey": {"customer": 1, "_id": 1},
            "fanout": ["s0", "s1", "s2", "s3", "s4", "s5"], "count": 10,
            "durationMillis": {"total": number % 3000 + 0.5, "max": number % 300},
            "callers": [*callers, {"other": True, "count": 1}],
            "suggestion": "add equality on customer (1st of 2 shard key fields) to the filter so that "
                          "mongos doesn't ask every shard"}}, separators=(",", ":")) + "\n"


def command_line(number):
    return (f'{{"find":"orders","filter":{{"{field(number % SHAPES)}":{number},"status":"open"}},'
            f'"sort":{{"_id":-1}},"limit":20,"comment":"orders.py:{number % 90}","$db":"shop"}}\n')


def packets_of(capture):
    """[(seconds, microseconds, packet)] of a little-endian pcap of Ethernet frames."""
    at, found = 24, []
    while at < len(capture):
        seconds, micros, size = struct.unpack_from("<III", capture, at)
        found.append((seconds, micros, capture[at + 16:at + 16 + size]))
        at += 16 + size
    return found


def moved(packets, server, run):
    """The same packets, three seconds later each run, of clients with another address."""
    made = bytearray()
    address = struct.pack(">I", 0x0A000000 + run)
    for seconds, micros, packet in packets:
        record = bytearray(packet)
        port, = struct.unpack_from(">H", packet, 34)
        at = 30 if port == server else 26  # to the client, or from it
        record[at:at + 4] = address
        made += struct.pack("<IIII", seconds + 3 * run, micros, len(packet), len(packet)) + record
    return bytes(made)


def server_port(packets):
    ports = [struct.unpack_from(">HH", packet, 34) for _, _, packet in packets]
    return next(port for port in ports[0] if all(port in pair for pair in ports))


def capture(chosen=lambda packets: packets):
    whole = real("traffic.pcap")
    packets = packets_of(whole)
    server = server_port(packets)
    packets = chosen(packets)
    yield whole[:24]
    for run in itertools.count():
        yield moved(packets, server, run)


def half_open(packets):
    """The first packets of each connection, and never an end."""
    seen, kept = {}, []
    for one in packets:
        ports = frozenset(struct.unpack_from(">HH", one[2], 34))
        seen[ports] = seen.get(ports, 0) + 1
        if seen[ports] <= 9:
            kept.append(one)
    return kept


def unanswered(packets):
    """The clients' requests, without any reply."""
    server = server_port(packets)
    return [one for one in packets if struct.unpack_from(">H", one[2], 36)[0] == server]


def recording():
    """The records again and again, of other connections each time."""
    whole = real("mongod-traffic.rec")
    for run in itertools.count():
        made, at = bytearray(whole), 0
        while at < len(whole):
            size, = struct.unpack_from("<I", whole, at)
            connection, = struct.unpack_from("<Q", whole, at + 4)
            struct.pack_into("<Q", made, at + 4, connection + run * 1000)
            at += size
        yield bytes(made)


def lines(make):
    return joined(make(number) for number in itertools.count())


# name: (the file's name, its blocks)
KINDS = {
    "mongos-log": ("mongos.log", lambda: repeated(real("traffic-mongos.log"))),
    "mongos-log, 10,000 shapes": ("shapes.log", lambda: lines(log_line)),
    "mongos-log, gzip": ("mongos.log.gz", lambda: repeated(real("traffic-mongos.log"))),
    "mongod-log": ("mongod.log", lambda: repeated(real("mongod-slow.log"))),
    "audit, 10,000 shapes": ("audit.jsonl", lambda: lines(audit_line)),
    "commands, 10,000 shapes": ("commands.jsonl", lambda: lines(command_line)),
    "pcap": ("traffic.pcap", capture),
    "pcap, connections that never end": ("open.pcap", lambda: capture(half_open)),
    "pcap, requests without replies": ("unanswered.pcap", lambda: capture(unanswered)),
    "recording": ("traffic.rec", recording),
}
