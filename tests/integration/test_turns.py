"""No client keeps a worker from its other clients: long work is done in pieces, and others are
served in between. Counted, not timed: tests/soak/worst.py measures how long it takes."""

import contextlib
import signal
import struct
import threading
import zlib

import pytest

from processes import has_sanitizer
from raw import OP_COMPRESSED, OP_MSG, RawClient, framed, op_msg
from upstream import answer_all
from waiting import wait_until

PING = {"ping": 1, "$db": "admin"}
PINGED = op_msg(PING)
YORKIE = "yorkie-meta"


def packed(original):
    return framed(struct.pack("<iiB", OP_MSG, len(original) - 16, 2)
                  + zlib.compress(original[16:], 9), opcode=OP_COMPRESSED)


def large_insert(megabytes):
    blank = bytes(10_000_000)
    return op_msg({"insert": "documents", "$db": YORKIE}, sequences={
        "documents": [{"_id": i, "blank": blank} for i in range(megabytes // 10)]})


def has_come(upstream, message):
    return any(each.received.startswith(message[:16]) for each in upstream.connections)


@pytest.fixture
def one_worker(behind):
    """An upstream, and a daemon with one worker that may reject, so that it reads all."""
    return behind(answer_all, workers={"threads": 1}, on_uninspected="reject",
                  drain={"grace": "1s"},
                  rules=[{"name": "no-scatter", "match": {"routing": "scatter_gather"},
                          "action": "reject", "why": "test"}])


def test_others_are_served_between_the_pieces_of_a_large_compressed_message(one_worker):
    upstream, daemon = one_worker
    bomb = packed(large_insert(40))  # 40 KB that become 40 MB
    assert len(bomb) < 100_000
    with RawClient(daemon.port) as hostile, RawClient(daemon.port) as healthy:
        assert healthy.run(PING)["ok"] == 1
        hostile.send(bomb)
        served = 0
        while not has_come(upstream, bomb):
            assert healthy.run(PING)["ok"] == 1
            served += 1
    assert served >= 20


def test_an_end_by_term_is_prompt_while_workers_are_flooded(one_worker):
    upstream, daemon = one_worker
    bomb = packed(large_insert(40))
    stopping = threading.Event()

    def flood():
        try:
            with RawClient(daemon.port) as hostile:
                while not stopping.is_set():
                    hostile.send(bomb)
        except OSError:
            pass
    floods = [threading.Thread(target=flood) for _ in range(4)]
    for each in floods:
        each.start()
    with RawClient(daemon.port) as healthy:
        for _ in range(10):
            assert healthy.run(PING)["ok"] == 1
        assert daemon.get("/healthz")[0] == daemon.get("/readyz")[0] == 200
        daemon.signal(signal.SIGTERM)
        wait_until(lambda: not daemon.is_alive() or daemon.get("/readyz")[0] == 503,
                   "readyz to say so")
    assert daemon.wait() == 0
    stopping.set()
    for each in floods:
        each.join()


def test_who_leaves_while_a_message_is_judged_or_unpacked_takes_nothing_along(one_worker):
    upstream, daemon = one_worker
    wide = op_msg({"find": "documents", "$db": YORKIE, "filter": {
        "$or": [{"x": i, "y": {"$gt": i}} for i in range(200_000)]}})
    kinds = [wide, packed(large_insert(20)), packed(wide)]
    with RawClient(daemon.port) as healthy:
        for number in range(30):
            with RawClient(daemon.port) as hostile:
                hostile.send(kinds[number % len(kinds)])
                hostile.send(PINGED)  # some of which is still on its way when it leaves
            assert healthy.run(PING)["ok"] == 1
            if number % 10 == 0:
                daemon.reload()
        with RawClient(daemon.port) as rejected:
            rejected.send(wide)
            assert rejected.receive().body["code"] == 411
    daemon.await_quiet()
    assert daemon.stop() == 0


def test_a_first_message_may_wait_for_its_turn_longer_than_it_may_take_to_come(behind):
    """Unpacking all of them takes longer than first_message."""
    upstream, daemon = behind(answer_all, workers={"threads": 1},
                              limits={"first_message": "1s", "memory": "2GiB"})
    bomb = packed(large_insert(40))
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(5 if has_sanitizer() else 20):
            clients.append(stack.enter_context(RawClient(daemon.port)))
            clients[-1].send(bomb)
        for client in clients:
            assert client.receive().body["ok"] == 1
    assert daemon.metrics().total("scattergate_uninspected_messages_total") == 0


def test_large_messages_are_judged_in_the_order_of_their_connection(one_worker):
    _, daemon = one_worker
    large = "x" * 100_000
    with RawClient(daemon.port) as client:
        client.send(b"".join(op_msg({"find": "documents", "$db": YORKIE, "filter": {"x": i},
                                     "comment": large if i % 2 else ""}, i)
                             for i in range(1, 41)))
        for i in range(1, 41):
            answer = client.receive()
            assert (answer.response_to, answer.body["code"]) == (i, 411)
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_findings_total", action="rejected") == 40


def test_rejections_in_long_rows_leave_others_their_turn(one_worker):
    upstream, daemon = one_worker
    many = 20_000
    row = b"".join(op_msg({"find": "documents", "filter": {"x": i}, "$db": YORKIE}, i)
                   for i in range(1, 501))
    with RawClient(daemon.port) as hostile, RawClient(daemon.port) as healthy:
        def answers():
            for i in range(many):
                assert hostile.receive().response_to == i % 500 + 1
        reading = threading.Thread(target=answers)
        reading.start()
        served = 0

        def send():
            for _ in range(many // 500):
                hostile.send(row)
        sending = threading.Thread(target=send)
        sending.start()
        while reading.is_alive():
            assert healthy.run(PING)["ok"] == 1
            served += 1
        sending.join()
        reading.join()
    assert served >= 20
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_findings_total", action="rejected") == many
