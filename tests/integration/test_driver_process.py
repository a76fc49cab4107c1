"""The MongoDB driver runs in a process of its own: no reply of a server, no crash and no hang of the driver ends the
daemon, delays its end, or makes it lose or count anything twice; each is named, and over when it is over."""

import concurrent.futures
import contextlib
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time

import pytest

from fleet_lives import traffic
from fleet_store import TroubledServer, commands_in, fleet_settings
from hostile_mongos import HostileMongos
from malformed import PING
from processes import Daemon, Sim, clean_environment, has_sanitizer, program_path
from raw import OP_MSG, RawClient
from tampered_replies import (HELLO_FIELDS, REPLY_FIELDS, REPLICA_SET, VALUES, TamperingServer, is_hello, is_in_transaction,
                              is_other)
from test_live_catalog import await_followed, await_state
from waiting import wait_until

IMPATIENT = "serverSelectionTimeoutMS=1000&connectTimeoutMS=1000&socketTimeoutMS=1000"
PATIENT = "serverSelectionTimeoutMS=3600000&connectTimeoutMS=3600000&socketTimeoutMS=3600000"


def drivers_of(process):
    """The ids of its driver processes."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue  # it has ended
        if re.search(rf"^PPid:\s+{process.pid}$", text, re.M) and not re.search(r"^State:\s+Z", text, re.M):
            found.append(int(status.parent.name))
    return found


def await_driver(process):
    return wait_until(lambda: drivers_of(process), "a driver process")[0]


def restarts(daemon, **labels):
    return daemon.metrics().total("scattergate_driver_restarts_total", **labels)


def is_raised(daemon, application):
    return any(each["kind"] == "driver_failing" and each["subject"] == application and each["active"]
               for each in json.loads(daemon.get("/api/v1/status")[2])["conditions"])


def tampering(upstream, sim, **how):
    script = TamperingServer(sim.port, **how)
    return script, upstream(script)


def follow(address, options=IMPATIENT):
    return {"source": "mongos", "refresh": "1h", "uri": f"mongodb://{address}/?{options}"}


def run_tool(*arguments):
    return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), *arguments], capture_output=True, text=True,
                          env=clean_environment(), timeout=120, check=False)


def check_that_it_says_why(done, what):
    assert done.returncode in (0, 1, 2), (what, done)
    if done.returncode != 0:
        assert re.fullmatch(r"scattergate[^\n]+\n|mongos: [^\n]+\n", done.stderr), (what, done.stderr)
    if "process crashed" in done.stderr:
        assert done.returncode == 2, (what, done)


def combinations(fields):
    """All; under a sanitizer, which makes a program's start slow, some of them."""
    every = [(field, name) for field in fields for name in VALUES]
    return every[::17] if has_sanitizer() else every


@pytest.mark.parametrize("fields, further, on", [
    (HELLO_FIELDS, {}, is_hello), (["hosts", "passives", "arbiters", "primary", "me", "tags", "setVersion"], REPLICA_SET, is_hello),
    (REPLY_FIELDS, {}, is_other)], ids=["hello", "hello of a replica set", "replies"])
def test_no_reply_ends_a_tool_without_a_cause(upstream, sim, fields, further, on):
    def ask(case):
        field, name = case
        script, there = tampering(upstream, sim, fields={**further, field: VALUES[name]}, on=on)
        done = run_tool("catalog", "mongos", "--catalog-uri", f"mongodb://{there.address}/?{IMPATIENT}")
        assert script.tampered
        check_that_it_says_why(done, case)
        there.close()
        return "crashed" in done.stderr

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        crashes = sum(pool.map(ask, combinations(fields)))
    print(f"{crashes} replies crash this machine's libmongoc")


@pytest.mark.parametrize("field, name", [
    ("writeConcernError", "true"), ("code", "NaN"), ("speculativeAuthenticate", "documents")])
def test_a_crash_is_one_line_of_every_tool(start, upstream, sim, tmp_path, field, name):
    server = start(Sim, name="server", preset=None)
    is_reply = field in REPLY_FIELDS
    fields, on = {field: VALUES[name]}, is_other if is_reply else is_hello
    _, there = tampering(upstream, sim, fields=fields, on=on)
    _, fleet = tampering(upstream, server, fields=fields, on=on)
    uri = f"mongodb://{there.address}/?{IMPATIENT}"
    file = tmp_path / "uri"
    file.touch(0o600)
    file.write_text(f"mongodb://{fleet.address}/?{IMPATIENT}\n")
    commands = tmp_path / "commands"
    commands.write_text('{"find": "clients", "$db": "yorkie-meta"}\n')
    for arguments in (["catalog", "mongos", "--catalog-uri", uri],
                      ["verify", "--uri", uri, "--commands", commands],
                      ["fleet", "status", "--uri-file", file],
                      ["report", file.read_text().strip().replace("/?", "/fleet?")],
                      ["advise", commands, "--catalog", "mongos", "--catalog-uri", uri]):
        done = run_tool(*map(str, arguments))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), (arguments, done)
        assert re.search(r"the MongoDB driver's process crashed \(SIG", done.stderr), (arguments, done)


