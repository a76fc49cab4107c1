"""A restart by handover: the successor takes the listening sockets, and clients don't notice."""

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time

import pytest

from audit import counts_by, read_audit
from life import Generations, Load
from log_lines import lines_of
from malformed import PING
from processes import Process, clean_environment, program_path
from raw import EXHAUST_ALLOWED, RawClient, op_msg
from upstream import Upstream
from waiting import wait_until

HELLO = {"hello": 1, "$db": "admin"}
DRAINING = r'"id":1002\b'


@pytest.fixture
def generations(start, short_directory, tmp_path):
    """Daemons that share their audit log too."""
    def make(upstream, **options):
        return Generations(start, upstream, short_directory,
                           audit={"file": str(tmp_path / "audit.json")}, **options)
    return make


def await_rounds(load, count):
    target = load.rounds + count, load.connects + count
    wait_until(lambda: load.failures or (load.rounds, load.connects) >= target, "further rounds")


def assert_exact_accounts(generation, load):
    """Both sides: the driver's answered commands, and all that the daemons wrote."""
    generation.daemon.await_quiet()
    assert generation.daemon.stop() == 0
    audited = counts_by(read_audit(generation.daemon.config["audit"]["file"]), "ns", "command")
    assert audited == {("yorkie-meta.documents", "find"): load.answered.counts["find"]}


@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_a_driver_under_load_sees_no_restart(generations, sim, short_directory, kind):
    """Over several of them, with other numbers of threads and other rules each time."""
    path = short_directory / "clients.sock"
    listen = "127.0.0.1:0" if kind == "tcp" else f"unix:{path}"
    generation = generations(sim.address, listeners=[
        {"listen": listen, "upstream": [sim.address]}])
    first = generation.daemon
    load = Load(("127.0.0.1", first.port) if kind == "tcp" else path)
    for number, threads in enumerate([1, 4, 2]):
        await_rounds(load, 30)
        before = generation.succeed(workers={"threads": threads}, rules=[
            {"name": f"rule{number}", "match": {"namespace": f"none.{number}"}}])
        assert generation.daemon.ready_line == first.ready_line
        await_rounds(load, 30)
        assert before.wait() == 0
        assert generation.daemon.metrics().total("scattergate_workers") == threads
    load.stop()
    assert_exact_accounts(generation, load)
    assert not path.exists()


def test_the_admin_address_never_fails(generations, sim):
    generation = generations(sim.address)
    answers, is_over = [], threading.Event()

    def scrape():
        while not is_over.is_set():
            for path in ("/readyz", "/healthz", "/metrics"):
                try:
                    answers.append(generation.daemon.get(path)[0])
                except OSError as failure:
                    answers.append(repr(failure))
    threads = [threading.Thread(target=scrape) for _ in range(3)]
    for thread in threads:
        thread.start()
    admin = generation.daemon.admin
    for _ in range(2):
        before = generation.succeed()
        assert generation.daemon.admin == admin
        assert before.wait() == 0
        assert health(admin.removeprefix("http://")) == 0
    is_over.set()
    for thread in threads:
        thread.join()
    assert set(answers) == {200}


@pytest.fixture
def held():
    """An upstream that answers a find only on request, and streams a hello for ever."""
    go_on = threading.Event()

    def script(connection):
        while request := connection.message():
            if "find" in request.body:
                go_on.wait(60)
            connection.reply(request)
    made = Upstream(script)
    made.go_on = go_on
    yield made
    go_on.set()
    made.close()


def test_what_is_under_way_is_finished_by_the_predecessor(generations, held):
    generation = generations(held.address, drain={"grace": "50s"})
    with RawClient(generation.daemon.port) as busy, RawClient(generation.daemon.port) as idle:
        assert idle.run(PING)["ok"] == 1
        busy.send(op_msg({"find": "c", "$db": "db"}, 8))
        generation.daemon.await_metric(2, "scattergate_upstream_connections")
        before = generation.succeed()
        assert idle.receive() is None  # after a while
        with RawClient(generation.daemon.port) as new:
            assert new.run(PING)["ok"] == 1
        assert before.is_alive()
        held.go_on.set()
        assert busy.receive().response_to == 8
        assert busy.receive() is None
    assert before.wait() == 0


def test_the_state_file_waits_for_the_predecessor_and_no_alarm_is_raised(generations, sim, held, tmp_path):
    generation = generations(held.address, state={"file": str(tmp_path / "state"), "interval": "1s"},
                             drain={"grace": "50s"})
    with RawClient(generation.daemon.port) as client:
        client.send(op_msg({"find": "a", "$db": "b"}, 7))
        generation.daemon.await_metric(1, "scattergate_upstream_connections")
        before = generation.succeed()
        before.await_line(DRAINING)
        assert before.is_alive() and not lines_of(generation.daemon, 5012)
        held.go_on.set()
        assert client.receive().response_to == 7
    assert before.wait() == 0
    assert generation.daemon.stop() == 0
    assert not lines_of(generation.daemon, 5012) and not lines_of(generation.daemon, 5014)


