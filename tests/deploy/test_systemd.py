"""The units, the service's configuration and logrotate agree with each other and the program.
(systemd's own opinion is asked where systemd-analyze is; the package is in test_package.py.)"""

import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

from documents import DEPLOY, load_yaml
from processes import clean_environment, program_path

CONFIG = load_yaml("deploy/scattergate.yaml")
NEEDS_SYSTEMD = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd isn't here")


class Unit:
    """Keys may come several times: {key: [values]} of a section."""

    def __init__(self, name):
        self.lists = {}
        section = None
        for line in (DEPLOY / "systemd" / name).read_text().splitlines():
            if match := re.fullmatch(r"\[(\w+)\]", line):
                section = self.lists.setdefault(match[1], {})
            elif line and not line.startswith("#"):
                key, value = line.split("=", 1)
                section.setdefault(key, []).append(value)

    def all(self, section, key):
        return self.lists[section].get(key, [])

    def one(self, section, key):
        value, = self.all(section, key)
        return value


SERVICE = Unit("scattergate.service")


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(s|m)", text).groups()
    return int(number) * {"s": 1, "m": 60}[unit]


def program(*arguments, **environment):
    return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), *arguments],
                          capture_output=True, text=True, env=clean_environment() | environment)


def test_the_configuration_that_is_installed_is_valid():
    # The folder of its audit log is made by the package.
    done = program("check", "--config", DEPLOY / "scattergate.yaml", SCATTERGATE_AUDIT_FILE="-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("key", ["ExecStart", "ExecReload"])
def test_the_service_runs_our_program_on_that_configuration(key):
    """With the installed file's place taken by the repository's."""
    line = shlex.split(SERVICE.all("Service", key)[0])
    assert line[0] == "/usr/bin/scattergate" and line[2:] == ["--config", "/etc/scattergate/scattergate.yaml"]
    assert f"scattergate {line[1]} [OPTIONS]" in program(line[1], "--help").stdout
    assert "--config" in program(line[1], "--help").stdout


def test_a_reload_is_the_signal_that_the_program_knows():
    assert SERVICE.all("Service", "ExecReload")[-1] == "/bin/kill -HUP $MAINPID"
    assert SERVICE.one("Service", "Type") == "notify"


def test_the_drain_has_its_time():
    assert seconds(SERVICE.one("Service", "TimeoutStopSec")) > seconds(CONFIG["drain"]["grace"])


def test_all_clients_have_their_file_descriptors():
    limit = int(SERVICE.one("Service", "LimitNOFILE"))
    default = re.search(r"connections: (\d+)", program("config", "--config", DEPLOY / "scattergate.yaml").stdout)
    assert limit > 2 * int(default[1])


def test_the_sockets_are_those_of_the_configuration():
    addresses = Unit("scattergate.socket").all("Socket", "ListenStream")
    assert addresses == [CONFIG["listeners"][0]["listen"], CONFIG["admin"]["listen"]]


def test_what_it_writes_is_where_it_may_and_is_rotated():
    logs = pathlib.Path("/var/log") / SERVICE.one("Service", "LogsDirectory")
    audit = pathlib.Path(CONFIG["audit"]["file"])
    assert audit.parent == logs and SERVICE.one("Service", "ProtectSystem") == "strict"
    rotation = (DEPLOY / "logrotate/scattergate").read_text()
    head, = re.findall(r"^(/.*) \{$", rotation, re.M)
    for file in (audit, audit.with_suffix(".jsonl"), logs / "scattergate.log"):
        assert any(file.match(pattern) for pattern in head.split()), file
    assert "USR1 scattergate.service" in rotation and re.search(r"^\tmaxsize \d+M$", rotation, re.M)


def test_the_state_file_has_its_folder_and_a_purge_removes_it():
    state = pathlib.Path("/var/lib") / SERVICE.one("Service", "StateDirectory")
    assert f"{state}/state" in (DEPLOY / "scattergate.yaml").read_text()
    for script in ("postinst", "postrm"):
        assert str(state) in (DEPLOY / "debian" / script).read_text()


def test_restarts_are_limited_and_outlast_a_short_outage():
    """Otherwise systemd's own limit, five starts in ten seconds, gives up on an address that is taken for a moment."""
    burst = int(SERVICE.one("Unit", "StartLimitBurst"))
    tried = burst * seconds(SERVICE.one("Service", "RestartSec"))
    assert 300 <= tried < seconds(SERVICE.one("Unit", "StartLimitIntervalSec"))


@pytest.mark.parametrize("script", ["postinst", "prerm", "postrm"])
def test_maintainer_scripts_are_sound(script):
    path = DEPLOY / "debian" / script
    assert subprocess.run(["sh", "-n", path]).returncode == 0
    assert path.read_text().startswith("#!/bin/sh\n") and "\nset -e\n" in path.read_text()
    assert path.stat().st_mode & 0o111


@NEEDS_SYSTEMD
def test_systemd_accepts_the_units(tmp_path):
    """With the program where this machine has it."""
    units = []
    for name in ("scattergate.service", "scattergate.socket"):
        text = (DEPLOY / "systemd" / name).read_text()
        units.append(tmp_path / name)
        units[-1].write_text(text.replace("/usr/bin/scattergate", str(program_path("SCATTERGATE_BIN", "scattergate"))))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units],
                          capture_output=True, text=True)
    # Other units of the machine may have faults of their own.
    assert (done.returncode, "scattergate" in done.stderr) == (0, False), done.stderr


@NEEDS_SYSTEMD
def test_systemd_finds_the_service_well_contained():
    """Its measure goes from 0 to 10, times ten here; what remains is the network and Unix sockets."""
    done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=20",
                           DEPLOY / "systemd/scattergate.service"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