@pytest.mark.parametrize("field, name, on", [
    ("writeConcernError", "true", is_other), ("code", "NaN", is_other), ("speculativeAuthenticate", "documents", is_hello)])
def test_a_crash_leaves_the_daemon_its_catalog_and_its_clients(start, upstream, sim, field, name, on):
    script, there = tampering(upstream, sim)
    daemon = start(Daemon, sim.address, catalog=follow(there.address))
    await_followed(daemon)
    collections = daemon.metrics().total("scattergate_catalog_collections")
    script.on, script.fields = on, {field: VALUES[name]}
    daemon.reload()
    daemon.await_line(r'"id":7009\b.*"subject":"scattergate-catalog".*crashed: .*SIG')
    wait_until(lambda: restarts(daemon, cause="crashed") >= 2, "another process, which crashes too")
    assert is_raised(daemon, "scattergate-catalog")
    assert daemon.metrics().total("scattergate_catalog_collections") == collections
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    script.fields = {}
    await_state(daemon, "live")
    daemon.await_line(r'"id":7010\b')
    assert not is_raised(daemon, "scattergate-catalog")


def test_a_hung_driver_is_ended_and_started_again(start, sim):
    daemon = start(Daemon, sim.address, catalog={**follow(sim.address), "refresh": "1s"})
    await_followed(daemon)
    hung = await_driver(daemon)
    signal_of(hung, signal.SIGSTOP)
    daemon.await_line(r'"id":7009\b.*hung: ')
    wait_until(lambda: hung not in drivers_of(daemon), "the hung process to end")
    assert restarts(daemon, cause="hung") == 1
    await_state(daemon, "live")
    assert not is_raised(daemon, "scattergate-catalog")


def shut(connection):
    with contextlib.suppress(OSError):  # it has ended
        connection.shutdown(socket.SHUT_RDWR)


def signal_of(process, number):
    subprocess.run(["kill", f"-{int(number)}", str(process)], check=True)


@pytest.mark.parametrize("how", ["reload", "stop"])
def test_neither_a_reload_nor_the_end_waits_for_a_hung_driver(start, sim, how):
    """Whose call may take an hour, for all that the connection string says."""
    daemon = start(Daemon, sim.address, catalog={**follow(sim.address, PATIENT), "refresh": "1s"})
    await_followed(daemon)
    hung = await_driver(daemon)
    signal_of(hung, signal.SIGSTOP)
    reads = daemon.metrics().total("scattergate_catalog_refresh_triggers_total")
    wait_until(lambda: daemon.metrics().total("scattergate_catalog_refresh_triggers_total") > reads, "a load that hangs")
    if how == "stop":
        assert daemon.stop() == 0
    else:
        loads = daemon.metrics().total("scattergate_catalog_loads_total")
        daemon.reload()
        wait_until(lambda: daemon.metrics().total("scattergate_catalog_loads_total") > loads, "a load after the reload")
        assert restarts(daemon) == 0
    wait_until(lambda: not pathlib.Path(f"/proc/{hung}").exists(), "the hung process to end")


@pytest.mark.skipif(has_sanitizer(), reason="a sanitizer needs memory without a limit")
def test_a_driver_that_needs_too_much_memory_is_ended(start, upstream):
    there = HostileMongos(hello={"maxMessageSizeBytes": 2**31 - 1})
    daemon = start(Daemon, (address := upstream(there).address), catalog=follow(address))
    await_followed(daemon)
    there.attack = lambda _, request, body: struct.pack("<iiii", 2**30, 1, request.request_id, OP_MSG)
    daemon.reload()
    daemon.await_line(r'"id":7009\b.*memory: ')
    assert restarts(daemon, cause="memory") >= 1
    there.attack = None
    await_state(daemon, "live")


def test_a_driver_has_no_rights_that_it_does_not_need(start, sim):
    daemon = start(Daemon, sim.address, catalog=follow(sim.address))
    await_followed(daemon)
    driver = await_driver(daemon)
    status = pathlib.Path(f"/proc/{driver}/status").read_text()
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.M)
    assert re.search(r"^Cap(Eff|Prm):\s+0+$", status, re.M)
    assert re.search(r"^Threads:\s+1$", status, re.M) or has_sanitizer()
    command = pathlib.Path(f"/proc/{driver}/cmdline").read_bytes().split(b"\0")
    assert command == [b"scattergate-driver", b"scattergate-catalog", b""]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):  # of a whole unit or group
        signal_of(driver, number)
    daemon.reload()
    await_followed(daemon)
    assert restarts(daemon) == 0


