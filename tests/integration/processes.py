"""The real programs as child processes: started on free ports, ended by their ids."""

import functools
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import engines
from audit import read_audit
from metrics import Metrics
from waiting import PATIENCE, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A loopback address on which only this process has its servers listen: a port that was just closed
# there is still free when it is needed again. On 127.0.0.1 tests at the same time take it.
OWN_HOST = "127.{}.{}.{}".format(64 | os.getpid() >> 16, os.getpid() >> 8 & 255, os.getpid() & 255)


def program_path(variable, name):
    """The program that ctest names, otherwise the one that was built last."""
    given = os.environ.get(variable)
    if given:
        return pathlib.Path(given)
    built = sorted(ROOT.glob(f"build/*/{name}"), key=lambda path: path.stat().st_mtime)
    if not built:
        raise RuntimeError(f"{name} isn't built, and {variable} names none")
    return built[-1]


@functools.cache
def has_sanitizer(*kinds):
    """Whether the daemon is built with one of these, "asan" or "tsan"; without arguments, with any. It
    keeps what was freed, and reserves terabytes."""
    program = program_path("SCATTERGATE_BIN", "scattergate").read_bytes()
    return any(f"__{kind}_init".encode() in program for kind in kinds or ("asan", "tsan"))


def clean_environment():
    """Without the variables that would configure the daemon, but for the engine of this run."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SCATTERGATE_")}
    return {**kept, **engines.environment()}


class Process:
    """A child whose output goes to files, so that it never waits for us to read it."""

    inherited = ()  # file descriptors
    ends_with = 0   # what a test expects its exit code to be

    def __init__(self, name, arguments, directory, environment=None):
        self.name = name
        self.directory = pathlib.Path(directory)
        self._stdout = self.directory / f"{name}.stdout"
        self._stderr = self.directory / f"{name}.stderr"
        with open(self._stdout, "wb") as out, open(self._stderr, "wb") as err:
            self._popen = subprocess.Popen(
                [str(argument) for argument in arguments],
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=self.inherited,
                env={**clean_environment(), **(environment or {})})

    @property
    def pid(self):
        return self._popen.pid

    @property
    def stdout(self):
        return self._stdout.read_text(errors="replace")

    @property
    def stderr(self):
        return self._stderr.read_text(errors="replace")

    def is_alive(self):
        return self._popen.poll() is None

    def signal(self, number):
        self._popen.send_signal(number)

    def wait(self, seconds=PATIENCE):
        """The exit code."""
        return self._popen.wait(seconds)

    def find_line(self, pattern):
        """The first match of `pattern` in what it has written on standard error by now."""
        return re.search(pattern, self.stderr, re.M)

    def await_line(self, pattern):
        def look():
            # In this order: what it wrote before it ended counts.
            has_ended = not self.is_alive()
            found = self.find_line(pattern)
            if not found and has_ended:
                raise AssertionError(f"{self.name} ended ({self.wait()}): {self.stderr}")
            return found
        return wait_until(look, f"{self.name} to say {pattern}")

    def await_start(self):
        """Until the daemon serves: what the first line of its log says of it."""
        self.await_line(r'^\{.*"id":1001\b')
        first = next(line for line in self.stderr.splitlines() if line.startswith("{"))
        return json.loads(first)["attr"]

    def resident_bytes(self):
        return self._status_bytes("VmRSS")

    def peak_resident_bytes(self):
        """The most since it started."""
        return self._status_bytes("VmHWM")

    def _status_bytes(self, field):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) * 1024

    def stop(self):
        """TERM until it has ended; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.is_alive():
            self.signal(signal.SIGTERM)
            try:
                self.wait(0.5)
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    self._popen.kill()
        return self.wait()


