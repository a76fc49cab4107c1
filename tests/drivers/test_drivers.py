"""Real drivers: the same program gets the same direct and through the daemon.

Each driver's program runs one script of operations (python/script.py is the one to read) and
prints what it got; the names of the steps are the same in all languages.
"""

import shutil
import subprocess
import sys

import pytest

from programs import HERE, Identity

sys.path += [str(HERE.parent / "integration"), str(HERE.parent / "integration/foreign_server"),
             str(HERE / "python")]

import script  # noqa: E402
import server as foreign  # noqa: E402
from certificates import Authority  # noqa: E402
from processes import Daemon, Sim, clean_environment  # noqa: E402
from relay import CompressedRelay  # noqa: E402

STEPS = {step.__name__ for step in script.STEPS}
MEANT_TO_FAIL = {"duplicate_key", "unknown_command", "unknown_operator"}
# Drivers don't report these as commands.
HANDSHAKE = {"hello", "isMaster", "saslStart", "saslContinue"}
COMPRESSORS = {"snappy": 1, "zlib": 2, "zstd": 3}
# mongo-java-server closes the connection at a write without acknowledgement, sooner or later.
LEFT_OUT_THERE = ["unacknowledged"]
# Steps with no command that the rules of the tests below match, or only one without reply.
NEVER_MATCHED = {"indexes", "other_database", "sharded", "unknown_command", "list_collections",
                 "list_databases", "drop", "unacknowledged"}
ON_ALL = {"name": "no-queries", "why": "ask the DBAs", "match": {"namespace": "drivers.*"}}
ON_INSERTS = {**ON_ALL, "match": {"namespace": "drivers.*", "command": "insert"}}
INSERTS_PASS = {**ON_INSERTS, "name": "inserts", "action": "observe"}


def outcome(program, server, directory, options="", left_out=(), identity=None):
    """The program's output: its steps, and the commands that it has sent."""
    uri = f"mongodb://127.0.0.1:{server.port}/?{options}"
    done = subprocess.run(
        [str(part) for part in program.command(uri, left_out, identity, directory)],
        capture_output=True, text=True, timeout=500,
        env={**clean_environment(), **program.environment(directory)})
    assert done.returncode == 0, f"{done.stderr}\n{done.stdout}"
    lines = done.stdout.replace(f"127.0.0.1:{server.port}", "the server").splitlines()
    sent = dict(line.split()[1:] for line in lines if line.startswith("sent "))
    steps = {}
    for line in lines:
        if not line.startswith("sent "):
            name, _, result = line.partition(": ")
            steps.setdefault(name, []).append(result)
    return steps, {name: int(count) for name, count in sent.items()}


def failed(steps):
    return {name for name, results in steps.items()
            if not name.startswith("bulk") and any(r.startswith("error") for r in results)}


def check_same(got, expected, left_out=()):
    assert got[0].keys() == STEPS - set(left_out)
    for name in expected[0]:
        assert got[0][name] == expected[0][name], name
    assert got == expected


def check_counts(daemon, sent):
    """All was read, and each command that the driver says it has sent was counted once."""
    daemon.await_quiet()
    metrics = daemon.metrics()
    for trouble in ("scattergate_wire_errors_total", "scattergate_uninspected_messages_total",
                    "scattergate_unmatched_replies_total"):
        assert metrics.total(trouble) == 0, metrics.by(trouble, "reason")
    counted = {name: count for (name,), count in
               metrics.by("scattergate_commands_total", "command").items()
               if name not in HANDSHAKE}
    assert counted
    if sent:
        sent = {name: count for name, count in sent.items() if name not in HANDSHAKE}
        sent["other"] = sent.pop("noSuchCommand")  # outside the closed list of labels
        assert counted == sent


@pytest.mark.parametrize("compressor", [None, *COMPRESSORS])
def test_the_same_direct_and_through(program, start, tmp_path, compressor):
    direct, behind = (start(Sim, name) for name in ("direct", "behind"))
    daemon = start(Daemon, behind.address)
    relay = CompressedRelay(daemon.port)
    options = "maxPoolSize=1" + (f"&compressors={compressor}" if compressor else "")
    expected = outcome(program, direct, tmp_path, options)
    got = outcome(program, relay, tmp_path, options)
    relay.close()
    check_same(got, expected)
    assert failed(got[0]) == MEANT_TO_FAIL | program.refuses
    check_counts(daemon, got[1])
    assert set(relay.compressed) == ({COMPRESSORS[compressor]} if compressor else set())
    assert bool(got[1]) == program.counts_commands


