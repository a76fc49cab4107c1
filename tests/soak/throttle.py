"""A minute of throttle at five times its rate: see README.md next to this file."""

import argparse
import multiprocessing
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import pymongo  # noqa: E402
from pymongo.errors import OperationFailure  # noqa: E402

from processes import Daemon, Sim  # noqa: E402
from traffic import PROJECTS  # noqa: E402

NO_RETRIES = {"retryReads": False, "retryWrites": False}
BURST, QUEUE, WAIT = 100, 50, "250ms"


def documents_of(client):
    return client["yorkie-meta"].documents


def write(port, period, stop, totals):
    """Changes documents by a query that scatters, once in each period if it can."""
    done = refused = 0
    with pymongo.MongoClient("127.0.0.1", port, **NO_RETRIES) as client:
        next_at = time.monotonic()
        while not stop.is_set():
            try:
                documents_of(client).update_many({"key": "k"}, {"$inc": {"n": 1}})
                done += 1
            except OperationFailure as refusal:
                if refusal.code != 462:
                    raise
                refused += 1
            next_at = max(next_at + period, time.monotonic() - 1)
            time.sleep(max(next_at - time.monotonic(), 0))
    totals.put((done, refused))


def crowd(port, clients, offered, stop, totals):
    """A process of clients that together offer this number of commands per second."""
    threads = [threading.Thread(target=write, args=(port, clients / offered, stop, totals))
               for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Others:
    """A client to which no rule applies, and how long its answers take."""

    def __init__(self, port):
        self._client = pymongo.MongoClient("127.0.0.1", port, **NO_RETRIES)

    def watch(self, seconds):
        took = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            documents_of(self._client).find_one({"project_id": PROJECTS[0]})
            took.append((time.monotonic() - began) * 1e3)
            time.sleep(0.005)
        took.sort()
        return {share: took[int(len(took) * share)] for share in (0.5, 0.9, 0.99)}


def run(daemon, seconds, processes, clients, offered):
    """A crowd's admitted and refused commands, its duration, and the latency of other clients."""
    stop, totals = multiprocessing.Event(), multiprocessing.Queue()
    workers = [multiprocessing.Process(
        target=crowd, args=(daemon.port, clients, offered / processes, stop, totals))
        for _ in range(processes)]
    began = time.monotonic()
    for worker in workers:
        worker.start()
    latency = Others(daemon.port).watch(seconds)
    stop.set()
    counts = [totals.get() for _ in range(processes * clients)]
    took = time.monotonic() - began
    for worker in workers:
        worker.join()
    return sum(c[0] for c in counts), sum(c[1] for c in counts), took, latency


def latency_text(latency):
    return ", ".join(f"p{share * 100:g} {ms:.1f} ms" for share, ms in latency.items())


def judge(rate, seconds, done, took, changed):
    failures = []
    if not 0.98 * rate * seconds <= done <= BURST + rate * took:
        failures.append(f"{done} were let on: not {0.98 * rate * seconds:.0f} to "
                        f"{BURST + rate * took:.0f}")
    if changed != {done}:
        failures.append(f"{done} succeeded, and the documents were changed {changed} times")
    return failures


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--rate", type=int, default=100)
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--clients", type=int, default=40, help="of each process")
    given = arguments.parse_args()
    rule = {"name": "slowly", "action": "throttle",
            "match": {"namespace": "yorkie-meta.documents", "routing": "scatter_gather"},
            "throttle": {"rate": f"{given.rate}/s", "burst": BURST, "queue": QUEUE, "wait": WAIT}}
    with tempfile.TemporaryDirectory() as directory:
        sim = Sim(directory)
        free = Daemon(directory, sim.address, name="free")
        held = Daemon(directory, sim.address, name="held", rules=[rule])
        with pymongo.MongoClient("127.0.0.1", sim.port) as client:
            documents_of(client).insert_many([{"_id": n, "project_id": project, "key": "k", "n": 0}
                                              for n, project in enumerate(PROJECTS)])
            some = given.seconds / 4
            before = run(free, some, given.processes, given.clients, given.rate)
            documents_of(client).update_many({}, {"$set": {"n": 0}})
            done, refused, took, latency = run(held, given.seconds, given.processes,
                                               given.clients, 5 * given.rate)
            changed = {each["n"] for each in documents_of(client).find()}
        print(f"{given.rate}/s offered, no rule: others see {latency_text(before[3])}")
        print(f"{5 * given.rate}/s offered, {given.rate}/s let on: others see {latency_text(latency)}")
        print(f"{done} let on in {took:.1f} s, {refused} refused")
        failures = judge(given.rate, given.seconds, done, took, changed)
        for process in (free, held, sim):
            process.stop()
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
