"""The worked examples of docs/advise.md: the commands print exactly that output."""

import gzip
import re
import subprocess

import pytest

import advise_examples
from processes import ROOT, clean_environment, program_path

DOC = (ROOT / "docs" / "advise.md").read_text()
EXAMPLES = re.findall(r"```console\n\$ (scattergate (?:[^\n]*\\\n)*[^\n]*)\n(.*?)```", DOC.partition("## Worked examples")[2], re.S)


def printed(command):
    program = program_path("SCATTERGATE_BIN", "scattergate")
    done = subprocess.run(command.replace("scattergate", str(program), 1), shell=True, cwd=ROOT, env=clean_environment(),
                          capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_there_are_those_of_both_sources():
    assert [name in command for (command, _), name in zip(EXAMPLES, ("yorkie", "bugsnag"), strict=True)] == [True, True]


@pytest.mark.parametrize("number", range(2))
def test_the_program_prints_what_the_page_shows(number):
    command, shown = EXAMPLES[number]
    assert printed(command) == shown


@pytest.mark.parametrize("name", advise_examples.EXAMPLES)
def test_the_logs_are_those_that_the_generator_writes(name):
    kept = gzip.decompress((advise_examples.FOLDER / f"{name}.log.gz").read_bytes()).decode()
    assert kept == advise_examples.log(name)
