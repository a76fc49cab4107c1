"""Shared by scripts/bench and bench/growth: programs on one core, and their load."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BENCH_BUILD", ROOT / "build/release"))
CORE = max(os.sched_getaffinity(0))

SCATTERGATE = """listeners:
  - listen: 127.0.0.1:{listen}
    upstream: [127.0.0.1:{upstream}]{tls}
workers: {{threads: 1}}
admin: {{listen: 127.0.0.1:{admin}}}
catalog: {{source: catalog.yaml}}
metrics: {{max_namespaces: {namespaces}}}
audit: {{file: audit.jsonl}}
"""


def build():
    """Builds the release preset, unless BENCH_BUILD names an existing build to measure."""
    if "BENCH_BUILD" in os.environ:
        return
    subprocess.run([ROOT / "scripts/install-deps"], check=True)
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "scattergate",
                    "scattergate-bench", "scattergate-bench-upstream", "scattergate-bench-load"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def sharded(name, chunks):
    """The catalog's entry of bench.NAME, by a hashed key."""
    bounds = [-(2 ** 63) + i * (2 ** 64 // chunks) for i in range(1, chunks)]
    edges = ["{$minKey: 1}", *(f'{{$numberLong: "{each}"}}' for each in bounds), "{$maxKey: 1}"]
    lines = [f"      - {{min: {{k: {low}}}, max: {{k: {high}}}, shard: shard{i % 3}}}"
             for i, (low, high) in enumerate(zip(edges, edges[1:]))]
    return [f"  - namespace: bench.{name}", "    shardKey: {k: hashed}", "    chunks:", *lines]


def catalog(collections=0):
    """`items`, of which a tenth of the load scatters, and so many others."""
    entries = sharded("items", 300)
    for i in range(collections):
        entries += sharded(f"c{i}", 3)
    return "\n".join(["schemaVersion: 1", "collections:", *entries, ""])


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def find(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def load(port, connections, seconds, pid, kind="plain", cores=(CORE,)):
    """The load's measurements, per request."""
    done = subprocess.run(
        [BUILD / "scattergate-bench-load", str(port), str(connections), str(seconds), str(pid),
         kind], capture_output=True, text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode != 0:
        sys.exit("bench: " + done.stderr)
    found = json.loads(done.stdout)
    return {"cpu": found["cpu_seconds"] / found["requests"], "p50": found["p50"],
            "p99": found["p99"], "rate": found["requests"] / found["seconds"],
            "requests": found["requests"]}


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


class Rig:
    """An upstream and what is put before it, in one folder; ended together."""

    def __init__(self, folder, cores=(CORE,)):
        self.folder = folder
        self.cores = cores
        self.started = []
        self.upstream = free_port()
        self.start("upstream", self.upstream, BUILD / "scattergate-bench-upstream", self.upstream)

    def start(self, name, port, *command):
        """Starts a program and waits until it listens."""
        log = open(self.folder / f"{name}.log", "wb")
        program = subprocess.Popen(
            [str(part) for part in command], cwd=self.folder, stdin=subprocess.PIPE, stdout=log,
            stderr=log, preexec_fn=lambda: os.sched_setaffinity(0, self.cores))
        self.started.append(program)
        end = time.monotonic() + 30
        while not is_listening(port):
            if program.poll() is not None or time.monotonic() > end:
                sys.exit(f"bench: {name} doesn't start:\n"
                         + (self.folder / f"{name}.log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)
        return program.pid

    def configured(self, name, text, **values):
        """The port of a new row, and its configuration file."""
        listen = free_port()
        path = self.folder / f"{name}-{listen}.conf"
        path.write_text(text.format(listen=listen, upstream=self.upstream, folder=self.folder,
                                    **values))
        return listen, path

    def scattergate(self, tls="", collections=0, admin=None):
        """Port and process; `admin` is the port of its metrics."""
        (self.folder / "catalog.yaml").write_text(catalog(collections))
        listen, path = self.configured("scattergate", SCATTERGATE, tls=tls, admin=admin or 0,
                                       namespaces=collections + 200)
        return listen, self.start("scattergate", listen, BUILD / "scattergate", "run", "--config",
                                  path)

    def end(self):
        for program in self.started:
            program.terminate()
        for program in self.started:
            program.wait()
        self.started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
