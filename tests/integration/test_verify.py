"""`scattergate verify` against the simulator, which shares no judging code with it."""

import json
import subprocess

import pytest
from bson import ObjectId

from processes import Daemon, Sim, clean_environment, program_path
from traffic import PROJECTS
from waiting import PATIENCE, wait_until

META = "yorkie-meta"
A, B = ({"$oid": str(project)} for project in PROJECTS[:2])
ID = {"$oid": "0123456789abcdef01234567"}


def find(collection, filter, **more):
    return {"find": collection, "filter": filter, **more, "$db": META}


def update(collection, *statements, **more):
    return {"update": collection, "updates": list(statements), **more, "$db": META}


def delete(collection, q, limit):
    return {"delete": collection, "deletes": [{"q": q, "limit": limit}], "$db": META}


def aggregate(collection, *pipeline):
    return {"aggregate": collection, "pipeline": list(pipeline), "cursor": {}, "$db": META}


def modify(collection, query, **more):
    return {"findAndModify": collection, "query": query, **more, "$db": META}


SET = {"$set": {"x": 1}}

# Everything that MongoDB explains, and every class.
EXPLAINABLE = [
    find("documents", {"project_id": A, "removed_at": {"$exists": False}, "_id": {"$gt": ID}},
         sort={"_id": -1}, limit=20, lsid={"id": 1}, hint="x"),
    find("documents", {"project_id": {"$in": [A, B]}}),
    find("documents", {"project_id": {"$gt": A}}),
    find("documents", {"project_id": {"$gte": A, "$lt": B}}, sort={"key": 1}),
    find("documents", {"key": "a"}, sort={"key": 1}),
    find("documents", {"project_id": {"$ne": A}}),
    find("documents", {"project_id": None}),
    find("documents", {"project_id": {"$exists": False}}),
    find("documents", {"$or": [{"project_id": A}, {"project_id": B}]}),
    find("documents", {"$or": [{"project_id": A}, {"key": "k"}]}),
    find("documents", {"$and": [{"project_id": A}, {"project_id": B}]}),
    find("documents", {}),
    find("changes", {"project_id": A, "doc_id": ID, "server_seq": {"$gte": 1, "$lte": 9}}),
    find("changes", {"doc_id": {"$gt": ID}}),
    find("changes", {"doc_id": {"$in": [ID, A, B]}}),
    find("changes", {"doc_id": None}),
    find("clients", {"project_id": A, "_id": ID}),
    find("clients", {"project_id": A}),
    find("clients", {"_id": {"$gt": ID}, "status": "activated"}, sort={"_id": 1}, limit=9),
    find("users", {"username": "ann"}),
    find("nothing", {}),
    {"count": "documents", "query": {"project_id": A}, "$db": META},
    {"count": "documents", "$db": META},
    {"distinct": "changes", "key": "server_seq", "query": {"doc_id": ID}, "$db": META},
    {"distinct": "changes", "key": "server_seq", "$db": META},
    aggregate("documents", {"$match": {"project_id": A}}),
    aggregate("documents", {"$match": {"project_id": A}}, {"$group": {"_id": "$key"}}),
    aggregate("documents", {"$sort": {"key": 1}}, {"$match": {"project_id": A}}),
    aggregate("documents", {"$limit": 5}, {"$match": {"project_id": A}}),
    aggregate("documents", {"$group": {"_id": "$project_id", "n": {"$sum": 1}}}),
    aggregate("documents", {"$match": {"project_id": A}},
              {"$lookup": {"from": "changes", "localField": "key", "foreignField": "actor",
                           "as": "found"}}),
    aggregate("users", {"$match": {"username": "ann"}}, {"$group": {"_id": "$x"}}),
    aggregate("documents", {"$match": {"project_id": A}}, {"$merge": {"into": "copies"}}),
    update("documents", {"q": {"project_id": A, "_id": ID}, "u": SET}),
    update("documents", {"q": {"_id": ID}, "u": SET}),
    update("documents", {"q": {"_id": ID}, "u": {"project_id": A, "key": "k"}}),
    update("documents", {"q": {"key": "k"}, "u": SET}),
    update("documents", {"q": {}, "u": SET, "multi": True}),
    update("documents", {"q": {"project_id": {"$lt": B}}, "u": SET, "multi": True}),
    update("documents", {"q": {"project_id": A}, "u": SET, "upsert": True}),
    update("documents", {"q": {"project_id": A}, "u": SET},
           {"q": {"key": "k"}, "u": SET, "multi": True}, ordered=False),
    update("users", {"q": {}, "u": SET, "multi": True}),
    delete("changes", {"doc_id": ID}, 0),
    delete("changes", {"_id": ID}, 1),
    delete("changes", {"server_seq": 5}, 1),
    delete("changes", {}, 0),
    modify("documents", {"project_id": A}, update=SET),
    modify("documents", {"key": "k"}, update=SET, sort={"key": 1}),
    modify("documents", {"_id": ID}, remove=True),
    # refused by both
    find("documents", {"project_id": {"$nope": 1}}),
    update("documents", {"q": {"key": "k"}, "u": SET, "multi": True, "upsert": True}),
    # what is inside
    {"explain": find("documents", {"project_id": A}), "verbosity": "allPlansExecution",
     "$db": META},
]
KINDS = {"find": 23, "count": 2, "distinct": 2, "aggregate": 8, "update": 11, "delete": 4,
         "findAndModify": 3}

