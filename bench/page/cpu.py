"""The cost of an open page for the daemon: CPU per request, and of the threads that serve no requests.

    build/python-env/bin/python bench/page/cpu.py [--rounds 6] [--seconds 5] [--shapes 500]

Starts an upstream and a daemon with N findings of different shapes. Generates the same load with the page
closed, and with one client that subscribes to events and reloads everything every third second, in
alternation; prints the medians. CPU time is that of the threads, as the kernel counts it.
"""

import argparse
import http.client
import pathlib
import statistics
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/proxies"))

import rig  # noqa: E402

ALL = ("status", "collections", "shapes", "history", "rules")


class Reader(threading.Thread):
    """A browser with the page open: loads everything, reads events, reloads every three seconds."""

    def __init__(self, admin):
        super().__init__()
        self.admin = admin
        self.is_over = False

    def ask_all(self):
        for what in ALL:
            asked = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=30)
            asked.request("GET", "/api/v1/" + what)
            asked.getresponse().read()
            asked.close()

    def run(self):
        self.ask_all()
        listener = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=30)
        listener.request("GET", "/api/v1/events")
        events, heard = listener.getresponse(), 0
        while not self.is_over:
            if events.fp.readline().startswith(b"data: "):
                heard += 1
                if heard % 3 == 0:
                    self.ask_all()
        listener.close()


def cpu_seconds(pid):
    """Of each thread."""
    return {task.name: int((task / "schedstat").read_text().split()[0]) / 1e9
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def one_round(at, asked, is_open):
    reader = Reader(at["admin"]) if is_open else None
    if reader:
        reader.start()
    before = cpu_seconds(at["pid"])
    measured = rig.load(at["port"], 16, asked.seconds, at["pid"])
    after = cpu_seconds(at["pid"])
    if reader:
        reader.is_over = True
        reader.join()
    used = sorted(after[thread] - before.get(thread, 0) for thread in after)
    # The load warms up for a fifth of its time: all of its requests are in what the threads took.
    requests = measured["rate"] * asked.seconds
    return {"worker's, us per request": used[-1] / requests * 1e6,
            "all others', ms per second": sum(used[:-1]) / asked.seconds * 1e3}


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rounds", type=int, default=6)
    asked.add_argument("--seconds", type=float, default=5)
    asked.add_argument("--shapes", type=int, default=500)
    asked = asked.parse_args()
    rig.build()
    with tempfile.TemporaryDirectory() as folder, rig.Rig(pathlib.Path(folder)) as used:
        admin = rig.free_port()
        port, pid = used.scattergate(admin=admin)
        rig.load(port, 4, 2, pid, f"shapes:{asked.shapes}")
        at = {"port": port, "pid": pid, "admin": admin}
        rounds = {False: [], True: []}
        for number in range(2 * asked.rounds):
            is_open = number % 2 == 1
            rounds[is_open].append(one_round(at, asked, is_open))
        for is_open, measured in rounds.items():
            medians = {key: round(statistics.median(each[key] for each in measured), 2) for key in measured[0]}
            print("page open  " if is_open else "page closed", medians)


if __name__ == "__main__":
    main()
