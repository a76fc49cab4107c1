"""Hostile clients: no matter what they send, the daemon keeps running and others notice nothing."""

import random
import struct

import pytest

from healthy import HealthyClient
from malformed import (BROKEN_FRAMES, FIND, GOOD, PING, QUIET, UNJUDGEABLE, UNREADABLE,
                       WRONG_CHECKSUM)
from processes import Daemon, Sim
from raw import RawClient, header, op_msg
from waiting import wait_until

WIRE_ERRORS = "scattergate_wire_errors_total"
UNINSPECTED = "scattergate_uninspected_messages_total"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    directory = tmp_path_factory.mktemp("hostile")
    sim = Sim(directory)
    daemon = Daemon(directory, sim.address)
    healthy = HealthyClient(daemon.port)
    healthy.check()
    daemon.healthy = healthy
    yield daemon
    healthy.stop()
    assert daemon.stop() == 0, daemon.stderr
    sim.stop()


@pytest.fixture(autouse=True)
def others_go_on(daemon):
    yield
    assert daemon.is_alive(), daemon.stderr
    daemon.healthy.check()


def in_total(daemon, name, reason):
    return daemon.metrics().total(name, reason=reason)


@pytest.mark.parametrize("case", BROKEN_FRAMES)
def test_broken_framing_closes_the_connection(daemon, case):
    data, reason = BROKEN_FRAMES[case]
    before = in_total(daemon, WIRE_ERRORS, reason)
    with RawClient(daemon.port) as client:
        client.send(data)
        client.read_to_end()
    assert in_total(daemon, WIRE_ERRORS, reason) == before + 1


@pytest.mark.parametrize("sent", [1, 15, 16, 20, 40])
def test_a_message_cut_short_is_counted(daemon, sent):
    before = in_total(daemon, WIRE_ERRORS, "truncated")
    with RawClient(daemon.port) as client:
        client.send(op_msg(FIND)[:sent])
    daemon.await_metric(before + 1, WIRE_ERRORS, reason="truncated")


def test_a_length_that_is_never_sent_takes_no_memory(daemon):
    before = daemon.resident_bytes()
    clients = [RawClient(daemon.port) for _ in range(50)]
    for client in clients:
        client.send(header(48_000_000) + b"x" * 1000)
    daemon.healthy.check()
    grown = daemon.resident_bytes() - before
    for client in clients:
        client.socket.close()
    assert grown < 200_000_000


@pytest.mark.parametrize("case", [*UNREADABLE, *UNJUDGEABLE])
def test_a_bad_message_in_a_sound_frame_is_left_to_mongos(daemon, case):
    data, reason = {**UNREADABLE, **UNJUDGEABLE}[case]
    before = in_total(daemon, UNINSPECTED, reason)
    with RawClient(daemon.port) as client:
        client.send(data)
        client.finish()
        client.read_to_end()
    assert in_total(daemon, UNINSPECTED, reason) == before + 1


def test_an_unknown_opcode_behind_a_good_message_is_left_to_mongos(daemon):
    before = in_total(daemon, UNINSPECTED, "unexpected_opcode")
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        client.send(struct.pack("<iiii", 20, 2, 0, 31337) + b"abcd")
        client.finish()
        client.read_to_end()
    assert in_total(daemon, UNINSPECTED, "unexpected_opcode") == before + 1


@pytest.mark.parametrize("case", GOOD)
def test_odd_but_good_messages_are_answered(daemon, case):
    with RawClient(daemon.port) as client:
        client.send(GOOD[case])
        assert client.receive().body["ok"] == 1
        assert client.run(PING, 2)["ok"] == 1


def test_checksums_are_verified_and_never_decide(daemon):
    before = daemon.metrics()
    with RawClient(daemon.port) as client:
        client.send(GOOD["a checksum"])
        assert client.receive().body["ok"] == 1
        client.send(WRONG_CHECKSUM)
        client.finish()
        client.read_to_end()
    after = daemon.metrics()
    for name, more in (("scattergate_checksums_verified_total", 2),
                       ("scattergate_checksum_failures_total", 1)):
        assert after.total(name) == before.total(name) + more


def test_a_sender_of_single_bytes_is_answered(daemon):
    with RawClient(daemon.port) as client:
        for byte in QUIET + op_msg(PING, 5):
            client.send(bytes([byte]))
        reply = client.receive()
        assert (reply.response_to, reply.body["ok"]) == (5, 1)


def test_a_client_that_sends_no_more_gets_its_replies(daemon):
    with RawClient(daemon.port) as client:
        for number in range(1, 40):
            client.send(op_msg(PING, number))
        client.finish()
        assert [client.receive().response_to for _ in range(39)] == list(range(1, 40))
        assert client.receive() is None


def test_clients_that_say_nothing_and_vanish_are_forgotten(daemon):
    before = daemon.metrics().total("scattergate_connections")
    clients = [RawClient(daemon.port) for _ in range(100)]
    daemon.await_metric(before + 100, "scattergate_connections")
    for client in clients:
        client.socket.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SO_LINGER: a reset
        client.socket.close()
    daemon.await_metric(before, "scattergate_connections")


@pytest.mark.parametrize("seed", range(40))
def test_random_bytes(daemon, seed):
    chance = random.Random(seed)
    data = chance.randbytes(chance.choice([1, 16, 17, 100, 5000]))
    if seed % 2:  # a sound frame around them
        opcode = chance.choice([2013, 2004, 2012, 2013])
        data = header(16 + len(data), seed, 0, opcode) + data
    with RawClient(daemon.port) as client:
        client.send(data)
        client.finish()
        client.read_to_end()


@pytest.mark.parametrize("seed", range(40))
def test_good_messages_with_bytes_changed(daemon, seed):
    chance = random.Random(1000 + seed)
    message = bytearray(op_msg({"update": "documents", "$db": "yorkie-meta"}, sequences={
        "updates": [{"q": {"key": n, "deep": {"er": [1, {"x": "y"}]}}, "u": {"$set": {"a": n}}}
                    for n in range(3)]}))
    for _ in range(chance.randint(1, 6)):
        message[chance.randrange(16, len(message))] = chance.randrange(256)
    with RawClient(daemon.port) as client:
        client.send(bytes(message))
        client.finish()
        client.read_to_end()


def test_what_hostile_clients_sent_was_counted_in_total(daemon):
    """After all the tests above: only the healthy client is still connected."""
    wait_until(lambda: daemon.metrics().total("scattergate_connections") <= 4, "quiet")
    metrics = daemon.metrics()
    accepted = metrics.total("scattergate_connections_accepted_total")
    closed = metrics.total("scattergate_connections_closed_total")
    assert accepted == closed + metrics.total("scattergate_connections")
