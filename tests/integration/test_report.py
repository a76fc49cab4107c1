"""report, over what a real cluster recorded: tests/real has one and the same traffic as the
wire saw it, as mongos logged it and as the application counted it."""

import collections
import csv
import datetime
import gzip
import http.server
import json
import pathlib
import socket
import subprocess
import threading

import jsonschema
import pytest

from processes import ROOT
from reports import REAL, report, reported


def by_app_and_command(of):
    """How often each application sent each command, by the callers of the shapes."""
    counts = collections.Counter()
    for shape in of["shapes"]:
        for caller in shape["callers"]:
            counts[f'{caller.get("appName", "")} {shape["command"]}'] += caller["count"]
    return counts


def instant(text):
    return datetime.datetime.fromisoformat(text)


def by_shape(of):
    return {(shape["ns"], shape["command"], shape["shapeHash"]): shape for shape in of["shapes"]}


def test_the_wire_the_log_and_the_application_agree():
    wire, log = reported(REAL / "traffic.pcap.gz"), reported(REAL / "traffic-mongos.log.gz")
    sent = json.loads((REAL / "traffic-sent.json").read_text())
    for of in (wire, log):
        counts = by_app_and_command(of)
        assert {name: counts[name] for name in sent} == sent
    assert by_app_and_command(wire) == by_app_and_command(log)
    assert wire["totals"]["commands"] == log["totals"]["commands"] == 966
    # Predicted from the capture, and as in mongos's log.
    for total in ("shardRequests", "wastedShardRequests"):
        assert wire["totals"][total] == log["totals"][total]
    assert wire["sources"][0]["kind"] == "pcap"
    assert log["sources"][0]["kind"] == "mongos-log"
    assert not wire["sources"][0]["skipped"].get("lost")


def test_a_log_and_a_capture_give_the_same_report():
    wire, log = by_shape(reported(REAL / "traffic.pcap.gz")), by_shape(reported(REAL / "traffic-mongos.log.gz"))
    logged = {key: shape for key, shape in log.items() if shape["shape"] != {"statements": "not logged"}}
    assert len(logged) >= 10
    for key, shape in logged.items():
        there = wire[key]
        for field in ("routing", "bounds", "reason", "missing", "shardKey", "count", "fanout", "errors",
                      "wastedShardRequests", "suggestion", "explain", "acceptRule"):
            assert shape[field] == there[field], (key, field)


def test_mongos_agrees_with_every_prediction_of_its_traffic():
    truth = reported(REAL / "traffic-mongos.log.gz")["truth"]
    assert truth == {"compared": 660, "agreed": 660, "disagreements": []}


def test_a_recording_reports_its_commands():
    of = reported(REAL / "mongod-traffic.rec.gz")
    assert of["sources"][0]["kind"] == "recording"
    assert of["sources"][0]["observations"] == 163  # and handshakes, which are no commands
    assert by_app_and_command(of)["recorded-zlib find"] == 40


def test_a_mongods_log_is_detected():
    of = reported(REAL / "mongod-slow.log.gz")
    assert of["sources"][0]["kind"] == "mongod-log"
    skipped = of["sources"][0]["skipped"]
    assert skipped["told_by_statement"] == 31
    assert sum(skipped.values()) + of["totals"]["commands"] + of["shardLogs"]["requests"] == 152


def test_a_mongos_log_of_8_0_is_detected():
    """It has an empty `locks`, as a mongod's, but its service is that of routers."""
    of = reported(REAL / "mongos-slow-8.0.log.gz")
    assert of["sources"][0]["kind"] == "mongos-log"
    assert "shardLogs" not in of
    assert of["sources"][0]["skipped"].get("told_by_statement", 0) == 0
    assert {shape["command"] for shape in of["shapes"]} >= {"update", "delete", "find", "aggregate", "findAndModify"}


def test_a_shards_line_is_one_request_and_never_added_to_commands():
    shard, router = (reported(REAL / f"{name}-slow.log.gz") for name in ("mongod", "mongos"))
    both = reported(REAL / "mongod-slow.log.gz", REAL / "mongos-slow.log.gz")
    requests = shard["shardLogs"]["requests"]
    assert shard["unit"] == "shardRequests" and shard["totals"]["shardRequests"] == requests == 117
    assert shard["totals"]["commands"] == 3 and shard["totals"]["wastedShardRequests"] is None
    assert sum(shape["count"] for shape in shard["shapes"]) == requests
    assert all(shape["fanout"] is None for shape in shard["shapes"])
    assert both["unit"] == "commands" and both["shardLogs"]["requests"] == requests
    assert both["totals"]["commands"] == router["totals"]["commands"] + 3
    assert both["totals"]["shardRequests"] == router["totals"]["shardRequests"]
    assert sum(shape["count"] for shape in both["shardLogs"]["shapes"]) == requests
    text = report(REAL / "mongod-slow.log.gz").stdout.decode()
    assert text.startswith("117 shard requests") and "3 commands to no shard" in text


