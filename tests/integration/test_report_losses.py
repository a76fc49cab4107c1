"""report, of a capture with missing packets: it loses only the commands that were in them."""

import gzip
import random
import struct

import pytest

from reports import REAL, reported

CAPTURE = gzip.decompress((REAL / "traffic.pcap.gz").read_bytes())
HEAD, ETHERNET, SEGMENT = 24, 14, 300


def packets():
    """Each packet: its record's header, its frame up to TCP's payload, and the payload."""
    at = HEAD
    while at < len(CAPTURE):
        size = struct.unpack_from("<I", CAPTURE, at + 8)[0]
        record, frame = CAPTURE[at:at + 16], CAPTURE[at + 16:at + 16 + size]
        tcp = ETHERNET + 4 * (frame[ETHERNET] & 15)
        payload = tcp + 4 * (frame[tcp + 12] >> 4)
        end = ETHERNET + struct.unpack_from(">H", frame, ETHERNET + 2)[0]
        yield record, frame[:payload], frame[payload:end]
        at += 16 + size


def segments():
    """The packets as segments of at most SEGMENT bytes, so that gaps lie within messages: a record, and the requests
    that have bytes in it."""
    for number, (record, frame, payload) in enumerate(packets()):
        tcp = ETHERNET + 4 * (frame[ETHERNET] & 15)
        requests = requests_in(payload)
        for at in range(0, max(len(payload), 1), SEGMENT):
            part = payload[at:at + SEGMENT]
            made = bytearray(frame) + part
            struct.pack_into(">I", made, tcp + 4, (struct.unpack_from(">I", frame, tcp + 4)[0] + at) & 0xffffffff)
            struct.pack_into(">H", made, ETHERNET + 2, len(made) - ETHERNET)
            in_it = {(number, request) for begin, end, request in requests if begin < at + len(part) and end > at}
            yield record[:8] + struct.pack("<II", len(made), len(made)) + bytes(made), in_it


def requests_in(payload):
    """The requests of a packet: in this capture each message begins where a packet's payload does, or behind another."""
    found, at = [], 0
    while at + 16 <= len(payload):
        size, request, response_to, _ = struct.unpack_from("<iiii", payload, at)
        if response_to == 0:
            found.append((at, at + size, request))
        at += size
    return found


@pytest.fixture(scope="module")
def whole():
    records = list(segments())
    return records, reported(REAL / "traffic.pcap.gz")


def test_the_segments_are_the_capture(tmp_path, whole):
    records, of = whole
    (tmp_path / "all.pcap").write_bytes(CAPTURE[:HEAD] + b"".join(record for record, _ in records))
    assert reported(tmp_path / "all.pcap")["totals"] == of["totals"]
    # All but what is sensitive.
    assert len({request for _, in_it in records for request in in_it}) == 966 + of["sources"][0]["skipped"]["sensitive"]


@pytest.mark.parametrize("count", [1, 2, 5, 36, 100])
def test_lost_segments_cost_the_commands_that_lay_in_them(tmp_path, whole, count):
    records, of = whole
    chosen = random.Random(count)
    for _ in range(4):
        lost = set(chosen.sample(range(len(records)), count))
        path = tmp_path / "lossy.pcap"
        path.write_bytes(CAPTURE[:HEAD] + b"".join(record for i, (record, _) in enumerate(records) if i not in lost))
        lossy = reported(path)
        requests = len(set().union(*(records[i][1] for i in lost)))
        assert lossy["totals"]["commands"] >= of["totals"]["commands"] - requests
        # A getMore of a cursor whose opener, or the reply to it, is lost is unknown.
        more = lossy["totals"]["byRouting"]["unknown"]
        get_mores = sum(shape["count"] for shape in lossy["shapes"]
                        if shape["command"] == "getMore" and shape["routing"] == "unknown")
        assert more == get_mores
        scatters = of["totals"]["byRouting"]["scatter_gather"]
        assert lossy["totals"]["byRouting"]["scatter_gather"] >= scatters - requests - more
        if any(len(records[i][0]) > 16 + ETHERNET + 52 for i in lost):
            assert lossy["incomplete"] > 0 and "capture incomplete: about" in lossy["sources"][0]["note"]
