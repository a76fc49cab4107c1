"""A daemon that waits for anything ends on a signal; a start that fails ends by itself."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading

import pytest

from malformed import PING
from processes import Daemon, Process, clean_environment, has_sanitizer, program_path
from raw import RawClient, op_msg
from upstream import swallow
from waiting import wait_until

ASKED = "asked for a silent name"


@pytest.fixture
def silent_names():
    """The environment in which names that begin with "silent." are never resolved."""
    library = os.environ.get("SCATTERGATE_SILENT_NAMES")
    if not library:
        pytest.skip("SCATTERGATE_SILENT_NAMES names no library: run by ctest")
    # The sanitizers' own libraries would have to come first.
    options = os.environ.get("ASAN_OPTIONS", "")
    return {"LD_PRELOAD": library, "ASAN_OPTIONS": f"{options}:verify_asan_link_order=0"}


def test_a_silent_name_server_is_logged_once_it_has_cost_a_connection(start, silent_names):
    daemon = start(Daemon, "silent.test:27017", environment=silent_names)
    with RawClient(daemon.port) as client:
        assert client.receive() is None
    daemon.await_line(r'"id":1012\b.*"subject":"silent.test:27017".*the name server doesn.t answer')


def test_a_silent_name_server_keeps_no_one_from_ending(start, silent_names):
    daemon = start(Daemon, "silent.test:27017", environment=silent_names)
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING))
        wait_until(lambda: ASKED in daemon.stderr, "a look-up")
        assert daemon.get("/healthz")[0] == 200
        assert daemon.stop() == 0


def test_nor_does_one_that_is_asked_for_another_mongos(start, upstream, silent_names):
    there = upstream(swallow)
    daemon = start(Daemon, there.address, environment=silent_names,
                   failover={"check_interval": "100ms"},
                   listeners=[{"listen": "127.0.0.1:0",
                               "upstream": [there.address, "silent.test:27017"]}])
    with RawClient(daemon.port) as client:
        client.send(op_msg(PING))
        wait_until(lambda: ASKED in daemon.stderr, "a look-up")
        daemon.signal(signal.SIGHUP)
        daemon.await_line(r'"id":3001\b')
        assert daemon.stop() == 0


def failing_start(tmp_path, upstream, **overrides):
    """A daemon that reads the cluster's catalog, its configuration apart from what is given."""
    path = tmp_path / "failing.yaml"
    config = {"listeners": [{"listen": "127.0.0.1:0", "upstream": [upstream.address]}],
              "catalog": {"source": "mongos"}, "admin": {"listen": "127.0.0.1:0"},
              "audit": {"file": str(tmp_path / "audit.json")}, **overrides}
    path.write_text(json.dumps(config))
    return [program_path("SCATTERGATE_BIN", "scattergate"), "run", "--config", path]


def run_to_its_end(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, env=clean_environment(), check=False, **options)


def the_one_line(ended):
    [line] = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    return line


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def in_a_taken_address(taken, mongos, tmp_path):
    return {"admin": {"listen": taken}}, taken


def in_the_second_listener(taken, mongos, tmp_path):
    return {"listeners": [{"listen": "127.0.0.1:0", "upstream": [mongos.address]},
                          {"listen": taken, "upstream": [mongos.address]}]}, taken


def in_the_audit_log(taken, mongos, tmp_path):
    return {"audit": {"file": str(tmp_path / "absent" / "audit.json")}}, "absent/audit.json"


def in_the_log(taken, mongos, tmp_path):
    return {"log": {"file": str(tmp_path)}}, str(tmp_path)


