"""Unauthenticated clients without a successful reply don't use up resources that others need."""

import json
import time

import bson
import pytest

from audit import counts_by
from raw import RawClient, op_msg
from waiting import wait_until

COMMANDS = "scattergate_commands_total"
FAILED = {"db": "__failed__", "collection": "__failed__"}
CURSOR = 77
STRANGERS_SHAPES = 200
WINDOW = 500  # requests that a client sends without waiting for replies


def refused(code, name):
    return {"ok": 0.0, "errmsg": "no", "code": code, "codeName": name}


def guarded(connection):
    """A mongos that serves only the application `honest`."""
    is_welcome = False
    while request := connection.message():
        body = request.body
        command = next(iter(body))
        answer = {"ok": 1.0}
        if command == "hello":
            is_welcome = body.get("client", {}).get("application", {}).get("name") == "honest"
        elif command != "ping":
            answer = work(command, body) if is_welcome else refused(13, "Unauthorized")
        connection.reply(request, answer)


def work(command, body):
    asked = body.get("filter", {})
    if command == "findAndModify":
        return refused(61, "ShardKeyNotFound")
    if "$nonsense" in asked:
        return refused(2, "BadValue")
    if command == "killCursors":
        return {"cursorsKilled": [bson.Int64(CURSOR)], "ok": 1.0}
    cursor = CURSOR if "opens" in asked else 0
    batch = "nextBatch" if command == "getMore" else "firstBatch"
    return {"cursor": {"id": bson.Int64(cursor), "ns": "a.b", batch: []}, "ok": 1.0}


class Client(RawClient):
    """Identifies itself as an application of that name."""

    def __init__(self, port, app):
        super().__init__(port)
        self.sent = 0
        self.ask({"hello": 1, "client": {"application": {"name": app}}, "$db": "admin"})

    def ask(self, body):
        return self.ask_all([body])[-1]

    def ask_all(self, bodies):
        replies = []
        for start in range(0, len(bodies), WINDOW):
            window = bodies[start:start + WINDOW]
            self.send(b"".join(op_msg(body, self.sent + i) for i, body in enumerate(window)))
            replies += [self.receive().body for _ in window]
            self.sent += len(window)
        return replies


def careless(field, **more):
    """Scatters: documents is sharded by project_id."""
    return {"find": "documents", "filter": {field: 1}, "$db": "yorkie-meta", **more}


def pairs(metrics):
    return {(labels["db"], labels["collection"]) for labels, _ in metrics.series(COMMANDS)}


def shapes(daemon):
    return {n: line for line in daemon.audit()
            for n in [str(line["param"]["shapeHash"])]}


