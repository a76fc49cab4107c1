"""A rule that throttles, as applications experience it: on two workers, with live clients."""

import signal
import threading
import time

import pymongo
import pytest
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.write_concern import WriteConcern

from processes import Daemon
from raw import RawClient, op_msg
from traffic import PROJECTS
from waiting import wait_until

HITS = "scattergate_rule_hits_total"
FINDINGS = "scattergate_findings_total"


def slowly(**throttle):
    return {"name": "slowly", "action": "throttle", "why": "it is dear",
            "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"},
            "throttle": throttle}


def documents_of(client, **options):
    return client["yorkie-meta"].documents.with_options(**options)


def has_waiters(daemon):
    return daemon.metrics().total("scattergate_throttle_waiting") == 1


# So that each error is seen, and counted.
NO_RETRIES = {"retryReads": False, "retryWrites": False}


@pytest.fixture
def throttled(start, sim):
    def make(**throttle):
        return start(Daemon, sim.address, rules=[slowly(**throttle)])
    return make


def test_beyond_the_queue_there_is_an_error_that_makes_drivers_back_off(throttled, connect):
    daemon = throttled(rate="1/h", queue=0)
    client = connect(daemon, **NO_RETRIES)
    documents_of(client).insert_one({"_id": 1, "project_id": PROJECTS[0]})
    documents_of(client).find_one({"key": 1})
    with pytest.raises(OperationFailure) as refusal:
        documents_of(client).find_one({"key": 1})
    assert refusal.value.code == 462
    assert refusal.value.details["codeName"] == "IngressRequestRateLimitExceeded"
    assert refusal.value.has_error_label("SystemOverloadedError")
    assert refusal.value.has_error_label("RetryableError")
    for part in ("scattergate: ", "'slowly'", "it is dear"):
        assert part in refusal.value.details["errmsg"]
    # The same connection still works, and so does everything else on the collection.
    assert documents_of(client).find_one({"project_id": PROJECTS[0]})["_id"] == 1
    metrics = daemon.metrics()
    assert metrics.by(HITS, "action") == {("throttled",): 2, ("refused",): 1}
    assert metrics.by(FINDINGS, "action") == {("throttled",): 2}
    client.close()
    daemon.stop()
    found = [line["param"] for line in daemon.audit()]
    assert {each["action"] for each in found} == {"throttled"}
    assert sum(each["count"] for each in found) == 2


def test_a_driver_that_knows_the_labels_tries_again(throttled, connect):
    daemon = throttled(rate="1/h", queue=0)
    documents = documents_of(connect(daemon))
    documents.find_one({"key": 1})
    with pytest.raises(OperationFailure):
        documents.find_one({"key": 1})
    assert daemon.metrics().total(HITS, action="refused") > 1


class Crowd:
    """Clients that change documents by scattering queries, as fast as they are allowed."""

    def __init__(self, daemon, clients):
        self.done, self.refused = [0] * clients, [0] * clients
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(daemon, n))
                         for n in range(clients)]

    def _work(self, daemon, number):
        with pymongo.MongoClient("127.0.0.1", daemon.port, **NO_RETRIES) as client:
            while not self._stopping.is_set():
                try:
                    documents_of(client).update_many({"key": "k"}, {"$inc": {"n": 1}})
                    self.done[number] += 1
                except OperationFailure as refusal:
                    assert refusal.code == 462, refusal
                    self.refused[number] += 1
                    # Faster than any rate here, but not as fast as an error comes back.
                    self._stopping.wait(0.02)

    def run(self, seconds, meanwhile):
        for thread in self._threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            meanwhile()
        self._stopping.set()
        for thread in self._threads:
            thread.join()


def test_two_workers_share_one_bucket_and_nothing_is_done_twice(throttled, connect):
    daemon = throttled(rate="10/s", burst=10, queue=5, wait="200ms")
    documents = documents_of(connect(daemon))
    documents.insert_many([{"_id": n, "project_id": project, "key": "k", "n": 0}
                           for n, project in enumerate(PROJECTS)])
    crowd = Crowd(daemon, clients=16)
    answered = 0

    def others():
        nonlocal answered
        assert documents.find_one({"project_id": PROJECTS[0]})["key"] == "k"
        answered += 1
        time.sleep(0.01)
    began = time.monotonic()
    crowd.run(3, others)
    took = time.monotonic() - began
    done = sum(crowd.done)
    assert sum(crowd.refused) > 0 and answered > 0
    assert done <= 10 + 10 * took
    # mongos received each admitted command once, and nothing else.
    assert {each["n"] for each in documents.find({"project_id": {"$in": PROJECTS}})} == {done}
    metrics = daemon.metrics()
    assert metrics.total(HITS, action="refused") == sum(crowd.refused)
    assert metrics.total(HITS, action="throttled") == done + sum(crowd.refused)


def in_background(work):
    """Its outcome, once it is over: ["ok"] or the error's code."""
    outcome = []

    def run():
        try:
            work()
            outcome.append("ok")
        except OperationFailure as refusal:
            outcome.append(refusal.code)
        except PyMongoError as failure:
            outcome.append(type(failure).__name__)
    threading.Thread(target=run, daemon=True).start()
    return outcome


def use_up_and_wait(daemon, connect):
    """Takes the only token, and has another command wait; its outcome."""
    with pymongo.MongoClient("127.0.0.1", daemon.port, **NO_RETRIES) as client:
        documents_of(client).find_one({"key": 1})
    waiting = documents_of(connect(daemon, **NO_RETRIES))
    outcome = in_background(lambda: waiting.find_one({"key": 2}))
    wait_until(lambda: has_waiters(daemon), "a command to wait")
    return outcome


