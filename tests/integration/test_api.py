"""/api/v1/* as docs/openapi.yaml describes it: every path answers, and each answer matches its schema."""

import json
import pathlib
import re
import socket
import urllib.parse

import jsonschema
import pymongo.errors
import pytest
import yaml

import traffic
from malformed import FIND
from processes import OWN_HOST, Daemon, Sim, free_port
from raw import RawClient, op_msg
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


def advice(daemon, ns):
    """The advice on a collection's key, once it has been computed."""
    path = "/api/v1/advice?ns=" + urllib.parse.quote(ns)

    def done():
        status, _, text = daemon.get(path)
        return status == 200 and json.loads(text)
    return wait_until(done, "the advice to be computed")


@pytest.fixture
def busy(daemon, client):
    for number in range(3):
        traffic.mixed_round(client, number)
    client["yorkie-meta"].documents.find_one({"key": 1})
    wait_until(lambda: get(daemon, "/api/v1/shapes")["shapes"], "shapes to be handed over")
    return daemon


@pytest.mark.parametrize("path", sorted(
    set(SPEC["paths"]) - STREAMS - {"/api/v1/samples", "/api/v1/fleet"}))
def test_each_path_answers_as_the_document_says(busy, path):
    shown = get(busy, "/api/v1/shapes")
    if path == "/api/v1/advice":
        return check(advice(busy, "yorkie-meta.documents"), schema_of(path))
    asked = path.replace("{hash}", shown["shapes"][0]["shapeHash"])
    check(get(busy, asked), schema_of(path))


@pytest.mark.parametrize("kept", ["shapes", "values"])
def test_samples_are_lines_as_the_document_says(start, sim, connect, kept):
    daemon = start(Daemon, sim.address, verify={"samples": kept})
    traffic.mixed_round(connect(daemon), 0)
    status, kind, text = wait_until(
        lambda: (got := daemon.get("/api/v1/samples"))[2] and got, "a sample to be taken")
    assert (status, kind) == (200, "application/x-ndjson")
    for line in text.splitlines():
        check(json.loads(line), "sample")


def test_the_schemas_say_something(busy):
    """A validator that follows no references would accept everything."""
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
                 "samples", "events", "tap", "advice"):
        assert f"/api/v1/{path}" in SPEC["paths"]


def test_what_is_asked_wrongly_is_refused_in_one_line(daemon):
    for path, status in (("/api/v1/shapes/xyz", 400), ("/api/v1/shapes/" + "0" * 16, 404),
                         ("/api/v1/shapes?since=yesterday", 400), ("/api/v1/nothing", 404),
                         ("/api/v1/advice", 400), ("/api/v1/advice?ns=nodot", 400),
                         ("/api/v1/advice?ns=a.%FF", 400), ("/advice?ns=", 400),
                         ("/api/v1/advice?ns=a." + "b" * 300, 400)):
        got = daemon.get(path)
        assert got[0] == status, path
        assert re.fullmatch(r"[^\n]+\n", got[2]), path


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
    got = wait_until(clients, "the collection to be listed")
    assert got["accepted"] == 1
    assert got["findings"] == 0
    assert got["byRouting"]["scatter_gather"] == 0
    assert got["sharded"] is True and "project_id" in got["shardKey"]
    assert got["commands"] == sum(got["byRouting"].values()) + 1 + got["getMore"]


def test_history_outlives_the_daemon(start, sim, connect, tmp_path):
    state = tmp_path / "state"
    first = start(Daemon, sim.address, state={"file": str(state)})
    client = connect(first)
    client["yorkie-meta"].documents.find_one({"key": 1})
    client.close()
    assert first.stop() == 0
    second = start(Daemon, sim.address, state={"file": str(state)})
    past = get(second, "/api/v1/history")
    [got] = [each for each in past["collections"] if each["ns"] == "yorkie-meta.documents"]
    assert sum(got["tenMinutes"]["findings"]) == 1
    assert sum(got["minutes"]["findings"]) == 1


def test_history_has_the_busiest_shapes(daemon, connect):
    client = connect(daemon)
    for _ in range(5):
        client["yorkie-meta"].documents.find_one({"key": 1})

    def shown():
        past = get(daemon, "/api/v1/history")
        found = [each for each in past["shapes"] if each["ns"] == "yorkie-meta.documents"]
        return found and sum(found[0]["tenMinutes"]) == 5 and (past, found[0])
    past, one = wait_until(shown, "the shape's history")
    assert one["command"] == "find" and sum(one["minutes"]) == 5
    assert len(one["minutes"]) == past["minutes"]["count"]
    assert len(one["tenMinutes"]) == past["tenMinutes"]["count"]
    assert one["shapeHash"] in {each["shapeHash"] for each in get(daemon, "/api/v1/shapes")["shapes"]}
    check(past, "history")


