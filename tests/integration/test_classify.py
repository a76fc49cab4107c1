"""classify --json: every line matches docs/classify.schema.json."""

import json
import pathlib
import re
import subprocess

import jsonschema
import pytest

from processes import ROOT, clean_environment, program_path

SCHEMA = json.loads((ROOT / "docs" / "classify.schema.json").read_text())
CATALOG = """
version: "7.0"
collections:
  - namespace: shop.orders
    shardKey: {customer: 1, _id: 1}
    chunks:
      - {min: {customer: {$minKey: 1}, _id: {$minKey: 1}}, max: {customer: 5, _id: {$minKey: 1}}, shard: s0}
      - {min: {customer: 5, _id: {$minKey: 1}}, max: {customer: {$maxKey: 1}, _id: {$maxKey: 1}}, shard: s1}
  - {namespace: shop.carts, shardKey: {_id: hashed}}
"""
COMMANDS = [
    {"find": "orders", "filter": {"status": "x"}},
    {"find": "orders", "filter": {"customer": 1}},
    {"find": "orders", "filter": {"customer": {"$in": [1, 9]}}},
    {"find": "carts", "filter": {"_id": {"$gt": 1}}},
    {"find": "other", "filter": {}},
    {"insert": "orders", "documents": [{"customer": 1, "_id": 1}]},
    {"update": "orders", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": {"customer": 2}}}]},
    {"update": "orders", "updates": [{"q": {"customer": {"$gt": 1}}, "u": {"$set": {"x": 1}}, "multi": True}]},
    {"findAndModify": "orders", "query": {"_id": 1}, "remove": True},
    {"createIndexes": "orders", "indexes": [{"key": {"x": 1}, "name": "x", "unique": True}]},
    {"aggregate": "orders", "pipeline": [{"$nonsense": 1}]},
    {"getMore": {"$numberLong": "5"}, "collection": "orders"},
    {"ping": 1}, {"nonsense": 1},
]


def run(tmp_path: pathlib.Path, lines, *flags):
    """The catalog is named by the environment."""
    catalog = tmp_path / "keys.yaml"
    catalog.write_text(CATALOG)
    return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "classify", "--json", *flags],
                          input="".join(line + "\n" for line in lines), capture_output=True, text=True, timeout=60,
                          env={**clean_environment(), "SCATTERGATE_CATALOG_SOURCE": str(catalog)})


def classified(tmp_path: pathlib.Path, lines):
    return [json.loads(line) for line in run(tmp_path, lines).stdout.splitlines()]


BATCHES = [({"update": "orders", "updates": [{"q": {"customer": 1}, "u": {"$set": {"x": 1}}, "multi": True},
                                           {"q": {"x": 1}, "u": {"$set": {"x": 2}}, "multi": True}]}, 1),
           ({"delete": "orders", "deletes": [{"q": {"x": 1}, "limit": 0}]}, None),
           ({"delete": "orders", "deletes": [{"q": {"customer": 1}, "limit": 0}] * 2}, None),
           ({"insert": "orders", "documents": [{"customer": 1}, {"customer": 2}]}, None)]