def test_a_cut_command_is_counted_and_not_judged():
    of = reported(REAL / "mongos-slow.log.gz")
    assert of["sources"][0]["skipped"]["truncated"] == 1
    assert not any(shape["shape"] == {} and shape["command"] == "find" and shape["fanout"] == {"max": 5}
                   for shape in of["shapes"])


@pytest.mark.parametrize("source", sorted(path.name for path in REAL.glob("*.gz")))
def test_the_json_is_as_its_schema_says(source):
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(reported(REAL / source), schema, cls=jsonschema.Draft202012Validator)


def test_several_views_in_one_pass(tmp_path):
    names = ["out.html", "out.json", "out.md", "out.txt"]
    report(REAL / "traffic.pcap.gz", *(x for name in names for x in ("-o", tmp_path / name)))
    for name in names:
        assert "b5552500e10fa16d" in (tmp_path / name).read_text()
    assert json.loads((tmp_path / "out.json").read_text())["schemaVersion"] == 1


@pytest.mark.parametrize("by, measure", [
    ("time", lambda of: (of["durationMillis"] or {}).get("total", -1)),
    ("count", lambda of: of["count"]),
    ("errors", lambda of: of["errors"]),
    ("fanout", lambda of: (of["fanout"] or {}).get("max", -1)),
    ("last-seen", lambda of: of["lastSeen"]),
])
def test_shapes_are_ranked_by_what_is_asked(by, measure):
    shapes = [measure(shape) for shape in reported(REAL / "traffic-mongos.log.gz", "--by", by)["shapes"]]
    assert shapes == sorted(shapes, reverse=True)


def test_parts_add_up_to_the_totals_and_name_what_the_log_names():
    of = reported(REAL / "traffic-mongos.log.gz")
    for parts in ("perHour", "byCollection", "byApp", "byUser", "byHost"):
        for measure in ("commands", "shardRequests", "wastedShardRequests"):
            assert sum(part[measure] for part in of[parts]) == of["totals"][measure], parts
        for name, count in of["totals"]["byRouting"].items():
            assert sum(part["byRouting"][name] for part in of[parts]) == count, parts
    assert [part["hour"] for part in of["perHour"]] == ["2026-11-22T04:00:00.000Z"]
    assert {part["appName"] for part in of["byApp"]} == {"shop-web", "shop-batch", "shop-report"}
    assert of["errors"] == 9 and of["errorNames"] == [{"name": "ShardKeyNotFound", "count": 9}]
    assert of["errorNames"] == reported(REAL / "traffic.pcap.gz")["errorNames"]


def test_a_batch_that_was_not_logged_has_its_fanouts():
    log = reported(REAL / "traffic-mongos.log.gz")
    (batch,) = (shape for shape in log["shapes"] if shape["command"] == "update")
    assert batch["fanout"]["distribution"] == [{"shards": 1, "commands": 180}, {"shards": 6, "commands": 27}]
    assert "180 x 1 shard, 27 x 6 shards" in report(REAL / "traffic-mongos.log.gz").stdout.decode()


def test_a_mongods_log_reports_documents_plans_and_replies():
    of = reported(REAL / "mongod-slow.log.gz")
    (find,) = (shape for shape in of["shapes"] if shape["command"] == "find" and "limit" in shape["shape"])
    assert find["planSummary"] == [{"plan": "IXSCAN { status: 1 }", "count": 24}]
    assert find["docsExamined"] == {"commands": 24, "total": 48, "max": 2}
    assert find["reslen"]["commands"] == 24
    assert of["sources"][0]["counts"] == "shard_requests" and of["byCollection"][0]["commands"] == 0


def test_captures_say_which_share_is_missing_and_others_nothing():
    whole = reported(REAL / "traffic.pcap.gz")
    assert whole["incomplete"] == whole["sources"][0]["incomplete"] == 0
    log = reported(REAL / "traffic-mongos.log.gz")
    assert log["incomplete"] is None and "incomplete" not in log["sources"][0]