def headline(daemon):
    return get(daemon, "/api/v1/status")["headline"]


def test_the_headline_is_the_worst_there_is(start, connect):
    sim = start(Sim, host=OWN_HOST)
    daemon = start(Daemon, sim.address, failover={"check_interval": "200ms"})
    assert headline(daemon) == {"level": "ok", "text": "OK"}
    client = connect(daemon)
    client["yorkie-meta"].documents.find_one({"key": 1})
    got = wait_until(lambda: (now := headline(daemon))["level"] == "scattering" and now, "the finding")
    assert re.fullmatch(r"Scattering (<1|\d+) %", got["text"])
    client.close()
    daemon.config_path.write_text("nonsense: 1\n")
    daemon.reload()
    assert headline(daemon) == {"level": "degraded", "text": "Configuration not reloaded"}
    sim.stop()
    wait_until(lambda: headline(daemon) == {"level": "down", "text": "mongos down"}, "the headline")
    status = get(daemon, "/api/v1/status")
    assert status["listeners"][0]["state"] == "down"
    check(status, "status")
    assert '<p id="headline" class="down">mongos down</p>' in daemon.get("/")[2]


def test_the_headline_distinguishes_rejections_from_scatters(start, sim, connect):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "no", "action": "reject", "match": {"namespace": "shop.orders"}}])
    client = connect(daemon)
    with pytest.raises(pymongo.errors.OperationFailure):
        client.shop.orders.find_one({"n": 1})
    got = wait_until(lambda: (now := headline(daemon))["text"].startswith("Refusing") and now, "the rejection")
    assert got["level"] == "warning" and re.fullmatch(r"Refusing (<1|\d+) %", got["text"])
    [shape] = [each for each in get(daemon, "/api/v1/shapes")["shapes"] if each["ns"] == "shop.orders"]
    assert shape["wastedShardRequests"] == 0, "what isn't sharded wastes nothing"
    assert get(daemon, "/api/v1/collections")["totals"]["refused"] == 1
    client["yorkie-meta"].documents.find_one({"key": 1})
    wait_until(lambda: re.fullmatch(r"Refusing .* %, scattering .* %", headline(daemon)["text"]), "both")


def test_a_warning_is_no_green_headline(start, sim):
    daemon = start(Daemon, sim.address)
    with socket.create_connection(("127.0.0.1", daemon.port)) as scanner:
        scanner.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: headline(daemon) == {"level": "warning", "text": "OK, 1 warning"}, "the warning")


def test_clients_that_wait_for_long_are_in_the_headline(start, upstream):
    def script(connection):
        while request := connection.message():
            if "find" not in request.body:
                connection.reply(request)
    daemon = start(Daemon, upstream(script).address)
    with RawClient(daemon.port) as client:
        client.send(op_msg(FIND))
        got = wait_until(lambda: (now := headline(daemon))["text"] != "OK" and now, "the client that waits")
        assert got["level"] == "warning"
        assert re.fullmatch(r"1 client waits for a reply, the longest for \d+ s", got["text"])
        assert daemon.metrics().total("scattergate_clients_waiting") == 1
        assert daemon.metrics().total("scattergate_longest_wait_seconds") >= 10


def test_the_headline_names_the_listener_where_there_are_several(start, sim):
    lost = f"{OWN_HOST}:{free_port()}"
    daemon = start(Daemon, sim.address, failover={"check_interval": "200ms"}, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [upstream]} for upstream in (sim.address, lost)])
    wait_until(lambda: headline(daemon) == {"level": "down", "text": f"mongos down behind {daemon.addresses[1]}"},
               "the headline")
    assert [each["state"] for each in get(daemon, "/api/v1/status")["listeners"]] == ["ok", "down"]


def test_a_condition_says_what_to_do_and_links_to_the_runbook(start):
    lost = f"{OWN_HOST}:{free_port()}"
    daemon = start(Daemon, lost, failover={"check_interval": "200ms"})
    [got] = wait_until(lambda: get(daemon, "/api/v1/status")["conditions"], "the condition")
    assert got["listener"] == daemon.address and got["message"].startswith("A mongos fails its health check; ")
    assert re.fullmatch(r"[A-Z].*\.", got["whatToDo"])
    path, anchor = got["runbook"].split("#")
    status, kind, page = daemon.get(f"/{path}")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert f'<h2 id="{anchor}">' in page
    shown = daemon.get("/")[2]
    assert f'href="{got["runbook"]}">' in shown and got["whatToDo"] in shown