def test_the_grace_time_ends_what_goes_on(generations, held):
    generation = generations(held.address, drain={"grace": "1s"})
    with RawClient(generation.daemon.port) as busy:
        busy.send(op_msg({"find": "c", "$db": "db"}, 8))
        generation.daemon.await_metric(1, "scattergate_upstream_connections")
        before = generation.succeed()
        assert busy.receive() is None
    assert before.wait() == 0


def test_an_open_cursor_keeps_its_connection(generations, sim):
    """Otherwise a driver with loadBalanced=true would lose what it has pinned to the connection."""
    generation = generations(sim.address, drain={"grace": "50s"})
    with RawClient(generation.daemon.port) as client:
        client.run({"insert": "c", "documents": [{"_id": i} for i in range(9)], "$db": "db"})
        found = client.run({"find": "c", "batchSize": 2, "$db": "db"}, 2)["cursor"]["id"]
        assert found
        before = generation.succeed()
        time.sleep(4)  # longer than idle connections are kept
        more = {"getMore": found, "collection": "c", "batchSize": 2, "$db": "db"}
        assert len(client.run(more, 3)["cursor"]["nextBatch"]) == 2
        assert client.run({"killCursors": "c", "cursors": [found], "$db": "db"}, 4)["ok"] == 1
        assert client.receive() is None
    assert before.wait() == 0


def test_drivers_learn_of_it_by_their_monitors(generations, sim):
    """Closed first, so that the driver itself takes its connections out of use."""
    generation = generations(sim.address)
    with RawClient(generation.daemon.port) as monitor, RawClient(generation.daemon.port) as idle:
        hello = monitor.run(HELLO)
        assert idle.run(PING)["ok"] == 1
        monitor.send(op_msg({**HELLO, "topologyVersion": hello["topologyVersion"],
                             "maxAwaitTimeMS": 60_000}, 2, EXHAUST_ALLOWED))
        before = generation.succeed()
        first_closed, *_ = select.select([monitor.socket, idle.socket], [], [])
        assert monitor.socket in first_closed
        assert monitor.receive() is None
        assert idle.receive() is None
    assert before.wait() == 0


def test_a_successor_that_fails_changes_nothing(generations, sim, tmp_path):
    """It already has the sockets when it can't open another address."""
    generation = generations(sim.address)
    first = generation.daemon
    with socket.create_server(("127.0.0.1", 0)) as taken:
        config = {**first.config, "listeners": first.config["listeners"] + [
            {"listen": f"127.0.0.1:{taken.getsockname()[1]}", "upstream": [sim.address]}]}
        failed = run_instance(tmp_path, config)
    assert failed.returncode == 1
    assert "in use" in failed.stderr
    assert not first.find_line(r'"id":1020\b')  # it hasn't handed over
    for _ in range(20):
        with RawClient(first.port) as client:
            assert client.run(PING)["ok"] == 1
    assert not first.find_line(DRAINING)
    # And it still has a successor.
    assert generation.succeed().wait() == 0


def run_instance(tmp_path, config, **options):
    """One that ends by itself."""
    path = tmp_path / "instance.yaml"
    path.write_text(json.dumps(config))
    return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "run", "--config", path],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          env=clean_environment(), check=False, **options)


def one_line(ended):
    """Its messages for people."""
    [line] = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    return line


def at_its_address(daemon):
    """Its configuration, with given addresses instead of chosen ones."""
    return {**daemon.config, "listeners": [
        {**listener, "listen": address}
        for listener, address in zip(daemon.config["listeners"], daemon.addresses)]}


