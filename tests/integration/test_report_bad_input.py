"""report, over sources that aren't what they should be: what of one can't be read is said in one
line, with how much of it is reported; the other sources are reported completely."""

import gzip
import json
import os
import random
import re
import socket
import threading

import bson
import pytest
from backports import zstd

import query_stats
from reports import REAL, report, reported
from waiting import wait_until

LOG = REAL / "traffic-mongos.log.gz"
LINES = gzip.decompress(LOG.read_bytes()).splitlines()
RECORDING = gzip.decompress((REAL / "mongod-traffic.rec.gz").read_bytes())
CAPTURE = gzip.decompress((REAL / "traffic.pcap.gz").read_bytes())
FIND = {"find": "orders", "filter": {"status": 1}, "$db": "shop"}
ENTRY = query_stats.entry({"find": "orders", "filter": {"status": 1}}, "shop", "web", count=7)


def dump(count):
    document = {"op": "query", "ns": "shop.orders", "command": FIND, "millis": 3}
    return bson.encode(document) * count


def next_to_a_good_one(path, status=2):
    """The message about a bad source; the good one next to it is complete."""
    done = report(path, LOG, "--format", "json", status=status)
    of = json.loads(done.stdout)
    good, = (source for source in of["sources"] if source["name"] == str(LOG))
    assert (good["observations"], good["skipped"], "error" in good) == (966, {"sensitive": 12}, False)
    return done.stderr.decode().splitlines(), [source for source in of["sources"] if source is not good]


CUT = {
    "cut.log.gz": (LOG.read_bytes()[:9000], "truncated"),
    "cut.log.zst": (zstd.compress(b"\n".join(LINES))[:9000], "truncated"),
    "spoilt.log.gz": (LOG.read_bytes()[:8000] + bytes(500) + LOG.read_bytes()[8500:], "corrupt"),
    "cut.rec": (RECORDING[:60_000], "truncated"),
    "cut.pcap": (CAPTURE[:500_003], "truncated"),
    "cut.bson": (dump(500)[:-3], "truncated"),
    "spoilt.bson": (dump(500) + b"\xff" * 100, "corrupt"),
    "cut.json": (json.dumps([FIND] * 500)[:-9].encode(), "truncated"),
}


@pytest.mark.parametrize("name", CUT)
def test_what_is_cut_is_reported_up_to_there(tmp_path, name):
    content, why = CUT[name]
    (tmp_path / name).write_bytes(content)
    (line,), (source,) = next_to_a_good_one(tmp_path / name)
    assert name in line and why in line
    reported_commands = int(re.search(r"reported up to there: ([\d,]+) commands$", line)[1].replace(",", ""))
    assert reported_commands == source["observations"] > 50
    assert why in source["error"]


def random_bytes(seed, count=200_000):
    return random.Random(seed).randbytes(count)


STRANGE = {
    "random": random_bytes(1),
    "picture.png": b"\x89PNG\r\n\x1a\n" + random_bytes(2),
    "program": b"\x7fELF\x02\x01\x01" + bytes(9) + random_bytes(3),
    "text": b"[2026-11-22] INFO started\nnothing to see\n" * 1000,
    "old.log": b"2020-01-01T00:00:00.000+0000 I  NETWORK  [conn1] end connection\n" * 50,
    "zeros": bytes(100_000),
    "pcap-magic": b"\xd4\xc3\xb2\xa1" + random_bytes(4),
    "gzip-magic": b"\x1f\x8b" + random_bytes(5),
    "numbers.json": json.dumps(list(range(1000)), indent=1).encode(),
    "random.gz": gzip.compress(random_bytes(6)),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_something_else_is_said_to_be(tmp_path, name):
    (tmp_path / name).write_bytes(STRANGE[name])
    (line,), (source,) = next_to_a_good_one(tmp_path / name)
    assert name in line
    assert source["observations"] == 0 and source["error"]


@pytest.mark.parametrize("name, content", [("empty", b""), ("blank", b"\n \n\n"), ("empty.gz", gzip.compress(b"")),
                                           ("empty.json", b"[]\n")])
def test_what_has_nothing_in_it_is_no_error(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    lines, (source,) = next_to_a_good_one(tmp_path / name, status=0)
    assert lines == []
    assert (source["kind"], source["observations"], source["skipped"]) == ("unknown", 0, {})
    assert (source.get("note") == "empty") == (content == b"")


def test_all_of_a_mixed_file_that_can_be_read_is(tmp_path):
    profile = b'{"op":"query","ns":"shop.orders","command":{"find":"orders","filter":{},"$db":"shop"},"millis":3}'
    mixed = [*LINES[:200], b"not json", json.dumps(FIND).encode(), profile, json.dumps(ENTRY).encode(),
             b"\x00\xff\xfe" * 50, b'{"find":', b"{}", LINES[200][:300]]
    (tmp_path / "mixed").write_bytes(b"\n".join(mixed))
    plain = reported(write(tmp_path / "plain", b"\n".join(LINES[:200])))
    of = reported(tmp_path / "mixed")
    source, = of["sources"]
    assert source["skipped"].pop("unreadable") == 5
    assert source["skipped"] == plain["sources"][0]["skipped"]
    assert source["observations"] == plain["sources"][0]["observations"] + 3
    assert of["totals"]["commands"] == plain["totals"]["commands"] + 2 + 7


def write(path, content):
    path.write_bytes(content)
    return path


def slow_query(status):
    command = {"find": "orders", "filter": {"status": status}, "$db": "shop"}
    return json.dumps({"t": {"$date": "2026-11-22T04:08:09.967+00:00"}, "s": "I", "c": "COMMAND", "id": 51803,
                       "ctx": "conn1", "msg": "Slow query",
                       "attr": {"type": "command", "ns": "shop.orders", "command": command, "nShards": 5,
                                "durationMillis": 12}}).encode()


def test_a_line_of_16_megabytes_is_read_and_a_longer_one_left_out(tmp_path):
    long, too_long = slow_query("x" * (16 << 20)), slow_query("x" * (20 << 20))
    of = reported(write(tmp_path / "long.log", b"\n".join([slow_query("x"), long, too_long, slow_query("y")])))
    source, = of["sources"]
    assert source["skipped"] == {"too_long": 1}
    shape, = of["shapes"]
    assert shape["count"] == 3 and of["truth"] == {"compared": 3, "agreed": 3, "disagreements": []}


def test_a_folder_is_all_the_files_below_it_and_what_is_none_is_counted(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "c.log").mkdir()
    half = len(LINES) // 2
    write(tmp_path / "1.log", b"\n".join(LINES[:half]))
    write(tmp_path / "a" / "b" / "2.log.gz", gzip.compress(b"\n".join(LINES[half:])))
    os.mkfifo(tmp_path / "a" / "pipe")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "gone").symlink_to(tmp_path / "nothing")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "socket"))
    done = report(tmp_path, "--format", "json", status=2)
    listener.close()
    assert json.loads(done.stdout)["totals"]["commands"] == 966
    lines = done.stderr.decode().splitlines()
    assert [line.split(": ", 1)[1] for line in lines] == [
        f"{tmp_path}/a: skipped, because they are not files: 3", f"{tmp_path}: skipped, because they are not files: 1"]


