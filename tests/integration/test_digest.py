"""The daemon's digest: a row for every shape that is judged, shown by the API, the page and the report,
and kept over a restart."""

import json
import pathlib
import subprocess
import uuid

import pymongo
import pytest

from processes import Daemon, program_path
from waiting import wait_until


def shapes(daemon):
    status, kind, body = daemon.get("/api/v1/shapes")
    assert (status, kind) == (200, "application/json")
    return json.loads(body)


def counts(of, ns="yorkie-meta.documents"):
    return {(one["command"], one["routing"]): one["count"] for one in of["shapes"] if one["ns"] == ns}


def await_counts(daemon, expected):
    seen = {}

    def reached():
        seen.clear()
        seen.update(counts(shapes(daemon)))
        return seen == expected
    try:
        wait_until(reached, "")
    except AssertionError:
        raise AssertionError(f"{seen}, not {expected}") from None


def work(client):
    """Three finds on one shard, two on all, and an insert."""
    documents = client["yorkie-meta"].documents
    documents.insert_one({"project_id": "p1", "key": uuid.uuid4().hex})
    for project in ("p1", "p2", "p3"):
        documents.find_one({"project_id": project, "key": "k"})
    for key in ("k", "l"):
        documents.find_one({"key": key}, comment="page.js:12")


ONCE = {("insert", "single_shard"): 1, ("find", "single_shard"): 3, ("find", "scatter_gather"): 2}
TWICE = {key: 2 * count for key, count in ONCE.items()}


def report(source, *arguments):
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "report", source, "--catalog",
                           "preset:yorkie", "--format", "json", *arguments],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_shape_is_listed_whether_it_is_a_finding_or_not(daemon, connect):
    work(connect(daemon, appname="billing"))
    await_counts(daemon, ONCE)
    of = shapes(daemon)
    assert of["totals"]["commands"] == sum(of["totals"]["byRouting"].values())
    assert of["totals"]["commands"] >= sum(one["count"] for one in of["shapes"])
    [scatter] = [one for one in of["shapes"] if one["routing"] == "scatter_gather"]
    assert scatter["missing"] == ["project_id"]
    assert "project_id" in scatter["suggestion"]
    assert scatter["durationMillis"]["p95"] > 0
    assert {"appName": "billing", "comment": "page.js:12"}.items() <= scatter["callers"][0].items()
    [line] = wait_until(daemon.audit, "the audit line")[:1]
    assert line["param"]["shapeHash"] == scatter["shapeHash"]
    [single] = [one for one in of["shapes"] if one["command"] == "find" and one is not scatter]
    assert single["callers"][0]["count"] == 3
    page = daemon.get("/")[2]
    assert scatter["shapeHash"] in page and "page.js:12" in page


def test_the_report_asks_the_daemon_for_it(daemon, connect):
    work(connect(daemon))
    await_counts(daemon, ONCE)
    of = report(daemon.admin)
    assert counts(of) == ONCE
    # The API and the report are equal, including histograms.
    listed = {one["shapeHash"]: one for one in shapes(daemon)["shapes"] if one["ns"] == "yorkie-meta.documents"}
    for one in listed.values():  # what the daemon alone knows
        for name in ("new", "resolved", "regressedAt", "kind", "fields", "refused"):
            del one[name]
        if not one["actions"]:  # a report leaves it out
            del one["actions"]
    for one in of["shapes"]:
        if one["shapeHash"] in listed and one["ns"] == "yorkie-meta.documents":
            assert one == listed[one["shapeHash"]]


def test_errors_are_counted_where_they_happen(daemon, connect):
    documents = connect(daemon)["yorkie-meta"].documents
    documents.find_one({"project_id": "p1"})
    for _ in range(3):
        with pytest.raises(pymongo.errors.OperationFailure):
            documents.find_one({"project_id": "p1", "$nonsense": 1})
    wait_until(lambda: sum(one["errors"] for one in shapes(daemon)["shapes"]) == 3, "three errors")


def test_a_restart_forgets_nothing(start, sim, connect, tmp_path):
    state = tmp_path / "state"
    kept = {"state": {"file": str(state), "interval": "1s"}}
    first = start(Daemon, sim.address, name="first", **kept)
    work(connect(first))
    await_counts(first, ONCE)
    wait_until(state.exists, "the state file, now and then")
    assert first.stop() == 0
    assert counts(report(str(state))) == ONCE
    second = start(Daemon, sim.address, name="second", **kept)
    assert counts(shapes(second)) == ONCE
    work(connect(second))
    await_counts(second, TWICE)
    assert second.stop() == 0
    assert counts(report(str(state))) == TWICE


def test_a_damaged_state_costs_only_itself(start, sim, connect, tmp_path):
    state = tmp_path / "state"
    state.write_bytes(b"\0spoilt")
    daemon = start(Daemon, sim.address, state={"file": str(state)})
    daemon.await_line(r'"id":5011\b.*/state\b')
    work(connect(daemon))
    await_counts(daemon, ONCE)
    assert daemon.stop() == 0
    assert counts(report(str(state))) == ONCE
    [aside] = pathlib.Path(tmp_path).glob("state.corrupt-*")
    assert aside.read_bytes() == b"\0spoilt"
    # A restart doesn't end the condition; that the operator removes the file does.
    second = start(Daemon, sim.address, name="second", state={"file": str(state), "interval": "1s"})
    second.await_line(r'"id":5031\b.*"detail":"set aside as [^"]*state.corrupt-')
    aside.unlink()
    second.await_line(r'"id":5032\b')


def test_two_with_one_file_add_up(start, sim, connect, tmp_path):
    """As a predecessor and its successor: the later one waits with the file for the earlier one."""
    kept = {"state": {"file": str(tmp_path / "state"), "interval": "1s"}}
    first = start(Daemon, sim.address, name="first", **kept)
    second = start(Daemon, sim.address, name="second", **kept)
    work(connect(first))
    work(connect(second))
    await_counts(first, ONCE)
    await_counts(second, ONCE)
    assert first.stop() == 0
    await_counts(second, TWICE)
    assert second.stop() == 0
    assert counts(report(str(tmp_path / "state"))) == TWICE
