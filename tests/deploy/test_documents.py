"""The links of docs/, README.md and CONTRIBUTING.md work, and the commands of docs/deploy.md match our files."""

import json
import os
import re
import subprocess

import pytest
import yaml

from documents import ROOT, load_yaml
from processes import clean_environment, program_path

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
MANUAL = (ROOT / "docs/deploy.md").read_text()
YAML_OF_MANUAL = re.findall(r"^```yaml\n(.*?)^```", MANUAL, re.M | re.S)
CONFIGURATIONS_OF_MANUAL = [block for block in YAML_OF_MANUAL if block.startswith("listeners:")]


def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for link in LINK.findall(document.read_text()):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text()), link


def test_the_links_of_the_installed_documents_lead_to_installed_files(tmp_path):
    subprocess.run(["cmake", "--install", os.environ["SCATTERGATE_BUILD_DIR"], "--component", "program",
                    "--prefix", tmp_path], check=True, stdout=subprocess.DEVNULL)
    links = [(document, path) for document in (tmp_path / "share/doc/scattergate").rglob("*.md")
             for path in (link.partition("#")[0] for link in LINK.findall(document.read_text()))
             if path and not re.match(r"https?:", path)]
    assert len(links) > 100
    assert [(document.name, path) for document, path in links if not (document.parent / path).exists()] == []


def test_paths_in_the_manual_of_deployment_exist():
    named = set(re.findall(r"\b(deploy/[\w./-]*\w|scripts/[\w-]+|docker-compose[\w.]*\.yml)", MANUAL))
    assert len(named) > 8
    assert [path for path in named if not (ROOT / path).exists() and not path.startswith("path/")] == []


@pytest.mark.parametrize("block", CONFIGURATIONS_OF_MANUAL, ids=["with TLS", "for Compose"])
def test_the_program_accepts_the_configurations_of_the_manual(block, tmp_path):
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    (tmp_path / "s.yaml").write_text(block.replace("/etc/scattergate/mongos-ca.pem", bundle))
    subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", tmp_path / "s.yaml"],
                   env=clean_environment(), check=True)


def test_the_sidecar_of_the_manual_is_that_of_the_reference_cluster():
    block, = (block for block in YAML_OF_MANUAL if block.startswith("services:"))
    services, reference = yaml.safe_load(block)["services"], load_yaml("docker-compose.yml")["services"]
    for key in ("read_only", "cap_drop", "security_opt", "stop_grace_period", "restart"):
        assert services["scattergate"][key] == reference["scattergate1"][key]
    for key in ("image", "command", "read_only", "cap_drop"):
        assert services["page"][key] == reference["page1"][key]
    config, = (yaml.safe_load(block) for block in CONFIGURATIONS_OF_MANUAL if "0.0.0.0" in block)
    shipped = load_yaml("deploy/compose/scattergate.yaml")
    assert config["admin"] == shipped["admin"] and config["limits"] == shipped["limits"]


def test_paths_in_contributing_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = re.findall(r"(?<![\w/.-])((?:config|docs|scripts|telemetry|tests|wire)/[\w./-]*\w)", text)
    missing = {path for path in named if not (ROOT / path).exists()}
    assert len(named) > 30
    assert {path for path in missing if not re.search("NAME|ROOM", path)} == set()


def test_presets_in_contributing_exist():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    known = {preset["name"] for kind in ("configurePresets", "buildPresets") for preset in presets[kind]}
    named = set(re.findall(r"--preset ([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text()))
    assert "release" in named
    assert named - known == set()
