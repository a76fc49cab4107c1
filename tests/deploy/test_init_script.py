"""The script that shards the collections of docker-compose.yml, in mongosh, on the simulator, whose
cluster is there already. (Replica sets it has none: that part has never run.)"""

import shutil
import subprocess
import sys

import pymongo
import pytest

from documents import ROOT, load_yaml
from processes import Sim, clean_environment

sys.path.insert(0, str(ROOT / "tests/drivers"))

from programs import PROGRAMS  # noqa: E402 (found by the line above)

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="Node isn't here")


def test_it_shards_the_collections_and_spreads_them_again_and_again(start, tmp_path):
    sim = start(Sim, preset=None)
    mongosh = PROGRAMS["mongosh"]
    program = mongosh.command("", [], None, tmp_path)[:2]
    said = []
    for _ in range(2):
        done = subprocess.run([*map(str, program), "--quiet", "--nodb", "--norc", "--file",
                               ROOT / "deploy/compose/init.js"], capture_output=True, text=True, timeout=500,
                              env={**clean_environment(), **mongosh.environment(tmp_path), "MONGOS": sim.address})
        assert done.returncode == 0, done.stdout + done.stderr
        said.append(done.stdout.splitlines()[-1])
    assert said == ["yorkie-meta is sharded over shard1, shard2, shard3"] * 2
    with pymongo.MongoClient("127.0.0.1", sim.port) as client:
        have = {each["_id"]: each["key"] for each in client.config.collections.find()}
        for each in load_yaml("config/presets/yorkie.yaml")["collections"]:
            assert have.get(each["namespace"]) == each.get("shardKey")
            if "shardKey" in each:
                uuid = client.config.collections.find_one({"_id": each["namespace"]})["uuid"]
                owners = {chunk["shard"] for chunk in client.config.chunks.find({"uuid": uuid})}
                assert owners == {"shard1", "shard2", "shard3"}, each["namespace"]
