"""The jq filters turn what the daemon really writes into OpenTelemetry's and Elastic's fields."""

import contextlib
import json
import re
import shutil
import subprocess

import pymongo
import pytest

from documents import DEPLOY, ROOT
from processes import Daemon, Sim
from waiting import wait_until

pytestmark = pytest.mark.skipif(shutil.which("jq") is None, reason="jq isn't here")

RULES = [
    {"name": "maintenance", "match": {"namespace": "yorkie-meta.clients"}, "action": "accept",
     "why": "reads everything"},
    {"name": "strict", "match": {"namespace": "yorkie-meta.revisions"}, "action": "reject"},
]


@pytest.fixture(params=["tcp", "unix"])
def lines(start, short_directory, request):
    """Audit lines: observed, accepted, rejected, a lint, and the folded rest."""
    listen = {"tcp": "127.0.0.1:0", "unix": f"unix:{short_directory / 'clients.sock'}"}[request.param]
    sim = start(Sim)
    daemon = start(Daemon, sim.address, rules=RULES, audit={"interval": "100ms", "max_shapes": 5},
                   listeners=[{"listen": listen, "upstream": [sim.address]}])
    host = daemon.address.removeprefix("unix:").replace("/", "%2F")
    with pymongo.MongoClient(f"mongodb://{host}/?appName=app") as client:
        meta = client["yorkie-meta"]
        meta.documents.find_one({"key": "k"}, comment="search.go")
        meta.clients.find_one({"status": "activated"})
        with contextlib.suppress(pymongo.errors.OperationFailure):
            meta.revisions.find_one({"label": "x"})
        with contextlib.suppress(pymongo.errors.OperationFailure):
            meta.documents.create_index("key", unique=True)
        for field in "abcdefgh":
            meta.changes.find_one({field: 1})
    return wait_until(lambda: any(line["param"]["ns"] == "__other__" for line in daemon.audit())
                      and daemon.audit(), "a folded line")


def mapped(name, lines):
    done = subprocess.run(["jq", "-c", "-f", DEPLOY / f"log-pipelines/{name}.jq"], check=True,
                          input="\n".join(map(json.dumps, lines)), capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def find(lines, results, **param):
    """The line with these params, and what became of it."""
    assert len(lines) == len(results)
    return next((line, result) for line, result in zip(lines, results) if param.items() <= line["param"].items())


def nulls(value):
    if isinstance(value, dict):
        return any(map(nulls, value.values()))
    return value is None


def test_otel_attributes(lines):
    results = mapped("otel", lines)
    assert not any(map(nulls, results))
    line, record = find(lines, results, ns="yorkie-meta.documents", command="find")
    attributes = record["Attributes"]
    assert record["Timestamp"] == line["ts"]["$date"]
    assert (record["SeverityText"], record["SeverityNumber"]) == ("WARN", 13)
    assert attributes["db.system.name"] == "mongodb"
    assert attributes["db.namespace"] == "yorkie-meta"
    assert attributes["db.collection.name"] == "documents"
    assert attributes["db.query.summary"] == "find documents"
    assert json.loads(attributes["db.query.text"]) == line["param"]["shape"]
    assert attributes["scattergate.missing"] == ["project_id"]
    assert attributes["scattergate.duration.max"] == pytest.approx(line["param"]["durationMillis"]["max"] / 1000)
    assert json.loads(attributes["scattergate.callers"][0])["comment"] == "search.go"
    assert attributes["server.address"] == line["local"].get("ip", line["local"].get("unix"))
    _, accepted = find(lines, results, action="accepted")
    assert accepted["SeverityText"] == "INFO"
    assert accepted["Attributes"]["scattergate.why"] == "reads everything"
    _, rejected = find(lines, results, action="rejected")
    assert rejected["Attributes"]["db.response.status_code"] == "411"
    _, folded = find(lines, results, ns="__other__")
    assert "db.collection.name" not in folded["Attributes"]
    _, lint = find(lines, results, command="createIndexes")
    assert lint["Attributes"]["scattergate.lints"] == ["unique_index_without_key"]


def test_ecs_fields(lines):
    results = mapped("ecs", lines)
    assert not any(map(nulls, results))
    line, event = find(lines, results, ns="yorkie-meta.documents", command="find")
    assert event["@timestamp"] == line["ts"]["$date"]
    assert event["event"]["kind"] == "alert" and event["event"]["outcome"] == "success"
    assert event["scattergate"]["collection"] == "documents"
    assert json.loads(event["scattergate"]["shard_key"]) == {"project_id": 1}
    assert "rule" not in event
    assert event["server"]["address"] == line["local"].get("ip", line["local"].get("unix"))
    _, accepted = find(lines, results, action="accepted")
    assert accepted["event"]["kind"] == "event" and accepted["rule"]["name"] == "maintenance"
    _, rejected = find(lines, results, action="rejected")
    assert rejected["event"]["type"] == ["access", "denied"] and rejected["event"]["code"] == "411"


@pytest.mark.parametrize("name", ["otel", "ecs"])
def test_every_field_of_an_audit_line_arrives_and_is_in_the_document(lines, name):
    """All the lines that are written, without those that say nothing alone."""
    results = mapped(name, lines)
    text = (ROOT / "docs/audit.md").read_text().split("\n## In log pipelines\n")[1]
    line, result = find(lines, results, ns="yorkie-meta.documents", command="find")
    said = json.dumps(result)
    for key, value in line["param"].items():
        assert f"`param.{key}`" in text, key
        if isinstance(value, (str, int)):
            assert str(value) in said, key
    columns = re.findall(r"^\| `\w[^|]*\|([^|]*)\|([^|]*)\|", text, re.M)
    documented = {field for row in columns for field in re.findall(r"`([^`]+)`", row[["otel", "ecs"].index(name)])}

    def paths(value, before=""):
        for key, each in value.items():
            if isinstance(each, dict) and name == "ecs":
                yield from paths(each, f"{before}{key}.")
            else:
                yield before + key
    given = {path for each in results
             for path in (paths(each) if name == "ecs" else paths(each["Attributes"]))}
    assert given <= documented | {"message", "ecs.version"}


def test_other_lines_are_left_out():
    assert mapped("otel", [{"atype": "authenticate"}]) == mapped("ecs", [{"atype": "authenticate"}]) == []