class Sim(Process):
    """scattergate-sim."""

    def __init__(self, directory, name="sim", preset="yorkie", users=(), shards=3, port=0,
                 host="127.0.0.1", further=(), environment=None):
        arguments = [program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"),
                     "--listen", f"{host}:{port}", "--shards", shards, *further]
        if preset:
            arguments += ["--preset", preset]
        for user in users:
            arguments += ["--user", user]
        super().__init__(name, arguments, directory, environment)
        self.address = self.await_line(r"ready on (\S+)$")[1]
        self.port = int(self.address.rsplit(":", 1)[1])


def free_port():
    """On OWN_HOST."""
    with socket.create_server((OWN_HOST, 0)) as holder:
        return holder.getsockname()[1]


def port_of(address):
    """None if it is a Unix socket."""
    return None if address.startswith("unix:") else int(address.rsplit(":", 1)[1])


class Daemon(Process):
    """`scattergate run` with a configuration of its own."""

    def __init__(self, directory, upstream, name="scattergate", environment=None, **overrides):
        directory = pathlib.Path(directory)
        self.config_path = directory / f"{name}.yaml"
        self.audit_path = directory / f"{name}.audit.json"
        self.config = {
            "listeners": [{"listen": "127.0.0.1:0", "upstream": [upstream]}],
            "workers": {"threads": 2},
            "catalog": {"source": "preset:yorkie"},
            "admin": {"listen": "127.0.0.1:0"},
            "audit": {"file": str(self.audit_path)},
            "failover": {"check_interval": "0s"},  # stubs see no connections but those of the test
        }
        self.write_config(**overrides)
        self.directory = directory
        super().__init__(name, self.command(), directory, environment)
        self.ready_line = self.await_line(r"^scattergate ready: .*$")[0]
        self.addresses = re.findall(r"(\S+) for mongos at ", self.ready_line)
        self.address = self.addresses[0]
        self.port = port_of(self.address)
        self.admin = re.search(r"admin on (https?://\S+)", self.ready_line)[1]

    def command(self):
        return [program_path("SCATTERGATE_BIN", "scattergate"), "run",
                "--config", self.config_path]

    def write_config(self, **overrides):
        """Sections are merged into what is there; JSON is YAML too."""
        for key, value in overrides.items():
            if isinstance(value, dict):
                self.config.setdefault(key, {}).update(value)
            else:
                self.config[key] = value
        self.config_path.write_text(json.dumps(self.config, indent=1))

    def get(self, path):
        """The admin address's answer: status, content type, body."""
        try:
            with urllib.request.urlopen(self.admin + path, timeout=PATIENCE) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.headers["Content-Type"], refusal.read().decode()

    def metrics(self):
        return Metrics(self.get("/metrics")[2])

    def await_metric(self, expected, name, **labels):
        """Waits until the sum of the series is `expected`, and says what it was if not."""
        seen = []

        def reached():
            seen[:] = [self.metrics().total(name, **labels)]
            return seen[0] == expected
        try:
            wait_until(reached, "")
        except AssertionError:
            raise AssertionError(f"{name}{labels} is {seen[0]}, not {expected}") from None

    def await_quiet(self):
        """Until every client's connection has ended, and so every command is counted."""
        self.await_metric(0, "scattergate_connections")

    def audit(self):
        return read_audit(self.audit_path)

    def reload(self):
        """SIGHUP, and until the reload has been done or refused."""
        before = self.metrics().total("scattergate_config_reloads_total")
        self.signal(signal.SIGHUP)
        self.await_metric(before + 1, "scattergate_config_reloads_total")
        self.await_line_count(r'"id":300[12]\b', int(before) + 1)

    def await_line_count(self, pattern, count):
        wait_until(lambda: len(re.findall(pattern, self.stderr)) >= count,
                   f"{count} times {pattern} in the log")


def started(directory):
    """For a fixture: starts programs; at the end all are ended, and ours must have ended well."""
    running = []

    def start_one(kind, *arguments, **options):
        running.append(kind(directory, *arguments, **options))
        return running[-1]

    yield start_one
    ended = [(process, process.stop()) for process in reversed(running)]
    for process, code in ended:
        assert code == 0 or not isinstance(process, (Daemon, Sim)), process.stderr
