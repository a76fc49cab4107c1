"""A guarded admin address: its certificate and token are replaced by a reload, its failures are reported,
and the tools get in."""

import contextlib
import http.client
import json
import re
import signal
import socket
import ssl
import subprocess
import time

import pytest

from certificates import Authority
from log_lines import await_one
from processes import Daemon, clean_environment, port_of, program_path
from waiting import PATIENCE, wait_until

FIRST, SECOND = "correct horse battery staple", "another horse, another staple"


@pytest.fixture(name="authority")
def _authority(tmp_path):
    return Authority(tmp_path / "tls")


@pytest.fixture(name="token")
def _token(tmp_path):
    return write(tmp_path / "token", FIRST)


@pytest.fixture(name="guarded")
def _guarded(start, sim, authority, token):
    return start(Daemon, sim.address, verify={"samples": "values"}, admin={
        "listen": "0.0.0.0:0", "token_file": str(token), "tls": {"cert_file": str(authority.issue("admin"))}})


def write(path, token):
    path.write_text(token + "\n")
    path.chmod(0o600)
    return path


def ask(daemon, path, token=FIRST):
    """The status of the answer, and the certificate that was shown."""
    connection = http.client.HTTPSConnection("127.0.0.1", port_of(daemon.admin), timeout=60,
                                             context=ssl._create_unverified_context())
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    shown = connection.sock.getpeercert(binary_form=True)
    status = connection.getresponse().status
    connection.close()
    return status, shown


def reload(daemon):
    before = len(re.findall(r'"id":300[12]\b', daemon.stderr))
    daemon.signal(signal.SIGHUP)
    daemon.await_line_count(r'"id":300[12]\b', before + 1)


def test_a_reload_takes_another_token(guarded, token):
    assert ask(guarded, "/api/v1/status")[0] == 200
    write(token, SECOND)
    reload(guarded)
    wait_until(lambda: ask(guarded, "/api/v1/status", SECOND)[0] == 200, "the new token to be taken")
    assert ask(guarded, "/api/v1/status", FIRST)[0] == 401
    assert ask(guarded, "/metrics", FIRST)[0] == 200


def test_who_listens_by_a_token_that_is_no_more_is_cut(guarded, token):
    listener = http.client.HTTPSConnection("127.0.0.1", port_of(guarded.admin), timeout=60,
                                           context=ssl._create_unverified_context())
    listener.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {FIRST}"})
    events = listener.getresponse()
    assert events.status == 200
    reload(guarded)  # nothing has changed
    while not events.fp.readline().startswith(b"event: now"):
        pass
    write(token, SECOND)
    reload(guarded)
    patience = time.monotonic() + PATIENCE
    with contextlib.suppress(OSError):
        while events.fp.readline():
            assert time.monotonic() < patience, "it still gets events"
    listener.close()
    assert "admin connections" not in guarded.stderr  # no connection was closed to make room


def test_a_reload_takes_another_certificate_and_keeps_connections(guarded, authority):
    kept = http.client.HTTPSConnection("127.0.0.1", port_of(guarded.admin), timeout=60,
                                       context=ssl._create_unverified_context())
    kept.request("GET", "/healthz")
    assert kept.getresponse().read() == b"ok\n"
    first = ask(guarded, "/healthz")[1]
    authority.last("admin", days=100)
    reload(guarded)
    wait_until(lambda: ask(guarded, "/healthz")[1] != first, "the new certificate to be shown")
    kept.request("GET", "/healthz")
    assert kept.getresponse().read() == b"ok\n"
    kept.close()


def test_what_cannot_be_used_is_refused_at_the_start_by_check_and_by_a_reload(guarded, token):
    write(token, "short")
    reload(guarded)
    assert guarded.find_line(r'"id":3002\b.*admin\.token_file.*fewer than 16 characters')
    assert ask(guarded, "/api/v1/status")[0] == 200
    config = json.loads(guarded.config_path.read_text())
    config["admin"]["listen"] = "127.0.0.1:0"
    guarded.config_path.write_text(json.dumps(config))
    checked = run("check", "--config", guarded.config_path)
    assert checked.returncode == 1 and "fewer than 16 characters" in checked.stderr


def test_expiring_certificates_and_failed_handshakes_are_reported(guarded, authority):
    authority.last("admin", days=-1)
    reload(guarded)
    await_one(guarded, 1040, "admin.pem")
    with socket.create_connection(("127.0.0.1", port_of(guarded.admin))) as plain:
        plain.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        while plain.recv(4096):
            pass
    failed = await_one(guarded, 1034)
    assert failed["detail"] == "at the admin address: http request (SSL routines)"
    assert failed["subject"] == "127.0.0.1"
    socket.create_connection(("127.0.0.1", port_of(guarded.admin))).close()  # a probe of the port
    authority.last("admin", days=100)
    reload(guarded)
    await_one(guarded, 1041, "admin.pem")
    assert len(re.findall(r'"id":1034\b', guarded.stderr)) == 1


def run(*arguments):
    return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), *map(str, arguments)],
                          capture_output=True, text=True, timeout=60, env=clean_environment())


@pytest.fixture(name="seen")
def _seen(guarded, authority, token, connect):
    """A guarded daemon that has judged a command, by its URL, and what opens it."""
    connect(guarded)["yorkie-meta"].documents.find_one({"key": 1})
    url = f"https://127.0.0.1:{port_of(guarded.admin)}"
    guard = ["--token-file", token, "--ca-file", authority.ca_file]
    wait_until(lambda: "yorkie-meta.documents" in run("report", url, *guard).stdout, "the find to be listed")
    return url, guard


def test_the_report_gets_in_with_token_and_ca_and_says_what_is_missing(seen):
    url, (_, token, _, ca_file) = seen
    for flags, why in [(("--ca-file", ca_file), "--token-file"),
                       (("--token-file", token), "TLS fails"),
                       (("--token-file", ca_file, "--ca-file", "/nowhere"), "/nowhere")]:
        done = run("report", url, *flags)
        assert done.returncode == 2 and why in done.stderr, (flags, done.stderr)
        assert done.stderr.count("\n") == 1
    for elsewhere in ("sidecar.example", "127.0.0.1.example"):
        plain = run("report", f"http://{elsewhere}:19216", "--token-file", token)
        assert plain.returncode == 2 and "isn't sent without TLS" in plain.stderr


def test_verify_gets_in_too(seen, sim):
    url, guard = seen
    done = run("verify", "--uri", f"mongodb://{sim.address}/", "--from", url, *guard)
    assert done.returncode == 0, done.stderr
    refused = run("verify", "--uri", f"mongodb://{sim.address}/", "--from", url, *guard[2:])
    assert refused.returncode == 2 and "--token-file" in refused.stderr
