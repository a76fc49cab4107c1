"""classify --json: every line matches docs/classify.schema.json."""

import json
import pathlib
import re
import subprocess

import jsonschema

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


def classified(tmp_path: pathlib.Path, lines):
    catalog = tmp_path / "keys.yaml"
    catalog.write_text(CATALOG)
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "classify", "--catalog", catalog, "--json"],
                          input="".join(line + "\n" for line in lines), capture_output=True, text=True, timeout=60,
                          env=clean_environment())
    return [json.loads(line) for line in done.stdout.splitlines()]


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
