"""Bombs, false data and floods in valid frames, and thousands of strangers: everything is forwarded byte for byte
or its connection closed, the daemon doesn't grow, and a healthy application on the same worker continues to
work."""

import random
import socket
import struct
import zlib

import bson
import pytest

from malformed import FIND, PING, TLS_CLIENT_HELLO, flagged, nested
from neighbours import Neighbours
from processes import has_sanitizer
from raw import (CHECKSUM_PRESENT, EXHAUST_ALLOWED, MORE_TO_COME, OP_COMPRESSED, OP_MSG,
                 body_section, framed, header, op_msg, op_query, sectioned, sequence_section)
from upstream import swallow

MEGABYTE = 1_000_000
YORKIE = "yorkie-meta"


@pytest.fixture(scope="module")
def around(tmp_path_factory):
    made = Neighbours(tmp_path_factory.mktemp("hostile"), rules=[
        {"name": "no-scatter", "match": {"namespace": f"{YORKIE}.changes"}, "action": "reject",
         "why": "test"}])
    made.start_bytes = made.daemon.resident_bytes()
    yield made
    grown = made.daemon.resident_bytes() - made.start_bytes
    made.stop()
    assert grown < (600 if has_sanitizer("tsan") else 150) * MEGABYTE  # TSan's shadow memory counts


@pytest.fixture(autouse=True)
def others_go_on(around):
    around.begin()
    yield
    around.check()


def filter_of(document):
    return op_msg({"find": "documents", "filter": document, "$db": YORKIE})


def compressed(original, kind=2, claimed=None, opcode=OP_MSG, payload=None):
    payload = zlib.compress(original) if payload is None else payload
    size = len(original) if claimed is None else claimed
    return framed(struct.pack("<iiB", opcode, size, kind) + payload, opcode=OP_COMPRESSED)


def raw_document(fields):
    return struct.pack("<i", len(fields) + 5) + fields + b"\0"


def text(value):
    return struct.pack("<i", len(value) + 1) + value + b"\0"


def find_with(fields):
    """A find with ready-made fields behind its name."""
    return op_msg(raw_document(b"\x02find\0" + text(b"documents") + fields
                               + b"\x02$db\0" + text(b"yorkie-meta")))


def many_or():
    return {"$or": [{"project_id": n} for n in range(20_000)]}


