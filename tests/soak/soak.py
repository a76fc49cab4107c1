"""Hours of trouble in minutes: see README.md next to this file."""

import argparse
import multiprocessing
import pathlib
import random
import signal
import statistics
import sys
import tempfile
import time

from clients import Shared, work

from processes import Daemon, Sim  # noqa: E402  (clients has said where it is)


class Soak:
    def __init__(self, directory, processes, clients):
        self.directory = directory
        self.shared = Shared()
        self.sim = Sim(directory)
        self.steady = Daemon(directory, self.sim.address, name="steady")
        self.restarted = Daemon(directory, self.sim.address, name="restarted")
        self.restarted.write_config(listeners=[
            {"listen": self.restarted.address, "upstream": [self.sim.address]}],
            admin={"listen": self.restarted.admin.removeprefix("http://")})
        self.restarts = 0
        self.failures = []
        self.samples = []
        ports = [self.steady.port, self.restarted.port]
        self.workers = [multiprocessing.Process(target=work, args=(n, ports, clients, self.shared))
                        for n in range(processes)]

    def run(self, seconds):
        descriptors = self.steady.metrics().total("process_open_fds")
        for worker in self.workers:
            worker.start()
        began = last_line = time.monotonic()
        chance = random.Random(1)
        while (now := time.monotonic()) - began < seconds:
            self.samples.append(self.steady.resident_bytes())
            chance.choices([self.reload, self.restart_daemon, self.restart_simulator, lambda: None],
                           [4, 3, 1, 8])[0]()
            if now - last_line >= 30:
                last_line = now
                self.tell(now - began)
            time.sleep(2)
        self.shared.stopping.set()
        for worker in self.workers:
            worker.join()
        self.steady.await_quiet()
        self.judge(descriptors)
        self.tell(time.monotonic() - began)
        return self.failures

    def reload(self):
        for daemon in (self.steady, self.restarted):
            daemon.signal(signal.SIGHUP)

    def restart_daemon(self):
        """A drain, and a new one on the same address, which clients find by trying."""
        self.restarted.signal(signal.SIGTERM)  # once: a second signal would end the drain
        if (code := self.restarted.wait()) != 0:
            self.failures.append(f"the drained daemon ended with {code}")
        self.restarts += 1
        self.restarted = Restarted(self.restarted, f"restarted{self.restarts}")

    def restart_simulator(self):
        life = self.shared.simulator_life
        life.value += 1
        self.sim.signal(signal.SIGKILL)
        self.sim.wait()
        self.sim = Sim(self.directory, name="sim", port=self.sim.port)
        life.value += 1

    def judge(self, descriptors):
        counts = {name: value.value for name, value in self.shared.counts.items()}
        for bad in ("lost", "wrong"):
            if counts[bad]:
                self.failures.append(f"{counts[bad]} {bad} replies")
        third = len(self.samples) // 3
        early = statistics.mean(self.samples[third // 2:third + third // 2])
        late = statistics.mean(self.samples[-third // 2:])
        print(f"resident: {early / 1e6:.1f} MB early, {late / 1e6:.1f} MB late")
        if late > early * 1.1 + 8e6:
            self.failures.append("the resident memory grows")
        now = self.steady.metrics().total("process_open_fds")
        print(f"descriptors: {descriptors:.0f} before, {now:.0f} after")
        if now > descriptors:
            self.failures.append("descriptors are left open")
        for process in (self.steady, self.restarted):
            if (code := process.stop()) != 0:
                self.failures.append(f"{process.name} ended with {code}: {process.stderr[-2000:]}")
        self.sim.stop()

    def tell(self, seconds):
        counts = ", ".join(f"{value.value} {name}" for name, value in self.shared.counts.items())
        print(f"{seconds:6.0f} s: {counts}; {self.restarts} restarts, "
              f"{self.shared.simulator_life.value // 2} simulators, "
              f"{self.samples[-1] / 1e6:.1f} MB", flush=True)


class Restarted(Daemon):
    """A daemon with the configuration and the addresses of the one before."""

    def __init__(self, before, name):
        super().__init__(before.directory, before.config["listeners"][0]["upstream"][0], name=name,
                         listeners=before.config["listeners"], admin=before.config["admin"])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=20)
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--clients", type=int, default=16, help="of each process")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="scattergate-soak-") as directory:
        failures = Soak(pathlib.Path(directory), chosen.processes,
                        chosen.clients).run(chosen.minutes * 60)
    for failure in failures:
        print("FAILED:", failure)
    print("passed" if not failures else "failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
