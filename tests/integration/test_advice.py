"""The advice on a command whose filter a library made is the same wherever it is shown."""

import json
import subprocess
import sys

import pytest
from pymongo.driver_info import DriverInfo
from pymongo.errors import PyMongoError

from processes import Daemon, clean_environment, program_path
from traffic import PROJECTS
from waiting import wait_until

MONGOENGINE = DriverInfo("MongoEngine", "0.29.3")
SAVED = ('if save(), modify(), delete() or reload() of a MongoEngine document sent this, set "shard_key": '
         '("project_id",) in the meta of its class; otherwise add equality on project_id (the shard key)')
SUITE = """
import os, pymongo
from pymongo.driver_info import DriverInfo
client = pymongo.MongoClient(os.environ["MONGODB_URI"], driver=DriverInfo("MongoEngine", "0.29.3"))
client["yorkie-meta"].documents.update_one({"_id": 7}, {"$set": {"x": 1}})
"""


def save(client):
    client["yorkie-meta"].documents.update_one({"_id": 7}, {"$set": {"x": 1}})


def test_the_audit_log_the_page_and_a_rejection_name_the_library(start, sim, connect):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "no-saves", "action": "reject", "match": {"command": "update", "routing": "scatter_gather"}}])
    client = connect(daemon, driver=MONGOENGINE)
    client["yorkie-meta"].documents.find_one({"project_id": PROJECTS[0]})  # no stranger
    with pytest.raises(PyMongoError) as rejection:
        save(client)
    [line] = wait_until(daemon.audit, "the finding's line")
    advice = line["param"]["suggestion"]
    assert advice.startswith(SAVED)
    assert advice in str(rejection.value)
    [shape] = [one for one in json.loads(daemon.get("/api/v1/shapes")[2])["shapes"] if one["command"] == "update"]
    assert shape["suggestion"] == advice


def test_a_gate_names_the_library(sim, tmp_path):
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--catalog", "preset:yorkie", "--env", "MONGODB_URI",
         "-o", "out.json", "--", sys.executable, "-c", SUITE],
        cwd=tmp_path, env={**clean_environment(), "CI": "", "MONGODB_URI": f"mongodb://{sim.address}/"},
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    [found] = json.loads((tmp_path / "out.json").read_text())["shapes"]
    assert found["suggestion"].startswith(SAVED)


def test_another_drivers_command_has_the_advice_for_any(daemon, connect):
    save(connect(daemon))
    [line] = wait_until(daemon.audit, "the finding's line")
    assert line["param"]["suggestion"].startswith("add equality on project_id (the shard key) to the filter")
