"""What docs/, README.md and CONTRIBUTING.md point to is there, and the commands of docs/deploy.md are of our files."""

import json
import re

import pytest

from documents import ROOT

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")


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


def test_paths_in_the_manual_of_deployment_exist():
    text = (ROOT / "docs/deploy.md").read_text()
    named = set(re.findall(r"\b(deploy/[\w./-]*\w|scripts/[\w-]+|docker-compose[\w.]*\.yml)", text))
    assert len(named) > 8
    assert [path for path in named if not (ROOT / path).exists() and not path.startswith("path/")] == []


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
