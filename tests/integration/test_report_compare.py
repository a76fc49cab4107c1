"""report --compare: what changed between two sources of any kinds."""

import gzip
import json

import jsonschema
import pytest

from processes import ROOT
from reports import REAL, report, reported

LOG = gzip.decompress((REAL / "traffic-mongos.log.gz").read_bytes()).decode().splitlines()
SLOW = [json.loads(line) for line in LOG if '"Slow query"' in line]


def schema():
    """That of comparisons, with the report's definitions in it."""
    made = json.loads((ROOT / "docs" / "comparison.schema.json").read_text())
    of_report = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    text = json.dumps(made).replace("report.schema.json#/properties/", "#/$defs/report_")
    made = json.loads(text.replace("report.schema.json#/$defs/", "#/$defs/"))
    made["$defs"] |= of_report["$defs"] | {f"report_{key}": value for key, value in of_report["properties"].items()}
    return made


def compared(before, after, *flags, **options):
    made = json.loads(report("--compare", before, after, *flags, "--format", "json", **options).stdout)
    jsonschema.validate(made, schema(), cls=jsonschema.Draft202012Validator)
    return made


def line(second, attr):
    return json.dumps({"t": {"$date": f"2026-11-22T05:{second // 60:02}:{second % 60:02}.000Z"}, "s": "I", "c": "COMMAND",
                       "id": 51803, "ctx": "conn1", "msg": "Slow query", "attr": attr}, separators=(",", ":"))