def test_csv_has_a_line_for_each_shape(tmp_path):
    report(REAL / "traffic-mongos.log.gz", "-o", tmp_path / "x.csv")
    with open(tmp_path / "x.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    shapes = reported(REAL / "traffic-mongos.log.gz")["shapes"]
    assert [(row["ns"], row["command"], row["shapeHash"], int(row["count"])) for row in rows] == [
        (shape["ns"], shape["command"], shape["shapeHash"], shape["count"]) for shape in shapes]
    assert [json.loads(row["shape"]) for row in rows] == [shape["shape"] for shape in shapes]


def test_a_measure_that_there_is_not_is_refused():
    done = report(REAL / "traffic-mongos.log.gz", "--by", "price", status=2)
    assert b"--by: expected one of cost|time|count" in done.stderr


def test_standard_input_and_mixed_files(tmp_path):
    log = gzip.decompress((REAL / "traffic-mongos.log.gz").read_bytes()).splitlines()[:200]
    mixed = tmp_path / "mixed"
    mixed.write_bytes(b"\n".join(log) + b'\nnot json\n{"find":"orders","filter":{"status":1},"$db":"shop"}\n')
    with open(mixed, "rb") as stream:
        of = json.loads(report("-", "--format", "json", stdin=stream).stdout)
    assert of["sources"][0]["skipped"]["unreadable"] == 1
    assert of["totals"]["commands"] + sum(of["sources"][0]["skipped"].values()) == 202


@pytest.mark.parametrize("content, error", [
    ((REAL / "traffic-mongos.log.gz").read_bytes()[:9000], "truncated or corrupt"),
    (gzip.decompress((REAL / "mongod-traffic.rec.gz").read_bytes())[:60_000], "truncated or corrupt"),
    (gzip.decompress((REAL / "traffic.pcap.gz").read_bytes())[:500_003], "truncated"),
])
def test_what_was_cut_is_reported_up_to_there_and_said(tmp_path, content, error):
    (tmp_path / "cut").write_bytes(content)
    done = report(tmp_path / "cut", "--format", "json", status=2)
    assert error in done.stderr.decode()
    assert json.loads(done.stdout)["totals"]["commands"] > 50


def test_what_can_not_be_read_is_one_line_and_the_rest_is_reported(tmp_path):
    done = report(tmp_path / "none", REAL / "traffic-mongos.log.gz", "--format", "json", status=2)
    assert len(done.stderr.splitlines()) == 1 and b"No such file" in done.stderr
    assert json.loads(done.stdout)["totals"]["commands"] == 966


def test_a_capture_that_begins_in_the_middle_is_read_from_its_next_message(tmp_path):
    capture = gzip.decompress((REAL / "traffic.pcap.gz").read_bytes())
    at, packets = 24, []
    while at < len(capture):
        size = int.from_bytes(capture[at + 8:at + 12], "little")
        packets.append(capture[at:at + 16 + size])
        at += 16 + size
    (tmp_path / "middle.pcap").write_bytes(capture[:24] + b"".join(packets[len(packets) // 2:]))
    (tmp_path / "gap.pcap").write_bytes(capture[:24] + b"".join(packets[:500] + packets[520:]))
    middle, gap = reported(tmp_path / "middle.pcap"), reported(tmp_path / "gap.pcap")
    assert 400 < middle["totals"]["commands"] < 560
    for of in (middle, gap):  # also of what is reported only when the capture ends
        assert all(shape["firstSeen"].startswith("2026-11-22T04:51") for shape in of["shapes"])
    assert 930 < gap["totals"]["commands"] < 966
    assert 0 < gap["incomplete"] < 0.05




def test_what_if_it_were_sharded_so(tmp_path):
    keys = tmp_path / "what-if.yaml"
    keys.write_text("collections:\n  - namespace: shop.orders\n    shardKey: {status: 1}\n")
    of = reported(REAL / "mongod-slow.log.gz", catalog=keys)
    finds = [shape for shape in of["shapes"] if shape["command"] == "find"]
    assert {shape["routing"] for shape in finds if "status" in json.dumps(shape["shape"])} == {"single_shard"}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The state files that the fuzz target of their reader starts from."""
    folder = tmp_path_factory.mktemp("stored")
    subprocess.run([ROOT / "scripts" / "fuzz-corpus", "unpack", "fuzz_stored_digest", folder], check=True)
    return folder


def test_a_state_file_is_detected_by_its_content(stored):
    of = reported(stored / "three_rows")
    (source,) = of["sources"]
    assert source["kind"] == "state"
    assert source["observations"] == of["totals"]["commands"] == sum(
        shape["count"] for shape in of["shapes"]) == 23
    assert len(of["shapes"]) == 3


def test_a_state_file_that_was_packed_is_one_too(stored, tmp_path):
    packed = tmp_path / "state.gz"
    packed.write_bytes(gzip.compress((stored / "three_rows").read_bytes()))
    assert reported(packed)["totals"] == reported(stored / "three_rows")["totals"]


def test_two_state_files_add_up(stored):
    one, both = reported(stored / "three_rows"), reported(stored / "three_rows", stored / "three_rows")
    assert both["totals"]["commands"] == 2 * one["totals"]["commands"]
    assert [shape["count"] for shape in both["shapes"]] == [2 * shape["count"] for shape in one["shapes"]]
    for twice, once in zip(both["shapes"], one["shapes"]):
        assert twice["durationMillis"]["p95"] == once["durationMillis"]["p95"]


def test_a_state_file_keeps_its_totals_where_rows_were_evicted(stored):
    assert reported(stored / "evicted")["totals"]["commands"] == 379


@pytest.mark.parametrize("name, why", [
    ("cut", "line 3: incomplete"), ("spoilt", "line 6: corrupt: the checksum"),
    ("newer", "line 1: written by a newer version: its schemaVersion is 2, this one reads 1")])
def test_what_is_wrong_with_a_state_file_is_one_line(stored, name, why):
    done = report(stored / name, status=2)
    (line,) = done.stderr.decode().splitlines()
    assert why in line


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers each GET with the content of its path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_):
        pass


@pytest.fixture
def daemon(stored):
    server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
    server.asked, server.body, server.status = [], (stored / "three_rows").read_bytes(), 200
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_running_daemon_is_asked_by_its_address(daemon, stored):
    of = reported(daemon.url, catalog=None)
    assert of["sources"][0] | {"bytes": 0} == {
        "name": daemon.url, "kind": "state", "bytes": 0, "observations": 23, "counts": "commands", "skipped": {}}
    assert of["shapes"] == reported(stored / "three_rows", catalog=None)["shapes"]
    assert daemon.asked == ["/api/v1/shapes?format=stored"]
    assert f"{daemon.url} (state): 23 commands in 3 shapes" in report(daemon.url).stdout.decode()


def test_a_daemon_and_a_file_add_up(daemon, stored):
    assert reported(daemon.url + "/", stored / "three_rows")["totals"]["commands"] == 46


@pytest.mark.parametrize("status, body, why", [
    (404, b"", "answers HTTP/1.1 404 Not Found"),
    (200, b"<html>", "the reply isn't from scattergate"),
    (200, b"", "the reply isn't from scattergate"),
    (200, b'{"type":"scattergate.digest","schemaVersion":1}\n', "truncated: its end is missing")])
def test_what_is_no_daemon_is_reported_in_one_line(daemon, status, body, why):
    daemon.status, daemon.body = status, body
    (line,) = report(daemon.url, status=2).stderr.decode().splitlines()
    assert why in line and daemon.url in line


def test_an_unreachable_daemon_is_reported_in_one_line(daemon):
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))
    for url, why in ((f"http://127.0.0.1:{closed.getsockname()[1]}", "Connection refused"),
                     ("http://nowhere.invalid:19216", "ost"), ("http://", "expected http://HOST:PORT or https://HOST:PORT"),
                     (f"https://127.0.0.1:{daemon.server_port}", "TLS fails: ")):
        done = report(url, daemon.url, status=2)
        (line,) = done.stderr.decode().splitlines()
        assert why in line
        assert b"23 commands" in done.stdout
    closed.close()


def chunked(body):
    half = len(body) // 2
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:], b""))


@pytest.mark.parametrize("answer, why", [
    (b"", "no answer"),
    (b"SSH-2.0-OpenSSH_9.2\r\n", "the reply isn't HTTP"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nx", "sends more than 64 MiB"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx", "no complete answer"),
    (b"HTTP/1.1 200 OK\r\nX: " + 70_000 * b"x", "the reply isn't HTTP"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
     chunked(b'{"type":"scattergate.digest","schemaVersion":1}\n'), "truncated: its end is missing")])
def test_what_answers_in_another_way_is_named(answer, why):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def serve():
            connection, _ = listening.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer)
        server = threading.Thread(target=serve)
        server.start()
        (line,) = report(f"http://127.0.0.1:{listening.getsockname()[1]}", status=2).stderr.decode().splitlines()
        server.join()
    assert why in line


PIZZA = {"find": "pizzaOrders", "filter": {"orderDate": {"$gt": {"$date": "2024-05-10T05:15:35Z"}}},
         "sort": {"totalNumber": 1}, "$db": "test"}
PIZZA_HASH = "AB8ECADEE8F0EB0F447A30744EB4813AE7E0BFEF523B0870CA10FCBC87F5D8F1"


def reported_hash(folder, version='version: "8.0"', logged_hash=None):
    """The queryShapeHash of a line in mongos's log, which may have one itself."""
    catalog = folder / "catalog.yaml"
    catalog.write_text(f"schemaVersion: 1\n{version}\ncollections: []\n")
    attr = {"type": "command", "ns": "test.pizzaOrders", "command": PIZZA, "nShards": 1, "durationMillis": 120}
    attr |= {"queryShapeHash": logged_hash} if logged_hash else {}
    log = folder / "mongos.log"
    log.write_text(json.dumps({"t": {"$date": "2026-01-01T00:00:00.000Z"}, "s": "I", "c": "COMMAND", "id": 51803,
                               "ctx": "conn1", "msg": "Slow query", "attr": attr}, separators=(",", ":")) + "\n")
    (shape,) = reported(log, catalog=catalog)["shapes"]
    return shape["queryShapeHash"]


def test_mongodbs_own_hash_of_a_shape_is_computed_as_its_log_reports_it(tmp_path):
    assert reported_hash(tmp_path) == reported_hash(tmp_path, logged_hash=PIZZA_HASH) == PIZZA_HASH


def test_what_the_log_says_of_it_stands(tmp_path):
    assert reported_hash(tmp_path, logged_hash="A" * 64) == "A" * 64


@pytest.mark.parametrize("version", ['version: "7.0"', 'version: "9.1"', ""])
def test_it_is_null_where_no_one_can_be_certain(tmp_path, version):
    assert reported_hash(tmp_path, version) is None


def test_a_part_of_the_time_is_chosen_and_the_parts_add_up():
    log = REAL / "traffic-mongos.log.gz"
    whole = reported(log)
    middle = sorted(json.loads(line)["t"]["$date"] for line in gzip.open(log, "rt")
                    if "Slow query" in line)[400]
    first, rest = reported(log, "--until", middle), reported(log, "--since", middle)
    assert 0 < first["totals"]["commands"] < whole["totals"]["commands"]
    assert first["totals"]["commands"] + rest["totals"]["commands"] == whole["totals"]["commands"]
    assert first["sources"][0]["skipped"]["not_chosen"] == rest["totals"]["commands"]
    assert instant(first["window"]["to"]) < instant(middle) <= instant(rest["window"]["from"])
    assert reported(log, "--since", "1h")["totals"]["commands"] == 0


def test_a_namespace_is_chosen():
    log = REAL / "traffic-mongos.log.gz"
    whole = reported(log)
    name = whole["shapes"][0]["ns"]
    chosen = reported(log, "--namespace", name)
    assert {shape["ns"] for shape in chosen["shapes"]} == {name}
    assert by_shape(chosen) == {key: shape for key, shape in by_shape(whole).items() if key[0] == name}
    assert reported(log, "--namespace", name.split(".")[0] + ".*")["totals"]["commands"] > 0


def test_the_first_shapes_are_listed_and_all_are_counted():
    log = REAL / "traffic-mongos.log.gz"
    whole, first = reported(log), reported(log, "--top", "3")
    assert first["shapes"] == whole["shapes"][:3]
    assert first["totals"] == whole["totals"]
    text = report(log, "--top", "3").stdout.decode()
    assert f"and {len(whole['shapes']) - 3} further shapes" in text and "#4" not in text


@pytest.mark.parametrize("flags", [("--top", "some"), ("--since", "yesterday"), ("--until", "2026-13-01"),
                                   ("--since", "1h", "--write-baseline", "/dev/null")])
def test_what_cannot_be_chosen_is_refused(flags):
    done = report(REAL / "traffic-mongos.log.gz", *flags, status=2)
    assert flags[0].encode() in done.stderr


def test_what_a_proxy_has_judged_needs_no_catalog(stored):
    state = stored / "three_rows"
    assert reported(state, catalog=None)["shapes"] == reported(state)["shapes"] != []
    refused = report(REAL / "traffic-mongos.log.gz", catalog=None, status=2)
    assert b"pass --catalog" in refused.stderr
