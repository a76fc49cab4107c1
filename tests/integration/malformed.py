"""Bytes that no driver sends: name -> (bytes, the label they are counted under)."""

import struct
import zlib

import bson

from raw import (CHECKSUM_PRESENT, MORE_TO_COME, OP_COMPRESSED, OP_MSG, OP_QUERY, OP_REPLY,
                 body_section, framed, header, op_msg, op_query, sectioned, sequence_section)

PING = {"ping": 1, "$db": "admin"}
FIND = {"find": "documents", "filter": {"key": 1}, "$db": "yorkie-meta"}
TLS_CLIENT_HELLO = bytes.fromhex(
    "16030100c8010000c40303") + bytes(range(32)) + b"\x20" + bytes(160)


def flagged(flags, payload):
    return framed(struct.pack("<I", flags) + payload)


def nested(levels, operator=b"$and"):
    """A find whose filter has this many nested operators."""
    innermost = bson.encode({"key": 1})
    heads, size = [], len(innermost)
    for _ in range(levels):
        array, size = size + 8, size + 8 + len(operator) + 7
        heads.append(struct.pack("<i", size) + b"\x04" + operator + b"\0"
                     + struct.pack("<i", array) + b"\x030\0")
    inner = b"".join(reversed(heads)) + innermost + b"\0\0" * levels
    fields = (b"\x02find\0" + struct.pack("<i", 10) + b"documents\0" + b"\x03filter\0" + inner
              + b"\x02$db\0" + struct.pack("<i", 12) + b"yorkie-meta\0")
    return struct.pack("<i", len(fields) + 5) + fields + b"\0"


def patched(document, old, new):
    data = bson.encode(document)
    assert data.count(old) == 1 and len(old) == len(new)
    return data.replace(old, new)


def overrunning(length):
    """A good body, then a sequence that claims to be `length` bytes long."""
    good = sequence_section("documents", [{"a": 1}])
    return flagged(0, body_section({"insert": "c", "$db": "d"}) + b"\1"
                   + struct.pack("<i", length) + good[5:])


