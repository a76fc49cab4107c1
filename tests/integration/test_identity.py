"""A caller's identity: only the user that mongos confirmed in the reply to that exchange."""

import struct
import threading

import bson
import pymongo
import pytest

from processes import Daemon, Sim
from raw import MORE_TO_COME, RawClient, op_msg
from waiting import wait_until

SCATTERED = {"find": "documents", "filter": {"key": 1}, "$db": "yorkie-meta"}
BEGUN = {"done": False, "payload": b"", "ok": 1.0}
REFUSED = {"ok": 0.0, "code": 18, "codeName": "AuthenticationFailed"}


def start_as(user, database="admin", **further):
    return {"saslStart": 1, "mechanism": "SCRAM-SHA-256",
            "payload": f"n,,n={user},r=nonce".encode(), "$db": database, **further}


def go_on(conversation=1, database="admin", **further):
    return {"saslContinue": 1, "conversationId": conversation, "payload": b"c=biws",
            "$db": database, **further}


class Script:
    """A mongos that answers as the test says, in order; finds and the like as usual."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self._lock = threading.Lock()

    def __call__(self, connection):
        while request := connection.message():
            with self._lock:
                is_scripted = next(iter(request.body)) in (
                    "hello", "saslStart", "saslContinue", "logout", "authenticate")
                answer = self.answers.pop(0) if is_scripted else {"ok": 1.0}
            if not request.flags & MORE_TO_COME:
                connection.reply(request, answer)


def begun(conversation=1):
    return {"conversationId": conversation, **BEGUN}


def done(conversation=1):
    return {"conversationId": conversation, "done": True, "payload": b"", "ok": 1.0}


def callers_of(daemon, count=1):
    wait_until(lambda: sum(line["param"]["count"] for line in daemon.audit()) >= count,
               "the finding")
    return [caller for line in daemon.audit() for caller in line["param"]["callers"]]


def user_after(behind, exchange, **options):
    """The audited user of a command that follows these commands, each with its reply."""
    _, daemon = behind(Script(*[answer for _, answer in exchange]), **options)
    with RawClient(daemon.port) as client:
        for number, (body, _) in enumerate(exchange):
            client.run(body, number + 1)
        client.run(SCATTERED, 1000)
    [caller] = callers_of(daemon)
    return caller.get("user")


@pytest.mark.parametrize("payload, user", [
    (b"n,,n=ann,r=x", "ann"), (b"y,,n=ann,r=x", "ann"), (b"n,a=ann,n=ann,r=x", "ann"),
    (b"n,a=bob,n=bob,r=x", "bob"), (b"n,a=root,n=bob,r=x", None),
    (b"n,,n=a=2Cb=3D,r=x", "a,b=")])
def test_a_name_is_read_as_mongos_reads_it(behind, payload, user):
    assert user_after(behind, [(start_as("", payload=payload), begun()),
                               (go_on(), done())]) == user


@pytest.mark.parametrize("exchange, user", [
    # two at once: the one that ended is the one whose user is there
    ([(start_as("ann"), begun(1)), (start_as("root"), begun(2)), (go_on(1), done(1))], "ann"),
    ([(start_as("root"), begun(1)), (start_as("ann"), begun(1)), (go_on(1), done(1))], "ann"),
    ([(start_as("ann"), begun(1)), (start_as("root"), REFUSED), (go_on(1), done(1))], "ann"),
    ([(start_as("root"), begun(1)), (go_on(7), done(7))], None),
    # a failure confirms no user, and removes none
    ([(start_as("root"), begun(1)), (go_on(1), REFUSED)], None),
    ([(start_as("ann"), begun(1)), (go_on(1), done(1)), (start_as("root"), begun(1)),
      (go_on(1), REFUSED)], "ann"),
    # speculative: only where the reply says so
    ([({"hello": 1, "speculativeAuthenticate": {**start_as("root"), "db": "admin"},
        "$db": "admin"}, {"ok": 1.0}),
      ({"saslStart": 1, "mechanism": "GSSAPI", "payload": b"", "$db": "$external"}, begun(1)),
      (go_on(1, "$external"), done(1))], None),
    ([({"hello": 1, "speculativeAuthenticate": {**start_as("ann"), "db": "admin"},
        "$db": "admin"}, {"speculativeAuthenticate": begun(4), "ok": 1.0}),
      (go_on(4), done(4))], "ann"),
    # databases
    ([(start_as("ann"), begun(1)), (go_on(1), done(1)),
      ({"logout": 1, "$db": "app"}, {"ok": 1.0})], "ann"),
    ([(start_as("ann"), begun(1)), (go_on(1), done(1)),
      ({"logout": 1, "$db": "admin"}, {"ok": 1.0})], None),
    ([(start_as("ann", "app"), begun(1)), (go_on(1, "app"), done(1)),
      ({"logout": 1, "$db": "admin"}, {"ok": 1.0})], "ann"),
    ([({"saslStart": 1, "mechanism": "PLAIN", "payload": b"\0ann\0secret",
        "$db": "$external"}, done(1))], "ann"),
    ([({"authenticate": 1, "mechanism": "MONGODB-X509", "user": "CN=ann",
        "$db": "$external"}, {"ok": 1.0})], "CN=ann"),
])
def test_a_user_is_whom_mongos_confirmed(behind, exchange, user):
    assert user_after(behind, exchange) == user


def hello(app):
    return {"hello": 1, "client": {"application": {"name": app}}, "$db": "admin"}


def test_of_pipelined_hellos_the_first_counts(behind):
    refused = {"ok": 0.0, "code": 186, "codeName": "ClientMetadataCannotBeMutated"}
    _, daemon = behind(Script({"ok": 1.0}, refused))
    with RawClient(daemon.port) as client:
        client.send(op_msg(hello("first"), 1) + op_msg(hello("second"), 2))
        assert [client.receive().response_to for _ in range(2)] == [1, 2]
        client.run(SCATTERED, 3)
    [caller] = callers_of(daemon)
    assert caller["appName"] == "first"


HIDDEN = b"".join(bson.encode(part)[4:-1] for part in (
    {"hello": 1}, {"x": 1}, {"x": 1}, {"speculativeAuthenticate": start_as("ann", db="admin")},
    {"$db": "admin"}))


@pytest.mark.parametrize("action, is_rejected", [("reject", True), ("accept", False)])
def test_a_user_who_logs_in_unseen_may_be_any_for_rules_that_reject(behind, action, is_rejected):
    """mongos ignores that a hello has an unknown field twice; scattergate can't read it."""
    rules = [{"name": "ann", "match": {"user": "ann"}, "action": action, "why": "known", "by": "dba"},
             {"name": "all", "match": {"routing": "scatter_gather"}, "action": "observe"}]
    _, daemon = behind(Script({"ok": 1.0, "speculativeAuthenticate": begun()}, done()), rules=rules)
    with RawClient(daemon.port) as client:
        client.send(op_msg(struct.pack("<i", len(HIDDEN) + 5) + HIDDEN + b"\0", 1))
        assert client.receive().body["ok"] == 1
        assert client.run(go_on(), 2)["done"]
        assert client.run(SCATTERED, 3).get("code") == (411 if is_rejected else None)
    by = "ann" if is_rejected else "all"
    wait_until(lambda: [line for line in daemon.audit() if line["param"].get("rule") == by], "the finding")


def test_a_command_behind_an_unanswered_login_is_judged_as_who_it_is_from(behind):
    rule = {"name": "not-ann", "match": {"user": "ann"}, "action": "reject"}
    _, daemon = behind(Script(begun(), done()), rules=[rule])
    with RawClient(daemon.port) as client:
        client.run(start_as("ann"), 1)
        client.send(op_msg(go_on(), 2) + op_msg(SCATTERED, 3))
        assert client.receive().body["done"]
        assert client.receive().body["code"] == 411


def test_pymongos_users_are_known(start):
    sim = start(Sim, users=["ann:secret", "bob:secret"])
    daemon = start(Daemon, sim.address)
    for user, mechanism in (("ann", "SCRAM-SHA-256"), ("bob", "SCRAM-SHA-1")):
        with pymongo.MongoClient("127.0.0.1", daemon.port, username=user, password="secret",
                                 authMechanism=mechanism, appname=user) as client:
            client["yorkie-meta"].documents.find_one({"key": bson.ObjectId()})
    daemon.await_quiet()
    daemon.stop()
    assert sorted((one["appName"], one["user"]) for one in callers_of(daemon, 2)) == [
        ("ann", "ann"), ("bob", "bob")]
