"""A hostile or broken mongos ends nothing but what it serves: its replies to the daemon's own questions, for the catalog,
are checked like a client's requests. The daemon stays, serves clients, and says that the catalog fails."""

import struct
import zlib

import bson
import pytest
from bson import Binary, Int64, ObjectId

from fake_mongos import ConfigDatabase, FakeMongos
from malformed import PING
from processes import Daemon, has_sanitizer
from raw import (OP_COMPRESSED, OP_MSG, OP_QUERY, RawClient, body_section, framed, op_msg, op_reply,
                 sequence_section)
from test_live_catalog import await_followed, await_state, state
from waiting import wait_until

MIB = 1024 * 1024
FOLLOW = {"source": "mongos", "refresh": "1h"}

# The least that a catalog has (docs/catalog.md), kept by a load, by the driver and in snapshots, and malloc's share.
GROWTH = 96 * MIB


class HostileMongos(FakeMongos):
    """Good towards clients, and in the handshake unless told otherwise."""

    def __init__(self, attack=None, hello=None):
        super().__init__(ConfigDatabase("8.0"), batch=3)
        self.attack = attack
        self.hello = hello or {}
        self.sessions = []

    def __call__(self, connection):
        while request := connection.message():
            body = request.body
            name = next(iter(body))
            is_ours = body.get("$db") == "config" and name in ("find", "getMore")
            if is_ours and self.attack:
                connection.send(self.attack(self, request, body))
                continue
            with self._lock:
                self.sessions.append((name, body.get("lsid")))
                answer = self.answer(body)
            if name.lower() in ("hello", "ismaster"):
                answer = {**answer, **self.hello}
            connection.reply(request, answer)


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

BROKEN_FRAMES = {
    "compressed, claiming more": lambda request: packed(request, 2, 1000, zlib.compress(MESSAGE)),
    "compressed in name only": lambda request: packed(request, 2, 1000, b"x" * 100),
    "not compressed, and larger than claimed": lambda request: packed(request, 0, 1, b"x" * 100_000),
    "compressed by what nobody knows": lambda request: packed(request, 99, 1000, b"x"),
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


@pytest.fixture
def before(start, upstream):
    """A daemon that has little memory, before a mongos that attacks it."""
    def make(attack=None, hello=None, **catalog):
        there = HostileMongos(attack, hello)
        daemon = start(Daemon, upstream(there).address, limits={"memory": "16MiB"},
                       workers={"threads": 1}, catalog={**FOLLOW, **catalog})
        return there, daemon
    return make


def check_that_it_stays(daemon, why=""):
    daemon.await_line(rf'"id":7002\b.*{why}')
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        assert client.run({"find": "orders", "filter": {}, "$db": "shop"})["ok"] == 1
    assert daemon.is_alive()
    if not has_sanitizer():
        assert daemon.peak_resident_bytes() < GROWTH


@pytest.mark.parametrize("attack, why", [
    (without_a_dot, "empty batches"), (without_end, "config.collections"),
    (without_contents, "empty batches"), (large_records, "config.collections")])
def test_replies_that_lie_or_never_end(before, attack, why):
    _, daemon = before(attack)
    check_that_it_stays(daemon, why)
    assert state(daemon) == "failed"


def test_what_was_read_stays(before):
    there, daemon = before()
    await_followed(daemon)
    collections = daemon.metrics().total("scattergate_catalog_collections")
    there.attack = without_end
    daemon.reload()
    await_state(daemon, "failed")
    check_that_it_stays(daemon, "config.collections")
    assert daemon.metrics().total("scattergate_catalog_collections") == collections
    there.attack = None
    daemon.reload()
    await_state(daemon, "live")


@pytest.mark.parametrize("case", BROKEN_FRAMES)
def test_frames_that_are_broken(before, case):
    _, daemon = before(lambda _, request, body: BROKEN_FRAMES[case](request))
    check_that_it_stays(daemon)


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
    "a login that nobody began": {"speculativeAuthenticate": {"payload": 5}},
    "mechanisms that are no list": {"saslSupportedMechs": 7},
}


@pytest.mark.parametrize("hello", HELLOS)
def test_handshakes_with_absurd_values(before, hello):
    _, daemon = before(hello=HELLOS[hello])
    wait_until(lambda: state(daemon) != "loading", "a load")
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1


def test_batches_are_asked_for_in_the_session_of_their_cursor(before):
    """Where users log in, mongos refuses others."""
    there, daemon = before(hello={"logicalSessionTimeoutMinutes": 30})
    await_followed(daemon)
    sessions = [lsid for name, lsid in there.sessions if name in ("find", "getMore")]
    assert "getMore" in dict(there.sessions) and sessions[0]
    assert all(lsid == sessions[0] for lsid in sessions)
