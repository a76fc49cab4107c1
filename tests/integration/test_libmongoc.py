"""libmongoc as the client: the same results direct and through, and every command counted."""

import os
import re
import subprocess

import pytest

from processes import Daemon, ROOT, Sim, clean_environment

USER = "ann:secret"


def program():
    given = os.environ.get("SCATTERGATE_MONGOC_CLIENT")
    if given:
        return given
    built = sorted(ROOT.glob("build/*/tests/integration/mongoc_client"),
                   key=lambda path: path.stat().st_mtime)
    return built[-1]


def run_against(server, options):
    uri = f"mongodb://{USER}@127.0.0.1:{server.port}/?appName=mongoc&{options}"
    done = subprocess.run([str(program()), uri], capture_output=True, text=True, timeout=120,
                          env={**clean_environment(), "MONGOC_DISABLE_SHM": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    # Fields that always differ between two servers.
    lines = re.sub(r'("(?:\$clusterTime|operationTime)" : \{).*', r"\1", done.stdout)
    sent = dict(re.findall(r"^sent (\w+) (\d+)$", lines, re.M))
    return lines, {name: int(count) for name, count in sent.items()}


@pytest.mark.parametrize("options", ["authMechanism=SCRAM-SHA-256", "authMechanism=SCRAM-SHA-1",
                                     "retryWrites=false"])
def test_libmongoc_gets_the_same_and_all_is_counted(start, options):
    direct, behind = (start(Sim, name=name, users=[USER]) for name in ("direct", "behind"))
    daemon = start(Daemon, behind.address)
    expected, _ = run_against(direct, options)
    got, sent = run_against(daemon, options)
    assert got == expected
    assert len(got.splitlines()) > 100
    daemon.await_quiet()
    counted = {name: count for (name,), count in
               daemon.metrics().by("scattergate_commands_total", "command").items()}
    for handshake in ("isMaster", "hello", "saslStart", "saslContinue"):
        counted.pop(handshake, None)
        sent.pop(handshake, None)
    assert counted == sent
    assert sent["getMore"] >= 5
    daemon.stop()
    callers = [caller for line in daemon.audit() for caller in line["param"]["callers"]]
    assert callers
    for caller in callers:
        assert (caller["appName"], caller["user"]) == ("mongoc", "ann")
        assert "mongoc" in caller["driver"]
