"""The live catalog with a minimal mongos, in the format of each version."""

import pytest
from bson import MaxKey, MinKey, Timestamp

from fake_mongos import SHARDS, ConfigDatabase, FakeMongos
from processes import Daemon
from raw import RawClient
from test_live_catalog import await_followed, await_state
from waiting import wait_until

VERSIONS = ["4.4", "5.0", "6.0", "7.0", "8.0"]


@pytest.fixture
def before(start, upstream):
    def make(version, is_blank=False, **catalog):
        there = FakeMongos(ConfigDatabase(version))
        if is_blank:
            for name in ("collections", "chunks", "shards"):
                there.config.find(name).clear()
        daemon = start(Daemon, upstream(there).address, catalog={"source": "mongos", **catalog})
        return there, daemon
    return make


def routing_of(daemon, collection, query):
    """The class of a find, and the shards that it reaches by the catalog (None: not known)."""
    def seen():
        metrics = daemon.metrics()
        return (metrics.by("scattergate_commands_total", "routing", collection=collection),
                metrics.total("scattergate_fanout_shards_sum", collection=collection),
                metrics.total("scattergate_fanout_shards_count", collection=collection))
    before, shards_before, known_before = seen()
    with RawClient(daemon.port) as client:
        client.run({"find": collection, "filter": query, "$db": "shop"})
    after, shards, known = seen()
    changed = [key for (key,), count in after.items() if count != before.get((key,), 0)]
    return changed[0], shards - shards_before if known != known_before else None


@pytest.mark.parametrize("version", VERSIONS)
def test_an_unreadable_record_costs_no_other_its_verdicts(before, version):
    there, daemon = before(version)
    await_followed(daemon)
    carts = next(each for each in there.config.find("collections") if each["_id"] == "shop.carts")
    carts["key"] = {"x.$y": 1}
    daemon.reload()
    line = daemon.await_line(r'.*"id":7011\b.*')[0]
    assert "shop.carts" in line and "config.collections: " in line and "starts with $" in line
    assert routing_of(daemon, "orders", {"customer": 150}) == ("single_shard", 1)
    assert routing_of(daemon, "carts", {"_id": 7}) == ("unknown", None)
    carts["key"] = {"_id": "hashed"}
    daemon.reload()
    daemon.await_line(r'"id":7012\b')


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_gives_the_right_catalog(before, version):
    there, daemon = before(version)
    await_followed(daemon)
    assert routing_of(daemon, "orders", {"customer": 150}) == ("single_shard", 1)
    assert routing_of(daemon, "orders", {"customer": {"$lt": 150}}) == ("multi_shard", 2)
    assert routing_of(daemon, "orders", {"state": 1}) == ("scatter_gather", 3)
    assert routing_of(daemon, "carts", {"_id": 7}) == ("single_shard", 1)
    # With a collation a string may have another hash, which 4.4 ignores.
    at_one = routing_of(daemon, "carts", {"_id": "a string"})[0] == "single_shard"
    assert at_one == (version == "4.4")
    assert routing_of(daemon, "gone", {}) == ("unsharded", None)
    assert routing_of(daemon, "users", {}) == ("unsharded", None)
    for view in ("recent", "late"):
        assert routing_of(daemon, view, {"customer": 150}) == ("single_shard", 1)
        assert routing_of(daemon, view, {}) == ("scatter_gather", 3)
    series = ("scatter_gather", 1) if version >= "6.0" else ("unsharded", None)
    assert routing_of(daemon, "weather", {}) == series
    assert routing_of(daemon, "alone", {}) == ("unsharded", None)
    metrics = daemon.metrics()
    assert metrics.total("scattergate_catalog_skipped_records") == 0
    assert metrics.total("scattergate_catalog_key_only_collections") == 0
    assert metrics.total("scattergate_catalog_shards") == 3
    allowed = {"hello", "isMaster", "ismaster", "buildInfo", "find", "getMore", "endSessions",
               "killCursors", "listCollections", "ping"}
    assert set(there.asked) <= allowed


@pytest.mark.parametrize("version", VERSIONS)
def test_moves_and_new_keys_are_followed(before, version):
    there, daemon = before(version, refresh="1s")
    await_followed(daemon)
    assert routing_of(daemon, "orders", {"state": 1}) == ("scatter_gather", 3)
    moved = there.config.chunks[0]
    moved["shard"], moved["lastmod"] = SHARDS[1], Timestamp(2, 0)
    wait_until(lambda: routing_of(daemon, "orders", {"state": 1}) == ("scatter_gather", 2),
               "the move")
    config = there.config
    key = {"state": 1}
    for each in list(config.collections):
        if each["_id"] == "shop.orders":
            config.collections.remove(each)
    config.add_chunks(config.add("shop.orders", key, mark=b"n"), "state", [MinKey(), MaxKey()],
                      SHARDS[:1])
    wait_until(lambda: routing_of(daemon, "orders", {"state": 1}) == ("single_shard", 1),
               "the new key")


def test_contradictory_chunks_leave_what_was_known(before):
    there, daemon = before("7.0", refresh="1s")
    await_followed(daemon)
    assert routing_of(daemon, "orders", {"state": 1}) == ("scatter_gather", 3)
    there.config.chunks[0]["max"] = {"customer": 50}
    there.config.chunks[0]["lastmod"] = Timestamp(3, 0)
    await_state(daemon, "inconsistent")
    assert routing_of(daemon, "orders", {"state": 1}) == ("scatter_gather", 3)
    assert daemon.get("/readyz")[0] == 200
    there.config.chunks[0]["max"] = {"customer": 100}
    await_state(daemon, "live")


def test_a_config_that_is_empty_all_of_a_sudden_is_not_believed(before):
    there, daemon = before("8.0")
    await_followed(daemon)
    there.config.collections.clear()
    daemon.reload()
    await_state(daemon, "empty")
    assert routing_of(daemon, "orders", {"customer": 150}) == ("single_shard", 1)


def test_a_config_with_nothing_in_it_says_nothing(before):
    _, daemon = before("8.0", is_blank=True)
    await_state(daemon, "empty")
    assert routing_of(daemon, "orders", {"customer": 150}) == ("unknown", None)
    wait_until(lambda: daemon.get("/readyz")[0] == 200, "readiness all the same")
