"""The page names each fault that is injected while it is open, with its cause; what
it breaks is marked as bad, and the headline isn't OK."""

import os
import socket
import time

import pytest

from certificates import Authority
from processes import Daemon
from raw import RawClient
from malformed import PING


def connect_once(daemon):
    """One connection, to its end."""
    with socket.create_connection(("127.0.0.1", daemon.port), 60) as client:
        while client.recv(1000):
            pass


def unknown_name(start, *_):
    return start(Daemon, "no-such-host.invalid:27017"), connect_once, ["no-such-host.invalid", "resolved"], ""


def refused(start, *_):
    return start(Daemon, "127.0.0.1:1"), connect_once, ["127.0.0.1:1", "Connection refused"], ""


def full_disk(start, sim, folder, connect):
    os.symlink("/dev/full", folder / "audit")
    daemon = start(Daemon, sim.address, audit={"file": str(folder / "audit")})
    daemon.ends_with = 1  # by a loss of findings
    client = connect(daemon)
    client.admin.command("ping")
    return (daemon, lambda _: client["yorkie-meta"].documents.find_one({"key": 1}),
            ["audit", "No space left on device"], "findings wait in memory")


def limit(start, sim, *_):
    daemon = start(Daemon, sim.address, limits={"connections": 1})
    held = RawClient(daemon.port)
    assert held.run(PING)["ok"] == 1
    daemon.held = held
    return daemon, connect_once, ["limits.connections", "1 are open"], ""


def expired_certificate(start, sim, folder, _):
    authority = Authority(folder / "tls")
    certificate = authority.issue("proxy")
    daemon = start(Daemon, sim.address, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [sim.address], "tls": {"cert_file": str(certificate)}}])

    def expire(daemon):
        authority.last("proxy", days=-1)
        daemon.reload()
    return daemon, expire, ["proxy.pem", "valid until"], "certificate expired on"


def bad_reload(start, sim, *_):
    def spoil(daemon):
        daemon.config_path.write_text("listners: []")
        daemon.reload()
    return start(Daemon, sim.address), spoil, ["configuration", "listners"], "last reload failed"


@pytest.mark.parametrize("plant", [unknown_name, refused, full_disk, limit, expired_certificate, bad_reload])
def test_a_fault_is_named_while_one_looks(start, sim, tmp_path, connect, open_tab, plant):
    daemon, meet, words, marked = plant(start, sim, tmp_path, connect)
    tab = open_tab(daemon.admin + "/")
    tab.await_text(".mark.fine", "live")
    begun = time.monotonic()
    meet(daemon)
    for word in words:
        tab.await_text("#wrong .condition", word)
    if marked:
        tab.await_text("#health .mark.bad", marked)
    assert tab.page.locator("#headline.ok").count() == 0
    print(plant.__name__, round(time.monotonic() - begun, 2), "s")  # for information only: machines differ
    assert tab.complaints == []
