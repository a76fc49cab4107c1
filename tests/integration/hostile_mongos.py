"""A mongos that attacks its clients: the daemon's catalog, self-check and health checks, verify, and gate.
BROKEN_FRAMES, HELLOS, ABSURD and the functions next to them define its replies, WAYS how they are sent."""

import math
import socket
import struct
import threading
import time
import zlib

import bson
from bson import Binary, Int64, ObjectId

from fake_mongos import SHARDS, ConfigDatabase, FakeMongos
from raw import (OP_COMPRESSED, OP_MSG, OP_QUERY, body_section, framed, op_msg, op_reply,
                 sequence_section)

MIB = 1024 * 1024
PATIENT = "appName=patient"
IMPATIENT = "serverSelectionTimeoutMS=500&connectTimeoutMS=500&socketTimeoutMS=500"
POINT = {"find": "orders", "filter": {"customer": 150}, "$db": "shop"}
SCATTERED = {"find": "orders", "filter": {}, "$db": "shop"}


def is_catalogs(body):
    return body.get("$db") == "config" and next(iter(body)) in ("find", "getMore")


def is_explain(body):
    return "explain" in body


def is_drivers_handshake(body):
    return next(iter(body)).lower() in ("hello", "ismaster") and "client" in body


def is_health_check(body):
    return "hello" in body and "client" not in body


def is_clients(body):
    return body.get("$db") == "shop" and "find" in body


def is_login(body):
    return "saslStart" in body


class HostileMongos(FakeMongos):
    """Works correctly except for the requests that `on` selects: `attack` makes the bytes of their replies, `way`
    sends them. `hello` replaces fields of the handshake."""

    def __init__(self, attack=None, hello=None, on=is_catalogs, way=None):
        super().__init__(ConfigDatabase("8.0"), batch=3)
        self.attack, self.hello, self.on, self.way = attack, hello or {}, on, way
        self.sessions = []
        self.attacked = 0

    def __call__(self, connection):
        while request := connection.message():
            attack, way, body = self.attack, self.way, request.body
            is_attacked = (attack or way) and self.on(body)
            self.attacked += bool(is_attacked)
            data = attack(self, request, body) if is_attacked and attack else self.good(request, body)
            if is_attacked and way:
                if not way(connection, data):
                    return
            else:
                connection.send(data)

    def good(self, request, body):
        name = next(iter(body))
        with self._lock:
            self.sessions.append((name, body.get("lsid")))
            answer = plan_of(body["explain"]) if name == "explain" else self.answer(body)
        if name.lower() in ("hello", "ismaster"):
            answer = {**answer, **self.hello}
        return op_reply(answer, request.request_id) if request.opcode == OP_QUERY else reply(request, answer)


def plan(shards, stage="SHARD_MERGE"):
    return {"queryPlanner": {"winningPlan": {"stage": stage, "shards": shards}}, "ok": 1.0}


def plan_of(command):
    return plan([{"shardName": name} for name in (["rs1"] if command.get("filter") else SHARDS)])


class Dripping:
    """The script of an Upstream: a relay to a good server, which passes its bytes one by one while `is_slow`."""

    def __init__(self, port):
        self.port = port
        self.is_slow = False

    def __call__(self, connection):
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            threading.Thread(target=self._pass_requests, args=(connection, server), daemon=True).start()
            while data := server.recv(1 << 18):
                if self.is_slow:
                    too_slowly(connection, data)
                else:
                    connection.send(data)

    @staticmethod
    def _pass_requests(connection, server):
        try:
            while data := connection.read():
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


# How a reply is sent; false: the connection ends then.

def in_pieces(connection, data):
    for byte in data:
        connection.send(bytes([byte]))
    return True


def too_slowly(connection, data):
    for byte in data:
        connection.send(bytes([byte]))
        time.sleep(0.2)
    return True


def not_at_all(connection, _):
    while connection.read():
        pass
    return False


def to_its_header(connection, data):
    connection.send(data[:10])
    return False


def to_its_last_byte(connection, data):
    connection.send(data[:-1])
    return False