def test_who_waits_goes_on_where_a_reload_takes_the_rule_away(throttled, connect):
    daemon = throttled(rate="1/h", queue=1, wait="1m")
    outcome = use_up_and_wait(daemon, connect)
    assert outcome == []
    daemon.write_config(rules=[])
    daemon.reload()
    wait_until(lambda: outcome, "the command to go on")
    assert outcome == ["ok"]


def test_who_waits_goes_on_under_the_limits_of_a_reload(throttled, connect):
    daemon = throttled(rate="1/h", queue=1, wait="1m")
    outcome = use_up_and_wait(daemon, connect)
    daemon.write_config(rules=[slowly(rate="100/s", burst=1, queue=1, wait="1m")])
    daemon.reload()
    wait_until(lambda: outcome, "the command to go on")
    assert outcome == ["ok"]


def test_a_drain_serves_who_waits(throttled, connect):
    daemon = throttled(rate="20/m", burst=1, queue=1, wait="30s")
    outcome = use_up_and_wait(daemon, connect)
    daemon.signal(signal.SIGTERM)
    wait_until(lambda: outcome, "the command to be answered")
    assert outcome == ["ok"]
    assert daemon.wait() == 0


def test_who_closes_leaves_the_queue(throttled, connect):
    daemon = throttled(rate="1/h", queue=1, wait="1m")
    documents_of(connect(daemon, **NO_RETRIES)).find_one({"key": 1})
    going = connect(daemon, socketTimeoutMS=500, **NO_RETRIES)
    outcome = in_background(lambda: documents_of(going).find_one({"key": 2}))
    wait_until(lambda: outcome, "the client to lose patience")
    assert outcome == ["NetworkTimeout"]
    wait_until(lambda: not has_waiters(daemon), "it to leave")
    # There is room for another one.
    documents = documents_of(connect(daemon, **NO_RETRIES))
    outcome = in_background(lambda: documents.find_one({"key": 3}))
    wait_until(lambda: has_waiters(daemon), "a command to wait")
    assert outcome == []


def test_a_write_without_a_reply_waits_or_is_dropped(throttled, connect):
    daemon = throttled(rate="1/h", queue=0)
    client = connect(daemon, maxPoolSize=1, **NO_RETRIES)
    documents = documents_of(client)
    documents.insert_one({"_id": 1, "project_id": PROJECTS[0], "n": 0})
    quiet = documents_of(client, write_concern=WriteConcern(w=0))
    for _ in range(3):
        quiet.update_many({"key": None}, {"$inc": {"n": 1}})
    quiet.update_many({"project_id": PROJECTS[0]}, {"$inc": {"m": 1}})
    assert documents.find_one({"project_id": PROJECTS[0], "m": 1})["n"] == 1
    assert daemon.metrics().total("scattergate_rejected_without_reply_total") == 2


def test_in_a_transaction_it_is_as_elsewhere(throttled, connect):
    daemon = throttled(rate="1/h", queue=0)
    client = connect(daemon, **NO_RETRIES)
    documents = documents_of(client)
    with client.start_session() as session, session.start_transaction():
        documents.insert_one({"_id": 1, "project_id": PROJECTS[0], "key": 1}, session=session)
        documents.find_one({"key": 1}, session=session)
        with pytest.raises(OperationFailure) as refusal:
            documents.find_one({"key": 1}, session=session)
        assert refusal.value.code == 462
        documents.insert_one({"_id": 2, "project_id": PROJECTS[0], "key": 2}, session=session)
    assert documents.count_documents({"project_id": PROJECTS[0]}) == 2


def test_a_cursor_that_was_let_on_is_read_to_its_end(throttled, connect):
    daemon = throttled(rate="1/h", queue=0)
    documents = documents_of(connect(daemon, **NO_RETRIES))
    documents.insert_many([{"_id": n, "project_id": PROJECTS[0], "key": n} for n in range(20)])
    assert len(list(documents.find({"key": {"$gte": 0}}, batch_size=3))) == 20


def find_of(filter, request_id):
    return op_msg({"find": "documents", "filter": filter, "$db": "yorkie-meta"}, request_id)


@pytest.mark.parametrize("before", [0, 1], ids=["itself", "a reply before it"])
def test_clients_that_read_no_reply_keep_no_slot(throttled, connect, before):
    daemon = throttled(concurrency=2, queue=1, wait="10s")
    documents = documents_of(connect(daemon, **NO_RETRIES))
    documents.insert_many([{"_id": n, "project_id": PROJECTS[0], "key": n, "text": "x" * 1_000_000}
                           for n in range(12)])
    large, scattering = {"project_id": PROJECTS[0]}, {"key": {"$gte": 0}}
    greedy = [RawClient(daemon.port, receive_buffer=4096) for _ in range(2)]
    for each in greedy:
        if before:
            each.send(find_of(large, 1))
        each.send(find_of(scattering, 2))
        each.await_first_bytes()
    try:
        for _ in range(3):
            assert documents.find_one({"key": -1}) is None
        # Admitted commands are still answered.
        for each in greedy:
            for request in [1, 2][1 - before:]:
                answer = each.receive()
                assert answer.response_to == request
                assert len(answer.body["cursor"]["firstBatch"]) == 12
    finally:
        for each in greedy:
            each.socket.close()
