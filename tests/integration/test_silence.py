"""A mongos that answers hellos but no commands, as one whose config servers hang: it is named and left, but a slow
command alone is no reason for either."""

import json
import threading
import time

import pytest

from malformed import FIND, PING
from processes import Daemon
from raw import EXHAUST_ALLOWED, RawClient, op_msg
from upstream import FAILOVERS, Upstream
from waiting import wait_until

UP = "scattergate_upstream_up"
ACTIVE = "scattergate_upstream_active"
OFTEN = {"check_interval": "200ms", "check_timeout": "500ms", "no_reply": "1s"}
HELLO = {"hello": 1, "$db": "admin"}
UNAUTHORIZED = {"ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": "command find requires authentication"}
UNREACHABLE = {"ok": 0.0, "code": 6, "codeName": "HostUnreachable", "errmsg": "no config server answers"}


def is_alone(body):
    """Whether mongos answers this command without any other server."""
    return next(iter(body)) in ("hello", "ping") and "saslSupportedMechs" not in body


class Mongos(Upstream):
    """Answers a command that needs other servers once `answers` says so: a body, or None for never."""

    def __init__(self):
        self.answers = lambda body: {"ok": 1.0}
        super().__init__(self.serve)

    def serve(self, connection):
        while request := connection.message():
            while not (body := {"ok": 1.0} if is_alone(request.body) else self.answers(request.body)):
                time.sleep(0.02)
            connection.reply(request, body)


@pytest.fixture
def mongos():
    made = []

    def make():
        made.append(Mongos())
        return made[-1]
    yield make
    for each in made:
        each.answers = lambda body: {"ok": 1.0}
        each.close()


def status(daemon):
    return json.loads(daemon.get("/api/v1/status")[2])


def silent(daemon):
    return [each for each in status(daemon)["conditions"] if each["active"] and each["kind"] == "upstream_silent"]


def before(start, *upstreams, failover=None, **options):
    return start(Daemon, upstreams[0].address, failover={**OFTEN, **(failover or {})}, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [each.address for each in upstreams],
         "upstream_choice": "listed"}], **options)


def waiting_clients(daemon, number, command=FIND):
    clients = [RawClient(daemon.port) for _ in range(number)]
    for client in clients:
        assert client.run(PING)["ok"] == 1
        client.send(op_msg(command, 2))
    return clients


def end(clients):
    for client in clients:
        client.socket.close()


def test_it_is_named_until_it_answers_again(start, mongos):
    only = mongos()
    daemon = before(start, only)
    daemon.await_metric(1, UP)
    only.answers = lambda body: None
    clients = waiting_clients(daemon, 8)
    [condition] = wait_until(lambda: silent(daemon), "the condition")
    assert only.address in condition["subject"] and daemon.address in condition["subject"]
    wait_until(lambda: silent(daemon)[0]["detail"].startswith("it answers a hello, but not a command: no answer within 500 ms"),
               "the failed command")
    now = wait_until(lambda: (now := status(daemon))["headline"]["level"] == "degraded" and now, "the level")
    assert "8 clients wait for a reply" in now["headline"]["text"] or now["listeners"][0]["clientsWaiting"] == 8
    daemon.await_metric(0, UP)
    wait_until(lambda: status(daemon)["listeners"][0]["state"] == "no replies", "the state")
    daemon.await_line(rf'"id":1017\b.*{only.address}')
    assert daemon.metrics().total(FAILOVERS) == 0
    assert daemon.get("/readyz")[0] == 200
    assert daemon.get("/readyz?mongos")[2] == f"no mongos answers commands, behind {daemon.address}\n"
    only.answers = lambda body: {"ok": 1.0}
    for client in clients:
        assert client.receive().body["ok"] == 1
    wait_until(lambda: not silent(daemon), "the end")
    daemon.await_line(r'"id":1018\b')
    daemon.await_metric(1, UP)
    wait_until(lambda: status(daemon)["listeners"][0]["state"] == "ok", "the state")
    end(clients)


def test_another_that_answers_commands_takes_over(start, mongos):
    first, second = mongos(), mongos()
    daemon = before(start, first, second)
    daemon.await_metric(1, UP, upstream=second.address)
    first.answers = lambda body: None
    [client] = waiting_clients(daemon, 1)
    daemon.await_metric(1, ACTIVE, upstream=second.address)
    assert client.receive() is None
    daemon.await_line(r'"id":1011\b.*but not a command')
    with RawClient(daemon.port) as served:
        assert served.run(FIND)["ok"] == 1
    assert silent(daemon), "it stays named although no client waits for it any more"
    assert daemon.metrics().total(UP, upstream=first.address) == 0
    assert daemon.metrics().total(FAILOVERS) == 1
    first.answers = lambda body: {"ok": 1.0}
    daemon.await_metric(1, UP, upstream=first.address)
    wait_until(lambda: not silent(daemon), "the end")


def test_it_is_kept_while_no_other_is_better(start, mongos):
    first, second = mongos(), mongos()
    daemon = before(start, first, second)
    daemon.await_metric(1, UP, upstream=second.address)
    for each in (first, second):
        each.answers = lambda body: None
    clients = waiting_clients(daemon, 2)
    wait_until(lambda: len(silent(daemon)) == 2, "both to be named")
    assert status(daemon)["headline"]["level"] == "degraded"
    first.answers = second.answers = lambda body: {"ok": 1.0}
    for client in clients:
        assert client.receive().body["ok"] == 1
    wait_until(lambda: not silent(daemon), "the end")
    assert daemon.metrics().total(FAILOVERS) == 0
    end(clients)