def for_ever(data):
    block = data * (1 + MIB // len(data))

    def send(connection, _):
        while True:
            connection.send(block)
    return send


def again_and_again(connection, data):
    return for_ever(data)(connection, data)


def as_megabytes_of_nothing(connection, data):
    """The largest valid reply, with more bytes after it."""
    connection.send(struct.pack("<i", 16 * MIB) + data[4:16])
    return for_ever(b"\0")(connection, data)


GOOD_WAYS = {"in pieces": in_pieces, "again and again": again_and_again}
BAD_WAYS = {"too slowly": too_slowly, "not at all": not_at_all, "to its header": to_its_header,
            "to its last byte": to_its_last_byte, "as zeros": for_ever(b"\0"),
            "as text": for_ever(b"HTTP/1.1 200 OK\r\n"), "as megabytes of nothing": as_megabytes_of_nothing}
WAYS = {**GOOD_WAYS, **BAD_WAYS}


def reply(request, body):
    return op_msg(body, 1, response_to=request.request_id)


def cursor(body, batch, ns="config.x", cursor_id=0):
    field = "nextBatch" if "getMore" in body else "firstBatch"
    return {"cursor": {"id": Int64(cursor_id), "ns": ns, field: batch}, "ok": 1.0}


def without_a_dot(_, request, body):
    return reply(request, cursor(body, [], ns="config", cursor_id=7))


def record(number):
    return {"_id": f"db.c{number:012}", "key": {"a": 1}, "uuid": Binary(bytes(16), 4),
            "lastmodEpoch": ObjectId("0" * 24), "unique": False}


MANY = bson.encode(cursor({}, [record(n) for n in range(2000)], cursor_id=7))
MORE = bson.encode(cursor({"getMore": 7}, [record(n) for n in range(2000)], cursor_id=7))


def without_end(there, request, body):
    """New names in every batch."""
    if body.get("find", body.get("collection")) != "collections":
        return reply(request, cursor(body, []))
    there.turn = getattr(there, "turn", 0) + 1
    batch = MORE if "getMore" in body else MANY
    return reply(request, batch.replace(b"db.c0000", f"db.c{there.turn:04}".encode()))


def without_contents(_, request, body):
    return reply(request, cursor(body, [], cursor_id=7))


def large_records(_, request, body):
    """Sixteen megabytes of key each."""
    if body.get("find", body.get("collection")) != "collections":
        return reply(request, cursor(body, []))
    return reply(request, cursor(body, [{"_id": "db.c", "key": {"k" * 16_000_000: 1}}], cursor_id=7))


def packed(request, compressor, claimed, payload, opcode=OP_MSG):
    return framed(struct.pack("<iiB", opcode, claimed, compressor) + payload, 1,
                  request.request_id, OP_COMPRESSED)


MESSAGE = b"\0\0\0\0" + body_section({"cursor": {"id": 0, "ns": "config.x", "firstBatch": []}, "ok": 1})


def nested(levels):
    document = b"\5\0\0\0\0"
    for _ in range(levels):
        document = struct.pack("<i", len(document) + 8) + b"\3a\0" + document + b"\0"
    return document


BROKEN_FRAMES = {
    "a bomb": lambda request: packed(request, 2, 48_000_000, zlib.compress(bytes(48_000_000))),
    "more to come": lambda request: op_msg(cursor({}, []), 1, flags=2, response_to=request.request_id),
    "a length of two gigabytes": lambda request: struct.pack("<iiii", 2**31 - 1, 1, request.request_id, OP_MSG),
    "a length below zero": lambda request: struct.pack("<iiii", -1, 1, request.request_id, OP_MSG),
    "nesting without need": lambda request: op_msg(nested(10_000), 1, response_to=request.request_id),
    "compressed, claiming more": lambda request: packed(request, 2, 1000, zlib.compress(MESSAGE)),
    "compressed in name only": lambda request: packed(request, 2, 1000, b"x" * 100),
    "not compressed, and larger than claimed": lambda request: packed(request, 0, 1, b"x" * 100_000),
    "compressed by an unknown compressor": lambda request: packed(request, 99, 1000, b"x"),
    "an OP_REPLY": lambda request: op_reply(None, request.request_id),
    "a sound OP_REPLY to an OP_MSG": lambda request: op_reply(cursor({}, []), request.request_id),
    "an OP_QUERY": lambda request: framed(
        struct.pack("<i", 0) + b"a\0" + struct.pack("<ii", 0, 0) + bson.encode({}), 1,
        request.request_id, OP_QUERY),
    "a sequence and no body": lambda request: framed(
        b"\0\0\0\0" + sequence_section("x", [{}]), 1, request.request_id),
    "a hundred bodies": lambda request: framed(
        b"\0\0\0\0" + body_section({"ok": 1}) * 100, 1, request.request_id),
    "a body that ends behind the message": lambda request: framed(
        b"\0\0\0\0\0" + struct.pack("<i", 1_000_000) + b"x" * 10, 1, request.request_id),
    "a body of less than nothing": lambda request: framed(
        b"\0\0\0\0\0" + struct.pack("<i", -1) + b"x" * 10, 1, request.request_id),
    "a body of broken BSON": lambda request: framed(
        b"\0\0\0\0\0" + struct.pack("<i", 12) + b"\x03a\0\xff\xff\xff\x7f\0", 1,
        request.request_id),
    "no section": lambda request: framed(b"\0\0\0\0", 1, request.request_id),
    "no flags": lambda request: framed(b"", 1, request.request_id),
    "a length of nothing": lambda request: struct.pack("<iiii", 0, 1, request.request_id, OP_MSG),
}

HELLOS = {
    "messages of two gigabytes": {"maxMessageSizeBytes": 2**31 - 1},
    "messages of less than nothing": {"maxMessageSizeBytes": -1},
    "no documents": {"maxBsonObjectSize": 0},
    "a huge wire version": {"maxWireVersion": 2**31 - 1},
    "a wire version below zero": {"maxWireVersion": -5},
    "odd compressors": {"compression": ["zlib", "x" * 1000, 5]},
    "a huge text": {"msg": "x" * MIB},
    "hosts that are none": {"hosts": ["a", 5, {}]},
    "a replica set without members": {"setName": "rs", "hosts": [], "primary": 5},
    "sessions that have ended": {"logicalSessionTimeoutMinutes": -7},
    "a broken topology version": {"topologyVersion": {"processId": 1, "counter": "x"}},
    "a broken cluster time": {"$clusterTime": {"clusterTime": 5}},
    "a broken last write": {"lastWrite": {"lastWriteDate": "never"}},
    "a login that wasn't started": {"speculativeAuthenticate": {"payload": 5}},
    "mechanisms that are no list": {"saslSupportedMechs": 7},
}

FORGED = "\x1b[2K\r\n::error::all is well\n##[error]\x7f"
DEEP = {"a": 1}
for _ in range(180):
    DEEP = {"a": DEEP}

# Well-formed replies to an explain, without a plan, or with one that no mongos has.
ABSURD = {
    "no fields": lambda: {},
    "an ok that is NaN": lambda: {"ok": math.nan},
    "an ok that is a text": lambda: {"ok": "yes"},
    "an ok of 2^63": lambda: {"ok": 2.0**63},
    "a code of 2^63 - 1": lambda: {"ok": 0.0, "code": Int64(2**63 - 1), "errmsg": "no"},
    "a code that is NaN": lambda: {"ok": 0.0, "code": math.nan, "errmsg": 5},
    "an error that forges lines": lambda: {"ok": 0.0, "code": 1, "errmsg": FORGED, "codeName": FORGED},
    "an error of megabytes": lambda: {"ok": 0.0, "code": 1, "errmsg": "x" * 15 * MIB},
    "a planner that is a number": lambda: {"queryPlanner": -1, "ok": 1.0},
    "a plan that nests": lambda: {"queryPlanner": {"winningPlan": DEEP}, "ok": 1.0},
    "shards that are a number": lambda: plan(-1),
    "no shards": lambda: plan([]),
    "shards that are numbers": lambda: plan([1, -1, math.nan, Int64(2**63 - 1)]),
    "shards of no name": lambda: plan([{"shardName": ""}, {"shardName": 5}, {}]),
    "shards that forge lines": lambda: plan([{"shardName": FORGED}, {"shardName": "b" + FORGED}], FORGED),
    "very many shards": lambda: plan([{"shardName": "s"}] * 300_000),
    "ten thousand long names": lambda: plan([{"shardName": f"{n:05}" + "x" * 1500} for n in range(10_000)]),
}


def absurd(case):
    document = bson.encode(ABSURD[case]())
    return lambda _, request, body: reply(request, document)
