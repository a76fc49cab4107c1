"""systemd's socket activation: the listening sockets exist before the daemon starts, and after it has ended."""

import contextlib
import os
import socket
import sys

from malformed import PING
from processes import Daemon
from raw import RawClient, op_msg, take_message
from test_start import run

# Does what systemd does: descriptors from 3 on, and the pid that they are for.
ACTIVATE = """
import os, sys
count, pid = int(sys.argv[1]), sys.argv[2]
sources = [os.dup2(int(n), 100 + i) for i, n in enumerate(sys.argv[3:3 + count])]
for i, source in enumerate(sources):
    os.dup2(source, 3 + i)
    os.close(source)
os.environ["LISTEN_FDS"] = str(count)
os.environ["LISTEN_PID"] = str(os.getpid()) if pid == "own" else pid
os.execv(sys.argv[3 + count], sys.argv[3 + count:])
"""


class ActivatedDaemon(Daemon):
    """Gets the sockets of its listeners and of its admin address, in any order."""

    def __init__(self, directory, upstream, sockets, **options):
        self.inherited = [each.fileno() for each in sockets]
        super().__init__(directory, upstream, **options)

    def command(self):
        return [sys.executable, "-c", ACTIVATE, len(self.inherited), "own", *self.inherited,
                *super().command()]


def listening_on(path):
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    made.listen()
    return made


def address_of(listening):
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def ask(client):
    client.settimeout(60)
    client.sendall(op_msg(PING))
    return take_message(bytearray(client.recv(4096))).body["ok"]


def connect_to_unix(path):
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(path))
    return client


def test_sockets_are_taken_by_address_and_kept_open(start, sim, short_directory):
    path = short_directory / "clients.sock"
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in (
            socket.create_server(("127.0.0.1", 0)),
            socket.create_server(("::1", 0), family=socket.AF_INET6),
            listening_on(path),
            socket.create_server(("127.0.0.1", 0)))]
        v4, v6, _, admin = sockets
        # These wait for the process that will be started.
        early = [stack.enter_context(client) for client in (
            socket.create_connection(v4.getsockname()), connect_to_unix(path))]
        listeners = [{"listen": listen, "upstream": [sim.address]}
                     for listen in (f"unix:{path}", address_of(v4), address_of(v6))]

        def begin(name):
            return start(ActivatedDaemon, sim.address, sockets, name=name, listeners=listeners,
                         admin={"listen": address_of(admin)})
        daemon = begin("first")
        assert daemon.addresses == [f"unix:{path}", address_of(v4), address_of(v6)]
        assert daemon.admin == f"http://{address_of(admin)}"
        assert [ask(client) for client in early] == [1, 1]
        with RawClient(v6.getsockname()[1], host="::1") as client:
            assert client.run(PING)["ok"] == 1
        assert daemon.stop() == 0
        # No process runs, but connections aren't refused.
        assert path.exists()
        late = [stack.enter_context(client) for client in (
            socket.create_connection(v4.getsockname()), connect_to_unix(path))]
        daemon = begin("second")
        assert [ask(client) for client in late] == [1, 1]
        assert daemon.get("/readyz")[0] == 200


def test_a_socket_that_the_configuration_does_not_name_is_closed(start, sim):
    """The daemon binds the named socket that it didn't get."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        daemon = start(ActivatedDaemon, sim.address, [other])
        assert daemon.port != other.getsockname()[1]
        assert daemon.find_line(r'"id":1021\b.*' + address_of(other))
        with RawClient(daemon.port) as client:
            assert client.run(PING)["ok"] == 1


def test_what_is_for_another_process_is_not_taken():
    with socket.create_server(("127.0.0.1", 0)) as other:
        refused = run("run", "--listen", address_of(other), "--upstream", "127.0.0.1:1",
                      "--admin", "127.0.0.1:0", "--audit", "off",
                      environment={"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())})
    assert refused.returncode == 1
    assert "in use" in refused.stderr
