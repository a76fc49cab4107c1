"""report, over $queryStats: commands that a real mongos routed, reported from their shapes alone. It must not say
that fewer shards are asked than mongos asked."""

import collections
import json

import bson
import pytest
from bson import json_util

import query_stats
from reports import REAL, reported

LAYOUTS = [json.loads(line) for line in (REAL / "answers.jsonl").read_text().splitlines()]


def entries():
    """Each case's entry; its application is (layout, case)."""
    for number, layout in enumerate(LAYOUTS):
        for case_number, case in enumerate(layout["cases"]):
            name = next(iter(case["command"]))
            if "shards" not in case or name == "findAndModify":  # which $queryStats doesn't record
                continue
            try:
                yield query_stats.entry({**case["command"], name: f"c{number}"}, "d", f"{number} {case_number}")
            except NotImplementedError:
                pass


def write_catalog(path):
    collections = [{"namespace": f"d.c{number}", "shardKey": layout["shardKey"], "chunks": layout["chunks"]}
                   for number, layout in enumerate(LAYOUTS)]
    path.write_text(json.dumps({"version": "4.4", "collections": collections}))
    return path


@pytest.fixture(scope="module")
def of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("query_stats")
    (folder / "stats.json").write_text(json.dumps(list(entries())))
    return reported(folder / "stats.json", catalog=write_catalog(folder / "catalog.yaml"))


def cases(of):
    """Each shape with the shards that mongos asked for one of its commands."""
    for shape in of["shapes"]:
        for caller in shape["callers"]:
            layout, case = map(int, caller["appName"].split())
            yield shape, LAYOUTS[layout]["cases"][case]


def test_nothing_is_taken_for_narrower_than_it_was(of):
    narrower = [(shape, case) for shape, case in cases(of)
                if (shape["routing"] == "single_shard" and len(case["shards"]) > 1)
                or (shape["fanout"] and shape["fanout"]["max"] < len(case["shards"]))]
    assert narrower == []


def test_most_of_it_can_be_judged(of):
    source, = of["sources"]
    assert source["kind"] == "query-stats"
    assert source["observations"] > 2500
    assert sum(source["skipped"].values()) < source["observations"] / 20, source["skipped"]
    classes = collections.Counter(shape["routing"] for shape, _ in cases(of))
    assert classes["single_shard"] > 200 and classes["multi_shard"] > 200 and classes["scatter_gather"] > 200


def test_a_shape_is_that_of_the_command_itself(of, tmp_path):
    """Without forms that $queryStats doesn't distinguish: explicit $and, $not, regular expressions, bits."""
    (tmp_path / "commands").write_text("\n".join(
        json.dumps({**case["command"], next(iter(case["command"])): shape["ns"].split(".")[1], "$db": "d",
                    "comment": f"{shape['shapeHash']}"}) for shape, case in cases(of)))
    sent = reported(tmp_path / "commands", catalog=write_catalog(tmp_path / "catalog.yaml"))
    same = other = 0
    for shape in sent["shapes"]:
        text = json.dumps(shape["shape"])
        if any(word in text for word in ("$and", "$nor", "$not", "regex", "$all", "$literal", "$bits", "$project")):
            continue
        for caller in shape["callers"]:
            if caller["comment"] == shape["shapeHash"]:
                same += caller["count"]
            else:
                other += caller["count"]
    assert same > 1000
    assert other < same / 20, (same, other)


def native(entry):
    """Keeps an operator $regex, which json_util would read as a regular expression."""
    def restored(of):
        if isinstance(of, dict):
            return {name.replace("~", "$"): restored(value) for name, value in of.items()}
        return [restored(each) for each in of] if isinstance(of, list) else of

    return restored(json_util.loads(json.dumps(entry).replace('"$regex"', '"~regex"')))


def test_a_dump_reports_the_same_as_json_does(of, tmp_path):
    (tmp_path / "stats.bson").write_bytes(b"".join(bson.encode(native(each)) for each in entries()))
    (tmp_path / "stats.jsonl").write_text("\n".join(map(json.dumps, entries())))
    (tmp_path / "pretty.json").write_text(json.dumps(list(entries()), indent=2))
    catalog = write_catalog(tmp_path / "catalog.yaml")
    for name in ("stats.bson", "stats.jsonl", "pretty.json"):
        assert reported(tmp_path / name, catalog=catalog)["shapes"] == of["shapes"], name
