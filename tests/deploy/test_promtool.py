"""promtool accepts rules, unit tests, configuration and what /metrics says."""

import shutil
import subprocess

import pytest

from documents import DEPLOY
from processes import Daemon, Sim

pytestmark = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool isn't here")
HERE = DEPLOY / "prometheus"


def promtool(*arguments, **options):
    return subprocess.run(["promtool", *arguments], cwd=HERE, capture_output=True, text=True, **options)


@pytest.mark.parametrize("arguments", [
    ("check", "rules", "--lint-fatal", "rules.yml"),
    ("check", "config", "--lint-fatal", "prometheus.yml"),
    ("test", "rules", "rules_test.yml"),
], ids=" ".join)
def test_promtool_accepts_it(arguments):
    done = promtool(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_notices_a_wrong_expectation(tmp_path):
    """A unit test that can't fail would be worth nothing."""
    wrong = (HERE / "rules_test.yml").read_text().replace("0+20x60", "0+2x60")
    assert wrong != (HERE / "rules_test.yml").read_text()
    (tmp_path / "rules.yml").write_text((HERE / "rules.yml").read_text())
    (tmp_path / "wrong.yml").write_text(wrong)
    assert promtool("test", "rules", tmp_path / "wrong.yml").returncode != 0


def test_promtool_is_silent_about_our_metrics(start):
    daemon = start(Daemon, start(Sim).address)
    done = promtool("check", "metrics", input=daemon.metrics().text)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