def test_a_hundred_thousand_made_up_names_use_up_nothing(behind):
    _, daemon = behind(guarded, metrics={"max_namespaces": 30}, audit={"max_shapes": 20})
    scattering = 0
    sent = 0
    for n in range(20):
        with Client(daemon.port, f"app{n}") as stranger:
            bodies = []
            for i in range(1000):
                name = f"{n}x{i}"
                bodies += [careless(f"f{name}", comment=f"c{name}"),
                           careless("f", comment=f"c{name}"),
                           {"find": f"c{name}", "$db": f"d{name}"},
                           {"ping": 1, "$db": f"p{name}"},
                           {"insert": f"i{name}", "documents": [{}], "$db": f"j{name}"}]
            replies = stranger.ask_all(bodies)
            scattering += 2000
            sent += stranger.sent
            assert sum(reply["ok"] for reply in replies) == 1000  # the pings
    with Client(daemon.port, "honest") as honest:
        assert honest.ask({"find": "orders", "$db": "shop"})["ok"] == 1
        assert honest.ask(careless("honest", comment="mine"))["ok"] == 1
        assert honest.ask(careless("f", comment="mine"))["ok"] == 1
        sent += honest.sent
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total(COMMANDS) == sent
    assert not [pair for pair in pairs(metrics) if pair[0][0] in "dpj" and pair[0][1].isdigit()]
    assert metrics.total(COMMANDS, db="shop", collection="orders") == 1
    assert metrics.total(COMMANDS, **FAILED) == 40_000
    # The catalog names this one, so it keeps its label.
    assert metrics.total(COMMANDS, db="yorkie-meta", collection="documents") == scattering + 2
    assert metrics.total("scattergate_series_overflow_total") == 0
    assert metrics.total("scattergate_audit_overflow_total") == 0
    own = metrics.total("scattergate_new_shapes_total")
    assert STRANGERS_SHAPES <= own <= STRANGERS_SHAPES + 2
    daemon.stop()
    lines = daemon.audit()
    counts = counts_by(lines, "command")
    assert sum(counts.values()) == scattering + 2
    assert counts["__failed__",] >= scattering - 20_000 - STRANGERS_SHAPES
    hashes = {line["param"]["shapeHash"] for line in lines if line["param"]["command"] == "find"}
    # The metric may lag behind the last replies.
    assert own <= len(hashes) <= STRANGERS_SHAPES + 2
    [honest] = [line["param"] for line in lines if '"honest"' in str(line["param"]["shape"])
                or "'honest'" in str(line["param"]["shape"])]
    [caller] = honest["callers"]
    assert (caller["appName"], caller["comment"]) == ("honest", "mine")


def test_a_rejected_stranger_is_seen(behind):
    """On a namespace that a rule names, and on one that the catalog names."""
    rules = [{"name": "no-orders", "action": "reject", "match": {"namespace": "shop.orders"}},
             {"name": "no-scatters", "action": "reject",
              "match": {"namespace": "yorkie-meta.*", "routing": "scatter_gather"}}]
    _, daemon = behind(guarded, rules=rules)
    with Client(daemon.port, "stranger") as stranger:
        for _ in range(100):
            assert stranger.ask({"find": "orders", "filter": {"a": 1}, "$db": "shop"})[
                "code"] == 411
            assert stranger.ask(careless("status"))["code"] == 411
        assert stranger.ask({"find": "elsewhere", "$db": "shop"})["code"] == 13
    daemon.await_quiet()
    metrics = daemon.metrics()
    for db, collection in [("shop", "orders"), ("yorkie-meta", "documents")]:
        assert metrics.total("scattergate_findings_total", db=db, collection=collection,
                             action="rejected") == 100
        assert metrics.total(COMMANDS, db=db, collection=collection) == 100
    assert ("shop", "elsewhere") not in pairs(metrics)
    rows = {}

    def is_shown():
        rows.update((row["ns"], row)
                    for row in json.loads(daemon.get("/api/v1/shapes")[2])["shapes"])
        return len(rows) > 1 and all(row["count"] == 100 for row in rows.values())

    wait_until(is_shown, "the digest to have them")
    assert set(rows) == {"shop.orders", "yorkie-meta.documents"}
    for row in rows.values():
        assert row["actions"] == {"rejected": 100}
        assert [caller["appName"] for caller in row["callers"]] == ["stranger"]
    daemon.stop()
    assert counts_by(daemon.audit(), "action", "ns", "rule") == {
        ("rejected", "shop.orders", "no-orders"): 100,
        ("rejected", "yorkie-meta.documents", "no-scatters"): 100}


