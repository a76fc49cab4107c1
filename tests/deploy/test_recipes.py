"""The recipes of the docs, run as they stand there over what a daemon really wrote, and their answers held
against what was sent. What may not be here is computed instead, and run by test_recipes_mongoimport.py and
test_recipes_loki.py where it is."""

import collections
import json
import re
import shutil

import pymongo
import pytest
from bson import json_util

from documents import ROOT
from processes import Sim
from recipes import ACCEPTED, ALL, EVERYTHING, NOT_ACCEPTED, OBSERVED, aggregate, counts, of, run
from sampled_prometheus import SampledPrometheus

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq isn't here")


def test_each_recipe_is_in_here():
    known = {"README.md": {"shell": 1, "promql": 1}, "audit.md": {"shell": 5, "js": 1, "sql": 1, "logql": 2},
             "runbook.md": {"shell": 3, "promql": 2},
             "metrics.md": {"promql": 4}}
    found = collections.defaultdict(collections.Counter)
    for page, kind, _ in ALL:
        found[page][kind] += 1
    assert found == known


@needs_jq
def test_readme_adds_up_commands(written):
    command, = of("README.md", "shell")
    assert counts(line.split("\t") for line in run(written, command)) == NOT_ACCEPTED


@needs_jq
def test_audit_md_adds_up_commands(written):
    every, unaccepted, load = of("audit.md", "shell")[:3]
    rows = [line.split(" ", 1) if "\t" not in line else line.split("\t") for line in run(written, every)]
    assert counts(rows) == EVERYTHING
    rows = [json.loads(line) for line in run(written, unaccepted)]
    assert counts(rows) == NOT_ACCEPTED
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    missing = {row[1]: row[3] for row in rows}
    assert missing["yorkie-meta.documents"] == ["project_id"]
    assert "--file audit.json" in load


@needs_jq
def test_the_runbook_finds_shapes(written):
    shapes, latest, rejected = of("runbook.md", "shell")
    rows = [line.split("\t") for line in run(written, shapes)]
    assert [(int(row[0]), row[1], row[3]) for row in rows] == [(OBSERVED, "find", "project_id")]
    assert {json.loads(line)[1] for line in run(written, latest)} == {"find"}
    lines = [json.loads(line) for line in run(written, rejected)]
    assert {(line["ns"], line["rule"]) for line in lines} == {("yorkie-meta.revisions", "strict")}


@needs_jq
@pytest.mark.parametrize("command", of("audit.md", "shell")[3:])
def test_mappings_take_every_line(written, command):
    """Their results are in test_log_pipelines.py."""
    command = re.sub(r"^tail -F audit\.json \| jq --unbuffered", "jq", command).split("#")[0].rstrip()
    command = command.replace("deploy/", f"{ROOT}/deploy/") + " audit.json"
    assert len(run(written, command)) == len((written / "audit.json").read_text().splitlines())


def test_the_aggregation_adds_up_commands(written, tmp_path):
    lines = [json_util.loads(line) for line in (written / "audit.json").read_text().splitlines()]
    sim = Sim(tmp_path, preset=None)
    try:
        with pymongo.MongoClient("127.0.0.1", sim.port) as client:
            client.audit.findings.insert_many(lines)
            assert aggregate(client) == NOT_ACCEPTED
    finally:
        sim.stop()


def test_duckdb_adds_up_commands(written):
    duckdb = pytest.importorskip("duckdb")
    query, = of("audit.md", "sql")
    rows = duckdb.sql(query.replace("audit.json", str(written / "audit.json"))).fetchall()
    assert counts([commands, ns] for ns, _, _, commands in rows) == NOT_ACCEPTED


def loki_fields(line):
    """Loki's json parser: nested keys joined by _, what isn't a label's character made _, arrays left out."""
    fields = {}

    def take(value, name):
        if isinstance(value, dict):
            for key, each in value.items():
                take(each, f"{name}_{key}" if name else key)
        elif not isinstance(value, list):
            fields[re.sub(r"\W", "_", name, flags=re.A)] = value
    take(json.loads(line), "")
    return fields


def test_loki_finds_the_fields_that_it_is_asked_for(written):
    lines = [loki_fields(line) for line in (written / "audit.json").read_text().splitlines()]
    kept = [line for line in lines if line["param_action"] != "accepted"]
    plain, summed = of("audit.md", "logql")
    assert plain == '{app="scattergate"} | json | param_action != "accepted"' and plain in summed
    assert "unwrap param_count" in summed
    by = re.match(r"sum by \(([^)]*)\)", summed)[1].split(", ")
    sums = collections.Counter()
    for line in kept:
        sums[tuple(line[name] for name in by)] += line["param_count"]
    assert counts((value, key[0]) for key, value in sums.items()) == NOT_ACCEPTED


@pytest.fixture(scope="module")
def prometheus(written):
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        pytest.skip("Prometheus isn't here")
    started = SampledPrometheus(written, (written / "metrics").read_text())
    yield started
    started.stop()


def collections_of(found):
    return {dict(key)["collection"]: value for key, value in found.items() if "collection" in dict(key)}


def test_promql_answers_what_was_sent(prometheus):
    share, = of("README.md", "promql")
    first, unaccepted, stale, cost = of("metrics.md", "promql")
    assert share == first
    # All that went there scattered, but for what never was one.
    assert {name: value for name, value in collections_of(prometheus.query(share)).items() if name in EVERYTHING} == {
        name: pytest.approx(1) for name in EVERYTHING}
    # Of its fifteen minutes there were ten.
    assert collections_of(prometheus.query(unaccepted)) == {
        name: pytest.approx(value / 900) for name, value in NOT_ACCEPTED.items()}
    assert prometheus.query(stale) == {}
    assert len(prometheus.query(stale.replace("> 5 *", "> -100 *"))) == 1
    (seconds,) = prometheus.query(cost).values()
    assert 0 < seconds <= 0.001
    unknown, unread = of("runbook.md", "promql")
    assert prometheus.query(unknown) == {}
    assert prometheus.query(unknown.replace("unknown", "scatter_gather")) != {}
    assert set(prometheus.query(unread).values()) == {0}
