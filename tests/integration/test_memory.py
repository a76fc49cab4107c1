"""Memory is bounded by limits.memory plus a constant, no matter what clients do; if the system has none left,
connections end and the process keeps running."""

import os
import re
import resource
import select
import socket
import time

import pytest

from healthy import HealthyClient
from malformed import FIND, PING
from processes import Daemon, has_sanitizer, port_of
from raw import RawClient, header, op_msg
from test_hostile import compressed
from upstream import swallow
from waiting import PATIENCE, wait_until

pytestmark = pytest.mark.skipif(has_sanitizer(), reason="a sanitizer keeps what was freed")

MIB = 1 << 20

# docs/security.md, "Memory": the constants in addition to limits.memory; a test of tests/deploy reads it there.
PER_WORKER = 12 * MIB
PER_CONNECTION = 24 * 1024


def allowed(memory, connections, workers=1):
    return memory + workers * PER_WORKER + connections * PER_CONNECTION


@pytest.fixture
def hogged(start, sim):
    """A daemon of one worker with a healthy client, and the growth of its memory."""
    class Hogged:
        def __init__(self, memory, **options):
            self.daemon = start(Daemon, sim.address, workers={"threads": 1}, limits={"memory": f"{memory // MIB}MiB"},
                                **options)
            self.healthy = HealthyClient(self.daemon.port)
            self.healthy.check()
            self.before = self.daemon.resident_bytes()
            self.hogs = []

        def hog(self, sent):
            client = RawClient(self.daemon.port)
            self.hogs.append(client)
            client.socket.settimeout(0.5)
            try:
                client.send(sent)
            except OSError:
                pass  # it isn't read from any more

        def grown(self):
            return self.daemon.resident_bytes() - self.before

        def judged(self):
            """An ordinary request, while the hogs hold what they have."""
            with RawClient(self.daemon.port) as client:
                client.run({"distinct": "documents", "key": "key", "query": {"project_id": 1},
                            "$db": "yorkie-meta"})
            self.daemon.await_metric(1, "scattergate_commands_total", command="distinct")

        def let_go(self):
            for client in self.hogs:
                client.socket.close()

        def stop(self):
            self.let_go()
            self.healthy.check()
            self.healthy.stop()
    made = []

    def make(*arguments, **options):
        made.append(Hogged(*arguments, **options))
        return made[-1]
    yield make
    for each in made:
        each.stop()


def test_messages_that_are_held_leave_room_for_others(hogged):
    """40 connections with 3 MB each of compressed messages that never end."""
    memory = 32 * MIB
    around = hogged(memory)
    start = header(40_000_000, opcode=2012) + compressed(op_msg(PING))[16:] + b"\0" * 3_000_000
    for _ in range(40):
        around.hog(start)
    around.judged()
    assert around.grown() <= allowed(memory, 40)
    around.let_go()
    wait_until(lambda: around.grown() < PER_WORKER, "the memory is given back")


def test_strangers_leave_room_for_large_messages_of_known_clients(hogged):
    """A rule rejects, so messages are held whole."""
    around = hogged(32 * MIB, rules=[{"name": "no", "match": {"command": "count"}, "action": "reject"}])
    with RawClient(around.daemon.port) as known:
        insert = {"insert": "changes", "documents": [{"doc_id": 1}], "$db": "yorkie-meta"}
        assert known.run(insert)["ok"] == 1
        start = header(40_000_000, opcode=2012) + compressed(op_msg(PING))[16:] + b"\0" * 3_000_000
        for _ in range(20):
            around.hog(start)
        for number in range(5):
            insert["documents"] = [{"doc_id": number, "text": os.urandom(200_000)}]
            assert known.run(insert)["ok"] == 1
        around.daemon.await_metric(6, "scattergate_commands_total", command="insert", collection="changes",
                                   routing="single_shard")