def log_of(path, *shapes):
    """A log of an hour: each shape is (filter, how many, shards, milliseconds)."""
    lines = [line(second, {"type": "command", "ns": "shop.orders", "command": {
                 "find": "orders", "filter": query, "$db": "shop"}, "nShards": shards, "durationMillis": millis})
             for query, count, shards, millis in shapes for second in (at * 3599 // (count - 1) for at in range(count))]
    path.write_text("\n".join(lines) + "\n")
    return path


def one(of, kind):
    (entry,) = of[kind]
    return entry


def fields_of(entry):
    return list((entry["after"] or entry["before"])["shape"]["filter"])


def test_new_gone_worse_and_better_are_distinguished(tmp_path):
    before = log_of(tmp_path / "before", ({"status": "a"}, 20, 6, 1), ({"old": 1}, 10, 6, 1), ({"fan": 1}, 10, 2, 1),
                    ({"slow": 1}, 10, 6, 10), ({"fast": 1}, 10, 6, 40), ({"often": 1}, 10, 6, 0))
    after = log_of(tmp_path / "after", ({"status": "a"}, 20, 6, 1), ({"young": 1}, 10, 6, 1), ({"fan": 1}, 10, 4, 1),
                   ({"slow": 1}, 10, 6, 40), ({"fast": 1}, 10, 6, 10), ({"often": 1}, 30, 6, 0))
    of = compared(before, after)
    assert of["rates"] == "perHour" and of["counts"] == {"new": 1, "gone": 1, "worse": 3, "better": 1, "same": 1}
    assert fields_of(one(of, "new")) == ["young"] and one(of, "new")["before"] is None
    assert fields_of(one(of, "gone")) == ["old"] and one(of, "gone")["after"] is None
    assert {tuple(fields_of(entry)): entry["worse"] for entry in of["worse"]} == {
        ("fan",): ["fanout"], ("slow",): ["time"], ("often",): ["count"]}
    assert fields_of(one(of, "better")) == ["fast"] and one(of, "better")["better"] == ["time"]
    text = report("--compare", before, after).stdout.decode()
    assert "1 new, 1 gone, 3 worse, 1 better, 1 as before" in text
    assert "shards 2.0 -> 4.0" in text and "time 100.0 ms -> 400" in text


def test_it_goes_by_the_hour(tmp_path):
    hour = [({"status": "a"}, 40, 6, 10)]
    before = log_of(tmp_path / "before", *hour)
    after = tmp_path / "after"  # the first half of it, at the same rate
    after.write_text("".join(text + "\n" for text in before.read_text().splitlines()[:20]))
    of = compared(before, after)
    assert of["counts"] == {"new": 0, "gone": 0, "worse": 0, "better": 0, "same": 1}
    assert of["before"]["hours"] == pytest.approx(1, 0.01) and of["after"]["hours"] == pytest.approx(0.5, 0.1)


def test_nothing_changes_from_a_source_to_itself_whatever_it_is(tmp_path):
    log = REAL / "traffic-mongos.log.gz"
    saved = tmp_path / "saved.json"
    report(log, "-o", saved)
    pretty = tmp_path / "pretty.json"
    pretty.write_text(json.dumps(json.loads(saved.read_text()), indent=2))
    for before, after in ((log, log), (saved, log), (log, saved), (saved, pretty)):
        of = compared(before, after)
        assert of["counts"] == {"new": 0, "gone": 0, "worse": 0, "better": 0, "same": len(reported(log)["shapes"])}
    assert compared(saved, pretty, catalog=None)["counts"]["same"] == len(reported(log)["shapes"])


def test_so_it_is_of_shards_logs(tmp_path):
    log, saved = REAL / "mongod-slow.log.gz", tmp_path / "saved.json"
    report(log, "-o", saved)
    of = compared(saved, log)
    assert of["before"]["unit"] == of["after"]["unit"] == "shardRequests"
    assert of["counts"] == {"new": 0, "gone": 0, "worse": 0, "better": 0, "same": len(reported(log)["shapes"])}


def test_a_saved_report_is_a_source_with_the_same_totals(tmp_path):
    log, saved = REAL / "traffic-mongos.log.gz", tmp_path / "saved.json"
    report(log, "-o", saved)
    of, again = reported(log), reported(saved, catalog=None)
    assert again["sources"][0]["kind"] == "report"
    assert again["totals"] == of["totals"] and again["window"] == of["window"]
    for shape, back in zip(of["shapes"], again["shapes"]):
        same = {key: value for key, value in shape.items() if key != "durationMillis"}
        assert {key: value for key, value in back.items() if key != "durationMillis"} == same
        for measure in ("total", "max", "resolution"):
            assert (back["durationMillis"] or {}).get(measure) == (shape["durationMillis"] or {}).get(measure)
    assert " us" not in report("--compare", saved, log).stdout.decode(), "a log has whole milliseconds"
    assert reported(saved, log)["totals"]["commands"] == 2 * of["totals"]["commands"]


def test_what_a_saved_report_leaves_out_is_said(tmp_path):
    log, saved = REAL / "traffic-mongos.log.gz", tmp_path / "saved.json"
    report(log, "--top", "3", "-o", saved)
    further = len(reported(log)["shapes"]) - 3
    of = compared(saved, log)
    assert of["before"]["furtherShapes"] == further == of["counts"]["new"]
    assert f"counts {further} further shapes" in report("--compare", saved, log).stdout.decode()


def test_each_view_reports_it_and_no_name_breaks_out(tmp_path):
    evil = {"</td><script>|`=cmd()": 1}
    before = log_of(tmp_path / "before", ({"status": "a"}, 20, 6, 1))
    after = log_of(tmp_path / "after", ({"status": "a"}, 20, 6, 1), (evil, 10, 6, 1))
    report("--compare", before, after, "-o", tmp_path / "c.html", "-o", tmp_path / "c.md", "-o", tmp_path / "c.txt",
           "-o", tmp_path / "c.json")
    page = (tmp_path / "c.html").read_text()
    assert "<script>|" not in page and "&lt;script&gt;|" in page and "What changed" in page
    assert "\\|" in (tmp_path / "c.md").read_text() and "## New, by hour" in (tmp_path / "c.md").read_text()
    assert "1 new, 0 gone" in (tmp_path / "c.txt").read_text()


@pytest.mark.parametrize("flags, why", [
    (("--compare", "a"), "--compare takes two sources"), (("--compare", "a", "b", "c"), "--compare takes two sources"),
    (("--compare", "a", "b", "--format", "csv"), "--format: expected one of text|json|html|markdown"),
    (("--compare", "a", "b", "-o", "x.sarif"), "a comparison's format is one of"),
    (("--compare", "a", "b", "--baseline", "x"), "not with --baseline"),
    (("--compare", "a", "b", "--by", "time"), "can't be combined with --by")])
def test_what_can_not_be_compared_is_refused_in_one_line(flags, why):
    (text,) = report(*flags, status=2).stderr.decode().splitlines()
    assert why in text


def test_an_unreadable_side_is_named_and_the_rest_is_reported(tmp_path):
    done = report("--compare", tmp_path / "none", REAL / "traffic-mongos.log.gz", "--format", "json", status=2)
    assert b"No such file" in done.stderr and json.loads(done.stdout)["counts"]["new"] > 0
    (tmp_path / "spoilt.json").write_text('{"schemaVersion":1,"generatedAt":"2026-11-22T04:51:21.203Z","shapes":[{')
    done = report("--compare", tmp_path / "spoilt.json", REAL / "traffic-mongos.log.gz", status=2)
    assert b"a truncated or corrupt saved report" in done.stderr
