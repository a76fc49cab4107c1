"""The man page knows every subcommand and flag that the program has, and no other."""

import re
import shutil
import subprocess

import pytest

from documents import DEPLOY
from processes import clean_environment, program_path

PAGE = (DEPLOY / "man/scattergate.1").read_text()
FLAG = re.compile(r"^ +(?:-\w,)?(--[a-z][a-z-]*)", re.M)


def help_of(*subcommand):
    program = program_path("SCATTERGATE_BIN", "scattergate")
    return subprocess.run([program, *subcommand, "--help"], check=True, capture_output=True, text=True,
                          env=clean_environment()).stdout


SUBCOMMANDS = re.findall(r"^  (\w+) ", help_of().split("Subcommands:")[1], re.M)
SYNOPSIS = re.split(r"^\.Nm$", PAGE.split(".Sh SYNOPSIS")[1].split(".Sh DESCRIPTION")[0], flags=re.M)[1:]


def flags_in(text):
    return {"--" + name for name in re.findall(r"\bFl -([a-z][a-z-]*)", text)}


def test_it_describes_each_subcommand_and_no_other():
    assert len(SUBCOMMANDS) >= 6
    assert re.findall(r"^\.It Cm (\w+)$", PAGE, re.M) == SUBCOMMANDS
    # A subcommand may have several forms.
    forms = [re.search(r"^\.Cm (\w+)$", form, re.M)[1] for form in SYNOPSIS[:-1]]
    assert list(dict.fromkeys(forms)) == SUBCOMMANDS


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_its_synopsis_has_each_flag_of_a_subcommand(subcommand):
    forms = "".join(form for form in SYNOPSIS if f".Cm {subcommand}\n" in form)
    assert flags_in(forms) == set(FLAG.findall(help_of(subcommand))) - {"--help"}


def test_it_explains_each_flag():
    has = {flag for subcommand in [(), *((each,) for each in SUBCOMMANDS)]
           for flag in FLAG.findall(help_of(*subcommand))}
    explained = set()
    for line in re.findall(r"^\.It Fl .*$", PAGE, re.M):
        explained |= flags_in(line)
    assert explained == has


def test_its_example_can_be_pasted():
    example, = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", PAGE, re.M | re.S)
    program = program_path("SCATTERGATE_BIN", "scattergate")
    done = subprocess.run(["bash", "-c", example.replace("scattergate ", f"{program} ")], capture_output=True,
                          text=True, env=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[:3] == ["scatter_gather", "yorkie-meta.clients", "find"]


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc isn't here")
def test_mandoc_is_silent():
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", DEPLOY / "man/scattergate.1"],
                          capture_output=True, text=True)
    # Its references to other pages depend on which are installed.
    said = [line for line in (done.stdout + done.stderr).splitlines()
            if "referenced manual not found" not in line and "outdated mandoc.db" not in line]
    assert said == []
