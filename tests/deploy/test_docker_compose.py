"""Debian's docker-compose (1.29) accepts the files."""

import shutil
import subprocess

import pytest
import yaml

from documents import ROOT, load_yaml

pytestmark = pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose isn't here")


@pytest.mark.parametrize("files", [["docker-compose.yml"], ["docker-compose.yml", "docker-compose.small.yml"]],
                         ids=["reference", "small"])
def test_it_is_accepted(files):
    done = subprocess.run(["docker-compose", *(word for file in files for word in ("--file", file)), "config"],
                          cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "Unsupported" not in done.stderr, done.stderr
    understood = yaml.safe_load(done.stdout)["services"]
    assert set(understood) == set(load_yaml("docker-compose.yml")["services"])
    left_out = {name for name, service in understood.items() if "large" in service.get("profiles", [])}
    assert len(left_out) == (8 if len(files) == 2 else 0)


def test_a_wrong_key_is_noticed(tmp_path):
    wrong = (ROOT / "docker-compose.yml").read_text().replace("mem_limit: 256m", "memory_limit: 256m")
    (tmp_path / "wrong.yml").write_text(wrong)
    done = subprocess.run(["docker-compose", "--file", tmp_path / "wrong.yml", "config"], capture_output=True)
    assert done.returncode != 0
