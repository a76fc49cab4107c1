"""A pipe on standard error or standard output that isn't read delays nothing, and is named: on the page, in metrics, and in
the log once it is read again."""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import threading

import pytest

from metrics import Metrics
from processes import clean_environment, program_path
from raw import RawClient
from waiting import wait_until

GARBAGE = b"\xff" * 64
PING = {"ping": 1, "$db": "admin"}


class Piped:
    """A daemon whose standard output and error are small pipes. Reads up to the ready line."""

    def __init__(self, directory, upstream, **sections):
        config = directory / "piped.yaml"
        config.write_text(json.dumps({
            "listeners": [{"listen": "127.0.0.1:0", "upstream": [upstream]}], "workers": {"threads": 1},
            "catalog": {"source": "preset:yorkie"}, "admin": {"listen": "127.0.0.1:0"}, **sections}))
        self.process = subprocess.Popen(
            [program_path("SCATTERGATE_BIN", "scattergate"), "run", "--config", config], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
        for pipe in (self.process.stdout, self.process.stderr):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        self.seen = ""
        while not (ready := re.search(r"^scattergate ready.*$", self.seen, re.M)):
            self.seen += os.read(self.process.stderr.fileno(), 4096).decode()
        self.port = int(re.search(r"listening on \S+:(\d+)", ready[0])[1])
        self.admin_port = int(re.search(r"admin on \S+:(\d+)", ready[0])[1])

    def get(self, path):
        with RawClient(self.admin_port) as client:
            client.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while part := client.socket.recv(1 << 16):
                answer += part
        return answer.split(b"\r\n\r\n", 1)[1].decode()

    def conditions(self):
        return {one["kind"]: one for one in json.loads(self.get("/api/v1/status"))["conditions"] if one["active"]}

    def read_on(self, pipe):
        def read():
            while part := os.read(pipe.fileno(), 1 << 16):
                self.seen += part.decode()
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread


@pytest.fixture
def piped(tmp_path, sim):
    made = []

    def make(**sections):
        made.append(Piped(tmp_path, sim.address, **sections))
        return made[-1]
    yield make
    for each in made:
        each.process.kill()
        each.process.wait()
        each.process.stdout.close()
        each.process.stderr.close()


def insult(daemon):
    """Causes lines of the log: from many addresses, protocol errors."""
    for number in range(30):
        with socket.create_connection(("127.0.0.1", daemon.port), source_address=(f"127.0.2.{number + 1}", 0)) as client:
            client.sendall(GARBAGE)
            while client.recv(64):
                pass


def test_standard_error(piped):
    daemon = piped(audit={"file": "off"})
    insult(daemon)
    failing = wait_until(lambda: daemon.conditions().get("log_failing"), "the condition")
    assert (failing["subject"], failing["detail"]) == ("standard error", "nothing reads from the pipe")
    assert "The log can&#39;t be written" in daemon.get("/")
    lost = wait_until(lambda: Metrics(daemon.get("/metrics")).total("scattergate_log_lines_lost_total"), "lost lines")
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    reader = daemon.read_on(daemon.process.stderr)
    wait_until(lambda: '"id":4004' in daemon.seen, "the condition's end")
    wait_until(lambda: "log_failing" not in daemon.conditions(), "the condition's end on the page")
    [noted] = re.findall(r'"id":4002,.*"attr":\{"lines":(\d+)\}', daemon.seen)
    assert int(noted) >= lost
    for line in daemon.seen.splitlines():
        assert line.startswith("scattergate ready") or json.loads(line), line
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(60) == 0
    reader.join()


def test_the_end_of_a_daemon_whose_log_has_no_reader(piped):
    daemon = piped(audit={"file": "off"})
    insult(daemon)
    wait_until(lambda: daemon.conditions().get("log_failing"), "the condition")
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(60) == 0


def test_standard_output(piped):
    daemon = piped(audit={"file": "-", "interval": "1s"})
    daemon.read_on(daemon.process.stderr)
    with RawClient(daemon.port) as client:
        for number in range(40):
            assert client.run({"find": "clients", "filter": {f"field{number}": 1}, "$db": "yorkie-meta"})["ok"] == 1
    failing = wait_until(lambda: daemon.conditions().get("audit_failing"), "the condition")
    assert (failing["subject"], failing["detail"]) == ("standard output", "nothing reads from the pipe")
    daemon.read_on(daemon.process.stdout)
    wait_until(lambda: "audit_failing" not in daemon.conditions(), "the condition's end")