def test_a_shape_says_what_it_is_and_what_it_queries(start, sim, connect):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "no", "action": "reject",
         "match": {"namespace": "yorkie-meta.clients", "routing": "scatter_gather"}}])
    meta = connect(daemon)["yorkie-meta"]
    meta.documents.find_one({"key": 1, "$or": [{"a.b": 1}, {"c": {"$elemMatch": {"d": 1}}}]})
    meta.documents.find_one({"project_id": traffic.PROJECTS[0], "key": 2})
    with pytest.raises(pymongo.errors.OperationFailure):
        meta.clients.find_one({"n": 1})

    def finds():
        answer = get(daemon, "/api/v1/shapes")
        found = [each for each in answer["shapes"] if each["command"] == "find"]
        return len(found) == 3 and (answer, found)
    answer, found = wait_until(finds, "the shapes")
    check(answer, "shapes")
    got = [(each["ns"], each["kind"], each["refused"], sorted(each["fields"])) for each in found]
    assert got[0] == ("yorkie-meta.clients", "finding", 1, ["n"]), "refused ones are first"
    assert sorted(got[1:]) == [
        ("yorkie-meta.documents", "finding", 0, ["a.b", "c", "c.d", "key"]),
        ("yorkie-meta.documents", "other", 0, ["key", "project_id"])]
    assert "<b>1</b> rejected or throttled" in daemon.get("/")[2]


def test_without_chunks_no_waste_is_known(daemon, connect):
    assert get(daemon, "/api/v1/collections")["totals"]["wastedShardRequests"] == 0
    connect(daemon)["yorkie-meta"].documents.find_one({"key": 1})

    def counted():
        answer = get(daemon, "/api/v1/collections")
        return answer["totals"]["findings"] == 1 and answer
    answer = wait_until(counted, "the finding")
    [documents] = [each for each in answer["collections"] if each["ns"] == "yorkie-meta.documents"]
    for got in (documents, answer["totals"]):
        assert got["wastedShardRequests"] is None and got["fanoutKnown"] == 0
        assert got["lastMinute"]["wastedShardRequests"] is None
    check(answer, "collections")


def test_a_reload_takes_over_the_link_to_grafana(start, sim):
    daemon = start(Daemon, sim.address)
    assert get(daemon, "/api/v1/status")["grafanaLink"] is None
    link = "https://grafana.example/d/x?var-db={db}&from={from}&to={to}#{shape}"
    daemon.write_config(admin={"grafana_link": link})
    daemon.reload()
    status = get(daemon, "/api/v1/status")
    assert status["grafanaLink"] == link and not status["conditions"]


def test_status_says_whether_the_last_reload_was_good(busy):
    got = get(busy, "/api/v1/status")
    assert got["ready"] is True and got["reason"] is None
    assert got["config"]["lastReloadSuccessful"] is True
    assert got["listeners"][0]["upstreams"][0]["active"] in (True, False)
    assert got["conditions"] == []


def test_advice_on_a_collection_names_no_value_and_calls_nothing_safe(daemon, client):
    secret, ns = "a-value-of-somebody", "shop.<b>people</b>"
    for number in range(60):
        client.shop["<b>people</b>"].find_one({"tenant": secret, "name": number})
    client.close()
    daemon.await_quiet()
    got = advice(daemon, ns)
    assert got["state"] == "done" and got["ns"] == ns
    jsonschema.validate(got["advice"], json.loads((DOCS / "advise.schema.json").read_text()))
    [collection] = got["advice"]["collections"]
    assert {json.dumps(each["key"]) for each in collection["candidates"]} >= {'{"tenant": 1}', '{"name": 1, "tenant": 1}'}
    assert collection["unknown"] and not any(each["safe"] for each in collection["candidates"])
    status, kind, page = daemon.get("/advice?ns=" + urllib.parse.quote(ns))
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert "&lt;b&gt;people" in page and "<b>people" not in page
    assert secret not in page and secret not in json.dumps(got)


def test_advice_is_asked_for_again_while_it_is_computed_and_refused_without_commands(daemon):
    path = "advice?ns=shop.never_seen"
    status, _, text = daemon.get("/api/v1/" + path)
    assert status in (202, 404)
    if status == 202:
        check(json.loads(text), "advice")
        assert json.loads(text)["state"] == "computing"
    wait_until(lambda: daemon.get("/api/v1/" + path)[0] == 404, "the search for its commands")
    status, _, page = daemon.get("/" + path)
    assert status == 404 and "No commands on this collection" in page


def test_at_most_four_collections_wait_for_advice(daemon):
    answers = [daemon.get(f"/api/v1/advice?ns=shop.c{number}")[0] for number in range(40)]
    assert 503 in answers and set(answers) <= {202, 404, 503}
    assert daemon.get("/healthz")[0] == 200
