"""Whoever reads slowly slows its own connection down, and nothing grows."""

import threading

import pytest

from malformed import PING
from raw import RawClient, op_msg
from upstream import answer_all, large_reply
from waiting import wait_until

MEGABYTE = 1_000_000
SPARE = 30 * MEGABYTE  # beside what is stuck: a tenth of it


def await_standstill(measure):
    """Until a figure no longer moves; the figure."""
    last = [None, 0]

    def still():
        now = measure()
        last[1] = last[1] + 1 if now == last[0] else 0
        last[0] = now
        return last[1] >= 15
    wait_until(still, "everything to stand still")
    return last[0]


def test_replies_that_a_client_does_not_read_stay_at_the_upstream(behind):
    sent = [0]

    def script(connection):
        request = connection.message()
        reply = large_reply(request, 20 * MEGABYTE)
        for _ in range(15):  # a chain of strays after the first: all pass
            connection.send(reply)
            sent[0] += len(reply)
    _, daemon = behind(script)
    before = daemon.resident_bytes()
    with RawClient(daemon.port, receive_buffer=65_536) as client:
        client.send(op_msg(PING))
        received = await_standstill(
            lambda: daemon.metrics().total("scattergate_reply_bytes_total"))
        assert received < 100 * MEGABYTE
        assert daemon.resident_bytes() - before < SPARE
        for _ in range(15):
            assert client.receive().length > 19 * MEGABYTE
    assert sent[0] > 285 * MEGABYTE
    assert daemon.resident_bytes() - before < SPARE


@pytest.mark.parametrize("inspect", ["on", "off"])
def test_requests_that_the_upstream_does_not_read_stay_at_the_client(behind, inspect):
    may_read = threading.Event()

    def script(connection):
        may_read.wait(60)
        while request := connection.message():
            connection.reply(request)
    _, daemon = behind(script, inspect=inspect)
    insert = op_msg({"insert": "c", "$db": "shop", "documents": [{"t": "x" * MEGABYTE}]})
    before = daemon.resident_bytes()
    with RawClient(daemon.port) as client:
        sender = threading.Thread(target=lambda: [client.send(insert) for _ in range(300)])
        sender.start()
        await_standstill(lambda: daemon.metrics().total("scattergate_request_bytes_total"))
        assert daemon.resident_bytes() - before < SPARE
        may_read.set()
        for _ in range(300):
            assert client.receive().body["ok"] == 1
        sender.join()
    assert daemon.resident_bytes() - before < SPARE


def test_requests_without_end_and_no_reply_are_not_read_for_ever(behind):
    """What awaits a reply is bounded: the client is read again when replies come."""
    may_answer = threading.Event()

    def script(connection):
        may_answer.wait(60)
        answer_all(connection)
    _, daemon = behind(script)
    ping = op_msg(PING)
    count = 200_000
    with RawClient(daemon.port) as client:
        sender = threading.Thread(target=lambda: client.send(ping * count))
        sender.start()
        taken = await_standstill(
            lambda: daemon.metrics().total("scattergate_request_bytes_total"))
        assert taken < len(ping) * count
        may_answer.set()
        for _ in range(count):
            assert client.receive().response_to == 1
        sender.join()
    daemon.await_quiet()
    assert daemon.metrics().total("scattergate_commands_total", command="ping") == count


def test_a_stuck_client_does_not_hold_others_up(behind):
    def script(connection):
        while request := connection.message():
            if request.body.get("large"):
                connection.send(large_reply(request, 20 * MEGABYTE))
            else:
                connection.reply(request)
    _, daemon = behind(script, workers={"threads": 1})
    stuck = [RawClient(daemon.port, receive_buffer=65_536) for _ in range(5)]
    for client in stuck:
        client.send(op_msg({**PING, "large": True}))
    with RawClient(daemon.port) as client:
        for number in range(200):
            assert client.run(PING, number)["ok"] == 1
    for client in stuck:
        assert client.receive().length > 19 * MEGABYTE
        client.socket.close()