NOT_EXPLAINABLE = [
    {"insert": "documents", "documents": [{"project_id": A}], "$db": META},
    {"bulkWrite": 1, "ops": [], "nsInfo": [], "$db": "admin"},
    {"getMore": {"$numberLong": "5"}, "collection": "documents", "$db": META},
    {"drop": "documents", "$db": META},
    {"ping": 1, "$db": "admin"},
    {"aggregate": 1, "pipeline": [{"$currentOp": {}}], "$db": "admin"},
]


def lines(commands):
    return "".join(json.dumps(command) + "\n" for command in commands)


@pytest.fixture
def verify(tmp_path):
    """Runs the program; what it says as JSON lines, or as text."""
    def run(sim, *arguments, commands=(), text=None, catalog=None, uri=None, code=0, env=None):
        file = tmp_path / "commands.jsonl"
        file.write_text(lines(commands) if text is None else text)
        where = [] if "--from" in arguments else ["--commands", file]
        address = uri or f"mongodb://{sim.address}"
        done = subprocess.run(
            [program_path("SCATTERGATE_BIN", "scattergate"), "verify", "--uri", address,
             *(["--catalog", catalog] if catalog else []), "--max-per-second", "10000",
             *where, *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=4 * PATIENCE,
            env={**clean_environment(), **(env or {})})
        assert done.returncode == code, done.stdout + done.stderr
        return done
    return run


def checks_of(done):
    """The checks, and the summary."""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return found[:-1], found[-1]["summary"]


@pytest.fixture
def catalog(tmp_path):
    """The simulator's own catalog as a file, chunks included."""
    done = subprocess.run([program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"), "--shards",
                           "3", "--preset", "yorkie", "--print-catalog"],
                          capture_output=True, text=True, timeout=PATIENCE, check=True)
    file = tmp_path / "catalog.yaml"
    file.write_text(done.stdout)
    return file


def assert_all_agree(done):
    checks, summary = checks_of(done)
    assert [check for check in checks if check["outcome"] != "agreed"] == []
    assert {kind: counts["agreed"] for kind, counts in summary["commands"].items()} == KINDS


def test_every_kind_of_command_agrees_with_the_clusters_own_catalog(verify, sim):
    assert_all_agree(verify(sim, "--json", commands=EXPLAINABLE))


def test_every_kind_of_command_agrees_with_a_catalog_file(verify, sim, catalog):
    done = verify(sim, "--json", commands=EXPLAINABLE, catalog=catalog)
    assert_all_agree(done)
    fanouts = {len(check["fanout"]) for check in checks_of(done)[0] if "fanout" in check}
    assert fanouts == {1, 2, 3}


def test_without_chunks_the_classes_agree(verify, sim):
    assert_all_agree(verify(sim, "--json", commands=EXPLAINABLE, catalog="preset:yorkie"))


@pytest.mark.parametrize("version", ["4.4", "5.0", "6.0", "7.0"])
def test_every_kind_of_command_agrees_with_clusters_of_every_version(verify, start, version):
    """The simulator behaves like this version: its catalog, routing, refusals and explain output."""
    sim = start(Sim, further=["--config-format", version])
    assert_all_agree(verify(sim, "--json", commands=EXPLAINABLE))


def test_people_get_a_table(verify, sim):
    done = verify(sim, commands=EXPLAINABLE)
    assert "DISAGREED" not in done.stdout
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert rows["find"] == [str(KINDS["find"]), "0", "0", "0"]
    assert rows["all"] == [str(sum(KINDS.values())), "0", "0", "0"]


def test_nothing_is_written_or_run(verify, sim, connect):
    client = connect(sim)
    client[META].documents.insert_one({"_id": ObjectId(ID["$oid"]), "project_id": PROJECTS[0]})
    before = client.admin.command("simShardStats")["shards"]
    verify(sim, commands=EXPLAINABLE + NOT_EXPLAINABLE)
    after = client.admin.command("simShardStats")["shards"]
    for name, shard in after.items():
        asked = {command for command in shard if shard[command] != before[name].get(command, 0)}
        assert asked <= {"explain", "find"}, name  # find: of the catalog
    assert list(client[META].documents.find()) == [
        {"_id": ObjectId(ID["$oid"]), "project_id": PROJECTS[0]}]
    assert "copies" not in client[META].list_collection_names()


def test_a_wrong_catalog_disagrees_in_full(verify, sim, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "collections:\n"
        "  - {namespace: yorkie-meta.documents, shardKey: {key: 1}}\n"
        "  - {namespace: yorkie-meta.users, shardKey: {username: 1}}\n")
    commands = [find("documents", {"project_id": A}), find("documents", {"key": "secret"}),
                find("changes", {}), find("users", {"username": "ann"})]
    done = verify(sim, "--json", commands=commands, catalog=wrong, code=1)
    checks, summary = checks_of(done)
    assert [check["outcome"] for check in checks] == ["disagreed"] * 3 + ["agreed"]
    assert summary["disagreed"] == 3
    scattered = checks[1]
    assert scattered["place"] == "line 2"
    assert scattered["routing"] == "single_shard"
    assert scattered["stage"] == "SHARD_MERGE"
    assert scattered["shards"] == ["shard1", "shard2", "shard3"]
    assert scattered["body"]["filter"] == {"key": "secret"}
    text = verify(sim, commands=commands, catalog=wrong, code=1).stdout
    for part in ("DISAGREED  line 2  find  yorkie-meta.documents", "secret", "SHARD_MERGE",
                 "shards: shard1, shard2, shard3", "single_shard", "mongos asks 3 shards"):
        assert part in text


def test_wrong_chunks_disagree(verify, sim, catalog):
    catalog.write_text(catalog.read_text().replace("shard3", "shard2"))
    done = verify(sim, "--json", commands=[find("documents", {}), find("changes", {})],
                  catalog=catalog, code=1)
    assert {check["why"] for check in checks_of(done)[0]} == {"mongos also asks shard3"}


def test_what_cannot_be_explained_is_listed_with_its_reason(verify, sim):
    done = verify(sim, "--json", commands=NOT_EXPLAINABLE)
    checks, summary = checks_of(done)
    assert {check["outcome"] for check in checks} == {"not_compared"}
    assert all(check["why"] for check in checks)
    assert summary["not_compared"] == len(NOT_EXPLAINABLE)
    text = verify(sim, commands=NOT_EXPLAINABLE).stdout
    assert "1  insert: MongoDB doesn't explain insert" in text


def test_chunks_that_have_moved_are_where_the_cluster_says(verify, sim, connect):
    commands = [find("documents", {"project_id": A})]
    before = checks_of(verify(sim, "--json", commands=commands))[0][0]["fanout"]
    to = next(name for name in ("shard1", "shard2") if [name] != before)
    connect(sim).admin.command("moveChunk", f"{META}.documents",
                               find={"project_id": PROJECTS[0]}, to=to)
    assert checks_of(verify(sim, "--json", commands=commands))[0][0]["fanout"] == [to]


def test_lines_that_are_no_commands_are_named(verify, sim):
    done = verify(sim, text='nonsense\n\n{"find": "users", "$db": "yorkie-meta"}\n', code=2)
    assert "NOT A COMMAND  line 1" in done.stdout
    assert "1 lines were not commands" in done.stdout


def test_a_mongos_out_of_reach_is_said_in_one_line(verify, sim):
    uri = "mongodb://ann:pencil@127.0.0.1:1/?serverSelectionTimeoutMS=300"
    done = verify(sim, commands=[find("users", {})], uri=uri, code=2)
    assert done.stdout == ""
    assert "pencil" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_credentials_may_come_from_a_file(verify, start, tmp_path):
    sim = start(Sim, users=["ann:pencil"])
    file = tmp_path / "uri"
    file.write_text(f"mongodb://ann:pencil@{sim.address}/?authSource=admin\n")
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "verify", "--uri-file", file,
         "--catalog", "preset:yorkie"], input=lines(EXPLAINABLE[:3]), capture_output=True,
        text=True, timeout=PATIENCE, env=clean_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    without = verify(sim, commands=EXPLAINABLE[:1], catalog="preset:yorkie", code=2)
    assert "FAILED" in without.stdout


