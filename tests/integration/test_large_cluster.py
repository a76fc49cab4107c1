"""Twelve thousand collections: moves that bypass the proxy are noticed in all used ones."""

import pytest

from large_cluster import LargeCluster, LargeMongos
from processes import Daemon
from raw import RawClient, op_msg
from test_live_catalog import LOADS, READS, await_followed
from waiting import wait_until

SIZE = 12_000
LAST = SIZE - 1
FANOUT = "scattergate_fanout_shards"


@pytest.fixture(params=["4.4", "8.0"])
def cluster(request):
    return LargeCluster(request.param, SIZE)


@pytest.fixture
def daemon(start, upstream, cluster):
    made = start(Daemon, upstream(LargeMongos(cluster)).address,
                 catalog={"source": "mongos", "refresh": "2s"})
    await_followed(made)
    return made


def use(daemon, numbers, at_once=500):
    """A scatter on each of these collections."""
    numbers = list(numbers)
    with RawClient(daemon.port) as client:
        for first in range(0, len(numbers), at_once):
            some = numbers[first:first + at_once]
            client.send(b"".join(
                op_msg({"find": LargeCluster.name(number), "filter": {"x": 1}, "$db": "shop"}, i + 1)
                for i, number in enumerate(some)))
            for _ in some:
                assert client.receive().body["ok"] == 1


def reached(daemon, number):
    """How many shards a scatter on it reaches."""
    before = daemon.metrics().total(f"{FANOUT}_sum")
    use(daemon, [number])
    return daemon.metrics().total(f"{FANOUT}_sum") - before


def loads(daemon):
    return daemon.metrics().total(LOADS)


def test_a_chunk_that_moves_is_followed_though_labels_have_run_out(daemon, cluster):
    use(daemon, range(300))  # more than there are labels
    assert reached(daemon, LAST) == 1
    assert daemon.metrics().total("scattergate_commands_total", collection="__other__") == 101
    seen = loads(daemon)
    cluster.halve(LAST)
    wait_until(lambda: reached(daemon, LAST) == 2, "the move")
    assert loads(daemon) <= seen + 2  # the one under way, and the next


def test_all_are_current_where_all_are_used(daemon, cluster):
    use(daemon, range(SIZE))
    start = loads(daemon)
    wait_until(lambda: loads(daemon) >= start + 2, "them to be known as used")
    moved = [0, SIZE // 2, LAST]
    seen = loads(daemon)
    for number in moved:
        cluster.halve(number)
    wait_until(lambda: all(reached(daemon, number) == 2 for number in moved), "the moves")
    assert loads(daemon) <= seen + 2
    reads, questions, seen = daemon.metrics().total(READS), len(cluster.questions), loads(daemon)
    wait_until(lambda: loads(daemon) >= seen + 2, "two more loads")
    done = loads(daemon) - seen
    # The lists of collections and of views, and one question for five hundred; every tenth time
    # what is seldom.
    assert daemon.metrics().total(READS) - reads <= (done + 1) * (2 + SIZE / 500) + 5
    assert len(cluster.questions) - questions <= (done + 1) * SIZE / 500


def test_the_catalog_gives_no_labels_away(daemon):
    assert not daemon.metrics().series("scattergate_commands_total", db="shop")
    use(daemon, [LAST, 7])
    assert daemon.metrics().by("scattergate_commands_total", "collection", db="shop") == {
        (LargeCluster.name(LAST),): 1, (LargeCluster.name(7),): 1}


def test_names_that_the_catalog_lacks_are_not_kept(daemon, cluster):
    before = len(cluster.questions)
    start = loads(daemon)
    with RawClient(daemon.port) as client:
        for i in range(3_000):
            client.run({"find": f"made-up-{i}", "$db": "shop"})
    wait_until(lambda: loads(daemon) >= start + 3, "some loads")
    done = loads(daemon) - start + 1
    assert len(cluster.questions) - before <= done  # five hundred unused ones each
    assert daemon.metrics().total("scattergate_catalog_collections") == SIZE
