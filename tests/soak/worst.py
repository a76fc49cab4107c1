"""How long the worst messages delay a client on the same worker: see README.md."""

import argparse
import multiprocessing
import pathlib
import select
import signal
import socket
import ssl
import struct
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from certificates import Authority  # noqa: E402
from processes import Daemon  # noqa: E402
from raw import (CHECKSUM_PRESENT, OP_COMPRESSED, OP_MSG, RawClient, body_section,  # noqa: E402
                 framed, op_msg)

LARGEST = 48_000_000
DATABASE, COLLECTION = "yorkie-meta", "documents"
PING = op_msg({"ping": 1, "$db": "admin"})
SNAPPY, ZLIB, ZSTD = 1, 2, 3


def filled(item, before=0):
    """As many of `item` as fit into one message."""
    return item * ((LARGEST - 1_000 - before) // len(item))


def document(fields):
    return struct.pack("<i", len(fields) + 5) + fields + b"\0"


def element(kind, name, value=b""):
    return bytes([kind]) + name.encode() + b"\0" + value


def string(value):
    return struct.pack("<i", len(value) + 1) + value.encode() + b"\0"


def command(name, *fields):
    return body_section(document(element(2, name, string(COLLECTION)) + b"".join(fields)
                                 + element(2, "$db", string(DATABASE))))


def sequence(name, documents):
    content = name.encode() + b"\0" + documents
    return b"\1" + struct.pack("<i", len(content) + 4) + content


def message(*sections, flags=0):
    return framed(struct.pack("<I", flags) + b"".join(sections)
                  + (b"\0\0\0\0" if flags & CHECKSUM_PRESENT else b""))


def packed(kind, payload, claimed, original=OP_MSG):
    return framed(struct.pack("<iiB", original, claimed, kind) + payload, opcode=OP_COMPRESSED)


def find(filter_fields):
    return message(command("find", element(3, "filter", document(filter_fields))))


def nested(depth):
    inner = document(b"")
    for _ in range(depth):
        inner = document(element(4, "$and", document(element(3, "0", inner))))
    return inner


def snappy_of_literals(plain):
    """One byte each: no snappy is slower."""
    size, varint = len(plain), b""
    while size >= 0x80:
        varint, size = varint + bytes([size & 0x7F | 0x80]), size >> 7
    body = bytearray(2 * len(plain))
    body[1::2] = plain
    return varint + bytes([size]) + bytes(body)


def zlib_tables():
    """Only blocks with their own tables for few bytes, without an end."""
    content = b"".join(bytes([i]) * (i // 2 + 1) for i in range(12))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY)
    block = packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)
    assert block[0] >> 1 & 3 == 2, "not a block with tables of its own"
    blocks = min((LARGEST - 100) // len(block), (LARGEST - 16) // len(content))
    return packed(ZLIB, b"\x78\xda" + block * blocks, len(content) * blocks)


def zstd_blocks(content):
    """A frame of raw blocks, 3 bytes each and what is in them, of one byte or none."""
    head = b"\x28\xb5\x2f\xfd" + bytes([0x00, 0x58])
    block = struct.pack("<I", len(content) << 3)[:3] + content
    blocks = (LARGEST - 100) // len(block)
    return packed(ZSTD, head + block * (blocks - 1) + struct.pack("<I", 1)[:3],
                  (blocks - 1) * len(content))


def worst_messages():
    fields = filled(element(10, "a"))
    plain = struct.pack("<I", 0) + command("insert") + sequence(
        "documents", document(fields[:16_000_000]) * 2 + document(fields[:15_900_000]))
    updates = document(element(3, "q", document(element(16, "x", b"\1\0\0\0")))
                       + element(3, "u", document(element(3, "$set", document(
                           element(16, "y", b"\1\0\0\0"))))))
    numbers = b"".join(element(16, str(i), struct.pack("<i", i)) for i in range(1_000_000))
    ask = op_msg({"find": COLLECTION, "filter": {"x": 1}, "$db": DATABASE})
    yield "insert, tiny fields", framed(plain)
    yield "insert, tiny fields, checksum", framed(
        struct.pack("<I", CHECKSUM_PRESENT) + plain[4:] + b"\0\0\0\0")
    yield "insert, tiny documents", message(command("insert"), sequence(
        "documents", filled(document(b""))))
    yield "updates", message(command("update"), sequence("updates", filled(updates)))
    yield "$in, 1,000,000 values", find(element(3, "_id", document(
        element(4, "$in", document(numbers)))))
    yield "$or, deep", find(element(3, "$or", nested(60)) * 20_000)
    yield "fields of a filter", find(filled(element(16, "a", b"\1\0\0\0"))[:16_000_000])
    yield "sections", message(filled(sequence("d", b"")), command("insert"))
    yield "zlib, tiny fields", packed(ZLIB, zlib.compress(plain, 6), len(plain))
    yield "zlib, a bomb", packed(ZLIB, zlib.compress(bytes(LARGEST - 16), 9), LARGEST - 16)
    yield "zlib, tables", zlib_tables()
    yield "snappy, a byte each", packed(SNAPPY, snappy_of_literals(plain[:23_900_000]), 23_900_000)
    yield "zstd, a byte each", zstd_blocks(b"x")
    yield "zstd, empty blocks", zstd_blocks(b"")
    yield "finds that are rejected, 10,000", ask * 10_000
    yield "pings, 100,000", PING * 100_000
    yield "half a million headers", framed(b"\0" * 30, opcode=2010) * 500_000


class Upstream:
    """Answers small requests, and discards large ones."""

    def __init__(self):
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = "127.0.0.1:{}".format(self.listening.getsockname()[1])

    def run(self):
        while True:
            accepted, _ = self.listening.accept()
            threading.Thread(target=self.serve, args=(accepted,), daemon=True).start()

    def serve(self, connection):
        reply = op_msg({"ok": 1.0})
        with connection, connection.makefile("rb", 1 << 20) as incoming:
            while len(head := incoming.read(16)) == 16:
                length, request, _, opcode = struct.unpack("<iiii", head)
                left = length - 16
                while left > 0 and (data := incoming.read(min(left, 1 << 20))):
                    left -= len(data)
                if opcode != OP_MSG:
                    continue
                try:
                    connection.sendall(reply[:8] + struct.pack("<i", request) + reply[12:])
                except OSError:
                    return


def attack(port, what, stopping, under_tls):
    """Sends it again and again, over one connection after the other, and reads nothing but what
    keeps the connection going."""
    while not stopping.is_set():
        try:
            with connected(port, under_tls) as client:
                client.settimeout(0.2)
                view = memoryview(what)
                while view and not stopping.is_set():
                    try:
                        view = view[client.send(view[:1 << 20]):] or memoryview(what)
                        # Not MSG_DONTWAIT: with a timeout, Python itself waits for it first.
                        while (under_tls is None and select.select([client], [], [], 0)[0]
                               and client.recv(1 << 20)):
                            pass
                    except TimeoutError:
                        pass
        except OSError:
            time.sleep(0.01)


def connected(port, under_tls):
    plain = socket.create_connection(("127.0.0.1", port), timeout=30)
    if under_tls is None:
        return plain
    context = ssl.create_default_context(cafile=under_tls)
    context.check_hostname = False
    return context.wrap_socket(plain)


def worker_of(pid, port):
    """The schedstat of its one worker: the thread that computes while a client pings."""
    threads = [each / "schedstat" for each in pathlib.Path(f"/proc/{pid}/task").iterdir()]
    before = {each: computed(each) for each in threads}
    with RawClient(port) as client:
        for _ in range(200):
            client.send(PING)
            client.receive()
    return max(threads, key=lambda each: computed(each) - before[each])


def computed(schedstat):
    """A thread's CPU time, in seconds."""
    return int(schedstat.read_text().split()[0]) / 1e9


def latencies(port, seconds, worker):
    """Of pings, one after the other: how long each took, and how long the worker computed
    meanwhile, in seconds, without the time of other processes."""
    seen = []
    with RawClient(port) as client:
        client.socket.settimeout(30)
        end = time.monotonic() + seconds
        while (began := time.monotonic()) < end:
            before = computed(worker)
            client.send(PING)
            client.receive()
            seen.append((time.monotonic() - began, computed(worker) - before))
            time.sleep(0.001)
    return seen


def print_row(name, seen, note=""):
    waited, worked = (sorted(column) for column in zip(*seen))
    print(f"| {name} | {waited[len(waited) // 2] * 1e3:.1f} | {waited[-1] * 1e3:.1f} | "
          f"{worked[-1] * 1e3:.1f} |{note}", flush=True)
    return worked[-1]


def ended_after(daemon):
    """How long the process takes to end after TERM, in seconds."""
    began = time.monotonic()
    daemon.signal(signal.SIGTERM)
    daemon.wait(60)
    return time.monotonic() - began


def measure(directory, upstream, authority, options, name, what, under_tls=None):
    listeners = [{"listen": "127.0.0.1:0", "upstream": [upstream.address]} for _ in range(2)]
    if under_tls:
        listeners[0]["tls"] = {"cert_file": str(authority.issue("proxy"))}
    daemon = Daemon(directory, upstream.address, listeners=listeners, workers={"threads": 1},
                    limits={"memory": "512MiB"}, drain={"grace": "1s"},
                    on_uninspected="reject", rules=options.rules)
    ports = [int(address.rsplit(":", 1)[1]) for address in daemon.addresses]
    worker = worker_of(daemon.pid, ports[1])
    stopping = multiprocessing.Event()
    clients = [multiprocessing.Process(target=attack, args=(ports[0], what, stopping, under_tls),
                                       daemon=True) for _ in range(options.clients)]
    for each in clients:
        each.start()
    if clients:
        time.sleep(0.5)
    seen = latencies(ports[1], options.seconds, worker)
    taken = ended_after(daemon)
    stopping.set()
    for each in clients:
        each.join(5)
        each.terminate()
    return print_row(name, seen, f" ended {taken:.1f} s after TERM" if taken > 1.5 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3, help="of each kind")
    parser.add_argument("--clients", type=int, default=3, help="that send it")
    parser.add_argument("--only", default="", help="kinds with this in their name")
    parser.add_argument("--streaming", action="store_true", help="no rule that rejects")
    parser.add_argument("--limit-ms", type=float, default=0, help="fail where it computed longer")
    options = parser.parse_args()
    reject = {"name": "no", "match": {"namespace": f"{DATABASE}.{COLLECTION}",
                                      "routing": "scatter_gather"},
              "action": "reject", "why": "test"}
    options.rules = [] if options.streaming else [reject]
    upstream = Upstream()
    serving = multiprocessing.Process(target=upstream.run, daemon=True)
    serving.start()
    longest = 0.0
    print("| what three clients send | a ping's p50, ms | the longest, ms | in which the worker "
          "computed, at most, ms |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="scattergate-worst-") as folder:
        directory = pathlib.Path(folder)
        authority = Authority(directory / "tls")
        if not options.only:
            quiet, options.clients = options.clients, 0
            measure(directory, upstream, authority, options, "nothing", b"")
            options.clients = quiet
        for name, what in worst_messages():
            if options.only in name:
                longest = max(longest, measure(directory, upstream, authority, options, name, what))
            if name == "sections" and options.only in name:
                longest = max(longest, measure(directory, upstream, authority, options,
                                               "sections, under TLS", what,
                                               authority.ca_file))
    serving.terminate()
    print(f"longest: {longest * 1e3:.1f} ms")
    sys.exit(bool(options.limit_ms and longest * 1e3 > options.limit_ms))


if __name__ == "__main__":
    main()