PASSING = {
    # BSON
    "100,000 levels of $or": lambda: op_msg(nested(100_000, b"$or")),
    "a $in of 300,000 numbers": lambda: filter_of(
        {"project_id": {"$in": list(range(300_000))}}),
    "an $or of 20,000 branches": lambda: filter_of(many_or()),
    "50,000 fields in a filter": lambda: filter_of({f"f{n}": n for n in range(50_000)}),
    "the same field 50,000 times": lambda: find_with(
        b"\x03filter\0" + raw_document(b"\x10project_id\0\1\0\0\0" * 50_000)),
    "a key of ten million bytes": lambda: filter_of({"k" * 10_000_000: 1}),
    "a field of the command with a huge name": lambda: find_with(
        b"\x10" + b"n" * MEGABYTE + b"\0\1\0\0\0"),
    "a collection with a huge name": lambda: op_msg({"find": "c" * MEGABYTE, "$db": YORKIE}),
    "a database with a huge name": lambda: op_msg({"find": "c", "$db": "d" * MEGABYTE}),
    "names in no UTF-8": lambda: op_msg(
        raw_document(b"\x02find\0" + text(b"\xff\xfe\xc0\x80") + b"\x02$db\0"
                     + text(b"\xed\xa0\x80"))),
    "a string of sixteen megabytes": lambda: filter_of({"project_id": "x" * 16_000_000}),
    "a regular expression bomb": lambda: filter_of(
        {"project_id": bson.Regex("(a+)+" * 1000, "i"), "key": bson.Regex("^" + "(" * 5000)}),
    "code with scope in code with scope": lambda: filter_of(
        {"$where": bson.Code("f()", {"x": bson.Code("g()", {"y": {"z": [1] * 1000}})})}),
    "every odd type": lambda: filter_of(
        {"a": bson.MinKey(), "b": bson.MaxKey(), "c": bson.Decimal128("NaN"),
         "d": float("nan"), "project_id": bson.Timestamp(2**32 - 1, 2**32 - 1),
         "f": bson.DBRef("c", 1), "g": bson.Binary(b"x", 9), "h": -2**63}),
    "a pipeline of ten thousand stages": lambda: op_msg(
        {"aggregate": "documents", "pipeline": [{"$match": {"project_id": n}}
                                                for n in range(10_000)], "$db": YORKIE}),
    "lookups in one another": lambda: op_msg(
        {"aggregate": "documents", "pipeline": lookups(40), "$db": YORKIE}),
    # Sections
    "a sequence of 100,000 documents": lambda: op_msg(
        {"insert": "documents", "$db": YORKIE},
        sequences={"documents": [{"project_id": n} for n in range(100_000)]}),
    "a section with a huge name": lambda: flagged(
        0, body_section({"insert": "c", "$db": "d"}) + sequence_section("n" * MEGABYTE, [])),
    # Flags, ids, chains
    "exhaust on an insert": lambda: op_msg({"insert": "c", "$db": "d", "documents": [{}]},
                                           flags=EXHAUST_ALLOWED),
    "exhaust without a reply": lambda: op_msg(PING, flags=EXHAUST_ALLOWED | MORE_TO_COME),
    "a request in reply to another": lambda: op_msg(PING, response_to=77),
    "ids at both ends": lambda: op_msg(PING, 2**31 - 1) + op_msg(PING, -2**31) + op_msg(PING, 0),
    "another's cursor": lambda: op_msg({"getMore": bson.Int64(2**63 - 1), "collection": "c",
                                        "$db": "d"}),
    "a cursor that is no number": lambda: op_msg({"getMore": "77", "collection": 5, "$db": "d"}),
    "a hundred thousand cursors killed": lambda: op_msg(
        {"killCursors": "c", "cursors": [bson.Int64(n) for n in range(100_000)], "$db": "d"}),
    # Handshakes
    "a hello with a huge client": lambda: op_msg(
        {"hello": 1, "client": {"application": {"name": "a" * 5 * MEGABYTE},
                                "driver": {"name": "\x00"}}, "$db": "admin"}),
    "a hello whose client is no document": lambda: op_msg(
        {"hello": 1, "client": [1, 2, 3], "$db": "admin"}),
    "a SASL payload of ten megabytes": lambda: op_msg(
        {"saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": b"n,,n=" + b"u" * 10 * MEGABYTE,
         "$db": "admin"}),
    "a comment of a megabyte": lambda: op_msg({**FIND, "comment": "\x1b[2J" * 250_000}),
}


def lookups(levels):
    pipeline = []
    for _ in range(levels):
        pipeline = [{"$lookup": {"from": "documents", "pipeline": pipeline, "as": "x"}}]
    return pipeline


# A message that can't be read, or is too costly to read, may be any command, also one that a rule
# here rejects.
REJECTED = {
    "names with NULs and breaks": lambda: op_msg(
        raw_document(b"\x02find\0" + text(b'a\0b\n"\\') + b"\x02$db\0" + text(b"x\0y\r\n"))),
    "a checksum over garbage": lambda: sectioned(
        struct.pack("<I", CHECKSUM_PRESENT) + b"\xff" * 1000, flags=CHECKSUM_PRESENT),
    "a checksum flag on almost nothing": lambda: framed(struct.pack("<IB", CHECKSUM_PRESENT, 0)),
    "a bomb of forty megabytes": lambda: compressed(bytes(40_000_000)),
    "a bomb in a bomb": lambda: compressed(compressed(bytes(10_000_000)), opcode=OP_COMPRESSED),
    "compressed, claiming less": lambda: compressed(op_msg(PING)[16:], claimed=3),
    "compressed, claiming less than nothing": lambda: compressed(b"x" * 100, claimed=-1),
    "compressed, cut short": lambda: compressed(
        b"", claimed=5000, payload=zlib.compress(bytes(5000))[:-9]),
    "compressed by snappy in name only": lambda: compressed(b"", 1, 100, payload=b"\xff" * 50),
    "compressed by zstd in name only": lambda: compressed(
        b"", 3, 100, payload=b"\x28\xb5\x2f\xfd" + b"\xff" * 50),
    "compressed opCode that is none": lambda: compressed(op_msg(PING)[16:], opcode=31337),
    "a legacy handshake with a huge name": lambda: op_query({"isMaster": 1},
                                                            collection="x" * MEGABYTE),
    "100,000 sections": lambda: flagged(0, body_section({"insert": "c", "$db": "d"}) + b"".join(
        sequence_section(f"s{n}", []) for n in range(100_000))),
    "100,000 times the same section": lambda: flagged(
        0, body_section({"insert": "c", "$db": "d"}) + sequence_section("documents", []) * 100_000),
    "compressed, claiming more": lambda: compressed(op_msg(PING)[16:], claimed=40_000_000),
}


