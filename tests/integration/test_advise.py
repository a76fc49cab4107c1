"""`scattergate advise`: which shard key would serve the traffic of a collection best."""

import itertools
import json
import random
import re
import subprocess

import jsonschema
import pymongo
import pytest

import advise_oracle as oracle
import advise_workloads as workloads
from processes import ROOT, Sim, clean_environment, program_path

SCHEMA = json.loads((ROOT / "docs" / "advise.schema.json").read_text())


def run(*arguments, status=0):
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "advise", *arguments],
                          capture_output=True, text=True, env=clean_environment(), timeout=120)
    assert done.returncode == status, done.stderr
    return done


def advice(*arguments, **options):
    made = json.loads(run(*arguments, "--json", **options).stdout)
    jsonschema.validate(made, SCHEMA)
    return {one["ns"]: one for one in made["collections"]}


def ordered(key):
    return list(key.items())


def write(folder, of, with_indexes=True):
    (folder / "mongos.log").write_text(of.log())
    (folder / "catalog.yaml").write_text(of.catalog())
    (folder / "indexes.json").write_text(of.indexes())
    more = ["--indexes", folder / "indexes.json"] if with_indexes else []
    return [folder / "mongos.log", "--catalog", folder / "catalog.yaml", *more]


# Each kind of workload twice.
NUMBERS = range(2 * len(workloads.KINDS))


@pytest.fixture(scope="module")
def opinions(tmp_path_factory):
    """Of each generated workload: what advise says of its collection, and the oracle's reading of it."""
    made = []
    for number in NUMBERS:
        of = workloads.workload(number)
        arguments = write(tmp_path_factory.mktemp(f"workload{number}"), of)
        advised = advice(*arguments, "--shards", str(of.shards))
        made.append((oracle.Traffic(of), advised[workloads.NAMESPACE]))
    return made


def test_the_best_key_is_one_that_a_brute_force_search_finds(opinions):
    wrong = [(read.of.number, read.of.kind, advised["candidates"][0]["key"]) for read, advised in opinions
             if oracle.items(advised["candidates"][0]["key"]) not in oracle.best_keys(read)]
    assert len(wrong) <= 0.04 * len(opinions), wrong


def test_what_is_called_safe_is_safe(opinions):
    safe = [(read, one["key"]) for read, advised in opinions for one in advised["candidates"] if one["safe"]]
    assert len(safe) > len(opinions) / 2
    wrong = [(read.of.number, read.of.kind, key, why) for read, key in safe if (why := oracle.wrongly_safe(read, key))]
    assert wrong == []


def test_no_key_is_put_before_the_present_one_that_isn_t_better_in_the_last_fifth(opinions):
    for read, advised in opinions:
        before = itertools.takewhile(lambda one: one["origin"] != "present", advised["candidates"])
        for one in before if read.of.present else ():
            present, proposed = (oracle.Measured(read, key, read.late) for key in (read.of.present, one["key"]))
            assert proposed.beats(present), (read.of.number, one["key"])


def test_a_unique_index_that_a_key_forbids_is_named(opinions):
    named = 0
    for read, advised in opinions:
        for one in advised["candidates"]:
            expected = ["_".join(fields) for fields in read.of.unique
                        if list(fields[:len(one["key"])]) != list(one["key"])]
            assert one["forbiddenUniqueIndexes"] == expected
            named += bool(expected)
    assert named > 0


def test_without_the_indexes_nothing_is_safe(tmp_path):
    advised = advice(*write(tmp_path, workloads.workload(1), with_indexes=False))[workloads.NAMESPACE]
    assert not any(one["safe"] for one in advised["candidates"])
    assert [text for text in advised["unknown"] if "--indexes" in text]
    assert all(one["forbiddenUniqueIndexes"] is None for one in advised["candidates"])


def test_named_keys_are_weighed_in_their_order(tmp_path):
    arguments = write(tmp_path, workloads.workload(1))
    advised = advice(*arguments, "--key", "{item: hashed, tenant: 1}", "--key", '{"note": 1}')[workloads.NAMESPACE]
    named = [one["key"] for one in advised["candidates"] if one["origin"] == "named"]
    assert sorted(map(ordered, named)) == [[("item", "hashed"), ("tenant", 1)], [("note", 1)]]


