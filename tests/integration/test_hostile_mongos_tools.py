"""verify and gate with a hostile or broken mongos: they end by themselves, within limits, with one line that says
why."""

import base64
import json
import re
import sys

import pytest
from bson import Binary

from hostile_mongos import (ABSURD, BAD_WAYS, BROKEN_FRAMES, FORGED, GOOD_WAYS, HELLOS, IMPATIENT, MIB, PATIENT,
                            POINT, SCATTERED, WAYS, HostileMongos, absurd, is_catalogs, is_clients,
                            is_drivers_handshake, is_explain, is_login, large_records, reply, without_a_dot,
                            without_contents, without_end)
from processes import Process, has_sanitizer, program_path
from raw import op_msg
from waiting import wait_until

# Bytes of a process that reads one reply of 16 MiB, four times its size; and of a tool whose catalog may be as large as
# limits.memory lets it be by default, as much again while it is read, and malloc's share.
TOOL_GROWTH = 256 * MIB
CATALOG_GROWTH = 768 * MIB


class Tool(Process):
    """A program that ends by itself."""

    peak = 0

    def __init__(self, directory, name, *arguments):
        super().__init__(name, [program_path("SCATTERGATE_BIN", "scattergate"), *arguments], directory)
        self.subcommand = arguments[0]

    def has_ended(self):
        try:
            self.peak = max(self.peak, self.peak_resident_bytes())
        except (FileNotFoundError, TypeError):  # there is no such process, or it has no memory any more
            pass
        return not self.is_alive()

    def end(self, most=TOOL_GROWTH):
        """Its exit code: it ends by itself, in time, within bounds, and says why in a line at most."""
        wait_until(self.has_ended, f"{self.name} to end")
        code, lines, name = self.wait(), self.stderr.splitlines(), f"scattergate {self.subcommand}: "
        assert code >= 0, f"{self.name} ended by signal {-code}"
        assert len(lines) <= 1 and all(line.startswith(name) for line in lines), self.stderr
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]|^\s*(::|##\[)", self.stdout + self.stderr, re.M)
        assert has_sanitizer() or self.peak < most
        return code


@pytest.fixture
def verify(start, upstream, tmp_path):
    """Verify, before a mongos that attacks it."""
    def run(options=PATIENT, user="", **attack):
        commands = tmp_path / "commands"
        commands.write_text(json.dumps(POINT) + "\n" + json.dumps(SCATTERED) + "\n")
        uri = f"mongodb://{user}{upstream(HostileMongos(**attack)).address}/?{options}"
        return start(Tool, "verify", "verify", "--uri", uri, "--commands", commands, "--max-per-second", "1000")
    return run


def check_that_it_says_why(tool, most=TOOL_GROWTH):
    assert tool.end(most) == 2
    assert len(tool.stderr.splitlines()) == 1


@pytest.mark.parametrize("on", [is_drivers_handshake, is_catalogs, is_explain])
@pytest.mark.parametrize("way", WAYS)
def test_verify_however_replies_come(verify, on, way):
    tool = verify(on=on, way=WAYS[way], options=PATIENT if way in GOOD_WAYS else IMPATIENT)
    if way in BAD_WAYS:
        check_that_it_says_why(tool)
    else:
        assert tool.end() == 0 or way != "in pieces", tool.stdout


@pytest.mark.parametrize("case", BROKEN_FRAMES)
def test_verify_and_broken_frames(verify, case):
    assert verify(on=is_explain, attack=lambda _, request, body: BROKEN_FRAMES[case](request)).end() == 2


@pytest.mark.parametrize("case", ABSURD)
def test_verify_and_absurd_plans(verify, case):
    assert verify(on=is_explain, attack=absurd(case)).end() in (1, 2)


@pytest.mark.parametrize("attack", [without_a_dot, without_end, without_contents, large_records])
def test_verify_and_a_catalog_that_lies_or_never_ends(verify, attack):
    check_that_it_says_why(verify(attack=attack), CATALOG_GROWTH)


def login(payload):
    return lambda _, request, body: reply(
        request, {"conversationId": 1, "done": False, "payload": Binary(payload), "ok": 1.0})


SALT = base64.b64encode(bytes(16))


@pytest.mark.parametrize("payload", [
    b"", b"r", b"r=x", b"r=" + b"x" * 100_000, b"r=x,s=AAAA,i=4096", b"r=x,s=" + SALT + b",i=-1",
    b"r=x,s=" + SALT + b",i=4096", b"e=" + FORGED.encode(), b"r=x,s=" + SALT + b",i=2147483647"],
    ids=["empty", "a letter", "no salt", "long", "a short salt", "below zero", "no signature", "forged", "endless"])
def test_verify_and_a_login_that_makes_no_sense(verify, payload):
    check_that_it_says_why(verify(on=is_login, attack=login(payload), user="ann:pencil@"))


def check_that_gates_end(start, upstream, tmp_path, attacks, most=TOOL_GROWTH):
    """All at once: a gate waits 15 seconds for a catalog."""
    running = [start(Tool, f"gate, {name}", "gate", "--upstream", upstream(HostileMongos(**attack)).address,
                     "--", "touch", tmp_path / f"ran, {name}") for name, attack in attacks.items()]
    wait_until(lambda: all([tool.has_ended() for tool in running]), "every gate to end")
    for tool in running:
        check_that_it_says_why(tool, most)


def test_gate_and_hostile_handshakes(start, upstream, tmp_path):
    check_that_gates_end(start, upstream, tmp_path,
                         {name: {"on": is_drivers_handshake, "way": way} for name, way in WAYS.items()})
    assert not [each for each in BAD_WAYS if (tmp_path / f"ran, {each}").exists()]


def test_gate_and_handshakes_with_absurd_values(start, upstream, tmp_path):
    check_that_gates_end(start, upstream, tmp_path, {name: {"hello": hello} for name, hello in HELLOS.items()})


def test_gate_and_hostile_catalogs(start, upstream, tmp_path):
    attacks = {name: {"way": way} for name, way in WAYS.items()}
    attacks |= {each.__name__: {"attack": each} for each in (without_a_dot, without_contents, without_end)}
    check_that_gates_end(start, upstream, tmp_path, attacks, CATALOG_GROWTH)
    assert not [each for each in BAD_WAYS if (tmp_path / f"ran, {each}").exists()]


# Sends a find, and reads what comes of it for a while.
READER = f"""
import os, re, socket
host, port = re.match("mongodb://([0-9.]+):([0-9]+)", os.environ["SCATTERGATE_URI"]).groups()
server = socket.create_connection((host, int(port)))
server.settimeout(2)
server.sendall({op_msg(POINT)!r})
try:
    for _ in range(32):
        if not server.recv(65536):
            break
except OSError:
    pass
"""


@pytest.mark.parametrize("way", WAYS)
def test_gate_and_replies_to_its_command(start, upstream, way):
    address = upstream(HostileMongos(on=is_clients, way=WAYS[way])).address
    tool = start(Tool, "gate", "gate", "--upstream", address, "--no-require-match", "--", sys.executable, "-c", READER)
    assert tool.wait() == 0, tool.stderr
