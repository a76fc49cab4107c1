"""report, of logs that container runtimes and log collectors have wrapped: the same result as with the plain log."""

import gzip
import json

import pytest

from reports import REAL, reported

LINES = gzip.decompress((REAL / "traffic-mongos.log.gz").read_bytes()).decode().splitlines()
PART = 16 << 10  # Docker and containerd split lines so


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def parts_of(line, size):
    return [line[at:at + size] for at in range(0, len(line), size)]


def docker(line, size=PART):
    parts = parts_of(line, size)
    return [compact({"log": part + ("\n" if part is parts[-1] else ""), "stream": "stdout",
                     "time": "2026-11-22T04:51:21.203456789Z"}) for part in parts]


def cri(line, size=PART):
    parts = parts_of(line, size)
    return [f'2026-11-22T04:51:21.203456789Z stdout {"F" if part is parts[-1] else "P"} {part}' for part in parts]


def journald(line, as_bytes=False, size=48 << 10):
    parts = parts_of(line, size)
    return [json.dumps({"__CURSOR": "s=a1;i=2", "_TRANSPORT": "stdout", "_PID": "4711", "_STREAM_ID": "5f",
                        "SYSLOG_IDENTIFIER": "mongos", "MESSAGE": list(part.encode()) if as_bytes else part,
                        **({} if part is parts[-1] else {"_LINE_BREAK": "line-max"})}) for part in parts]


def prefixed(prefix):
    return lambda line: [prefix + line]


WRAPPINGS = {
    "docker": docker,
    "docker-split": lambda line: docker(line, 500),
    "cri": cri,
    "cri-split": lambda line: cri(line, 500),
    "kubectl-prefix": prefixed("[pod/mongos-0/mongos] "),
    "kubectl-timestamps": prefixed("2026-11-22T04:51:21.203456789Z "),
    "kubectl-both": prefixed("[pod/mongos-0/mongos] 2026-11-22T04:51:21.203456789Z "),
    "compose": prefixed("mongos1  | "),
    "rfc3164": prefixed("<14>Nov 22 04:51:21 db1 mongos[4711]: "),
    "rfc3164-file": prefixed("Nov 22 04:51:21 db1 mongos[4711]: "),
    "rfc5424": prefixed('<14>1 2026-11-22T04:51:21.203Z db1 mongos 4711 ID1 [meta@1 a="b"] \ufeff'),
    "rsyslog": prefixed("2026-11-22T04:51:21.203456+00:00 db1 mongos[4711]: "),
    "journald": journald,
    "journald-bytes": lambda line: journald(line, as_bytes=True),
    "journald-split": lambda line: journald(line, size=500),
}


def without_names(of):
    """A report without what depends on the file rather than on the commands."""
    sources = [{key: value for key, value in source.items() if key not in ("name", "bytes")} for source in of["sources"]]
    return of | {"generatedAt": None, "sources": sources}


@pytest.fixture(scope="module")
def plain():
    return without_names(reported(REAL / "traffic-mongos.log.gz"))


@pytest.mark.parametrize("name", WRAPPINGS)
def test_the_report_is_that_of_the_plain_log(tmp_path, plain, name):
    wrapped = tmp_path / "log"
    wrapped.write_text("".join(part + "\n" for line in LINES for part in WRAPPINGS[name](line)))
    assert without_names(reported(wrapped)) == plain


def test_so_is_that_of_journalctl_over_several_lines(tmp_path, plain):
    wrapped = tmp_path / "log"
    wrapped.write_text("\n".join(json.dumps({"_PID": "4711", "MESSAGE": line}, indent="\t") for line in LINES))
    assert without_names(reported(wrapped)) == plain


def test_wrappings_may_be_mixed_and_packed(tmp_path, plain):
    wrapped = tmp_path / "log.gz"
    each = list(WRAPPINGS.values())
    parts = [part for at, line in enumerate(LINES) for part in each[at % len(each)](line)]
    wrapped.write_bytes(gzip.compress("".join(part + "\n" for part in parts).encode()))
    assert without_names(reported(wrapped)) == plain


def test_other_containers_lines_between_are_counted(tmp_path, plain):
    wrapped = tmp_path / "log"
    others = [cri("GET /healthz 200")[0], cri('{"level":"info","message":"started"}')[0]]
    wrapped.write_text("".join(part + "\n" for line in LINES for part in cri(line)) + "\n".join(others) + "\n")
    of = reported(wrapped)
    assert of["totals"] == plain["totals"] and of["shapes"] == plain["shapes"]
    assert of["sources"][0]["skipped"] == plain["sources"][0]["skipped"] | {"unreadable": 2}


@pytest.mark.parametrize("name", WRAPPINGS)
def test_audit_lines_are_taken_out_as_well(tmp_path, name):
    finding = {"schemaVersion": 1, "atype": "scattergate.finding", "ts": {"$date": "2026-11-22T04:51:21.203Z"},
               "uuid": "x", "local": {}, "param": {
                   "command": "find", "ns": "shop.orders", "routing": "scatter_gather", "bounds": "full",
                   "reason": "missing_key", "shapeHash": "b5552500e10fa16d", "shape": {"filter": {"status": "?string"}},
                   "fanout": ["s0", "s1"], "count": 3, "durationMillis": {"max": 2.5, "total": 6.0}}, "result": 0}
    plain, wrapped = tmp_path / "plain", tmp_path / "wrapped"
    plain.write_text(compact(finding) + "\n")
    wrapped.write_text("".join(part + "\n" for part in WRAPPINGS[name](compact(finding))))
    assert without_names(reported(wrapped, catalog=None)) == without_names(reported(plain, catalog=None))
    assert reported(wrapped, catalog=None)["totals"]["commands"] == 3
