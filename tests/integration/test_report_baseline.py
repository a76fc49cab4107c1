"""report against a baseline, and its views for continuous integration, over a real cluster's
traffic: six shapes of it scatter."""

import json
import pathlib
import xml.etree.ElementTree as xml

import jsonschema
import pytest
import yaml

from processes import ROOT
from test_report import REAL, report, reported

TRAFFIC = REAL / "traffic.pcap.gz"
SARIF = json.loads((pathlib.Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text())


@pytest.fixture
def baseline(tmp_path):
    """All scattering shapes, accepted except for one; one of them only until yesterday, and one that isn't sent."""
    path = tmp_path / "baseline.yaml"
    report(TRAFFIC, "--write-baseline", path, "--fail-on", "new")
    written = yaml.safe_load(path.read_text())
    assert len(written["accepted"]) == 6
    first, second = written["accepted"][:2]
    first.update(why="monthly", by="dba", until="2099-12-31")
    second.update(until="2020-01-01")
    gone = {**first, "shapeHash": "00000000000000ab", "namespace": "shop.gone"}
    written["accepted"] = [first, second, *written["accepted"][3:], gone]
    for one in written["accepted"]:
        one.update({key: str(one[key]) for key in ("since", "until") if one[key]})
    path.write_text(yaml.safe_dump(written))
    return path


def states(of):
    counts = {}
    for shape in of["shapes"]:
        counts[shape["baseline"]] = counts.get(shape["baseline"], 0) + 1
    return counts


def test_new_known_expired_and_gone_are_distinguished(baseline):
    of = reported(TRAFFIC, "--baseline", baseline)
    assert {state: number for state, number in states(of).items() if state} == {
        "new": 2, "accepted": 4, "absent": 1}
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    jsonschema.validate(of, schema, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("fail_on, status", [("new", 1), ("any", 1), ("never", 0)])
def test_the_status_says_what_fails(baseline, fail_on, status):
    done = report(TRAFFIC, "--baseline", baseline, "--fail-on", fail_on, status=status)
    assert b"against the baseline: 1 new, 4 accepted, 1 no longer accepted, 1 absent" in done.stdout
    assert b"Accepted, and not seen:" in done.stdout


def test_without_a_flag_nothing_fails():
    assert states(reported(TRAFFIC)).keys() == {None}


def test_writing_keeps_what_people_wrote_and_drops_what_is_gone(baseline):
    report(TRAFFIC, "--write-baseline", baseline, "--fail-on", "new", status=1)  # one has expired
    written = yaml.safe_load(baseline.read_text())["accepted"]
    assert len(written) == 6
    assert [one["by"] for one in written].count("dba") == 1
    keys = [(one["namespace"], one["command"], one["shapeHash"]) for one in written]
    assert keys == sorted(keys)
    before = baseline.read_text()
    report(TRAFFIC, "--write-baseline", baseline)
    assert baseline.read_text() == before


def test_a_bad_baseline_is_reported_with_its_line(tmp_path):
    (tmp_path / "b.yaml").write_text("accepted:\n  - shapeHash: nonsense\n")
    done = report(TRAFFIC, "--baseline", tmp_path / "b.yaml", status=2)
    assert b"b.yaml:2: shapeHash: expected 16 hexadecimal digits" in done.stderr
    report(TRAFFIC, "--baseline", tmp_path / "none.yaml", status=2)
    report(TRAFFIC, "--fail-on", "sometimes", status=2)
    report(TRAFFIC, "--write-baseline", "/nowhere/b.yaml", status=2)


def test_sarif_is_as_its_schema_says_and_keeps_what_is_accepted(baseline, tmp_path):
    report(TRAFFIC, "--baseline", baseline, "-o", tmp_path / "out.sarif")
    log = json.loads((tmp_path / "out.sarif").read_text())
    jsonschema.validate(log, SARIF, cls=jsonschema.Draft4Validator)
    results = log["runs"][0]["results"]
    assert sorted(one["baselineState"] for one in results) == ["absent", "new", "new"] + ["unchanged"] * 4
    assert all(bool(one["suppressions"]) == (one["baselineState"] != "new") for one in results)
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in results)
    places = [place["physicalLocation"] for one in results for place in one["locations"]
              if "physicalLocation" in place]
    assert {"artifactLocation": {"uri": "report.py"}, "region": {"startLine": 12}} in places


def test_fingerprints_are_the_same_every_time(tmp_path):
    prints = []
    for source in (TRAFFIC, REAL / "traffic.pcap.gz"):
        log = json.loads(report(source, "--format", "sarif").stdout)
        jsonschema.validate(log, SARIF, cls=jsonschema.Draft4Validator)
        prints.append({json.dumps(one["partialFingerprints"]) for one in log["runs"][0]["results"]})
    assert prints[0] == prints[1] and len(prints[0]) == 6


def test_the_other_views_agree(baseline, tmp_path):
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    environment = {"GITHUB_STEP_SUMMARY": str(summary)}
    import os
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        report(TRAFFIC, "--baseline", baseline, "-o", tmp_path / "out.xml",
               "-o", tmp_path / "gl-code-quality-report.json", "-o", summary)
    finally:
        os.environ.clear()
        os.environ.update(before)
    suite = xml.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("6", "2")
    assert len(suite.findall(".//skipped")) == 4
    issues = json.loads((tmp_path / "gl-code-quality-report.json").read_text())
    assert sorted(one["severity"] for one in issues) == ["info"] * 4 + ["major"] * 2
    assert len({one["fingerprint"] for one in issues}) == 6
    assert all(one["location"]["path"] and one["location"]["lines"]["begin"] > 0 for one in issues)
    assert summary.read_text().startswith("before\n# What scatters")
    lines = report(TRAFFIC, "--baseline", baseline, "--format", "github").stdout.decode().splitlines()
    # The last is the one that is accepted and wasn't seen.
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 2 + ["::notice"] * 5