@pytest.mark.skipif(os.geteuid() == 0, reason="everything may be read by root")
def test_what_may_not_be_read_is_said(tmp_path):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder" / "secret.log", b"x").chmod(0)
    (tmp_path / "folder" / "closed").mkdir(mode=0)
    lines, sources = next_to_a_good_one(tmp_path / "folder")
    assert len(lines) == len(sources) == 2
    assert all("Permission denied" in line for line in lines)


def test_what_is_no_file_is_said(tmp_path):
    (tmp_path / "folder.log").mkdir()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "socket"))
    for path, why in [(tmp_path / "folder.log", "it contains no files"), (tmp_path / "socket", "No such device"),
                      (tmp_path / "none", "No such file"), ("/proc/self/mem", "Input/output error")]:
        (line,), (source,) = next_to_a_good_one(path)
        assert line == f"scattergate report: {path}: {source['error']}"
        assert why in line
    listener.close()


def test_a_file_that_grows_is_read_to_where_it_ended_when_it_was_opened(tmp_path):
    growing = tmp_path / "growing.log"
    write(growing, b"\n".join(LINES * 20) + b"\n")
    lines_before, bytes_before = len(LINES) * 20, growing.stat().st_size
    is_read = threading.Event()

    def append():
        with open(growing, "ab", buffering=0) as file:
            while not is_read.is_set():
                file.write(LINES[0][:100])
                file.write(LINES[0][100:] + b"\n")

    def read_it():
        source, = reported(growing)["sources"]
        return "note" in source and source  # otherwise the writer didn't run in that time

    writer = threading.Thread(target=append)
    writer.start()
    try:
        source = wait_until(read_it, "it to grow while it is read")
    finally:
        is_read.set()
        writer.join()
    read = source["observations"] + sum(source["skipped"].values())
    assert source["skipped"].get("unreadable", 0) == 0
    assert read >= lines_before
    grown = re.fullmatch(r"it grew while being read: later lines are not in the report, (\d+) bytes", source["note"])
    # However much came before it was opened: what is read and what is said to be left out never overlap.
    bytes_read = bytes_before + (read - lines_before) * (len(LINES[0]) + 1)
    assert 0 < int(grown[1]) <= growing.stat().st_size - bytes_read


def test_a_capture_that_begins_in_the_middle_of_everything(tmp_path):
    at, packets = 24, []
    while at < len(CAPTURE):
        size = int.from_bytes(CAPTURE[at + 8:at + 12], "little")
        packets.append(CAPTURE[at:at + 16 + size])
        at += 16 + size
    for begin in (1, 7, 333, len(packets) - 3):
        of = reported(write(tmp_path / "middle.pcap", CAPTURE[:24] + b"".join(packets[begin:])))
        assert of["sources"][0]["kind"] == "pcap"
        assert of["totals"]["commands"] <= 966
