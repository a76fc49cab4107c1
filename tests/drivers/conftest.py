"""Which drivers to test: --driver NAME, repeatable; all without it."""

import pytest

from programs import PROGRAMS  # finds processes, too
from processes import Daemon, Sim


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
    """Starts programs; at the end all are ended, and ours must have ended well."""
    running = []

    def start_one(kind, *arguments, **options):
        running.append(kind(tmp_path, *arguments, **options))
        return running[-1]

    yield start_one
    ended = [(process, process.stop()) for process in reversed(running)]
    for process, code in ended:
        assert code == 0 or not isinstance(process, (Daemon, Sim)), process.stderr
