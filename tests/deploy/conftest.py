"""Tests of the shipped files for deployment: the files are checked here, most of them by what will read
them. The programs are started by the integration tests' helpers."""

import pathlib
import shutil
import sys
import tempfile
import urllib.error
import urllib.request

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import recipes  # noqa: E402 (it needs what the line above finds)
from processes import started  # noqa: E402
from waiting import PATIENCE  # noqa: E402


@pytest.fixture
def start(tmp_path):
    yield from started(tmp_path)


@pytest.fixture
def short_directory():
    """For Unix sockets, whose paths must be short."""
    made = tempfile.mkdtemp(prefix="sg")
    yield pathlib.Path(made)
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """A folder with what the recipes of the docs are run over."""
    return recipes.write(tmp_path_factory.mktemp("recipes"))


@pytest.fixture
def http_status():
    def ask(url, headers=()):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=dict(headers)), timeout=PATIENCE) as answer:
                return answer.status
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code
    return ask