@pytest.mark.parametrize("wrong", [["--key", "{a: 2}"], ["--key", "nothing"], ["--key", "{a: hashed, b: hashed}"],
                                   ["--shards", "1"], ["--shards", "many"], ["--format", "csv"],
                                   ["--collection", "items"], ["--as", "guess"], ["--since", "whenever"]])
def test_what_can_t_be_is_refused(tmp_path, wrong):
    assert run(*write(tmp_path, workloads.workload(0)), *wrong, status=2).stderr


def test_the_commands_to_run_next_are_those_that_the_version_has(tmp_path):
    def next_of(version, key, present):
        arguments = write(tmp_path, workloads.workload(0))
        collection = {"namespace": workloads.NAMESPACE, "shardKey": present}
        (tmp_path / "catalog.yaml").write_text(json.dumps({"version": version, "collections": [collection]}))
        advised = advice(*arguments, "--key", json.dumps(key))[workloads.NAMESPACE]
        [lines] = [one["next"] for one in advised["candidates"] if ordered(one["key"]) == ordered(key)]
        return [word for line in lines for word in ("analyzeShardKey", "refineCollectionShardKey", "reshardCollection")
                if word in line]

    key, refined, other = {"tenant": 1, "item": 1}, {"tenant": 1}, {"note": 1}
    assert next_of("8.0", key, refined) == ["analyzeShardKey", "refineCollectionShardKey"]
    assert next_of("8.0", key, other) == ["analyzeShardKey", "reshardCollection"]
    assert next_of("6.0", key, refined) == ["refineCollectionShardKey"]
    assert next_of("6.0", key, other) == ["reshardCollection"]
    assert next_of("4.4", key, other) == []
    assert next_of("4.2", key, refined) == []
    unsafe = {"item": "hashed"}
    assert next_of("8.0", unsafe, refined) == ["analyzeShardKey"]
    assert next_of("6.0", unsafe, refined) == []


def test_the_indexes_are_read_from_the_cluster_with_its_catalog(start, tmp_path):
    sim = start(Sim)
    with pymongo.MongoClient(f"mongodb://{sim.address}") as client:
        documents = client["yorkie-meta"].documents
        documents.create_index([("project_id", 1), ("key", 1)], unique=True, name="one each")
        client["yorkie-meta"].plain.insert_one({"_id": 1})
    chance = random.Random(1)
    commands = [{"find": name, "filter": {"project_id": chance.randrange(9), "key": f"k{chance.randrange(50)}"},
                 "$db": "yorkie-meta"} for _ in range(200) for name in ("documents", "plain", "absent")]
    (tmp_path / "commands").write_text("".join(json.dumps(one) + "\n" for one in commands))
    advised = advice(tmp_path / "commands", "--catalog", "mongos", "--catalog-uri", f"mongodb://{sim.address}")
    forbidden = {json.dumps(one["key"]): one["forbiddenUniqueIndexes"]
                 for one in advised["yorkie-meta.documents"]["candidates"]}
    assert forbidden['{"project_id": 1}'] == forbidden['{"project_id": 1, "key": 1}'] == []
    assert "one each" in forbidden['{"key": 1}']
    assert all(one["forbiddenUniqueIndexes"] == [] for one in advised["yorkie-meta.plain"]["candidates"])
    assert [text for text in advised["yorkie-meta.absent"]["unknown"] if "indexes are unknown" in text]


def test_the_html_report_has_a_section_on_shard_keys(tmp_path):
    write(tmp_path, workloads.workload(1))
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "report", tmp_path / "mongos.log", "--catalog",
                           tmp_path / "catalog.yaml", "--format", "html"],
                          capture_output=True, text=True, env=clean_environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    _, found, section = done.stdout.partition("<h2>Which shard key</h2>")
    assert found and f"<h3>{workloads.NAMESPACE}" in section
    assert re.search(r"<pre>db\.adminCommand\({analyzeShardKey: [^\\]*}\)</pre>", section)
