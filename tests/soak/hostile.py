"""Healthy clients together with hostile ones of every kind: see README.md.

Hostile clients alternate between two daemons: that of the healthy clients, and another one on the same machine, for
comparison."""

import argparse
import multiprocessing
import pathlib
import random
import socket
import sys
import tempfile
import threading
import time

from clients import DATABASE, Client, Ended, Shared, stranger
from worst import worst_messages

from processes import Daemon, Sim  # noqa: E402  (clients has said where it is)
from raw import op_msg  # noqa: E402

RULES = [{"name": "no", "match": {"namespace": f"{DATABASE}.documents",
                                  "routing": "scatter_gather"}, "action": "reject", "why": "test"}]


class Timed(Client):
    """Answers checked as the soak checks them, and timed."""

    def __init__(self, number, port, shared, seen):
        super().__init__(number, port, shared)
        self.seen = seen

    def ask(self, command):
        began = time.monotonic()
        body = super().ask(command)
        self.seen.append(time.monotonic() - began)
        return body

    def text(self):
        return "x" * self.chance.choice([10, 10, 10, 1000])

    def work(self):
        """Like run(), but exits when its connection ends unexpectedly."""
        self.connect()
        while not self.shared.stopping.is_set():
            self.round()
            time.sleep(0.002)
        self.socket.close()


def healthy(number, port, clients, shared, seen, ended):
    """One process; returns its timings at the end."""
    times, threads = [], []

    def one(n):
        try:
            Timed(number * 100 + n, port, shared, times).work()
        except (Ended, OSError) as failure:
            ended.put(repr(failure))

    for n in range(clients):
        threads.append(threading.Thread(target=one, args=(n,)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    seen.put(times)


def names(chance):
    """Namespaces and users that don't exist."""
    return b"".join(op_msg({"find": f"c{chance.random()}", "filter": {f"f{chance.random()}": 1},
                            "comment": str(chance.random()), "$db": f"d{i}"}, i)
                    for i in range(1000))


def identities(chance):
    hello = op_msg({"hello": 1, "$db": "admin",
                    "client": {"application": {"name": f"app{chance.random()}"}}})
    start = op_msg({"saslStart": 1, "mechanism": "SCRAM-SHA-256", "$db": "admin",
                    "payload": f"n,a=bob,n=root{chance.random()},r=abc".encode()})
    return (hello + start) * 200


def unread(chance):
    """Endless requests whose replies are never read."""
    return op_msg({"find": "documents", "filter": {}, "$db": DATABASE}, 1) * 5000


def attack(number, port, pause, shared):
    chance = random.Random(number)
    kinds = [lambda chance, what=what: what for _, what in worst_messages()]
    kinds += [names, identities, unread]
    while not shared.stopping.is_set():
        what = memoryview(chance.choice(kinds)(chance))
        try:
            with socket.create_connection(("127.0.0.1", port), 60) as one:
                one.settimeout(1)
                for at in range(0, len(what), 1 << 20):
                    one.sendall(what[at:at + (1 << 20)])
        except OSError:
            pass
        with shared.counts["strangers"].get_lock():
            shared.counts["strangers"].value += 1
        time.sleep(pause)


def phase(of_healthy, of_hostile, options):
    """The healthy clients' latencies, sorted; the errors; and the number of attacks."""
    shared, seen, ended = Shared(), multiprocessing.Queue(), multiprocessing.Queue()
    processes = [multiprocessing.Process(target=attack,
                                         args=(n, of_hostile.port, options.pause, shared))
                 for n in range(options.hostile)]
    processes.append(multiprocessing.Process(target=stranger, args=(1, [of_hostile.port], shared)))
    for process in processes:
        process.start()
    time.sleep(1)
    client = multiprocessing.Process(
        target=healthy, args=(1, of_healthy.port, options.clients, shared, seen, ended))
    client.start()
    time.sleep(options.seconds)
    shared.stopping.set()
    times = sorted(seen.get())
    client.join()
    for process in processes:
        process.join(70)
    failures = []
    while not ended.empty():
        failures.append("a healthy connection ended: " + ended.get())
    if wrong := shared.counts["wrong"].value:
        failures.append(f"{wrong} wrong answers")
    return times, failures, shared.counts["strangers"].value


def print_row(name, times, attacks):
    part = [times[int(len(times) * each)] * 1e3 for each in (0.5, 0.9, 0.99, 0.999)]
    print(f"| {name} | {len(times)} | {attacks} | " + " | ".join(f"{p:.1f}" for p in part)
          + f" | {times[-1] * 1e3:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of each phase")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--hostile", type=int, default=2, help="processes that attack")
    parser.add_argument("--pause", type=float, default=0.1, help="between two attacks of one")
    parser.add_argument("--clients", type=int, default=8, help="that are healthy")
    options = parser.parse_args()
    failures = []
    print("| hostile clients are at | answers | attacks | p50, ms | p90 | p99 | p99.9 | longest |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="scattergate-hostile-") as folder:
        directory = pathlib.Path(folder)
        sims = [Sim(directory, name=name) for name in ("sim", "other-sim")]
        ours, other = (Daemon(directory, sim.address, name=name, rules=RULES,
                              on_uninspected="reject", limits={"memory": "512MiB"})
                       for name, sim in zip(("ours", "other"), sims))
        for _ in range(options.rounds):
            for name, target in (("another daemon", other), ("the same", ours)):
                times, wrong, attacks = phase(ours, target, options)
                print_row(name, times, attacks)
                failures += wrong
        for process in (ours, other):
            if (code := process.stop()) != 0:
                failures.append(f"{process.name} ended with {code}: {process.stderr[-2000:]}")
        for sim in sims:
            sim.stop()
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