def test_bad_flags_and_files_end_it_with_2(sim, tmp_path):
    program = program_path("SCATTERGATE_BIN", "scattergate")
    address = f"mongodb://{sim.address}"
    for arguments in (["--nonsense"], [], ["--uri", "nonsense"],
                      ["--uri", address, "--uri-file", "x"], ["--uri-file", "/nowhere"],
                      ["--uri", address, "--commands", "/nowhere"],
                      ["--uri", address, "--catalog", "preset:nope"],
                      ["--uri", address, "--from", "127.0.0.1:1"],
                      ["--uri", address, "--max-per-second", "0"]):
        done = subprocess.run([program, "verify", *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE,
                              env=clean_environment())
        assert done.returncode == 2, (arguments, done.stderr)
        assert done.stderr, arguments


def send_everything(client):
    """Findings and others, as a driver sends them."""
    meta = client[META]
    meta.documents.find_one({"project_id": PROJECTS[0], "key": "confidential"})
    meta.documents.find_one({"key": "confidential"})
    meta.documents.update_many({"key": "confidential"}, {"$set": {"x": 1}})
    list(meta.documents.aggregate([{"$match": {"project_id": PROJECTS[0]}},
                                   {"$group": {"_id": "$key"}}]))
    meta.changes.delete_many({"doc_id": {"$in": [1, 2]}})


def await_samples(daemon, client, count):
    """Samples are taken at a rate, so all shapes come up after a while."""
    def enough():
        send_everything(client)
        return len(daemon.get("/api/v1/samples")[2].splitlines()) >= count
    wait_until(enough, f"{count} samples")
    status, content_type, text = daemon.get("/api/v1/samples")
    assert (status, content_type) == (200, "application/x-ndjson")
    return [json.loads(line) for line in text.splitlines()]


def test_shapes_of_a_running_daemon_hold_no_values_and_agree(verify, sim, daemon, connect):
    samples = await_samples(daemon, connect(daemon), 5)
    assert {sample["command"] for sample in samples} == {"find", "update", "aggregate", "delete"}
    assert "confidential" not in json.dumps(samples)
    assert all("sample" not in sample for sample in samples)
    done = verify(sim, "--json", "--from", daemon.admin.removeprefix("http://"))
    checks, summary = checks_of(done)
    assert summary["agreed"] == len(checks) >= 5, checks
    assert "made up from their shapes" in done.stderr


def test_samples_with_values_are_real_commands(verify, start, sim, connect):
    daemon = start(Daemon, sim.address, verify={"samples": "values"})
    client = connect(daemon)
    samples = await_samples(daemon, client, 5)
    bodies = [sample["sample"] for sample in samples]
    assert any(body.get("filter") == {"key": "confidential"} for body in bodies)
    assert all("lsid" not in body and "$clusterTime" not in body for body in bodies)
    done = verify(sim, "--json", "--from", daemon.admin.removeprefix("http://"))
    checks, summary = checks_of(done)
    assert summary["agreed"] == len(checks) >= 5, checks
    assert done.stderr == ""


def test_samples_can_be_off(verify, start, sim, connect):
    daemon = start(Daemon, sim.address, verify={"samples": "off"})
    send_everything(connect(daemon))
    assert daemon.get("/api/v1/samples")[2] == ""
    hidden = start(Daemon, sim.address, name="hidden", admin={"page": False})
    assert hidden.get("/api/v1/samples")[0] == 404
    done = verify(sim, "--from", hidden.admin.removeprefix("http://"), code=2)
    assert "404" in done.stderr


def test_authentication_is_never_sampled(start, connect):
    sim = start(Sim, users=["ann:pencil"])
    daemon = start(Daemon, sim.address, verify={"samples": "values"})
    client = connect(daemon, username="ann", password="pencil")
    samples = await_samples(daemon, client, 3)
    assert {sample["command"] for sample in samples} <= {"find", "update", "aggregate", "delete"}


def counted(daemon, name):
    return daemon.metrics().total(f"scattergate_verify_{name}_total")


def test_the_standing_self_check_agrees_and_counts(start, sim, connect):
    daemon = start(Daemon, sim.address, verify={"self_check": True, "interval": "100ms"})
    client = connect(daemon)

    def three():
        client[META].documents.find_one({"project_id": PROJECTS[0]})
        client[META].documents.find_one({"key": "k"})
        return counted(daemon, "agreed") >= 3
    wait_until(three, "three self-checks that agree")
    assert counted(daemon, "disagreed") == 0
    assert counted(daemon, "failed") == 0


def test_the_self_check_notes_a_wrong_catalog_without_values(start, sim, connect, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("collections:\n"
                     "  - {namespace: yorkie-meta.documents, shardKey: {key: 1}}\n")
    daemon = start(Daemon, sim.address, catalog={"source": str(wrong)},
                   verify={"self_check": True, "interval": "100ms"})
    client = connect(daemon)

    def two():
        client[META].documents.find_one({"key": "confidential"})
        return counted(daemon, "disagreed") >= 2
    wait_until(two, "two disagreements")
    found = [json.loads(line) for line in daemon.stderr.splitlines() if '"id":6001' in line]
    assert len(found) == 1  # a minute has not passed
    assert found[0]["attr"]["ns"] == "yorkie-meta.documents"
    assert found[0]["attr"]["shards"] == "shard1,shard2,shard3"
    assert "confidential" not in daemon.stderr


def test_a_self_check_that_reaches_no_one_holds_nothing_up(start, sim, connect, tmp_path):
    uri = tmp_path / "uri"
    uri.write_text("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200\n")
    daemon = start(Daemon, sim.address, verify={
        "self_check": True, "interval": "100ms", "uri_file": str(uri)})
    client = connect(daemon)

    def one():
        client[META].documents.find_one({"project_id": PROJECTS[0]})
        return counted(daemon, "failed") >= 1
    wait_until(one, "a failed self-check")
    assert counted(daemon, "agreed") == 0


def test_without_it_nothing_is_explained(daemon, sim, connect):
    client = connect(daemon)
    for _ in range(100):
        client[META].documents.find_one({"key": "k"})
    shards = connect(sim).admin.command("simShardStats")["shards"]
    assert sum(shard.get("explain", 0) for shard in shards.values()) == 0
    assert counted(daemon, "agreed") == 0
