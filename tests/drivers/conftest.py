"""The drivers to test: --driver NAME, repeatable; all without it."""

import pytest

from programs import PROGRAMS  # finds processes, too
from processes import started

# Suites that test_callsites.py runs, each with its own libraries.
collect_ignore = ["callsites"]


def pytest_addoption(parser):
    parser.addoption("--driver", action="append", choices=sorted(PROGRAMS))


def pytest_generate_tests(metafunc):
    if "driver" in metafunc.fixturenames:
        metafunc.parametrize("driver", metafunc.config.getoption("--driver") or sorted(PROGRAMS))


@pytest.fixture
def program(driver):
    missing = PROGRAMS[driver].missing_tools()
    if missing:
        pytest.skip(f"not found: {', '.join(missing)}")
    return PROGRAMS[driver]


@pytest.fixture
def start(tmp_path):
    yield from started(tmp_path)
