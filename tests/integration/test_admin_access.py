"""Access to the page and the API, and the events that keep them up to date."""

import base64
import http.client
import itertools
import json
import socket
import ssl
import subprocess
from datetime import datetime
from types import SimpleNamespace

import pytest

from certificates import Authority
from event_stream import EventStream
from processes import Daemon, clean_environment, free_port, port_of, program_path
from test_api import check
from waiting import wait_until

TOKEN = "correct horse battery staple"
OPEN = ("/metrics", "/healthz", "/readyz")
GUARDED = ("/", "/page.js", "/api/v1/status", "/api/v1/events", "/api/v1/tap",
           "/nowhere")


def ask(daemon, path, context=None, **headers):
    kind = http.client.HTTPSConnection if context else http.client.HTTPConnection
    more = {"context": context} if context else {}
    connection = kind("127.0.0.1", port_of(daemon.admin), timeout=60, **more)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    text = answer.read(0 if answer.status == 200 and path.endswith("events") else None)
    connection.close()
    return answer.status, text.decode(), answer.headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:19216", "127.0.0.1.evil.example"])
def test_a_foreign_host_is_refused_but_for_metrics_and_health(daemon, host):
    for path in OPEN:
        assert ask(daemon, path, Host=host)[0] == 200, path
    for path in GUARDED:
        assert ask(daemon, path, Host=host)[0] == 403, path
    for ours in ("localhost", f"127.0.0.1:{port_of(daemon.admin)}", "[::1]:1"):
        assert ask(daemon, "/api/v1/status", Host=ours)[0] == 200, ours


def test_a_name_that_the_configuration_knows_is_ours(start, sim):
    daemon = start(Daemon, sim.address, admin={"hosts": ["sidecar.example"]})
    assert ask(daemon, "/", Host="sidecar.example:80")[0] == 200
    assert ask(daemon, "/", Host="other.example")[0] == 403


def test_every_answer_has_the_strict_headers(daemon):
    for path in (*OPEN, *GUARDED[:3], "/nowhere"):
        headers = ask(daemon, path)[2]
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"


def test_off_loopback_the_page_says_what_to_set(start, sim):
    daemon = start(Daemon, sim.address, admin={"listen": "0.0.0.0:0"})
    for path in OPEN:
        assert ask(daemon, path)[0] == 200, path
    for path in GUARDED:
        status, text, _ = ask(daemon, path)
        assert status == 403, path
        assert "admin.tls" in text and "admin.token_file" in text and text.count("\n") == 1


def test_the_token_opens_the_page_over_tls(start, sim, tmp_path):
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    authority = Authority(tmp_path / "ca")
    certificate = authority.issue("admin")
    daemon = start(Daemon, sim.address, admin={
        "listen": "0.0.0.0:0", "token_file": str(token), "tls": {"cert_file": str(certificate)}})
    context = ssl._create_unverified_context()
    basic = base64.b64encode(f"me:{TOKEN}".encode()).decode()
    for path in OPEN:
        assert ask(daemon, path, context)[0] == 200, path
    for path in GUARDED[:3]:
        status, _, headers = ask(daemon, path, context)
        assert (status, headers["WWW-Authenticate"][:5]) == (401, "Basic"), path
        assert ask(daemon, path, context, Authorization="Bearer wrong")[0] == 401
        for right in (f"Bearer {TOKEN}", f"Basic {basic}"):
            assert ask(daemon, path, context, Authorization=right)[0] == 200, (path, right)
    asked = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "health",
                            "--config", daemon.config_path, "--admin",
                            f"127.0.0.1:{port_of(daemon.admin)}"], capture_output=True, text=True, timeout=60,
                           env=clean_environment())
    assert (asked.returncode, asked.stderr) == (0, "")
    with socket.create_connection(("127.0.0.1", port_of(daemon.admin))) as plain:
        plain.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"HTTP/1.1 200" not in plain.recv(4096)
    assert daemon.is_alive()


class Listener(EventStream):
    """One that listens to /api/v1/events."""

    def __init__(self, daemon):
        super().__init__(daemon, "/api/v1/events")

    def next(self):
        """The next event's data; None if it has ended."""
        while event := super().next():
            kind, data = event
            if kind == "now":
                return data
        return None


def test_events_report_what_has_changed(daemon, client):
    listener = Listener(daemon)
    assert listener.status == 200
    assert listener.headers["Content-Type"] == "text/event-stream"
    first = listener.next()
    check(first, "now")

    def finding():
        # Once more each time: an event leaves out what a worker hands over seconds late.
        client["yorkie-meta"].documents.find_one({"key": 1})
        event = listener.next()
        check(event, "now")
        return [one for one in event["shapes"] if one["ns"] == "yorkie-meta.documents"] and event
    event = wait_until(finding, "the finding to be sent")
    [shape] = [one for one in event["shapes"] if one["ns"] == "yorkie-meta.documents"]
    assert shape["actions"] == {"observed": shape["count"]}
    assert any(one["ns"] == "yorkie-meta.documents" and one["findings"] == shape["count"]
               for one in event["collections"])
    times = [datetime.fromisoformat(listener.next()["at"]) for _ in range(3)]
    for before, after in itertools.pairwise(times):
        assert (after - before).total_seconds() > 0.9  # one a second
    listener.close()


def test_listeners_are_bounded_and_take_no_probes_place(daemon):
    listeners = [Listener(daemon) for _ in range(20)]
    assert [one.status for one in listeners].count(200) == 16
    assert [one.status for one in listeners].count(503) == 4
    held = [socket.create_connection(("127.0.0.1", port_of(daemon.admin))) for _ in range(100)]
    for path in OPEN:
        assert daemon.get(path)[0] == 200
    for one in listeners:
        assert one.status == 503 or one.next()["status"]["ready"] is True
        one.close()
    for each in held:
        each.close()
    wait_until(lambda: Listener(daemon).status == 200, "room for another")


def test_listeners_see_the_end(daemon):
    listener = Listener(daemon)
    assert listener.next()
    assert daemon.stop() == 0
    while listener.next():
        pass


def test_the_page_has_an_address_of_its_own(start, sim):
    """The default: metrics for any Prometheus, the page only for users with a shell here."""
    port = free_port()
    daemon = start(Daemon, sim.address,
                   admin={"listen": "0.0.0.0:0", "page_listen": f"127.0.0.1:{port}"})

    def status(at, path):
        connection = http.client.HTTPConnection("127.0.0.1", at, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        connection.close()
        return answer.status

    for path in OPEN:
        assert (status(port_of(daemon.admin), path), status(port, path)) == (200, 404), path
    for path in GUARDED[:3]:
        assert (status(port_of(daemon.admin), path), status(port, path)) == (403, 200), path
    events = EventStream(SimpleNamespace(admin=f"http://127.0.0.1:{port}"), "/api/v1/events")
    assert events.status == 200 and events.next() is not None
    events.close()


def test_a_page_that_is_off_has_no_address(sim, tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({
        "listeners": [{"listen": "127.0.0.1:0", "upstream": [sim.address]}], "catalog": "off",
        "admin": {"page": "off", "page_listen": "127.0.0.1:0"}}))
    got = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", str(config)],
        env=clean_environment(), capture_output=True, text=True, check=False)
    assert got.returncode != 0
    assert "admin.page" in got.stdout + got.stderr
