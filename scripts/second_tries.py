"""Names each test that passed at the second try only, and fails for one that does so repeatedly.

scripts/test calls this at its end, once every test has passed. The run is added to a history that
all clones of a user share: $TEST_HISTORY, by default scattergate/test-runs in
$XDG_STATE_HOME (~/.local/state). Each line is one run as JSON: date, commit, kind, presets, and
the tests that needed a second try, by preset. A run in which a test failed twice has failed
already and is not recorded.

A test fails the run if it needed a second try in this run and in another of the last five. Core
runs leave out the tests of --all. So the last five are counted twice, over all runs and over the
runs of this kind, and the larger count holds: five quick core runs hide no test of --all, and a
test that both kinds contain is counted in both. A test that passes at once never fails the run,
whatever its history.

A history that cannot be read or written is reported and fails nothing.
"""

import argparse
import contextlib
import dataclasses
import datetime
import fcntl
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAST = 5      # runs that are looked at
ALLOWED = 1   # of these, how many may have needed a second try of the same test


@dataclasses.dataclass
class Run:
    kind: str
    presets: list
    again: dict  # preset -> the names that passed at the second try
    date: str
    commit: str | None

    def names(self):
        return {name for names in self.again.values() for name in names}


def history_path(environment=os.environ):
    if given := environment.get("TEST_HISTORY"):
        return pathlib.Path(given)
    state = environment.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return pathlib.Path(state) / "scattergate" / "test-runs"


def parse_run(line):
    """The run that a line of the history records; None if it records none."""
    def are_texts(values):
        return isinstance(values, list) and all(isinstance(each, str) for each in values)
    try:
        run = Run(**json.loads(line))
    except (ValueError, TypeError, RecursionError):
        return None
    is_whole = (isinstance(run.kind, str) and are_texts(run.presets)
                and isinstance(run.again, dict) and all(map(are_texts, run.again.values())))
    return run if is_whole else None


def last_runs(runs, kind=None):
    return [run for run in runs if kind in (None, run.kind)][-LAST:]


def reachable(runs):
    """The runs that a later count can include."""
    kinds = {run.kind for run in runs}
    counted = [last_runs(runs), *(last_runs(runs, kind) for kind in kinds)]
    return [run for run in runs if any(run is each for some in counted for each in some)]


@contextlib.contextmanager
def locked(path):
    """Only one process at a time is inside. The history is replaced, so it can't be the lock."""
    with open(path.with_name(path.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def record(run, path):
    """Adds the run to the history. Returns the runs, this one last, and the unusable lines' count."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path):
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        parsed = [parse_run(line) for line in lines if line.strip()]
        runs = [each for each in parsed if each] + [run]
        written = path.with_name(path.name + ".new")
        written.write_text("".join(json.dumps(dataclasses.asdict(each)) + "\n"
                                   for each in reachable(runs)))
        written.replace(path)
    return runs, parsed.count(None)


def count(name, runs):
    """In how many of which runs, for people: (2, "2 of the last 5 runs"). The run is the last."""
    kind = runs[-1].kind
    windows = [(last_runs(runs), "runs"), (last_runs(runs, kind), f"{kind} runs")]
    counts = [(sum(name in run.names() for run in some), len(some), what) for some, what in windows]
    times, of, what = max(counts, key=lambda each: each[0])
    return times, f"{times} of the last {of} {what}" if of > 1 else "the only run known"


def commit():
    """The commit that is checked out, marked where files differ from it; None without one."""
    try:
        return subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"],
                              capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kind", required=True, help="which tests the run is of: core, all")
    options.add_argument("--presets", required=True, nargs="+", help="the presets that were tested")
    options.add_argument("again", nargs="*", metavar="PRESET:NAME",
                         help="a test that passed at the second try")
    given = options.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")

    run = Run(given.kind, given.presets, {}, commit=commit(),
              date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"))
    for each in given.again:
        preset, _, name = each.partition(":")
        run.again.setdefault(preset, []).append(name)

    path = history_path()
    try:
        runs, unusable = record(run, path)
        if unusable:
            print(f"second_tries: {path}: dropped {unusable} lines that record no run")
    except OSError as problem:
        print(f"second_tries: this run is not recorded: {problem}")
        runs = [run]

    if not run.again:
        return 0
    print("\n== Passed at the second try only")
    for preset, names in run.again.items():
        for name in names:
            print(f"{name} ({preset}): in {count(name, runs)[1]}")
    failed = sorted(name for name in run.names() if count(name, runs)[0] > ALLOWED)
    for name in failed:
        print(f"scripts/test fails: {name} needed a second try in {count(name, runs)[1]}; "
              f"one is allowed. Mend its cause (history: {path})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
