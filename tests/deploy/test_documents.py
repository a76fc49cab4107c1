"""What docs/ and README.md point to is there, and the commands of docs/deploy.md are of our files."""

import re

import pytest

from documents import ROOT

DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
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