def test_a_successor_that_is_killed_changes_nothing(generations, sim):
    """Between receiving the sockets and serving."""
    generation = generations(sim.address)
    first = generation.daemon
    path = first.config["handover"]["socket"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as successor:
        successor.connect(path)
        assert receive_all(successor) == ["127.0.0.1:0"] * 3  # admin, and a socket per worker
    assert generation.succeed().wait() == 0


def test_connections_that_stay_silent_keep_no_successor_out(generations, sim):
    """Like new processes that hang before they serve: some read the sockets, some nothing at all."""
    generation = generations(sim.address)
    path = generation.daemon.config["handover"]["socket"]
    silent = []
    for number in range(20):
        silent.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        silent[-1].connect(path)
        if number % 2 == 0:
            receive_all(silent[-1])
    predecessor = generation.succeed()
    assert predecessor.wait() == 0
    assert predecessor.find_line(r'"id":1020\b')
    for each in silent:
        while each.recv(512):  # what it was sent before, then the end
            pass
        each.close()


def receive_all(successor):
    """The addresses of the sockets that come; they are closed."""
    addresses = []
    while True:
        packet, descriptors, _, _ = socket.recv_fds(successor, 512, 1)
        for descriptor in descriptors:
            os.close(descriptor)
        if packet == b"end":
            return addresses
        assert descriptors and packet
        addresses.append(packet.decode())


def test_of_two_successors_one_serves(generations, sim, tmp_path):
    first = generations(sim.address).daemon
    config = at_its_address(first)
    path = tmp_path / "both.yaml"
    path.write_text(json.dumps({**config, "admin": {"listen": first.admin.removeprefix("http://")}}))
    command = [program_path("SCATTERGATE_BIN", "scattergate"), "run", "--config", path]
    both = [Process(f"both{n}", command, tmp_path) for n in range(2)]
    assert first.wait() == 0
    wait_until(lambda: sum(bool(each.find_line("^scattergate ready")) for each in both)
               or not any(each.is_alive() for each in both), "one to serve")
    for _ in range(20):
        with RawClient(first.port) as client:
            assert client.run(PING)["ok"] == 1
    assert [each.stop() for each in both].count(0) >= 1


def test_a_second_instance_without_the_handover_socket_is_refused(generations, sim, tmp_path):
    generation = generations(sim.address)
    first = generation.daemon
    config = {**at_its_address(first), "handover": {}}
    refused = run_instance(tmp_path, config)
    assert refused.returncode == 1
    assert first.address in one_line(refused) and "in use" in one_line(refused)
    assert not first.find_line(r'"id":1020\b')


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_gets_nothing(generations, sim, short_directory, tmp_path):
    generation = generations(sim.address)
    first = generation.daemon
    short_directory.chmod(0o755)
    path = first.config["handover"]["socket"]
    assert os.stat(path).st_mode & 0o777 == 0o600
    os.chmod(path, 0o666)  # even so
    child = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c",
         "import socket, sys\n"
         "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
         "s.connect(sys.argv[1])\n"
         "data, descriptors, *_ = socket.recv_fds(s, 512, 1)\n"
         "print(data, descriptors)", path],
        capture_output=True, text=True, check=False, cwd="/", timeout=60)
    assert child.stdout == "b'' []\n", child.stderr
    assert not first.find_line(r'"id":1020\b')
    assert generation.succeed().wait() == 0


def test_a_stale_handover_file_is_replaced(generations, sim):
    generation = generations(sim.address)
    first = generation.daemon
    path = first.config["handover"]["socket"]
    assert first.stop() == 0
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as killed:
        killed.bind(path)
        killed.listen()
    generation.succeed()
    assert generation.succeed().wait() == 0


def test_a_handover_path_that_is_no_socket_is_left_alone(generations, sim, tmp_path):
    generation = generations(sim.address)
    precious = tmp_path / "precious"
    precious.write_text("kept")
    for path in (precious, tmp_path / "absent" / "handover.sock"):
        config = {**generation.daemon.config, "handover": {"socket": str(path)}}
        refused = run_instance(tmp_path, config)
        assert refused.returncode == 1
        assert str(path) in one_line(refused)
    assert precious.read_text() == "kept"


def test_unix_sockets_leave_no_files_behind(generations, sim, short_directory):
    paths = [short_directory / name for name in ("clients.sock", "admin.sock", "handover.sock")]
    generation = generations(
        sim.address, admin={"listen": f"unix:{paths[1]}"},
        listeners=[{"listen": f"unix:{paths[0]}", "upstream": [sim.address]}])
    before = generation.succeed()
    assert before.wait() == 0
    assert [path.exists() for path in paths] == [True] * 3
    assert health(f"unix:{paths[1]}") == 0
    assert generation.daemon.stop() == 0
    assert list(short_directory.iterdir()) == []


def health(admin):
    return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "health",
                           "--admin", admin], env=clean_environment(), timeout=60,
                          capture_output=True, check=False).returncode


def test_listeners_come_and_go(generations, sim):
    """Two of them ask for any port: each keeps its own. An unused one is closed."""
    listener = {"listen": "127.0.0.1:0", "upstream": [sim.address]}
    generation = generations(sim.address, listeners=[listener, listener])
    first = generation.daemon
    assert generation.succeed().wait() == 0
    assert generation.daemon.addresses == first.addresses
    before = generation.succeed(listeners=[listener])
    assert before.wait() == 0
    assert generation.daemon.addresses == first.addresses[:1]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(first.addresses[1].rsplit(":", 1)[1])))
    assert generation.daemon.find_line(r'"id":1021\b.*' + first.addresses[1])
    assert generation.succeed(listeners=[listener, listener]).wait() == 0
    for address in generation.daemon.addresses:
        with RawClient(int(address.rsplit(":", 1)[1])) as client:
            assert client.run(PING)["ok"] == 1
