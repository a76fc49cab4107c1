"""Collections that are sharded, dropped or moved while a test suite or a daemon runs: no command is judged by what
the cluster was before."""

import json
import os
import pathlib
import subprocess
import sys
import threading

import pytest

import sharding_suite
from processes import Daemon, Sim, clean_environment, program_path
from waiting import wait_until

HERE = pathlib.Path(__file__).parent
RUNS = int(os.environ.get("SCATTERGATE_SHARDING_RUNS", 8))
COMMANDS = "scattergate_commands_total"
OUTDATED = "scattergate_outdated_verdicts_total"
LIVE = {"source": "mongos", "refresh": "1h"}


def gate(directory, uri, *command, options=(), **environment):
    arguments = [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--env", "MONGODB_URI", "-o", "out.json"]
    return subprocess.run([str(part) for part in (*arguments, *options, "--", *command)], cwd=directory,
                          env={**clean_environment(), "CI": "", "MONGODB_URI": uri, **environment},
                          capture_output=True, text=True, timeout=120, check=False)


def shapes(directory):
    return json.loads((directory / "out.json").read_text())["shapes"]


def test_a_suite_that_shards_its_own_collections_has_one_verdict(start, tmp_path):
    sim = start(Sim, preset=None)
    uri = f"mongodb://{sim.address}/"
    for run in range(RUNS):
        done = gate(tmp_path, uri, sys.executable, HERE / "sharding_suite.py", OTHER_URI=uri)
        assert done.returncode == 1, (run, done.stderr)
        found = sorted((one["ns"].removeprefix("shop."), one["command"], one["reason"])
                       for one in shapes(tmp_path) if one["baseline"] == "new")
        assert found == sharding_suite.PLANTED, run
        by_shape = {json.dumps(one["shape"]): one["routing"] for one in shapes(tmp_path)
                    if (one["ns"], one["command"]) == ("shop.chunks", "find")}
        # As mongos's explain: one shard has all chunks, then three shards have the values' chunks.
        assert sorted(by_shape.values()) == ["multi_shard", "scatter_gather", "single_shard"], run


WRITES_AND_LEAVES = """
import os, pymongo
client = pymongo.MongoClient(os.environ["MONGODB_URI"], w=0)
client.shop.left.insert_one({"a": 1})
"""


def test_a_write_without_a_reply_arrives_though_its_client_leaves(start, connect, tmp_path):
    sim = start(Sim, preset=None)
    gate(tmp_path, f"mongodb://{sim.address}/", sys.executable, "-c", WRITES_AND_LEAVES)
    assert connect(sim).shop.left.count_documents({}) == 1


LOSES_THE_CATALOG = """
import os, pymongo, signal
client = pymongo.MongoClient(os.environ["MONGODB_URI"])
client.shop.orders.find_one({"a": 1})
os.kill(int(os.environ["CATALOGS_SERVER"]), signal.SIGKILL)
for n in range(3):
    client.shop.orders.find_one({"a": n})
"""


def test_a_catalog_that_is_not_read_in_time_fails_the_gate(start, tmp_path):
    sim, other = start(Sim, preset=None), start(Sim, name="other")
    done = gate(tmp_path, f"mongodb://{sim.address}/", sys.executable, "-c", LOSES_THE_CATALOG,
                options=["--catalog-uri", f"mongodb://{other.address}/", "--write-baseline", "baseline.yaml"],
                CATALOGS_SERVER=str(other.pid))
    assert done.returncode == 2, done.stderr
    assert "FAIL: 3 commands were not judged, because the cluster's catalog was not read again in time" in done.stderr
    assert not (tmp_path / "baseline.yaml").exists()


def counted(daemon, collection):
    """The finds on a collection, by class."""
    found = daemon.metrics().by(COMMANDS, "routing", db="shop", collection=collection, command="find")
    return {routing: count for (routing,), count in found.items() if count}


@pytest.fixture
def daemon(start, sim):
    made = start(Daemon, sim.address, catalog=LIVE)
    made.await_line(r'"id":7001\b')
    return made


def test_the_daemon_counts_nothing_by_what_was_before(daemon, connect):
    clients = [connect(daemon) for _ in range(2)]

    def becomes(name, routing):
        def is_counted():
            clients[1].shop[name].find_one({"b": 1})
            return routing in counted(daemon, name)
        wait_until(is_counted, f"{name} as {routing}")
    for n in range(20):
        name = f"c{n}"
        becomes(name, "unsharded")  # at first, the previous change may not have been read
        before = counted(daemon, name)["unsharded"]
        clients[0].admin.command("shardCollection", f"shop.{name}", key={"a": 1})
        clients[n % 2].shop[name].find_one({"b": 1})
        becomes(name, "scatter_gather")
        assert counted(daemon, name)["unsharded"] == before
    assert daemon.metrics().total(OUTDATED) == daemon.metrics().total(COMMANDS, routing="unknown")


def test_many_clients_while_collections_come_and_go(daemon, connect):
    """A find after a reply is never counted as unsharded, whatever others do."""
    def work(number):
        client, name = connect(daemon), f"t{number}"
        for _ in range(10):
            client.admin.command("shardCollection", f"shop.{name}", key={"a": 1})
            for _ in range(5):
                client.shop[name].find_one({"b": 1})
            client.shop[name].drop()
    workers = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    for number in range(6):
        found = counted(daemon, f"t{number}")
        assert "unsharded" not in found and sum(found.values()) == 50, found


def test_chunks_that_move_make_only_those_verdicts_unknown_that_depend_on_them(daemon, connect):
    client = connect(daemon)
    client.admin.command("shardCollection", "shop.chunks", key={"a": 1})

    def is_known(query):
        before = counted(daemon, "chunks").get("unknown", 0)
        client.shop.chunks.find_one(query)
        return counted(daemon, "chunks").get("unknown", 0) == before
    wait_until(lambda: is_known({"a": {"$gt": 1}}), "the chunk")
    before = counted(daemon, "chunks")["single_shard"]
    for n in range(5):
        client.admin.command("split", "shop.chunks", middle={"a": n})
        client.admin.command("moveChunk", "shop.chunks", find={"a": n}, to=f"shard{n % 3 + 1}")
        client.shop.chunks.find_one({"a": n})
        client.shop.chunks.find_one({"a": {"$gte": -1}})
    found = counted(daemon, "chunks")
    assert found["single_shard"] == before + 5, found
    wait_until(lambda: is_known({"a": {"$gte": -1}}), "the chunks")
    assert counted(daemon, "chunks")["multi_shard"] >= 1


def test_rules_reject_by_the_catalog_that_there_is(start, sim, connect):
    """A client that changes the collection all the time gets no scatter through."""
    daemon = start(Daemon, sim.address, catalog=LIVE, rules=[
        {"name": "no-scatter", "action": "reject", "match": {"namespace": "shop.orders", "routing": "scatter_gather"}}])
    daemon.await_line(r'"id":7001\b')
    connect(sim).admin.command("shardCollection", "shop.orders", key={"a": 1})
    client = connect(daemon)

    def is_rejected(query):
        return not client.shop.command({"find": "orders", "filter": query}, check=False)["ok"]
    wait_until(lambda: is_rejected({"b": 1}), "the catalog")
    for n in range(20):
        client.admin.command("split", "shop.orders", middle={"a": n})
        assert is_rejected({"b": 1})
        assert not is_rejected({"a": 1})


def test_a_catalog_file_is_the_truth(start, sim, connect, tmp_path):
    path = tmp_path / "keys.yaml"
    path.write_text("collections:\n  - {namespace: shop.orders, shardKey: {a: 1}}\n")
    daemon = start(Daemon, sim.address, catalog={"source": str(path)})
    client = connect(daemon)
    client.admin.command("shardCollection", "shop.orders", key={"b": 1})
    client.admin.command("shardCollection", "shop.others", key={"b": 1})
    client.shop.orders.find_one({"a": 1})
    client.shop.others.find_one({"a": 1})
    assert counted(daemon, "orders") == {"single_shard": 1} and counted(daemon, "others") == {"unsharded": 1}
    assert daemon.metrics().total(OUTDATED) == 0
