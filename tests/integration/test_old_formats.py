"""Files of an earlier commit can still be read: tests/formats/COMMIT has its state file, audit log, baseline,
configuration and report."""

import json
import shutil
import subprocess

import pytest

from processes import ROOT, Daemon, clean_environment, program_path
from reports import report, reported

FORMATS = sorted(path for path in (ROOT / "tests" / "formats").iterdir() if path.is_dir())


@pytest.fixture(params=FORMATS, ids=lambda path: path.name)
def written(request):
    return request.param


def by_shape(of):
    return {(one["ns"], one["command"], one["shapeHash"]): one for one in of["shapes"]}


def members(of, path=""):
    """The names of all members, as paths; those of an array's items together."""
    if isinstance(of, dict):
        return {path + "." + name for name in of}.union(
            *(members(value, path + "." + name) for name, value in of.items()))
    if isinstance(of, list):
        return set().union(*(members(value, path + "[]") for value in of))
    return set()


def test_a_state_file_is_read_whole(written):
    before = json.loads((written / "report.json").read_text())
    after = reported(written / "state", catalog=None)
    assert after["totals"] == before["totals"]
    old, new = by_shape(before), by_shape(after)
    assert old.keys() == new.keys()
    for key, row in old.items():
        for name in ("routing", "bounds", "reason", "missing", "shardKey", "shape", "count", "errors",
                     "wastedShardRequests", "firstSeen", "lastSeen", "callers", "queryShapeHash"):
            assert new[key][name] == row[name], (key, name)


def test_a_report_still_has_all_that_it_had(written):
    before = json.loads((written / "report.json").read_text())
    after = reported(written / "state", catalog=None)
    # Of a source, and of the truth, a state file says less than the log that the old report is of.
    gone = {name for name in members(before) - members(after) if not name.startswith((".sources", ".truth"))}
    assert gone == set()


def test_an_audit_log_is_read_whole(written):
    lines = [json.loads(line)["param"] for line in (written / "audit.json").read_text().splitlines()]
    of = reported(written / "audit.json", catalog=None)
    assert of["totals"]["commands"] == sum(line["count"] for line in lines)
    new = by_shape(of)
    for line in lines:
        row = new[line["ns"], line["command"], line["shapeHash"]]
        for name in ("routing", "bounds", "reason", "missing", "shardKey", "shape", "count", "queryShapeHash"):
            assert row[name] == line[name], name


def test_a_baseline_accepts_what_it_accepted(written):
    report(written / "state", "--baseline", written / "baseline.yaml", "--fail-on", "new", catalog=None)


def test_a_configuration_is_taken(written):
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "config", "--config", written / "scattergate.yaml"],
        capture_output=True, text=True, env=clean_environment(), timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    missing = [line for line in (written / "scattergate.yaml").read_text().splitlines()
               if line not in done.stdout.splitlines()]
    assert missing == []


def test_a_daemon_goes_on_with_a_state_file(start, sim, written, tmp_path):
    shutil.copy(written / "state", tmp_path / "state")
    daemon = start(Daemon, sim.address, state={"file": str(tmp_path / "state")})
    of = json.loads(daemon.get("/api/v1/shapes")[2])
    before = json.loads((written / "report.json").read_text())
    assert of["totals"]["commands"] >= before["totals"]["commands"]
    assert by_shape(before).keys() <= by_shape(of).keys()
    assert not daemon.find_line(r'"id":50(11|16)\b')  # neither it nor its history is damaged
