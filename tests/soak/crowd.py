"""How long an insert of 200 KB waits during the load of a crowd of strangers that send large messages: see
README.md."""

import argparse
import multiprocessing
import os
import pathlib
import resource
import selectors
import socket
import struct
import sys
import tempfile
import time

from worst import DATABASE, Upstream, element, find, document, filled, packed, SNAPPY  # noqa: E402

from processes import Daemon  # noqa: E402
from raw import RawClient, op_msg  # noqa: E402

KINDS = ("find", "insert", "snappy")


def large_find(size):
    """A filter with as many values as fit, which takes long to judge."""
    values = b"".join(element(16, str(i), struct.pack("<i", i)) for i in range(size // 11))
    return find(element(3, "x", document(element(4, "$in", document(values)))))


def large_insert(size):
    blank = bytes(size // 100)
    return op_msg({"insert": "documents", "$db": DATABASE, "documents": [
        {"_id": i, "project_id": i, "blank": blank} for i in range(100)]})


def large_snappy(size):
    """Bytes that decompress to fifty times as many, all of them tiny fields."""
    plain = struct.pack("<I", 0) + b"\0" + document(filled(element(10, "a"))[:50 * size])
    # A literal of "\x0aa\0", then copies of 63 bytes three bytes back (snappy's format_description).
    head, pattern = plain[:9], b"\x0aa\0"
    body = bytes([(len(head + pattern) - 1) << 2]) + head + pattern
    left = len(plain) - len(head + pattern) - 1
    body += (bytes([(63 - 1) << 2 | 2]) + b"\3\0") * (left // 63)
    claimed = len(head + pattern) + left // 63 * 63
    varint = bytearray()
    number = claimed
    while number >= 0x80:
        varint.append(number & 0x7F | 0x80)
        number >>= 7
    varint.append(number)
    return packed(SNAPPY, bytes(varint) + body, claimed)


def attack(port, connections, message, stopping):
    """Sends it over all connections, as fast as they accept it, and discards the answers. Runs at low priority,
    because the test measures the daemon's scheduling, not the CPU's."""
    os.nice(15)
    view, selector = memoryview(message), selectors.DefaultSelector()
    at = {}
    while not stopping.is_set():
        while len(at) < connections:
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
            at[one] = 0
            selector.register(one, selectors.EVENT_READ | selectors.EVENT_WRITE)
        for key, events in selector.select(0.1):
            one = key.fileobj
            try:
                if events & selectors.EVENT_READ and not one.recv(1 << 16):
                    raise ConnectionResetError
                if events & selectors.EVENT_WRITE:
                    sent = one.send(view[at[one]:at[one] + (1 << 18)])
                    at[one] = (at[one] + sent) % len(message)
            except BlockingIOError:
                pass
            except OSError:
                selector.unregister(one)
                one.close()
                del at[one]


def waits(port, seconds, message):
    """How long each of a known client's inserts takes, in seconds, one after the other."""
    seen = []
    with RawClient(port) as client:
        client.socket.settimeout(60)
        assert client.run({"find": "documents", "filter": {"project_id": 1},
                           "$db": DATABASE})["ok"] == 1
        yield seen  # connected, and answered well
        end = time.monotonic() + seconds
        while (began := time.monotonic()) < end:
            client.send(message)
            assert client.receive().body["ok"] == 1
            seen.append(time.monotonic() - began)
            time.sleep(0.05)
    yield seen


class Guarded(Upstream):
    """Answers successfully to clients that it knows: those that first ask for a document of project 1."""

    def serve(self, connection):
        good, bad = op_msg({"ok": 1.0}), op_msg({"ok": 0.0, "code": 13, "errmsg": "no"})
        with connection, connection.makefile("rb", 1 << 18) as incoming:
            reply = None
            while len(head := incoming.read(16)) == 16:
                length, request, _, _ = struct.unpack("<iiii", head)
                left = length - 16
                start = incoming.read(min(left, 256))
                left -= len(start)
                if reply is None:
                    reply = good if b"project_id" in start and left == 0 else bad
                while left > 0 and (data := incoming.read(min(left, 1 << 18))):
                    left -= len(data)
                try:
                    connection.sendall(reply[:8] + struct.pack("<i", request) + reply[12:])
                except OSError:
                    return


def await_crowd(daemon, connections):
    """Waits until all are connected and busy, or as many as connect within the time."""
    end = time.monotonic() + 15
    while (daemon.metrics().total("scattergate_connections_open") <= connections
           and time.monotonic() < end):
        time.sleep(0.2)
    time.sleep(1)


def measure(directory, upstream, options, connections, kind):
    rules = [] if options.streaming else [
        {"name": "no", "match": {"namespace": f"{DATABASE}.documents", "routing": "scatter_gather"},
         "action": "reject", "why": "test"}]
    daemon = Daemon(directory, upstream.address, workers={"threads": options.workers}, rules=rules,
                    limits={"memory": options.memory}, on_uninspected="reject")
    message = {"find": large_find, "insert": large_insert, "snappy": large_snappy}[kind](200_000)
    stopping = multiprocessing.Event()
    honest = waits(daemon.port, options.seconds, large_insert(200_000))
    next(honest)
    attacker = multiprocessing.Process(target=attack, daemon=True, args=(
        daemon.port, connections, message, stopping))
    if connections:
        attacker.start()
        await_crowd(daemon, connections)
    try:
        seen = sorted(next(honest))
    finally:
        stopping.set()
        if connections:
            attacker.join(10)
            attacker.terminate()
        daemon.stop()
    print(f"| {connections} | {kind} | {len(seen)} | {seen[len(seen) // 2] * 1e3:.0f} | "
          f"{seen[-1] * 1e3:.0f} |", flush=True)
    return seen[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="of each row")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--crowds", type=int, nargs="+", default=[0, 200, 2000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["find"])
    parser.add_argument("--memory", default="1GiB", help="limits.memory of the daemon")
    parser.add_argument("--streaming", action="store_true", help="no rule that rejects")
    parser.add_argument("--limit-ms", type=float, default=0, help="fail where one waited longer")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    upstream = Guarded()
    serving = multiprocessing.Process(target=upstream.run, daemon=True)
    serving.start()
    print("| strangers | that send | inserts | p50, ms | longest, ms |\n"
          "| --- | --- | --- | --- | --- |")
    longest = 0.0
    with tempfile.TemporaryDirectory(prefix="scattergate-crowd-") as folder:
        for kind in options.kinds:
            for connections in options.crowds:
                longest = max(longest, measure(pathlib.Path(folder), upstream, options,
                                               connections, kind))
    serving.terminate()
    sys.exit(bool(options.limit_ms and longest * 1e3 > options.limit_ms))


if __name__ == "__main__":
    main()
