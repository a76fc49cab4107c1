"""/api/v1/* as docs/openapi.yaml tells it: every path answers, and each answer is of its schema."""

import json
import pathlib
import re
import urllib.parse

import jsonschema
import pytest
import yaml

import traffic
from processes import Daemon, Sim
from waiting import wait_until

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
SPEC = yaml.safe_load((DOCS / "openapi.yaml").read_text())
REPORT = json.loads((DOCS / "report.schema.json").read_text())
STREAMS = {path for path, item in SPEC["paths"].items()
           if "text/event-stream" in item["get"]["responses"]["200"]["content"]}


def resolved(schema):
    """The schema with references to the two files as references within one document."""
    if isinstance(schema, list):
        return [resolved(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: resolved(value) for key, value in schema.items()}
    if isinstance(schema.get("$ref"), str):
        made["$ref"] = (schema["$ref"].replace("#/components/schemas/", "#/$defs/")
                        .replace("report.schema.json#/$defs/", "#/$defs/report_"))
    return made


def renamed(schema):
    """The report's definitions under names of their own."""
    return json.loads(json.dumps(schema).replace('"#/$defs/', '"#/$defs/report_'))


DEFINITIONS = {**{f"report_{name}": renamed(each) for name, each in REPORT["$defs"].items()},
               **{name: resolved(each) for name, each in SPEC["components"]["schemas"].items()}}


def check(value, name):
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": DEFINITIONS,
              "$ref": f"#/$defs/{name}"}
    jsonschema.validate(value, schema, cls=jsonschema.Draft202012Validator)


def schema_of(path):
    content = SPEC["paths"][path]["get"]["responses"]["200"]["content"]
    return content["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]


def get(daemon, path):
    status, kind, text = daemon.get(path)
    assert (status, kind) == (200, "application/json"), (path, text)
    return json.loads(text)


@pytest.fixture
def busy(daemon, client):
    for number in range(3):
        traffic.mixed_round(client, number)
    client["yorkie-meta"].documents.find_one({"key": 1})
    wait_until(lambda: get(daemon, "/api/v1/shapes")["shapes"], "shapes to be handed over")
    return daemon


@pytest.mark.parametrize("path", sorted(set(SPEC["paths"]) - STREAMS - {"/api/v1/samples"}))
def test_each_path_answers_as_the_document_says(busy, path):
    shown = get(busy, "/api/v1/shapes")
    asked = path.replace("{hash}", shown["shapes"][0]["shapeHash"])
    check(get(busy, asked), schema_of(path))


@pytest.mark.parametrize("kept", ["shapes", "values"])
def test_samples_are_lines_as_the_document_says(start, sim, connect, kept):
    daemon = start(Daemon, sim.address, verify={"samples": kept})
    traffic.mixed_round(connect(daemon), 0)
    status, kind, text = wait_until(
        lambda: (told := daemon.get("/api/v1/samples"))[2] and told, "a sample to be taken")
    assert (status, kind) == (200, "application/x-ndjson")
    for line in text.splitlines():
        check(json.loads(line), "sample")


def test_the_schemas_say_something(busy):
    """A validator that follows no reference would find everything well."""
    broken = get(busy, "/api/v1/collections")
    broken["collections"][0]["lastMinute"]["byRouting"]["unsharded"] = "many"
    with pytest.raises(jsonschema.ValidationError):
        check(broken, "collections")
    broken = get(busy, "/api/v1/shapes")
    broken["shapes"][0]["actions"] = {"ignored": 1}
    with pytest.raises(jsonschema.ValidationError):
        check(broken, "shapes")


def test_every_path_of_the_api_is_in_the_document(daemon):
    for path in ("status", "collections", "shapes", "rules", "catalog", "history",
                 "samples", "events", "tap"):
        assert f"/api/v1/{path}" in SPEC["paths"]


def test_what_is_asked_wrongly_is_refused_in_one_line(daemon):
    for path, status in (("/api/v1/shapes/xyz", 400), ("/api/v1/shapes/" + "0" * 16, 404),
                         ("/api/v1/shapes?since=yesterday", 400), ("/api/v1/nothing", 404)):
        told = daemon.get(path)
        assert told[0] == status, path
        assert re.fullmatch(r"[^\n]+\n", told[2]), path


def test_get_mores_and_accepted_ones_are_no_scatters(start, connect):
    sim = start(Sim)
    rule = {"name": "rare", "action": "accept",
            "match": {"namespace": "yorkie-meta.clients", "routing": "scatter_gather"}}
    daemon = start(Daemon, sim.address, rules=[rule])
    client = connect(daemon)
    for n in range(30):
        client["yorkie-meta"].clients.insert_one({"project_id": traffic.PROJECTS[0], "n": n})
    assert len(list(client["yorkie-meta"].clients.find({"n": {"$gte": 0}}, batch_size=5))) == 30

    def clients():
        for each in get(daemon, "/api/v1/collections")["collections"]:
            if each["ns"] == "yorkie-meta.clients" and each["getMore"] >= 5:
                return each
        return None
    told = wait_until(clients, "the collection to be told")
    assert told["accepted"] == 1
    assert told["findings"] == 0
    assert told["byRouting"]["scatter_gather"] == 0
    assert told["sharded"] is True and "project_id" in told["shardKey"]
    assert told["commands"] == sum(told["byRouting"].values()) + 1 + told["getMore"]


def test_history_outlives_the_daemon(start, sim, connect, tmp_path):
    state = tmp_path / "state"
    first = start(Daemon, sim.address, state={"file": str(state)})
    client = connect(first)
    client["yorkie-meta"].documents.find_one({"key": 1})
    client.close()
    assert first.stop() == 0
    second = start(Daemon, sim.address, state={"file": str(state)})
    past = get(second, "/api/v1/history")
    [told] = [each for each in past["collections"] if each["ns"] == "yorkie-meta.documents"]
    assert sum(told["tenMinutes"]["findings"]) == 1
    assert sum(told["minutes"]["findings"]) == 1


def test_status_says_whether_the_last_reload_was_good(busy):
    told = get(busy, "/api/v1/status")
    assert told["ready"] is True and told["reason"] is None
    assert told["config"]["lastReloadSuccessful"] is True
    assert told["listeners"][0]["upstreams"][0]["active"] in (True, False)
    assert told["conditions"] == []
