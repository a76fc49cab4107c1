"""/api/v1/tap: the commands that pass, while a client listens; bounded, and without values."""

import contextlib
import json
import socket
import ssl
import struct
import threading
import time
import urllib.parse

import pytest
from pymongo.errors import OperationFailure

import traffic
from certificates import Authority
from event_stream import EventStream
from processes import Daemon, has_sanitizer
from raw import body_section, framed
from test_api import check
from waiting import wait_until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PLANTED = "planted-literal"


class Tap(EventStream):
    """A client that listens to /api/v1/tap."""

    checks = True  # that events are as docs/openapi.yaml says

    def __init__(self, daemon, query="", **options):
        super().__init__(daemon, f"/api/v1/tap{query}", **options)
        if self.status == 200:
            assert self.line().startswith(b"retry: ")

    def next(self):
        got = super().next()
        if got and self.checks:
            kind, data = got
            check(data, {"command": "tapped", "dropped": "tapDropped"}[kind])
        return got

    def command(self, **fields):
        """The next command that meets the condition."""
        while got := self.next():
            kind, data = got
            if kind == "command" and all(data[name] == value for name, value in fields.items()):
                return data
        raise AssertionError("the stream has ended")


@pytest.fixture
def listen():
    opened = []

    def listen_to(daemon, query="", **options):
        opened.append(Tap(daemon, query, **options))
        return opened[-1]
    yield listen_to
    for each in opened:
        each.close()


@pytest.fixture
def tapped(start, sim):
    return start(Daemon, sim.address, admin={"tap": "redacted"})


@pytest.fixture
def client(connect, tapped):
    return connect(tapped, appname="shop")


def documents(client):
    return client["yorkie-meta"].documents


def status(daemon):
    return json.loads(daemon.get("/api/v1/status")[2])


def test_is_off_by_default(daemon):
    code, _, why = daemon.get("/api/v1/tap")
    assert (code, why) == (404, "the tap is off (admin.tap)\n")
    assert status(daemon)["tap"] == "off"


def test_reports_a_scatter_with_shape_and_trace_and_no_value(tapped, client, listen):
    assert status(tapped)["tap"] == "redacted"
    tap = listen(tapped)
    documents(client).find_one({"key": PLANTED}, comment=f"00-{TRACE}-00f067aa0ba902b7-01")
    got = tap.command(ns="yorkie-meta.documents")
    assert got["command"] == "find" and got["routing"] == "scatter_gather"
    assert got["action"] == "observed" and got["reason"] == "missing_key" and got["end"] == "ok"
    assert got["traceId"] == TRACE and got["appName"] == "shop"
    assert got["shape"]["filter"] == {"key": "?string"}
    for _ in range(3):
        documents(client).insert_one({"project_id": traffic.PROJECTS[0], "key": PLANTED, PLANTED[:7]: {"a": PLANTED}})
        documents(client).update_many({"key": {"$in": [PLANTED, 4711004711]}}, {"$set": {"b": PLANTED}})
        list(documents(client).aggregate([{"$match": {"key": PLANTED}}], comment=PLANTED))
        documents(client).delete_many({"key": PLANTED})
    commands = {tap.command(ns="yorkie-meta.documents")["command"] for _ in range(12)}
    assert commands == {"insert", "update", "aggregate", "delete"}
    assert PLANTED.encode() not in tap.seen and b"4711004711" not in tap.seen
    hashes = {row["shapeHash"] for row in wait_until(
        lambda: json.loads(tapped.get("/api/v1/shapes")[2])["shapes"], "the digest")}
    wait_until(lambda: got["shapeHash"] in hashes or hashes.update(
        row["shapeHash"] for row in json.loads(tapped.get("/api/v1/shapes")[2])["shapes"]), "the shape's row")


def test_filters_are_each_listeners_own(tapped, client, listen):
    findings = listen(tapped, "?findings=1")
    of_others = listen(tapped, "?namespace=shop.*")
    for number in range(5):
        documents(client).find_one({"project_id": traffic.PROJECTS[0], "_id": number})
        client.shop.orders.find_one({"n": number})
        documents(client).find_one({"key": number})
    for _ in range(5):
        kind, got = findings.next()
        assert (kind, got["action"], got["ns"]) == ("command", "observed", "yorkie-meta.documents")
        kind, got = of_others.next()
        assert (kind, got["ns"], got["routing"]) == ("command", "shop.orders", "unsharded")


@pytest.mark.parametrize("query", ["?colour=red", "?routing=everywhere", "?findings=yes", "?namespace=a&namespace=b"])
def test_what_is_asked_wrongly_is_refused_in_one_line(tapped, query):
    code, _, why = tapped.get("/api/v1/tap" + query)
    assert code == 400 and why.count("\n") == 1


def test_an_error_and_a_rejection_say_so(start, sim, connect, listen):
    rule = {"name": "no-scatter", "action": "reject",
            "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"}}
    daemon = start(Daemon, sim.address, admin={"tap": "redacted"}, rules=[rule])
    client = connect(daemon)
    client.shop.orders.find_one()  # a stranger's would have no name
    tap = listen(daemon)
    with pytest.raises(OperationFailure):
        documents(client).find_one({"key": 1})
    with pytest.raises(OperationFailure):
        client.admin.command("noSuchCommand")
    got = tap.command(ns="yorkie-meta.documents")
    assert (got["end"], got["action"], got["rule"]) == ("rejected", "rejected", "no-scatter")
    got = tap.command(end="error")
    assert (got["code"], got["codeName"]) == (59, "CommandNotFound")