def in_the_handover_socket(taken, mongos, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    return {"handover": {"socket": str(precious)}}, "precious"


def in_a_certificate(taken, mongos, tmp_path):
    bad = tmp_path / "bad.pem"
    bad.write_text("no certificate")
    return {"listeners": [{"listen": "127.0.0.1:0", "upstream": [mongos.address],
                           "tls": {"cert_file": str(bad)}}]}, "bad.pem"


FAULTS = [in_a_taken_address, in_the_second_listener, in_the_audit_log, in_the_log,
          in_the_handover_socket, in_a_certificate]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_start_that_fails_says_why_and_ends(tmp_path, upstream, taken, fault):
    there = upstream()
    overrides, word = fault(taken, there, tmp_path)
    ended = run_to_its_end(failing_start(tmp_path, there, **overrides))
    assert ended.returncode == 1
    assert word in the_one_line(ended)


@pytest.mark.parametrize("fault", [in_a_taken_address, in_the_second_listener, in_a_certificate],
                         ids=lambda fault: fault.__name__)
def test_no_one_notices_it_before_its_addresses_are_its_own(tmp_path, upstream, taken, fault):
    """A second instance, started by mistake, doesn't contact mongos or write the first one's files."""
    there = upstream()
    overrides, _ = fault(taken, there, tmp_path)
    for _ in range(3):
        assert run_to_its_end(failing_start(tmp_path, there, **overrides)).returncode == 1
    assert there.connections == []
    assert not (tmp_path / "audit.json").exists()


@pytest.mark.skipif(has_sanitizer(), reason="a sanitizer's own memory is beyond any limit")
def test_a_start_that_fails_among_threads_that_run_ends_them(tmp_path, upstream):
    """There is room for the stacks of some of the workers only."""
    gigabyte = 1 << 30

    def little_room():
        resource.setrlimit(resource.RLIMIT_STACK, (gigabyte, gigabyte))
        resource.setrlimit(resource.RLIMIT_AS, (9 * gigabyte, 9 * gigabyte))
    ended = run_to_its_end(failing_start(tmp_path, upstream(), workers={"threads": 16}),
                           preexec_fn=little_room)
    assert ended.returncode == 1
    assert "cannot start worker-" in the_one_line(ended)


@pytest.fixture
def hesitant(short_directory):
    """A predecessor that hands over sockets without end."""
    path = short_directory / "handover.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(str(path))
        listening.listen()
        asked, is_over = threading.Event(), threading.Event()

        def hand_over():
            connection, _ = listening.accept()
            asked.set()
            with connection, socket.create_server(("127.0.0.1", 0)) as offered:
                while not is_over.wait(0.2):
                    try:
                        socket.send_fds(connection, [b"127.0.0.1:1"], [offered.fileno()])
                    except OSError:
                        return
        thread = threading.Thread(target=hand_over)
        thread.start()
        yield path, asked
        is_over.set()
        thread.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_by_a_signal_while_it_starts(tmp_path, upstream, hesitant, number):
    path, asked = hesitant
    starting = Process("starting", failing_start(tmp_path, upstream(),
                                                 handover={"socket": str(path)}), tmp_path)
    assert asked.wait(60)
    for early in (signal.SIGHUP, signal.SIGUSR1):
        starting.signal(early)
    starting.signal(number)
    assert starting.wait() == 0
    assert starting.stderr == ""


def test_a_storm_of_signals_is_weathered(start, sim):
    daemon = start(Daemon, sim.address)
    for _ in range(300):
        daemon.signal(signal.SIGHUP)
        daemon.signal(signal.SIGUSR1)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    assert daemon.metrics().total("scattergate_config_reloads_total") >= 1
    for _ in range(10):
        daemon.signal(signal.SIGHUP)
    assert daemon.stop() == 0


def test_the_old_files_stay_where_new_ones_cannot_be_opened(start, sim, tmp_path, connect):
    kept = tmp_path / "kept"
    kept.mkdir()
    daemon = start(Daemon, sim.address, audit={"file": str(kept / "audit.json")},
                   log={"file": str(kept / "log.json")})
    kept.rename(tmp_path / "moved")
    kept.write_text("no directory any more")
    daemon.signal(signal.SIGUSR1)
    log = tmp_path / "moved" / "log.json"
    wait_until(lambda: re.search(r'"id":4001\b', log.read_text())
               and re.search(r'"id":5001\b', log.read_text()), "the log to tell of both")
    client = connect(daemon)
    client["yorkie-meta"].documents.find_one({"key": 1})
    client.close()
    assert daemon.stop() == 0
    assert len((tmp_path / "moved" / "audit.json").read_text().splitlines()) == 1
