"""A thousand runs of a suite behind the gate, each in another order, with other ids, literals and
counts and with other numbers of workers: one verdict. See README.md next to this file."""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import gate_suite  # noqa: E402
from processes import Sim, clean_environment, program_path  # noqa: E402

SUITE = pathlib.Path(gate_suite.__file__)


def run(seed, directory, sim):
    out = directory / f"{seed}.json"
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--catalog", directory / "keys.yaml", "--env",
         "MONGODB_URI", "-o", out, "--", sys.executable, SUITE, str(seed)],
        env={**clean_environment(), "MONGODB_URI": f"mongodb://{sim.address}/"}, capture_output=True, timeout=300)
    shapes = json.loads(out.read_text())["shapes"] if out.exists() else []
    out.unlink(missing_ok=True)
    found = sorted((one["command"], one["reason"], one["shapeHash"]) for one in shapes if one["baseline"] == "new")
    return done.returncode, json.dumps(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "keys.yaml").write_text(gate_suite.CATALOG)
        sim = Sim(directory)
        with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
            verdicts = collections.Counter(pool.map(lambda seed: run(seed, directory, sim), range(given.runs)))
        sim.stop()
    for (status, found), times in verdicts.items():
        print(f"{times} runs: status {status}, {len(json.loads(found))} findings")
    is_good = [status for status, _ in verdicts] == [1] and len(json.loads(next(iter(verdicts))[1])) == len(
        gate_suite.PLANTED)
    print("one verdict" if is_good else f"{len(verdicts)} verdicts")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
