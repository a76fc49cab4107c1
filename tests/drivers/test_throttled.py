"""A driver that isn't Python's under a rule that throttles, at five times its rate."""

import json
import subprocess
import sys
import time

import pymongo

from programs import HERE

sys.path.append(str(HERE.parent / "integration"))

from processes import Daemon, Sim, clean_environment  # noqa: E402
from traffic import PROJECTS  # noqa: E402

RULE = {"name": "slowly", "action": "throttle",
        "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"},
        "throttle": {"rate": "40/s", "burst": 10, "queue": 5, "wait": "200ms"}}


def test_is_held_to_the_rate_and_nothing_is_done_twice(program, start):
    clients = program.throttled()
    if clients is None:
        return
    sim = start(Sim)
    daemon = start(Daemon, sim.address, rules=[RULE])
    with pymongo.MongoClient("127.0.0.1", sim.port) as client:
        documents = client["yorkie-meta"].documents
        documents.insert_many([{"_id": n, "project_id": project, "key": "k", "n": 0}
                               for n, project in enumerate(PROJECTS)])
        began = time.monotonic()
        ended = subprocess.run(
            [*clients, f"mongodb://127.0.0.1:{daemon.port}/", "16", "3000"], capture_output=True, text=True, timeout=300,
            env=clean_environment())
        took = time.monotonic() - began
        assert ended.returncode == 0, ended.stderr
        counts = json.loads(ended.stdout)
        assert 0 < counts["done"] <= 10 + 40 * took
        assert {each["n"] for each in documents.find()} == {counts["done"]}
    if counts["refused"]:
        assert {"RetryableError", "SystemOverloadedError"} <= set(counts["labels"])
    assert daemon.metrics().total("scattergate_rule_hits_total", action="refused") > 0
