"""The gate before test suites of all languages: the script of operations is the suite, and what it
asks scatters for some of its collections' keys. Every driver's is judged as pymongo's, every time."""

import json
import subprocess
import sys

import pytest
from programs import PROGRAMS
from processes import Sim, clean_environment, program_path

# The script has a collection for each of its steps.
CATALOG = """
collections:
  - {namespace: "*.find", shardKey: {_id: 1}}
  - {namespace: "*.get_more", shardKey: {half: 1}}
  - {namespace: "*.update_many", shardKey: {half: 1}}
  - {namespace: "*.aggregate", shardKey: {text: 1}}
"""

# It takes its connection string as an argument, which is known only when COMMAND runs.
WITH_URI = ("import os, sys; given = [each.replace('mongodb://gate', os.environ['SCATTERGATE_URI'])"
            " for each in sys.argv[1:]]; os.execvp(given[0], given)")


def shapes_of(program, sim, directory, *options, status, catalog=CATALOG):
    """The shapes in the gate's report."""
    (directory / "keys.yaml").write_text(catalog)
    command = [str(part) for part in program.command("mongodb://gate", (), None, directory)]
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--catalog", "keys.yaml", "--env", "MONGODB_URI",
         "-o", "out.json", *options, "--", sys.executable, "-c", WITH_URI, *command],
        cwd=directory, capture_output=True, text=True, timeout=500,
        env={**clean_environment(), **program.environment(directory),
             "MONGODB_URI": f"mongodb://{sim.address}/?maxPoolSize=1"})
    assert done.returncode == status, done.stderr
    return json.loads((directory / "out.json").read_text())["shapes"]


def findings(program, sim, directory, *options, status):
    """The scatters: command, namespace, shape."""
    return {(shape["command"], shape["ns"], json.dumps(shape["shape"]))
            for shape in shapes_of(program, sim, directory, *options, status=status) if shape["baseline"] == "new"}


def test_a_suite_of_any_language_has_the_same_verdict_every_time(program, start, tmp_path):
    sims = [start(Sim, name) for name in ("first", "second", "third")]
    expected = findings(PROGRAMS["pymongo"], sims[0], tmp_path, status=1)
    # The update of many documents changes their key: mongos refuses it.
    assert {("find", "*.find"), ("find", "*.get_more"), ("aggregate", "*.aggregate"), ("update", "*.update_many")} <= {
        (command, ns) for command, ns, _ in expected}
    found = findings(program, sims[1], tmp_path, "--write-baseline", "baseline.yaml", "--fail-on", "never", status=0)
    assert not found  # it is accepted now
    again = findings(program, sims[2], tmp_path, status=1)
    assert expected <= again
    assert not findings(program, start(Sim, "fourth"), tmp_path, "--baseline", "baseline.yaml", status=0)


def test_the_advice_names_the_library_that_made_the_filter(driver, program, start, tmp_path):
    if driver != "mongoose":
        pytest.skip("a driver alone makes no filters")
    by_half = 'collections: [{namespace: "*.update_one", shardKey: {half: 1}}]\n'
    advice = {shape["command"]: shape["suggestion"]
              for shape in shapes_of(program, start(Sim), tmp_path, catalog=by_half, status=1)
              if shape["ns"] == "*.update_one"}
    assert advice["update"].startswith("if save() of a Mongoose document sent this, set shardKey: {half: 1} in ")
    assert advice["find"].startswith("if findById() of Mongoose sent this, use findOne() with _id and half; ")
