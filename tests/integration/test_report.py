"""report, over what a real cluster recorded: tests/real has one and the same traffic as the
wire saw it, as mongos logged it and as the application counted it."""

import collections
import gzip
import json
import pathlib
import subprocess

import jsonschema
import pytest

from processes import ROOT, clean_environment, program_path

REAL = ROOT / "tests" / "real"
CATALOG = REAL / "traffic-catalog.yaml"


def report(*arguments, status=0, catalog=CATALOG, **options):
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "report", "--catalog", catalog, *arguments],
        capture_output=True, env=clean_environment(), timeout=120, **options)
    assert done.returncode == status, done.stderr
    return done


def told(*sources, **options):
    return json.loads(report(*sources, "--format", "json", **options).stdout)


def by_app_and_command(of):
    """How often each application sent each command, as the callers of the shapes tell."""
    counts = collections.Counter()
    for shape in of["shapes"]:
        for caller in shape["callers"]:
            counts[f'{caller.get("appName", "")} {shape["command"]}'] += caller["count"]
    return counts


def by_shape(of):
    return {(shape["ns"], shape["command"], shape["shapeHash"]): shape for shape in of["shapes"]}


def test_the_wire_the_log_and_the_application_agree():
    wire, log = told(REAL / "traffic.pcap.gz"), told(REAL / "traffic-mongos.log.gz")
    sent = json.loads((REAL / "traffic-sent.json").read_text())
    for of in (wire, log):
        counts = by_app_and_command(of)
        assert {name: counts[name] for name in sent} == sent
    assert by_app_and_command(wire) == by_app_and_command(log)
    assert wire["totals"]["commands"] == log["totals"]["commands"] == 966
    # Predicted from the wire, and as mongos says in its log.
    for total in ("shardRequests", "wastedShardRequests"):
        assert wire["totals"][total] == log["totals"][total]
    assert wire["sources"][0]["kind"] == "pcap"
    assert log["sources"][0]["kind"] == "mongos-log"
    assert not wire["sources"][0]["skipped"].get("lost")


def test_what_a_log_has_is_told_as_the_wire_tells_it():
    wire, log = by_shape(told(REAL / "traffic.pcap.gz")), by_shape(told(REAL / "traffic-mongos.log.gz"))
    logged = {key: shape for key, shape in log.items() if shape["shape"] != {"statements": "not logged"}}
    assert len(logged) >= 10
    for key, shape in logged.items():
        there = wire[key]
        for field in ("routing", "bounds", "reason", "missing", "shardKey", "count", "fanout", "errors",
                      "wastedShardRequests", "suggestion", "explain", "acceptRule"):
            assert shape[field] == there[field], (key, field)


def test_mongos_agrees_with_every_prediction_of_its_traffic():
    truth = told(REAL / "traffic-mongos.log.gz")["truth"]
    assert truth == {"compared": 660, "agreed": 660, "disagreements": []}


def test_a_recording_tells_its_commands():
    of = told(REAL / "mongod-traffic.rec.gz")
    assert of["sources"][0]["kind"] == "recording"
    assert of["sources"][0]["observations"] == 163  # and handshakes, which are no commands
    assert by_app_and_command(of)["recorded-zlib find"] == 40


def test_a_mongods_log_is_told_apart():
    of = told(REAL / "mongod-slow.log.gz")
    assert of["sources"][0]["kind"] == "mongod-log"
    skipped = of["sources"][0]["skipped"]
    assert skipped["told_by_statement"] == 31
    assert sum(skipped.values()) + of["totals"]["commands"] == 152


def test_a_cut_command_is_counted_and_not_judged():
    of = told(REAL / "mongos-slow.log.gz")
    assert of["sources"][0]["skipped"]["truncated"] == 1
    assert not any(shape["shape"] == {} and shape["command"] == "find" and shape["fanout"] == {"max": 5}
                   for shape in of["shapes"])


@pytest.mark.parametrize("source", sorted(path.name for path in REAL.glob("*.gz")))
def test_the_json_is_as_its_schema_says(source):
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(told(REAL / source), schema, cls=jsonschema.Draft202012Validator)


def test_several_views_in_one_pass(tmp_path):
    names = ["out.html", "out.json", "out.md", "out.txt"]
    report(REAL / "traffic.pcap.gz", *(x for name in names for x in ("-o", tmp_path / name)))
    for name in names:
        assert "b5552500e10fa16d" in (tmp_path / name).read_text()
    assert json.loads((tmp_path / "out.json").read_text())["schemaVersion"] == 1


def test_standard_input_and_mixed_files(tmp_path):
    log = gzip.decompress((REAL / "traffic-mongos.log.gz").read_bytes()).splitlines()[:200]
    mixed = tmp_path / "mixed"
    mixed.write_bytes(b"\n".join(log) + b'\nnot json\n{"find":"orders","filter":{"status":1},"$db":"shop"}\n')
    with open(mixed, "rb") as stream:
        of = json.loads(report("-", "--format", "json", stdin=stream).stdout)
    assert of["sources"][0]["skipped"]["unreadable"] == 1
    assert of["totals"]["commands"] + sum(of["sources"][0]["skipped"].values()) == 202


@pytest.mark.parametrize("content, error", [
    ((REAL / "traffic-mongos.log.gz").read_bytes()[:9000], "cut short"),
    (gzip.decompress((REAL / "mongod-traffic.rec.gz").read_bytes())[:60_000], "cut short"),
    (gzip.decompress((REAL / "traffic.pcap.gz").read_bytes())[:500_003], "truncated"),
])
def test_what_was_cut_is_reported_up_to_there_and_said(tmp_path, content, error):
    (tmp_path / "cut").write_bytes(content)
    done = report(tmp_path / "cut", "--format", "json", status=2)
    assert error in done.stderr.decode()
    assert json.loads(done.stdout)["totals"]["commands"] > 50


def test_what_can_not_be_read_is_one_line_and_the_rest_is_told(tmp_path):
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
    middle, gap = told(tmp_path / "middle.pcap"), told(tmp_path / "gap.pcap")
    assert 400 < middle["totals"]["commands"] < 560
    for of in (middle, gap):  # also of what is told only when the capture ends
        assert all(shape["firstSeen"].startswith("2026-11-22T04:51") for shape in of["shapes"])
    assert 930 < gap["totals"]["commands"] < 966




def test_what_if_it_were_sharded_so(tmp_path):
    keys = tmp_path / "what-if.yaml"
    keys.write_text("collections:\n  - namespace: shop.orders\n    shardKey: {status: 1}\n")
    of = told(REAL / "mongod-slow.log.gz", catalog=keys)
    finds = [shape for shape in of["shapes"] if shape["command"] == "find"]
    assert {shape["routing"] for shape in finds if "status" in json.dumps(shape["shape"])} == {"single_shard"}
