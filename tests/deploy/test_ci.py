"""The jobs of deploy/ci, run as a shell would, in a copy of the project next to them, with the
simulator as their server. What installs is left out, and so are the actions of others. And this
project's own workflow calls what is in the repository."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from processes import ROOT, Daemon, Sim, clean_environment, program_path, started  # noqa: E402

CI = ROOT / "deploy" / "ci"
GITHUB = yaml.safe_load((CI / "github-actions.yml").read_text())["jobs"]["scatter"]
OWN = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
GITLAB = yaml.safe_load((CI / "gitlab-ci.yml").read_text())["scatter"]


@pytest.fixture
def start(tmp_path):
    yield from started(tmp_path)


@pytest.fixture
def project(tmp_path):
    return shutil.copytree(CI / "example", tmp_path / "project")


@pytest.fixture
def shell(start, project, tmp_path):
    """Runs a step with GitHub's shell, and GitLab's."""
    sim = start(Sim, preset=None)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "scattergate").symlink_to(program_path("SCATTERGATE_BIN", "scattergate"))
    (tools / "python3").symlink_to(sys.executable)
    summary = tmp_path / "summary"
    summary.write_text("")

    def run(step, status):
        environment = {**clean_environment(), "PATH": f"{tools}:{os.environ['PATH']}",
                       "MONGODB_URI": f"mongodb://{sim.address}/", "GITHUB_STEP_SUMMARY": str(summary),
                       "PYTHONPATH": os.pathsep.join(path for path in sys.path if "site-packages" in path),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step], cwd=project,
                              env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, done.stderr
        return done
    run.summary = summary
    return run


GITHUB_STEPS = [step["run"] for step in GITHUB["steps"] if "run" in step and "Install" not in step["name"]]
GITLAB_STEPS = GITLAB["script"]


@pytest.mark.parametrize("steps", [GITHUB_STEPS, GITLAB_STEPS], ids=["GitHub", "GitLab"])
def test_the_job_passes_with_its_baseline_and_fails_without(shell, project, steps):
    assert len(steps) == 1
    shell(steps[0], 0)
    (project / "scattergate-baseline.yaml").write_text("schemaVersion: 1\naccepted: []\n")
    shell(steps[0], 1)


SERVICE = {"GitHub": yaml.safe_load((CI / "github-actions-service.yml").read_text())["jobs"]["scatter"],
           "GitLab": yaml.safe_load((CI / "gitlab-ci-service.yml").read_text())["scatter"]}


def service_of(job):
    """The settings of the service scattergate, and the job's steps."""
    if "steps" in job:
        steps = [step["run"] for step in job["steps"] if "run" in step and "Install" not in step["name"]]
        return job["services"]["scattergate"]["env"], steps
    return next(one["variables"] for one in job["services"] if one.get("alias") == "scattergate"), job["script"]


@pytest.mark.parametrize("which", ["GitHub", "GitLab"])
def test_a_job_with_scattergate_as_a_service_has_the_same_outcome(start, shell, project, tmp_path, which):
    settings, (test, judge) = service_of(SERVICE[which])
    sim = start(Sim, "behind", preset=None)
    assert settings["SCATTERGATE_CATALOG_SOURCE"] == settings["SCATTERGATE_AUDIT_FILE"] == "off"
    proxy = start(Daemon, sim.address, catalog={"source": "off"}, audit={"file": "off"})
    # In place of docker: the arguments after the image's name, in the service's network.
    docker = tmp_path / "bin" / "docker"
    docker.write_text('#!/bin/bash\nwhile [ "$1" != image ]; do shift; done; shift; exec scattergate "$@"\n')
    docker.chmod(0o755)
    judge = judge.replace("http://127.0.0.1:19216", proxy.admin).replace('"$SCATTERGATE_IMAGE"', "image")
    uri = SERVICE[which].get("env", SERVICE[which].get("variables"))["MONGODB_URI"]
    shell(f"export MONGODB_URI={uri.replace('127.0.0.1:27117', proxy.address)}; {test}", 0)
    assert re.search(r"PASS: 1 finding, accepted by scattergate-baseline.yaml", shell(judge, 0).stderr)
    (project / "scattergate-baseline.yaml").write_text("schemaVersion: 1\naccepted: []\n")
    shell(judge, 1)


def test_github_gets_annotations_sarif_and_a_summary(shell, project):
    done = shell(GITHUB_STEPS[0], 0)
    assert re.search(r"^::notice file=orders.py,line=14,title=", done.stderr, re.M)
    results = json.loads((project / "scattergate.sarif").read_text())["runs"][0]["results"]
    assert [one["baselineState"] for one in results] == ["unchanged"]
    assert "What scatters" in shell.summary.read_text()


def test_gitlab_gets_code_quality_and_junit(shell, project):
    shell(GITLAB_STEPS[0], 0)
    reports = GITLAB["artifacts"]["reports"]
    issues = json.loads((project / reports["codequality"]).read_text())
    assert [(one["location"]["path"], one["severity"]) for one in issues] == [("orders.py", "info")]
    assert xml.parse(project / reports["junit"]).getroot().get("failures") == "0"


def test_a_new_scatter_in_the_code_fails_the_job(shell, project):
    code = project / "orders.py"
    code.write_text(code.read_text().replace('{"customer": customer}, comment', '{"total": {"$lt": 20}}, comment'))
    done = shell(GITHUB_STEPS[0], 1)
    assert re.search(r"^::error file=orders.py,line=9,title=find test-shop-\*.orders asks every shard", done.stderr,
                     re.M)


def test_a_test_that_fails_fails_the_job_with_its_own_status(shell, project):
    code = project / "test_orders.py"
    code.write_text(code.read_text().replace("[12])", "[13])"))
    shell(GITHUB_STEPS[0], 1)


def test_the_manual_shows_these_files():
    page = (ROOT / "docs" / "gate.md").read_text()
    for name in ("deploy/ci/github-actions.yml", "deploy/ci/gitlab-ci.yml", "deploy/ci/example"):
        assert name in page


def commands_of(job):
    return [step["run"] for step in OWN["jobs"][job]["steps"] if "run" in step]


def test_the_own_workflow_runs_what_ci_runs_on_each_debian():
    job = OWN["jobs"]["test"]
    assert "bash .ci/run" in commands_of("test")
    assert (ROOT / ".ci" / "run").exists()
    assert job["container"]["image"] == "debian:${{ matrix.debian }}"
    assert job["strategy"]["matrix"]["debian"] == [12, 13]


def test_the_own_workflow_builds_presets_that_there_are():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    named = [re.fullmatch(r"cmake (--build )?--preset ([\w-]+)(?: -D\S+)?", command) for command in commands_of("no-pch")]
    for build, name in (one.groups() for one in named if one):
        assert name in {preset["name"] for preset in presets["buildPresets" if build else "configurePresets"]}
    assert len([one for one in named if one]) == 2


def test_the_own_workflow_can_only_read_and_always_ends():
    assert OWN["permissions"] == {"contents": "read"}
    for job in OWN["jobs"].values():
        assert "permissions" not in job and job["timeout-minutes"] <= 90