def test_a_driver_ends_with_a_daemon_that_is_killed(start, sim):
    daemon = start(Daemon, sim.address, catalog={**follow(sim.address, PATIENT), "refresh": "1s"})
    daemon.ends_with = -signal.SIGKILL
    await_followed(daemon)
    driver = await_driver(daemon)
    signal_of(driver, signal.SIGSTOP)
    daemon.signal(signal.SIGKILL)
    wait_until(lambda: not pathlib.Path(f"/proc/{driver}/exe").exists(), "the driver's end")


CRASHES = {"hello": (is_hello, "speculativeAuthenticate", ["no text", "documents"]),
           "replies": (is_other, "writeConcernError", ["true", "fields", "bytes"]),
           "codes": (is_other, "code", ["NaN", "a huge double"]),
           "transactions": (is_in_transaction, "writeConcernError", ["no text", "a date", "null"])}


@pytest.mark.parametrize("what", CRASHES)
def test_no_reply_ends_a_sidecar_or_counts_anything_twice(start, connect, upstream, sim, server, store, tmp_path, what):
    script, there = tampering(upstream, server)
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, there.address, "one"))
    client = connect(daemon)

    def count_flushes():
        return daemon.metrics().total("scattergate_fleet_flushes_total")
    script.on, field, names = CRASHES[what]
    for name in names:
        script.fields = {field: VALUES[name]}
        crashes = restarts(daemon, cause="crashed")
        traffic(client, 1)
        if what == "hello":  # which only a new connection begins with
            for each in there.connections:
                shut(each.socket)
        wait_until(lambda crashes=crashes: restarts(daemon, cause="crashed") > crashes, f"a crash by {field} as {name}")
        script.fields = {}
        flushes = count_flushes()
        traffic(client, 1)
        wait_until(lambda flushes=flushes: count_flushes() > flushes, f"a flush after {field} as {name}")
    assert daemon.metrics().total("scattergate_fleet_failures_total") >= len(names)
    daemon.await_line(r'"id":7009\b.*"subject":"scattergate-fleet".*crashed')
    client.close()
    daemon.await_metric(0, "scattergate_fleet_waiting_commands")
    assert daemon.stop() == 0, daemon.stderr
    assert store.total() == commands_in(tmp_path / "one.state")[1]


class SlowServer(TroubledServer):
    """Answers each command after a while."""

    asked = 0
    seconds = 0

    def _fault(self, request):
        self.asked += 1
        time.sleep(self.seconds)
        return None, False


def test_the_end_waits_for_a_slow_database_once_not_for_each_reply(start, connect, sim, server, tmp_path, upstream):
    slow = SlowServer(server.port)
    there = upstream(slow)
    daemon = start(Daemon, sim.address, drain={"grace": "1s"}, **fleet_settings(tmp_path, there.address, "one"))
    client = connect(daemon)
    traffic(client, 5)
    daemon.await_metric(0, "scattergate_fleet_waiting_commands")
    slow.seconds = 4.4
    asked = slow.asked
    wait_until(lambda: slow.asked > asked, "a flush that is slow")
    traffic(client, 1)
    client.close()
    daemon.signal(signal.SIGTERM)
    asked = slow.asked
    assert daemon.wait() == 0
    # At most two replies of 4.4 s fit into the five seconds that the last flush may take.
    assert slow.asked <= asked + 2
    assert daemon.find_line(r'"id":5027\b.*"commands":\d+')


def test_the_end_does_not_wait_for_the_fleets_page(start, sim, upstream, tmp_path):
    slow = SlowServer(start(Sim, name="server", preset=None).port)
    there = upstream(slow)
    settings = fleet_settings(tmp_path, there.address, "one", interval="1h")
    settings["fleet"]["read"] = True
    daemon = start(Daemon, sim.address, **settings)
    wait_until(lambda: slow.asked > 3, "the sidecar's first turn")
    slow.seconds = 3600
    daemon.get("/api/v1/fleet")
    wait_until(lambda: any("scattergate-fleet" in pathlib.Path(f"/proc/{each}/cmdline").read_text()
                           for each in drivers_of(daemon)), "the page's driver process")
    asked = slow.asked
    wait_until(lambda: slow.asked > asked, "the page's question")
    assert daemon.stop() == 0