@pytest.mark.parametrize("case", PASSING)
def test_what_has_a_sound_frame_passes_byte_for_byte(around, case):
    around.begin(swallow)
    data = PASSING[case]()
    with around.client() as client:
        client.send(data + op_msg(PING, 7))
        around.healthy.check()
        around.upstream.await_received(data + op_msg(PING, 7))


@pytest.mark.parametrize("case", REJECTED)
def test_what_cannot_be_read_is_rejected(around, case):
    with around.client() as client:
        client.send(REJECTED[case]() + op_msg(PING, 7))
        assert b"no-scatter" in client.receive().data
        assert client.receive().response_to == 7
        around.upstream.await_received(op_msg(PING, 7))


def test_a_pipeline_of_ten_thousand_requests(around):
    with around.client() as client:
        client.send(b"".join(op_msg(PING, number) for number in range(10_000)))
        assert [client.receive().response_to for _ in range(10_000)] == list(range(10_000))


def test_fifty_thousand_requests_without_a_reply(around):
    """A stranger's commands without a reply count under the label of what the catalog names."""
    named = {"command": "insert", "collection": "changes"}
    before = around.daemon.metrics().total("scattergate_commands_total", **named)
    quiet = op_msg({"insert": "changes", "$db": YORKIE, "documents": [{"doc_id": 1}]}, 5,
                   flags=MORE_TO_COME)
    around.begin(lambda connection: [connection.reply(request) for request in
                                     iter(connection.message, None)
                                     if not request.flags & MORE_TO_COME])
    with around.client() as client:
        client.send(quiet * 50_000)
        assert client.run(PING, 9)["ok"] == 1
    around.daemon.await_metric(before + 50_000, "scattergate_commands_total", **named)


def test_rejections_without_end_let_others_in(around):
    """None of it reaches mongos, and the worker has time for the healthy client."""
    scatter = op_msg({"find": "changes", "filter": {"x": 1}, "$db": YORKIE}, 3)
    with around.client() as client:
        for _ in range(20):
            client.send(scatter * 1000)
            around.healthy.check()
            for _ in range(1000):
                reply = client.receive()
                assert reply.response_to == 3 and reply.body["code"] == 411
    connection = around.upstream.connections[0]
    assert not connection.received


def test_ten_thousand_shapes_and_namespaces(around):
    with around.client() as client:
        for start in range(0, 10_000, 1000):
            client.send(b"".join(
                op_msg({"find": f"c{number}" if number % 2 else "documents",
                        "filter": {f"field{number}": 1}, "$db": YORKIE}, number)
                for number in range(start, start + 1000)))
            for _ in range(1000):
                client.receive()
        assert client.run(PING)["ok"] == 1


def test_two_thousand_that_come_and_go_at_once(around):
    before = around.daemon.metrics().total("scattergate_connections_accepted_total")
    for number in range(2000):
        with socket.create_connection(("127.0.0.1", around.port)) as client:
            if number % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if number % 3 == 0:
                client.sendall(b"\x10")
    around.daemon.await_metric(before + 2000, "scattergate_connections_accepted_total")


@pytest.mark.parametrize("first", [
    b"", b"\0", TLS_CLIENT_HELLO[:5], b"GET / HTTP/1.1\r\n", b"SSH-2.0-x\r\n", header(100),
    op_msg(PING)[:-1], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x05\x01\x00",
    b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12)])
def test_five_hundred_that_stop_half_way(around, first):
    clients = [around.client() for _ in range(500)]
    for client in clients:
        client.send(first)
    around.healthy.check()
    for client in clients:
        client.socket.close()


@pytest.mark.parametrize("seed", range(20))
def test_good_messages_and_rubbish_in_any_order(around, seed):
    """Everything before the violation is forwarded, for every reason for closing."""
    around.begin(swallow)
    chance = random.Random(seed)
    parts = [op_msg(PING, number) for number in range(chance.randint(1, 30))]
    parts += [PASSING[case]() for case in chance.sample(
        [name for name in PASSING if "mega" not in name and "million" not in name], 3)]
    chance.shuffle(parts)
    good = b"".join(parts)
    with around.client() as client:
        client.send(op_msg(PING, 1) + good + header(chance.choice([0, -5, 2**31 - 1, 15])))
        around.upstream.await_received(op_msg(PING, 1) + good)
        # Earlier requests may still be answered before the connection ends.
        around.upstream.connections[0].socket.shutdown(socket.SHUT_RDWR)
        assert client.read_to_end() == b""