def test_refused_for_lack_of_a_shard_key_and_rejected_keep_keys_of_their_own(behind):
    rule = {"name": "no", "action": "reject", "match": {"namespace": "app.*"}}
    _, daemon = behind(guarded, rules=[rule, {"name": "see", "action": "observe", "match": {
        "routing": "scatter_gather"}}])
    with Client(daemon.port, "honest") as client:
        client.ask({"find": "orders", "$db": "shop"})
        refusal = client.ask({"findAndModify": "documents", "query": {"key": 1}, "remove": True,
                              "$db": "yorkie-meta"})
        assert refusal["code"] == 61
        assert client.ask({"find": "rejected", "$db": "app"})["code"] == 411
        for n in range(30):
            assert client.ask(careless(f"x{n}", **{"filter": {f"x{n}": 1, "$nonsense": 1}}))[
                "code"] == 2
    with Client(daemon.port, "stranger") as client:
        assert client.ask({"find": "rejected", "$db": "app"})["code"] == 411
        assert client.ask({"find": "unseen", "$db": "app"})["code"] == 411
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert ("app", "rejected") in pairs(metrics) and ("app", "unseen") not in pairs(metrics)
    daemon.stop()
    counts = counts_by(daemon.audit(), "command", "ns")
    assert counts["findAndModify", "yorkie-meta.documents"] == 1
    assert counts["find", "app.rejected"] == 1
    assert ("find", "app.unseen") not in counts
    assert counts["__failed__", "__failed__"] >= 2
    assert len(counts) == 3


def test_what_is_quiet_is_given_back_and_counts_stay_exact(behind):
    _, daemon = behind(guarded, audit={"interval": "200ms"})

    def set_quiet(time):
        daemon.write_config(limits={"quiet": time})
        daemon.reload()

    def series():
        return daemon.metrics().total(COMMANDS, db="shop", collection="orders")

    sent = 0
    with Client(daemon.port, "honest") as client:
        for _ in range(2):
            set_quiet("10m")
            for _ in range(3):
                client.ask({"find": "orders", "$db": "shop"})
                client.ask(careless("honest"))
                sent += 1
            assert series() == 3
            lines = len(shapes(daemon))
            set_quiet("1s")
            wait_until(lambda: series() == 0, "the label to be given back")
            given_back = daemon.metrics().total("scattergate_series_given_back_total")
            assert given_back >= 1 and lines <= 1
            wait_until(lambda: daemon.metrics().total("scattergate_audit_given_back_total")
                       == sent / 3, "the shape to be given back")
    assert daemon.metrics().total(COMMANDS, db="__other__", command="find") == 0
    daemon.stop()
    assert counts_by(daemon.audit(), "command") == {("find",): sent}


def test_a_label_in_use_stays(behind):
    _, daemon = behind(guarded, limits={"quiet": "1s"})
    with Client(daemon.port, "honest") as client:
        expected, turns, used_at = 0, 0, time.monotonic()
        while turns < 30:
            previous, used_at = used_at, time.monotonic()
            client.ask({"find": "orders", "$db": "shop"})
            time.sleep(0.1)
            counted = daemon.metrics().total(COMMANDS, db="shop", collection="orders")
            if time.monotonic() - previous < 1:
                expected, turns = expected + 1, turns + 1
                assert counted == expected
            else:  # this test itself was delayed, so the label was not in use
                expected, turns = counted, 0


@pytest.mark.parametrize("command", ["killCursors", "getMore"])
def test_a_stranger_makes_no_one_forget_a_cursor(behind, command):
    body = {"killCursors": {"killCursors": "documents", "cursors": [bson.Int64(CURSOR)]},
            "getMore": {"getMore": bson.Int64(CURSOR), "collection": "documents"}}[command]
    body["$db"] = "yorkie-meta"
    more = {"getMore": bson.Int64(CURSOR), "collection": "documents", "$db": "yorkie-meta"}
    _, daemon = behind(guarded)
    with Client(daemon.port, "honest") as honest, Client(daemon.port, "x") as stranger:
        honest.ask(careless("opens"))
        assert stranger.ask(body)["code"] == 13
        assert honest.ask(more)["ok"] == 1  # and exhausts it
        assert honest.ask(more)["ok"] == 1
    daemon.await_quiet()
    by_routing = daemon.metrics().by(COMMANDS, "routing", command="getMore")
    asked = 1 + (command == "getMore")
    assert by_routing == {("scatter_gather",): asked, ("unknown",): 1}
