"""`report --catalog` judges again what a proxy has judged, from a daemon, its state file and its audit log."""

import pytest

from processes import Daemon
from reports import reported
from test_digest import ONCE, await_counts, counts, shapes, work
from waiting import wait_until

CANDIDATE = """
collections:
  - namespace: yorkie-meta.documents
    shardKey: {key: 1}
    chunks:
      - {min: {key: {$minKey: 1}}, max: {key: m}, shard: s0}
      - {min: {key: m}, max: {key: {$maxKey: 1}}, shard: s1}
"""


def sums(of):
    """The commands on the collection by name and class, of all shapes together."""
    all_of_them = {}
    for one in of["shapes"]:
        if one["ns"] == "yorkie-meta.documents":
            key = one["command"], one["routing"]
            all_of_them[key] = all_of_them.get(key, 0) + one["count"]
    return all_of_them


@pytest.fixture
def judged(start, sim, connect, tmp_path):
    """A daemon that has judged some by project_id, and other keys to judge them by."""
    daemon = start(Daemon, sim.address, state={"file": str(tmp_path / "state"), "interval": "1s"})
    work(connect(daemon))
    await_counts(daemon, ONCE)
    keys = tmp_path / "candidate.yaml"
    keys.write_text(CANDIDATE)
    return daemon, keys


def test_a_daemon_is_judged_by_other_keys(judged):
    daemon, keys = judged
    of = reported(daemon.admin, catalog=keys)
    # The finds name the key, the scattering ones nothing else; the fields of an insert are unknown.
    assert sums(of) == {("insert", "single_shard"): 1, ("find", "single_shard"): 5}
    [insert] = [one for one in of["shapes"] if (one["ns"], one["command"]) == ("yorkie-meta.documents", "insert")]
    [source] = of["sources"]
    assert insert["shapeHash"] in source["verdictsKept"]
    assert "the source's verdict" in source["note"]
    finds = [one for one in of["shapes"] if (one["ns"], one["command"]) == ("yorkie-meta.documents", "find")]
    assert {str(one["shardKey"]) for one in finds} == {"{'key': 1}"}
    assert all(one["suggestion"] is None for one in finds)
    assert sum(of["totals"]["byRouting"].values()) == of["totals"]["commands"] == \
        shapes(daemon)["totals"]["commands"]


def test_the_same_keys_change_nothing(judged):
    daemon, _ = judged
    of = reported(daemon.admin, catalog="preset:yorkie")
    assert counts(of) == counts(shapes(daemon))
    assert not any("verdictsKept" in source for source in of["sources"])


def test_a_state_file_and_an_audit_log_are_judged_again(judged, tmp_path):
    daemon, keys = judged
    wait_until(lambda: len(daemon.audit()) == 1, "the finding's line")
    assert daemon.stop() == 0
    assert sums(reported(tmp_path / "state", catalog=keys))["find", "single_shard"] == 5
    assert sums(reported(daemon.audit_path, catalog=keys)) == {("find", "single_shard"): 2}
    assert sums(reported(daemon.audit_path, catalog=None)) == {("find", "scatter_gather"): 2}