def test_the_same_with_tls_on_both_sides(program, start, tmp_path):
    """Certificates on both ends of both hops."""
    authority = Authority(tmp_path / "tls")
    server, proxy, client = map(authority.issue, ("server", "proxy", "client"))
    tls = ["--tls-cert-file", server, "--tls-ca-file", authority.ca_file]
    direct, behind = (start(Sim, name, further=tls) for name in ("direct", "behind"))
    daemon = start(Daemon, behind.address, listeners=[{
        "listen": "127.0.0.1:0", "upstream": [behind.address],
        "tls": {"cert_file": str(proxy), "client_ca_file": str(authority.ca_file)},
        "upstream_tls": {"ca_file": str(authority.ca_file), "cert_file": str(proxy)}}])
    identity = Identity(authority.ca_file, client)
    options = "maxPoolSize=1&" + program.uri_options(identity)
    expected, got = (outcome(program, each, tmp_path, options, identity=identity)
                     for each in (direct, daemon))
    check_same(got, expected)
    assert failed(got[0]) == MEANT_TO_FAIL | program.refuses
    check_counts(daemon, got[1])


def test_the_same_before_a_server_that_is_not_ours(program, start, tmp_path):
    missing = [tool for tool in foreign.TOOLS if not shutil.which(tool)]
    if missing:
        pytest.skip(f"not found: {', '.join(missing)}")
    direct, behind = (start(foreign.ForeignServer, name) for name in ("direct", "behind"))
    daemon = start(Daemon, behind.address)
    expected, got = (outcome(program, each, tmp_path, "maxPoolSize=1", LEFT_OUT_THERE)
                     for each in (direct, daemon))
    check_same(got, expected, LEFT_OUT_THERE)
    assert len(failed(got[0])) <= len(MEANT_TO_FAIL) + 4, failed(got[0])
    check_counts(daemon, got[1])


def said_by_rule(program, start, directory, rules, says, left_out=()):
    """The steps whose error has the rule's text; nothing else fails but what always does."""
    daemon = start(Daemon, start(Sim).address, rules=rules)
    steps, _ = outcome(program, daemon, directory, "maxPoolSize=1", left_out)
    stopped = {name: text for name, texts in steps.items() for text in texts if says in text}
    others = failed(steps) - set(stopped) - MEANT_TO_FAIL - program.refuses
    assert not others, {name: steps[name] for name in others}
    return stopped


def without(stopped, code, code_name):
    """The steps whose error doesn't say which it is. Go's driver prints an error's name, others its code."""
    return {name for name, text in stopped.items() if code not in text and code_name not in text}


@pytest.mark.parametrize("rules, matched", [
    ([{**ON_INSERTS, "action": "reject"}], STEPS - NEVER_MATCHED - {"upsert", "unknown_operator"}),
    ([INSERTS_PASS, {**ON_ALL, "action": "reject"}], STEPS - NEVER_MATCHED - {"insert_one", "duplicate_key"})])
def test_a_rejection_reaches_the_application_with_its_reason(program, start, tmp_path, rules, matched):
    """In the error of each kind of command: reads, writes, bulk writes, findAndModify, in transactions."""
    stopped = said_by_rule(program, start, tmp_path, rules, "is rejected by rule 'no-queries' (ask the DBAs)")
    assert matched <= set(stopped), matched - set(stopped)
    assert without(stopped, "411", "QueryRejectedBySettings") == set()


def test_a_throttled_command_reaches_the_application_as_overload(program, start, tmp_path):
    """One command passes, and the next one is due in an hour. Drivers that retry give up after seconds."""
    tried = {"aggregate", "update_one", "upsert", "find_one_and_update", "delete_many", "bulk_unordered", "committed"}
    rules = [INSERTS_PASS, {**ON_ALL, "action": "throttle", "throttle": {"rate": "1/h", "burst": 1}}]
    stopped = said_by_rule(program, start, tmp_path, rules, "is throttled by rule 'no-queries'", STEPS - tried)
    assert len(tried - set(stopped)) <= 1, tried - set(stopped)
    assert without(stopped, "462", "IngressRequestRateLimitExceeded") == set()
