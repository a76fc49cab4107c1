"""The admin address, as Prometheus, probes and people use it."""

import gzip
import shutil
import socket
import subprocess
import urllib.error
import urllib.request

import pytest
from backports import zstd

import traffic
from processes import Daemon


def test_health_and_metrics_have_their_content_types(daemon):
    assert daemon.get("/healthz")[:2] == (200, "text/plain; charset=utf-8")
    assert daemon.get("/readyz")[:2] == (200, "text/plain; charset=utf-8")
    assert daemon.get("/metrics")[:2] == (200, "text/plain; version=0.0.4; charset=utf-8")
    status, kind, page = daemon.get("/")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert "scattergate" in page
    assert daemon.get("/nowhere")[0] == 404


def test_metrics_come_in_the_form_that_is_asked_for(daemon, client):
    def ask(**headers):
        asked = urllib.request.Request(daemon.admin + "/metrics", headers={
            name.replace("_", "-"): value for name, value in headers.items()})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.headers, answer.read()

    client.shop.carts.insert_one({})
    client.close()
    daemon.await_quiet()
    headers, plain = ask()
    assert headers["Content-Encoding"] is None and headers["Vary"] == "Accept, Accept-Encoding"
    headers, openmetrics = ask(Accept="application/openmetrics-text; version=1.0.0, text/plain; q=0.5")
    assert headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert openmetrics.endswith(b"\n# EOF\n") and b"# EOF" not in plain
    names = {line.split(b" ")[0] for line in openmetrics.splitlines() if line.startswith(b"scattergate_commands")}
    assert names and names == {line.split(b" ")[0] for line in plain.splitlines()
                               if line.startswith(b"scattergate_commands")}
    for coding, unpack in (("gzip", gzip.decompress), ("zstd", zstd.decompress)):
        headers, packed = ask(Accept_Encoding=coding)
        assert headers["Content-Encoding"] == coding and len(packed) < len(plain) / 4
        assert b"scattergate_commands_total{" in unpack(packed)
    assert ask(Accept_Encoding="br, gzip;q=0")[0]["Content-Encoding"] is None


def test_the_page_shows_findings_and_escapes_names(daemon, client):
    client["yorkie-meta"].documents.find_one({"key": 1})
    client.shop["<script>alert(1)</script>"].insert_one({})
    client.close()
    daemon.await_quiet()
    page = daemon.get("/")[2]
    assert "documents" in page and "missing_key" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("page", ["on", "off"])
def test_the_page_can_be_switched_off(start, page):
    daemon = start(Daemon, "127.0.0.1:1", admin={"page": page})
    assert daemon.get("/")[0] == (200 if page == "on" else 404)
    assert daemon.get("/metrics")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_there_changes_anything(daemon, method):
    for path in ("/", "/metrics", "/readyz", "/quitquitquit"):
        request = urllib.request.Request(daemon.admin + path, method=method)
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(request, timeout=60)
        refusal.value.close()
        assert refusal.value.code == 405
    assert daemon.is_alive()


def test_rubbish_on_the_admin_port_harms_no_one(daemon, client):
    port = int(daemon.admin.rsplit(":", 1)[1])
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
    for each in held[:100]:
        each.sendall(b"\x16\x03\x01" + bytes(range(256)))
    for each in held[100:200]:
        each.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
    assert client.admin.command("ping")["ok"] == 1
    for each in held:
        each.close()
    assert daemon.get("/healthz")[0] == 200


@pytest.mark.parametrize("sends", [b"", b"GET /metrics HTTP/1.1\r\nX: ",
                                   b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 50])
def test_probes_are_answered_while_a_thousand_hang_there(daemon, client, sends):
    """64 connections are served at a time, and silent ones are closed after 5 s: a probe that had to queue would
    wait longer than it does."""
    port = int(daemon.admin.rsplit(":", 1)[1])
    held = []
    for _ in range(1_000):
        held.append(socket.create_connection(("127.0.0.1", port)))
        if sends:
            held[-1].sendall(sends)
    for path in ("/healthz", "/readyz", "/metrics"):
        assert daemon.get(path)[0] == 200
    assert daemon.metrics().total("process_open_fds") < 200  # 64 of them at most
    assert client.admin.command("ping")["ok"] == 1
    for each in held:
        each.close()


def test_promtool_has_nothing_to_say(daemon, client):
    promtool = shutil.which("promtool")
    if not promtool:
        pytest.skip("promtool not found")
    for number in range(3):
        traffic.mixed_round(client, number)
    for name in ('quo"te', "back\\slash", "line\nbreak", "\u2028\u00e9\U0001f600"):
        client.shop[name].insert_one({})
    checked = subprocess.run([promtool, "check", "metrics"], input=daemon.get("/metrics")[2],
                             capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
