"""Today's Compose and Kubernetes' own types accept the files: readers/ is a program in Go that reads
with their libraries."""

import json
import os
import re
import shutil
import subprocess

import pytest

from documents import DEPLOY, ROOT, load_yaml

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="Go isn't here")
HERE = DEPLOY / "kubernetes"


@pytest.fixture(scope="module")
def readers():
    folder = ROOT / "build/readers"
    subprocess.run(["go", "build", "-o", folder / "readers", "."], check=True, cwd=ROOT / "tests/deploy/readers",
                   env={**os.environ, "GOFLAGS": "-mod=readonly", "GOCACHE": str(folder / "cache")})

    def read(*arguments):
        return subprocess.run([folder / "readers", *arguments], cwd=ROOT, capture_output=True, text=True)
    return read


def made_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("files, left_out", [
    (["docker-compose.yml"], 0), (["docker-compose.yml", "docker-compose.small.yml"], 8)],
    ids=["reference", "small"])
def test_compose_reads_every_service(readers, files, left_out):
    services = load_yaml("docker-compose.yml")["services"]
    always = {name for name, service in services.items() if "profiles" not in service}
    project = made_of(readers("compose", *files))
    assert len(project["services"]) == len(always) - left_out and set(project["services"]) <= always
    profiles = {profile for service in services.values() for profile in service.get("profiles", [])}
    for profile in profiles:
        assert set(made_of(readers("compose", "--profile", profile, "docker-compose.yml"))["services"]) == set(services)


@pytest.mark.parametrize("right, wrong", [
    ("mem_limit: 256m", "memory_limit: 256m"), ("init: {condition", "initial: {condition")])
def test_compose_notices_what_is_wrong(readers, tmp_path, right, wrong):
    text = (ROOT / "docker-compose.yml").read_text()
    assert right in text
    (tmp_path / "wrong.yml").write_text(text.replace(right, wrong))
    assert readers("compose", tmp_path / "wrong.yml").returncode != 0


def test_kubernetes_knows_every_field_of_every_object(readers):
    objects = made_of(readers("kubernetes", HERE / "example", HERE / "monitoring", HERE / "plain.yaml",
                              HERE / "sidecar/container.yaml", HERE / "sidecar/secret.example.yaml"))
    assert sorted({each["kind"] for each in objects}) == [
        "ConfigMap", "Deployment", "PodMonitor", "PrometheusRule", "Secret"]


def test_the_plain_manifest_is_what_the_example_renders_to(readers):
    def by_kind(path):
        return {each["kind"]: each for each in made_of(readers("kubernetes", path))}
    assert by_kind(HERE / "plain.yaml") == by_kind(HERE / "example")


def test_the_kustomization_of_the_manual_renders(readers, tmp_path):
    """Next to a copy of the component, as its reader does."""
    text, = re.findall(r"^resources: \[application\.yaml\]\n.*?(?=^```)", (ROOT / "docs/deploy.md").read_text(),
                       re.M | re.S)
    for name in ("sidecar", "example"):
        shutil.copytree(HERE / name, tmp_path / name)
    (tmp_path / "example/kustomization.yaml").write_text(text)
    deployment, = (each for each in made_of(readers("kubernetes", tmp_path / "example"))
                   if each["kind"] == "Deployment")
    container, = deployment["spec"]["template"]["spec"]["initContainers"]
    assert container["image"] == "registry.example.com/scattergate:0.1.0"


def test_kubernetes_notices_a_wrong_field(readers, tmp_path):
    text = (HERE / "sidecar/container.yaml").read_text()
    (tmp_path / "wrong.yaml").write_text(text.replace("readinessProbe", "readynessProbe"))
    done = readers("kubernetes", tmp_path / "wrong.yaml")
    assert done.returncode != 0 and "readynessProbe" in done.stderr