def await_probes(mongos, number=3):
    """Waits until the health checks have asked for more than a hello."""
    wait_until(lambda: sum(each.received.count(b"\2find\0\7\0\0\0shards\0") for each in mongos.connections) >= number,
               "probes")


def test_a_slow_command_alone_is_no_silence(start, mongos):
    first, second = mongos(), mongos()
    daemon = before(start, first, second)
    first.answers = lambda body: {"ok": 1.0} if body["$db"] == "config" else None
    clients = waiting_clients(daemon, 1)
    await_probes(first)
    assert not silent(daemon)
    assert daemon.metrics().total(ACTIVE, upstream=first.address) == 1
    wait_until(lambda: status(daemon)["listeners"][0]["longestWaitMillis"] >= 2000, "the wait")
    assert not silent(daemon)
    end(clients)


def test_several_clients_that_wait_are_silence_even_if_the_config_servers_answer(start, mongos):
    first, second = mongos(), mongos()
    daemon = before(start, first, second)
    first.answers = lambda body: {"ok": 1.0} if body["$db"] == "config" else None
    clients = waiting_clients(daemon, 3)
    [condition] = wait_until(lambda: silent(daemon), "the condition")
    assert "3 clients wait" in condition["detail"] and "it answers a read of config.shards" in condition["detail"]
    await_probes(first)
    assert daemon.metrics().total(FAILOVERS) == 0
    assert daemon.metrics().total(UP, upstream=first.address) == 1
    end(clients)
    wait_until(lambda: not silent(daemon), "the end")


def test_commands_that_succeed_meanwhile_prove_the_opposite(start, mongos):
    only = mongos()
    daemon = before(start, only)
    only.answers = lambda body: None if body.get("filter") else {"ok": 1.0}
    clients = waiting_clients(daemon, 3)
    with RawClient(daemon.port) as other:
        request = 0
        while status(daemon)["listeners"][0]["longestWaitMillis"] < 3000:
            request += 1
            assert other.run({**FIND, "filter": {}}, request)["ok"] == 1
    assert not silent(daemon)
    assert not any(b"shards" in each.received for each in only.connections)
    end(clients)


@pytest.mark.parametrize("lookup, is_named", [(None, True), (UNREACHABLE, True), ({"ok": 1.0}, False)])
def test_where_commands_need_credentials_the_lookup_of_a_user_decides(start, mongos, lookup, is_named):
    only = mongos()
    daemon = before(start, only)
    only.answers = lambda body: (UNAUTHORIZED if body["$db"] == "config" else
                                 lookup if "saslSupportedMechs" in body else None)
    clients = waiting_clients(daemon, 1)
    if is_named:
        wait_until(lambda: silent(daemon), "the condition")
    else:
        await_probes(only, 5)
        assert not silent(daemon)
    end(clients)


def test_clients_that_wait_for_events_are_not_counted(start, mongos):
    only = mongos()
    daemon = before(start, only)
    only.answers = lambda body: None if "getMore" in body or "topologyVersion" in body else {"ok": 1.0}
    get_more = {"getMore": 5, "collection": "c", "maxTimeMS": 60_000, "$db": "yorkie-meta"}
    clients = waiting_clients(daemon, 3, get_more)
    with RawClient(daemon.port) as slow:
        only.answers = lambda body: None
        slow.send(op_msg(FIND, 2))
        wait_until(lambda: status(daemon)["listeners"][0]["longestWaitMillis"] >= 1000, "the find")
        assert status(daemon)["listeners"][0]["clientsWaiting"] == 1
    end(clients)


def test_without_inspection_idle_hellos_are_not_counted(start):
    answers = threading.Event()

    def script(connection):
        while request := connection.message():
            if "topologyVersion" in request.body or "find" in request.body:
                answers.wait(60)
            connection.reply(request)
    there = Upstream(script)
    daemon = start(Daemon, there.address, inspect="off")
    with RawClient(daemon.port) as monitor, RawClient(daemon.port) as slow:
        assert monitor.run(HELLO)["ok"] == 1
        monitor.send(op_msg({**HELLO, "topologyVersion": {"counter": 1}, "maxAwaitTimeMS": 10_000}, 2, EXHAUST_ALLOWED))
        slow.send(op_msg(FIND))
        wait_until(lambda: status(daemon)["listeners"][0]["longestWaitMillis"] >= 1500, "the find")
        assert status(daemon)["listeners"][0]["clientsWaiting"] == 1
        answers.set()
    there.close()


def test_it_may_be_off(start, mongos):
    only = mongos()
    daemon = before(start, only, failover={"no_reply": "0s"})
    only.answers = lambda body: None
    clients = waiting_clients(daemon, 2)
    wait_until(lambda: status(daemon)["listeners"][0]["longestWaitMillis"] >= 2500, "the wait")
    assert not silent(daemon)
    assert not any(b"shards" in each.received for each in only.connections)
    end(clients)
