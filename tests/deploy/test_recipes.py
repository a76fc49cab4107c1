"""The recipes of the docs, run as they stand there over what a daemon really wrote, and their answers held
against what was sent. mongoimport isn't run: its file is read as Extended JSON, and the aggregation asks the
simulator. LogQL isn't run either: the fields that it names are made by the rules of Loki's json parser."""

import collections
import json
import re
import shutil
import subprocess

import pymongo
import pytest
from bson import json_util

from documents import ROOT
from processes import Daemon, Sim
from sampled_prometheus import SampledPrometheus
from waiting import wait_until

RULES = [
    {"name": "maintenance", "match": {"namespace": "yorkie-meta.clients"}, "action": "accept", "why": "reads everything"},
    {"name": "strict", "match": {"namespace": "yorkie-meta.revisions"}, "action": "reject"},
]
OBSERVED, ACCEPTED, REJECTED = 7, 5, 2
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.M | re.S)
INLINE = re.compile(r"`(jq [^`]+|sum by [^`]+)`")


def commands_in(block):
    """The shell commands of a block, those over several lines whole."""
    command = ""
    for line in block.splitlines():
        if not command and (not line.strip() or line.lstrip().startswith("#")):
            continue
        command += re.sub(r"  +#.*$", "", line) + "\n"
        if command.count("'") % 2 == 0 and not line.rstrip().endswith(("|", "\\")):
            yield command.strip()
            command = ""


def expressions_in(block):
    """The PromQL or LogQL expressions of a block, parted by blank lines and comments."""
    text = re.sub(r"^#.*\n", "\n", block, flags=re.M)
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def recipes():
    """(page, kind, text) of each."""
    for page in PAGES:
        text = page.read_text()
        for language, block in BLOCK.findall(text):
            name = page.name
            if language in ("promql", "logql"):
                yield from ((name, language, each) for each in expressions_in(block))
            elif language in ("sql", "js") and "param." in block:
                yield name, language, block.strip()
            elif name == "metrics.md" and "rate(" in block:
                yield from ((name, "promql", each) for each in expressions_in(block))
            elif language in ("", "sh"):
                yield from ((name, "shell", each) for each in commands_in(block)
                            if re.match(r"(tail\b.*\| *)?jq |duckdb |mongoimport ", each))
        for inline in INLINE.findall(BLOCK.sub("", text)):
            yield page.name, "shell" if inline.startswith("jq") else "promql", inline


ALL = list(recipes())


def of(page, kind):
    return [text for name, each, text in ALL if (name, each) == (page, kind)]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with the audit log (by both names that the docs give it), and /metrics."""
    directory = tmp_path_factory.mktemp("recipes")
    sim = Sim(directory)
    daemon = Daemon(directory, sim.address, rules=RULES, audit={"interval": "100ms"},
                    catalog={"source": "mongos", "refresh": "1s"})
    try:
        wait_until(lambda: daemon.metrics().total("scattergate_catalog_state", state="live"), "the catalog")
        with pymongo.MongoClient("127.0.0.1", daemon.port, appname="app") as client:
            meta = client["yorkie-meta"]
            for sent in range(1, OBSERVED + 1):  # one by one, so that there are several lines
                meta.documents.find_one({"key": "k"})
                wait_until(lambda: sum(line["param"]["count"] for line in daemon.audit()) == sent, "its line")
            for _ in range(ACCEPTED):
                meta.clients.find_one({"status": "activated"})
            for _ in range(REJECTED):
                with pytest.raises(pymongo.errors.OperationFailure):
                    meta.revisions.find_one({"label": "x"})
        daemon.await_quiet()
        (directory / "metrics").write_text(daemon.metrics().text)
    finally:
        daemon.stop()
        sim.stop()
    text = daemon.audit_path.read_text()
    for name in ("audit.json", "audit.jsonl"):
        (directory / name).write_text(text)
    assert len(text.splitlines()) > 4, "more lines than findings, or counting them would do"
    return directory


def run(written, command):
    assert shutil.which("jq"), "jq isn't here"
    command = command.replace("DB.COLLECTION", "yorkie-meta.documents")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=written, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def counts(rows):
    return {row[1].removeprefix("yorkie-meta."): int(row[0]) for row in rows}


needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq isn't here")
NOT_ACCEPTED = {"documents": OBSERVED, "revisions": REJECTED}
EVERYTHING = {**NOT_ACCEPTED, "clients": ACCEPTED}


def test_each_recipe_is_in_here():
    known = {"README.md": {"shell": 1, "promql": 1}, "audit.md": {"shell": 3, "js": 1, "sql": 1},
             "audit-mappings.md": {"shell": 2, "logql": 2}, "runbook.md": {"shell": 3, "promql": 2},
             "metrics.md": {"promql": 4}}
    found = collections.defaultdict(collections.Counter)
    for page, kind, _ in ALL:
        found[page][kind] += 1
    assert found == known


@needs_jq
def test_readme_adds_up_commands(written):
    command, = of("README.md", "shell")
    assert counts(line.split("\t") for line in run(written, command)) == EVERYTHING


@needs_jq
def test_audit_md_adds_up_commands(written):
    every, unaccepted, load = of("audit.md", "shell")
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
@pytest.mark.parametrize("command", of("audit-mappings.md", "shell"))
def test_mappings_take_every_line(written, command):
    """What they make of it: test_log_pipelines.py."""
    command = re.sub(r"^tail -F audit\.json \| jq --unbuffered", "jq", command).split("#")[0].rstrip()
    command = command.replace("deploy/", f"{ROOT}/deploy/") + " audit.json"
    assert len(run(written, command)) == len((written / "audit.json").read_text().splitlines())


def test_the_aggregation_adds_up_commands(written, tmp_path):
    script, = of("audit.md", "js")
    pipeline = json.loads(re.search(r"aggregate\((.*)\)$", script, re.S)[1])
    lines = [json_util.loads(line) for line in (written / "audit.json").read_text().splitlines()]
    sim = Sim(tmp_path, preset=None)
    try:
        with pymongo.MongoClient("127.0.0.1", sim.port) as client:
            client.audit.findings.insert_many(lines)
            found = list(client.audit.findings.aggregate(pipeline))
    finally:
        sim.stop()
    assert counts([row["commands"], row["_id"]["ns"]] for row in found) == NOT_ACCEPTED


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
    plain, summed = of("audit-mappings.md", "logql")
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
    assert len(prometheus.query(stale.replace("> 10 *", "> -100 *"))) == 1
    (seconds,) = prometheus.query(cost).values()
    assert 0 < seconds <= 0.001
    unknown, unread = of("runbook.md", "promql")
    assert prometheus.query(unknown) == {}
    assert prometheus.query(unknown.replace("unknown", "scatter_gather")) != {}
    assert set(prometheus.query(unread).values()) == {0}