@pytest.mark.parametrize("command, statement", BATCHES)
def test_the_statement_of_a_batch_that_scatters_is_named(tmp_path, command, statement):
    [one] = classified(tmp_path, [json.dumps({**command, "$db": "shop"})])
    jsonschema.validate(one, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert one.get("statement") == statement


SCATTER = '{"find": "orders", "filter": {"status": "x"}, "$db": "shop"}'
TARGETED = '{"find": "orders", "filter": {"customer": 1, "_id": 1}, "$db": "shop"}'


@pytest.mark.parametrize("line, error", [
    ('{"fnd": "orders", "$db": "shop"}', "no command has the name 'fnd'; did you mean 'find'?"),
    ('{"find": ".orders", "$db": "shop"}', "not a namespace: 'shop..orders'"),
    ('{"find": "a..b", "$db": "shop"}', "not a namespace: 'shop.a..b'"),
    ('{"find": "orders", "$db": "shop."}', "not a database's name: 'shop.'"),
    ('{"dataSize": "shop", "$db": "shop"}', "not a namespace: 'shop'"),
    ('{"frobnicate": 1, "$db": "shop"}', None)])
def test_nonsense_is_exit_status_2_and_the_run_goes_on(tmp_path, line, error):
    done = run(tmp_path, [line, "not JSON", TARGETED])
    first, _, last = [json.loads(answer) for answer in done.stdout.splitlines()]
    assert done.returncode == 2 and last["routing"] == "single_shard"
    assert first == {"error": error, "line": 1} if error else first["routing"] == "unknown"


@pytest.mark.parametrize("flags, lines, status", [
    ([], [SCATTER], 0), (["--fail-on", "never"], [SCATTER], 0), (["--fail-on", "scatter"], [TARGETED, SCATTER], 1),
    (["--fail-on", "scatter"], [TARGETED], 0), (["--fail-on", "nothing"], [], 2), ([], ["5", TARGETED], 1)])
def test_the_exit_status_says_whether_a_command_scatters(tmp_path, flags, lines, status):
    assert run(tmp_path, lines, *flags).returncode == status


@pytest.mark.parametrize("flags, text, routings", [
    ([], "db.orders.find({status: 'x', n: NumberLong(5),}).sort({at: -1})", ["scatter_gather"]),
    ([], "db.orders\n  .aggregate([\n    {$match: {customer: 1}}, // one\n  ])", ["single_shard"]),
    ([], "use shop\nvar q = {_id: 1}\ndb.getCollection('carts').updateOne(q, {$set: {a: 1}});", ["single_shard"]),
    ([], "db.orders.bulkWrite([{deleteMany: {filter: {}}}, {insertOne: {document: {customer: 1}}}])",
     ["scatter_gather", "single_shard"]),
    ([], json.dumps(json.loads(SCATTER), indent=2) + "\n" + TARGETED, ["scatter_gather", "single_shard"]),
    (["--collection", "shop.orders"], "{status: /^x/i}\n[\n  {$match: {customer: 1}}\n]\n{find: 'orders'}",
     ["scatter_gather", "single_shard", "scatter_gather"]),
    (["--collection", "orders"], "{customer: {$in: [1, 2]}}\ndb.carts.deleteOne({x: 1})",
     ["single_shard", "scatter_gather"])])
def test_what_people_paste_is_read(tmp_path, flags, text, routings):
    done = run(tmp_path, text.splitlines(), *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [json.loads(line)["routing"] for line in done.stdout.splitlines()] == routings


@pytest.mark.parametrize("text, line, error, status", [
    ("\ndb.orders.fnd({})", 2, "a collection has no method 'fnd'; did you mean 'find'?", 2),
    ("db.orders.find(\n{a: x})", 2, "'x' isn't a value: expected a literal, such as", 2),
    ("nonsense", 1, "expected a command {...}, db.COLLECTION.METHOD(...), use DATABASE", 1),
    ("[{$match: {a: 1}}]", 1, "for a pipeline, pass --collection", 1),
    ("{status: 'x'}", 1, "for a filter, pass --collection", 2)])
def test_what_cannot_be_read_says_what_it_would_take(tmp_path, text, line, error, status):
    done = run(tmp_path, [*text.splitlines(), TARGETED])
    problem, last = [json.loads(answer) for answer in done.stdout.splitlines()]
    assert error in problem["error"] and problem["line"] == line
    assert done.returncode == status and last["routing"] == "single_shard"


@pytest.mark.parametrize("collection", ["nowhere.", ".orders", "."])
def test_a_collection_without_its_parts_is_wrong_usage(tmp_path, collection):
    done = run(tmp_path, ["{}"], "--collection", collection)
    assert done.returncode == 2 and "--collection" in done.stderr and not done.stdout


def test_every_line_is_of_the_schema(tmp_path):
    lines = [json.dumps({**command, "$db": "shop"}) for command in COMMANDS] + ["nonsense", "5"]
    answers = classified(tmp_path, lines)
    assert len(answers) == len(lines)
    for answer in answers:
        jsonschema.validate(answer, SCHEMA, cls=jsonschema.Draft202012Validator)
    verdicts = answers[:len(COMMANDS)]
    assert {one["routing"] for one in verdicts} == set(SCHEMA["$defs"]["verdict"]["properties"]["routing"]["enum"])
    assert any(one.get("lints") for one in verdicts) and any(one["refused"] for one in verdicts)
    assert verdicts[5]["fanout"] == ["s0"]


def test_every_label_is_in_the_schema():
    verdict = (ROOT / "routing" / "verdict.cpp").read_text()
    errors = (ROOT / "wire" / "server_error.hpp").read_text()
    names = dict(re.findall(r'case (\w+):\n\s+return "(\w+)";', errors))
    verdict = re.sub(r"name_of\(server_errc::(\w+)\)", lambda code: f'"{names[code[1]]}"', verdict)
    properties = SCHEMA["$defs"]["verdict"]["properties"]
    for kind, known in (("reason::", properties["reason"]["enum"]), ("lint_kind::", properties["reason"]["enum"]),
                        ("lint_kind::", properties["lints"]["items"]["enum"]),
                        ("refusal::", properties["refused"]["enum"])):
        rows = re.findall(rf'\{{{kind}\w+,\s*"(\w*)"', verdict)
        assert len(rows) > 3 and {row for row in rows if row} <= set(known), kind