BY_KEY = {"project_id": traffic.PROJECTS[0], "_id": 1}


def flood(daemon, count, by=BY_KEY):
    """Sends this number of finds at once, by default by a full shard key, and reads the replies."""
    message = framed(struct.pack("<I", 0) + body_section(
        {"find": "documents", "filter": by, "$db": "yorkie-meta"}))
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=60) as peer:
        sender = threading.Thread(target=peer.sendall, args=(message * count,))
        sender.start()
        with peer.makefile("rb") as replies:
            for _ in range(count):
                replies.read(struct.unpack("<i", replies.read(4))[0] - 4)
        sender.join()


def test_commands_beyond_the_rate_are_counted_and_reported(tapped, connect, listen):
    tap = listen(tapped)  # no driver is connected: the tap sees the flood's commands alone
    tap.checks = False  # there are thousands
    sent = 2_000 if has_sanitizer() else 20_000  # a sanitizer's daemon may not reach the rate
    begun = time.monotonic()
    sending = threading.Thread(target=flood, args=(tapped, sent))
    sending.start()
    counts = {"shown": 0, "beyondRate": 0, "tooSlow": 0}
    while counts["shown"] + counts["beyondRate"] + counts["tooSlow"] < sent:
        kind, got = tap.next()
        if kind == "command":
            counts["shown"] += got["ns"] == "yorkie-meta.documents"
        else:
            counts["beyondRate"] += got["beyondRate"]
            counts["tooSlow"] += got["tooSlow"]
    took = time.monotonic() - begun
    sending.join()
    assert counts["shown"] <= 1000 * (took + 2)
    assert counts["beyondRate"] > 0 or has_sanitizer()
    tapped.await_metric(1, "scattergate_tap_listeners")
    tapped.await_metric(counts["beyondRate"], "scattergate_tap_dropped_total")
    documents(connect(tapped)).find_one({"key": 1})  # there is room for what is rare
    assert tap.command(action="observed")
    tap.close()
    tapped.await_metric(0, "scattergate_tap_listeners")


def test_a_slow_reader_learns_what_it_missed_or_is_dropped_and_nothing_grows(tapped, client, listen):
    """The kernel buffers megabytes of events before the daemon notices that the reader is slow."""
    address = urllib.parse.urlsplit(tapped.admin)
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect((address.hostname, address.port))
        deaf.sendall(b"GET /api/v1/tap HTTP/1.1\r\nHost: localhost\r\n\r\n")
        tapped.await_metric(1, "scattergate_tap_listeners")
        before = tapped.resident_bytes()
        while tapped.metrics().total("scattergate_tap_listeners"):
            flood(tapped, 200, {"key": 1, "x" * 1000: 1})
        if not has_sanitizer():
            assert tapped.resident_bytes() - before < 32 << 20
    tap = listen(tapped)
    documents(client).find_one({"key": 1})
    assert tap.command(ns="yorkie-meta.documents")


def test_one_peer_does_not_keep_the_places_of_others(tapped, listen):
    """All of 127.0.0.1's listeners, and one of another address."""
    of_one = [listen(tapped) for _ in range(4)]
    other = listen(tapped, source="127.0.0.2")
    assert other.status == 200
    tapped.await_metric(4, "scattergate_tap_listeners")
    assert of_one[-1].next() is None
    assert listen(tapped, source="127.0.0.3").status == 200
    assert listen(tapped).status == 503


def test_who_has_left_gives_its_place_at_once(tapped, listen):
    listeners = [listen(tapped) for _ in range(4)]
    assert listen(tapped).status == 503
    listeners[0].close()
    wait_until(lambda: listen(tapped).status == 200, "a place")


def test_who_has_left_over_tls_gives_its_place(start, sim, listen, tmp_path):
    certificate = Authority(tmp_path / "ca").issue("admin")
    tapped = start(Daemon, sim.address, admin={"tap": "redacted", "tls": {"cert_file": str(certificate)}})
    tls = ssl._create_unverified_context()
    listeners = [listen(tapped, tls=tls) for _ in range(4)]
    assert listen(tapped, tls=tls).status == 503
    with contextlib.suppress(TimeoutError):
        listeners[0].socket.settimeout(0.1)
        listeners[0].socket.unwrap()  # says goodbye, as curl and browsers do, before it closes
    listeners[0].close()
    wait_until(lambda: listen(tapped, tls=tls).status == 200, "a place")


def test_listeners_are_bounded_and_take_no_probes_place(tapped, listen):
    listeners = [listen(tapped) for _ in range(6)]
    assert [each.status for each in listeners] == [200] * 4 + [503] * 2
    for path in ("/metrics", "/healthz", "/readyz", "/api/v1/status"):
        assert tapped.get(path)[0] == 200
    listeners[0].close()
    wait_until(lambda: listen(tapped).status == 200, "room for another")


def test_a_reload_opens_and_closes_it(daemon, connect, listen):
    client = connect(daemon)
    daemon.write_config(admin={"tap": "redacted"})
    daemon.reload()
    tap = listen(daemon)
    documents(client).find_one({"key": 1})
    assert tap.command(ns="yorkie-meta.documents")
    daemon.write_config(admin={"tap": "off"})
    daemon.reload()
    while tap.next():
        pass
    assert daemon.get("/api/v1/tap")[0] == 404
    assert status(daemon)["tap"] == "off"
    assert "ignored" not in daemon.stderr


def test_listeners_see_the_end(tapped, listen):
    tap = listen(tapped)
    assert tap.status == 200
    assert tapped.stop() == 0
    while tap.next():
        pass