TELEMETRY = b"\3" + bson.encode({"otel": {
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})


def two_faced(text_body, document_body):
    """Sections of which different versions of mongos read different bodies: a token that ends early if it is read
    as a text."""
    inside, outside = bson.encode(text_body), body_section(document_body)
    padding = b"p" * (300 - len(inside))
    rest = struct.pack("<i", 4 + len(padding) + 1 + len(outside))
    content = inside + b"\1" + rest + padding + b"\0"
    return b"\2" + struct.pack("<i", len(content) + 4) + content + outside


# Nothing after these can be trusted: the connection is closed.
BROKEN_FRAMES = {
    "a length of -1": (header(-1), "bad_length"),
    "the least length there is": (header(-2**31), "bad_length"),
    "a length of 0": (header(0), "bad_length"),
    "a length of 15": (header(15), "bad_length"),
    "a length of 48,000,001": (header(48_000_001), "bad_length"),
    "the largest length there is": (header(2**31 - 1), "bad_length"),
    "an HTTP request": (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "http_request"),
    "a Redis command": (b"*1\r\n$4\r\nPING\r\n" * 2, "bad_length"),
    "an SSH banner": (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "bad_length"),
    "text": (b"x" * 100_000, "bad_length"),
    "a TLS hello": (TLS_CLIENT_HELLO, "tls_hello"),
    "an unknown opCode at first": (framed(b"abc", opcode=9999), "unknown_opcode"),
    "opCode 0 at first": (framed(b"", opcode=0), "unknown_opcode"),
    "a negative opCode at first": (framed(b"abc", opcode=-2013), "unknown_opcode"),
    "a bad length behind good messages": (op_msg(PING) + op_msg(PING, 2) + header(7),
                                          "bad_length"),
}

# The frame is valid: forwarded unchanged.
UNREADABLE = {
    "an OP_MSG of a header alone": (framed(b""), "short_message"),
    "an OP_MSG without sections": (flagged(0, b""), "short_message"),
    "an OP_MSG with half its flags": (framed(b"\0\0"), "short_message"),
    "an unknown required flag": (flagged(4, body_section(PING)), "unknown_flags"),
    "all required flags": (flagged(0xFFFF, body_section(PING)), "unknown_flags"),
    "a token without end": (flagged(0, body_section(PING) + b"\2" + b"eyJhbGciOiJub25lIn0"),
                            "unknown_section"),
    "a section without a length": (flagged(0, body_section(PING) + b"\4abc"), "unknown_section"),
    "a command that depends on the reader": (
        flagged(0, two_faced({"drop": "documents", "$db": "yorkie-meta"}, PING)),
        "unknown_section"),
    "telemetry that comes twice": (
        flagged(0, body_section(PING) + (b"\3" + bson.encode({})) * 2), "bad_section"),
    "a section of kind 255": (flagged(0, b"\xff" + bson.encode(PING)), "unknown_section"),
    "two bodies": (flagged(0, body_section(PING) * 2), "body_count"),
    "no body": (flagged(0, sequence_section("documents", [{"a": 1}])), "body_count"),
    "a body that overruns the message": (flagged(0, b"\0" + struct.pack("<i", 10_000) + b"x" * 9),
                                         "bad_section"),
    "a body of negative length": (flagged(0, b"\0" + struct.pack("<i", -9) + b"x" * 9),
                                  "bad_section"),
    "a body of length 4": (flagged(0, b"\0" + struct.pack("<i", 4) + b"\0" * 9), "bad_bson"),
    "a body without its end": (flagged(0, body_section(bson.encode(PING)[:-1] + b"x")),
                               "bad_bson"),
    "a sequence that overruns": (overrunning(1_000_000), "bad_section"),
    "a sequence of negative length": (overrunning(-1), "bad_section"),
    "a sequence of length 0": (overrunning(0), "bad_section"),
    "a sequence of length 4": (overrunning(4), "bad_section"),
    "a sequence without a name's end": (
        flagged(0, body_section(PING) + b"\1" + struct.pack("<i", 8) + b"abcd"), "bad_section"),
    "an unknown type in the body": (op_msg(patched({"find": "c", "zz": 1}, b"\x10zz", b"\x42zz")),
                                    "bad_bson"),
    "a string longer than its document": (
        op_msg(patched({"find": "abcdefg"}, struct.pack("<i", 8), struct.pack("<i", 800))),
        "bad_bson"),
    "a string without its end": (op_msg(patched({"find": "abcdefg"}, b"g\0", b"gx")), "bad_bson"),
    "a filter without its end": (
        op_msg(patched({**FIND, "filter": {"zz": "last"}}, b"last\0\0", b"last\0x")), "bad_bson"),
    "a $db that is no string": (op_msg({"find": "c", "$db": 7}), "bad_bson"),
    "a body without fields": (op_msg({}), "empty_command"),
    "a field that comes twice": (
        op_msg(patched({"find": "c", "filter": {}, "filtes": {}}, b"filtes", b"filter")),
        "duplicate_field"),
    "a field that is a sequence too": (
        op_msg({"insert": "c", "documents": [], "$db": "d"}, sequences={"documents": [{}]}),
        "duplicate_field"),
    "a sequence that comes twice": (
        flagged(0, body_section({"insert": "c", "$db": "d"})
                + sequence_section("documents", [{}]) * 2), "duplicate_field"),
    "300 fields": (op_msg({"find": "c", **{f"f{n}": 1 for n in range(300)}}), "too_many_nodes"),
    "a checksum that isn't there": (flagged(CHECKSUM_PRESENT, body_section({})),
                                    "short_message"),
    "OP_COMPRESSED rubbish": (framed(b"\xde\xad\xbe\xef" * 9, opcode=OP_COMPRESSED),
                              "unexpected_opcode"),
    "OP_COMPRESSED of nothing": (framed(b"", opcode=OP_COMPRESSED), "short_message"),
    "OP_COMPRESSED in an unknown manner": (
        framed(struct.pack("<iib", OP_MSG, 2**31 - 1, 77) + b"x" * 20, opcode=OP_COMPRESSED),
        "unknown_compressor"),
    "OP_COMPRESSED that claims too much": (
        framed(struct.pack("<iib", OP_MSG, 2**31 - 1, 2) + b"x" * 20, opcode=OP_COMPRESSED),
        "bad_compression"),
    "OP_COMPRESSED that is a bomb": (
        framed(struct.pack("<iib", OP_MSG, 40_000_000, 3) + b"x" * 20, opcode=OP_COMPRESSED),
        "compression_ratio"),
    "OP_COMPRESSED that lies of its size": (
        framed(struct.pack("<iib", OP_MSG, 99, 2) + zlib.compress(bytes(100)),
               opcode=OP_COMPRESSED), "bad_compression"),
    "OP_COMPRESSED within another": (
        framed(struct.pack("<iib", OP_COMPRESSED, 100, 2) + zlib.compress(bytes(100)),
               opcode=OP_COMPRESSED), "compressed"),
    "OP_INSERT": (framed(bytes(4) + b"d.c\0" + bson.encode({"a": 1}), opcode=2002),
                  "legacy_opcode"),
    "OP_UPDATE": (framed(bytes(4) + b"d.c\0" + bytes(4) + bson.encode({}) * 2, opcode=2001),
                  "legacy_opcode"),
    "OP_DELETE": (framed(bytes(4) + b"d.c\0" + bytes(4) + bson.encode({}), opcode=2006),
                  "legacy_opcode"),
    "OP_GET_MORE": (framed(bytes(4) + b"d.c\0" + bytes(12), opcode=2005), "legacy_opcode"),
    "OP_KILL_CURSORS": (framed(bytes(4) + struct.pack("<iq", 1, 5), opcode=2007),
                        "legacy_opcode"),
    "an OP_QUERY for documents": (op_query({"a": 1}, collection="d.c"), "legacy_opcode"),
    "an OP_QUERY without an end of its name": (
        framed(bytes(4) + b"admin.$cmd" * 9, opcode=OP_QUERY), "bad_section"),
    "an OP_QUERY of a header alone": (framed(b"", opcode=OP_QUERY), "short_message"),
    "an OP_REPLY from a client": (framed(bytes(20) + bson.encode({"ok": 1}), opcode=OP_REPLY),
                                  "unexpected_opcode"),
}

# A command can be read and named, but not judged.
UNJUDGEABLE = {
    "10,000 $ands in one another": (op_msg(nested(10_000)), "too_deep"),
    "10,000 $nors in one another": (op_msg(nested(10_000, b"$nor")), "too_deep"),
    "500,000 $ands in one another": (op_msg(nested(500_000)), "too_deep"),
    "an unknown type in the filter": (
        op_msg(patched({**FIND, "filter": {"zz": 1}}, b"\x10zz", b"\x42zz")), "bad_bson"),
}


def sequence_with_bad_document():
    content = b"documents\0" + bson.encode({"project_id": 1}) + struct.pack("<i", 99) + b"xx\0"
    return flagged(0, body_section({"insert": "documents", "$db": "yorkie-meta"}) + b"\1"
                   + struct.pack("<i", len(content) + 4) + content)


UNJUDGEABLE["an insert with a document that overruns"] = (sequence_with_bad_document(), "bad_bson")

# Unusual, but valid.
GOOD = {
    "a body behind its sequences": flagged(0, sequence_section("documents", [{"_id": 1}])
                                           + body_section({"insert": "odd", "$db": "shop"})),
    "optional flags": flagged(0xFFFE0000, body_section(PING)),
    "telemetry before the body": flagged(0, TELEMETRY + body_section(PING)),
    "telemetry behind it": flagged(0, body_section(PING) + TELEMETRY),
    "a token that is a text": flagged(0, b"\2eyJhbGciOiJub25lIn0.e30.\0" + body_section(PING)),
    "a token that is a document": flagged(0, b"\2" + bson.encode({"tenant": "acme"})
                                          + body_section(PING)),
    "an empty token": flagged(0, body_section(PING) + b"\2" + bson.encode({})),
    "an unknown section with its length": flagged(
        0, b"\x4d" + struct.pack("<i", 9) + b"five!" + body_section(PING)),
    "a checksum": op_msg(PING, flags=CHECKSUM_PRESENT),
    "a legacy handshake": op_query({"isMaster": 1, "helloOk": True}),
    "a wrapped legacy command": op_query({"$query": {"ping": 1}, "$readPreference": {}}),
}

QUIET = op_msg(PING, flags=MORE_TO_COME)
WRONG_CHECKSUM = sectioned(struct.pack("<I", CHECKSUM_PRESENT) + body_section(PING),
                           flags=CHECKSUM_PRESENT)[:-4] + b"\xba\xad\xf0\x0d"