def test_a_hundred_beginnings_of_messages_take_no_more_than_the_limit(hogged):
    memory = 2 * MIB
    around = hogged(memory)
    for _ in range(400):
        around.hog(header(40_000, opcode=2012) + b"\0" * 5_000)
    around.judged()
    assert around.grown() <= allowed(memory, 400)


def test_requests_that_wait_for_replies_take_no_more_than_the_limit(behind):
    memory = 2 * MIB
    upstream, daemon = behind(swallow, workers={"threads": 1}, limits={"memory": "2MiB"})
    before = daemon.resident_bytes()
    clients = [RawClient(daemon.port) for _ in range(50)]
    for client in clients:
        client.socket.settimeout(1)
        client.send(op_msg(PING) * 1024)
    time.sleep(1)
    assert daemon.resident_bytes() - before <= allowed(memory, 50)
    assert daemon.is_alive()
    for client in clients:
        client.socket.close()
    # Some wait for a reply before they are read from again, and so before their end is seen.
    upstream.close()
    daemon.await_quiet()


def test_answers_that_are_read_slowly_take_no_more_than_their_part(start, sim):
    """60 distinct questions about thousands of shapes, whose answers aren't read."""
    memory = 128 * MIB
    daemon = start(Daemon, sim.address, workers={"threads": 1}, limits={"memory": f"{memory // MIB}MiB"},
                   audit={"file": "off", "max_shapes": 20_000})
    shapes = 4_000
    with RawClient(daemon.port) as client:
        for first in range(0, shapes, 500):
            for number in range(first, first + 500):
                client.send(op_msg({"find": "documents", "filter": {f"{'long_field_name' * 20}{number}": 1},
                                    "$db": "yorkie-meta"}))
            for _ in range(500):
                client.receive()

    def answer_bytes():
        size = len(daemon.get("/api/v1/shapes")[2])
        return size if size > 3 * MIB else None
    wait_until(answer_bytes, "the digest to fill")
    before = daemon.resident_bytes()
    asking = []
    for number in range(60):
        one = socket.create_connection(("127.0.0.1", port_of(daemon.admin)), timeout=PATIENCE)
        asking.append(one)
        one.sendall(f"GET /api/v1/shapes?since=2026-11-22T00:00:{number:02}.000Z HTTP/1.1\r\n"
                    "Host: localhost\r\n\r\n".encode())
    assert daemon.get("/healthz")[0] == 200
    readable, _, _ = select.select(asking, [], [], 0)
    assert len(readable) < 30  # health checks don't wait for all of them
    assert daemon.get("/metrics")[0] == 200
    wait_until(lambda: len(select.select(asking, [], [], 0)[0]) == len(asking), "all to be answered or closed")
    assert daemon.peak_resident_bytes() - before <= memory // 8 + PER_WORKER
    for one in asking:
        one.close()
    assert daemon.get("/api/v1/shapes")[0] == 200


def test_an_address_space_that_is_used_up_ends_connections_and_not_the_process(start, sim):
    daemon = start(Daemon, sim.address, workers={"threads": 1})
    with RawClient(daemon.port) as client:
        assert client.run(FIND)["ok"] == 1
    daemon.metrics()
    status = open(f"/proc/{daemon.pid}/status").read()
    now = int(re.search(r"VmSize:\s+(\d+) kB", status)[1]) * 1024
    resource.prlimit(daemon.pid, resource.RLIMIT_AS, (now + 4 * MIB, resource.RLIM_INFINITY))
    start_of_large = header(40_000_000, opcode=2012) + b"\0" * 700_000
    for _ in range(5):
        clients = []
        for _ in range(60):
            try:
                client = RawClient(daemon.port)
                clients.append(client)
                client.socket.settimeout(0.2)
                client.send(op_msg(FIND) + start_of_large)
            except OSError:
                continue
        for client in clients:
            client.socket.close()
        assert daemon.is_alive(), daemon.stderr
    resource.prlimit(daemon.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with RawClient(daemon.port) as client:
        assert client.run(FIND)["ok"] == 1
    assert daemon.stop() == 0, daemon.stderr
