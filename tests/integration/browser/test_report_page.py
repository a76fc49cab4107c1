"""The report's page in a real browser (Debian's Chromium, headless)."""

import html
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from test_report import REAL, report  # noqa: E402

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


def dom_of(page, tmp_path):
    """A page as the browser shows it, and the browser's messages about it."""
    arguments = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                 f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([*arguments, page.as_uri()], capture_output=True, text=True, timeout=120)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, said


@pytest.fixture(name="page")
def made_page(tmp_path):
    report(REAL / "traffic.pcap.gz", "-o", tmp_path / "report.html")
    return tmp_path / "report.html"


def test_its_columns_can_be_sorted_and_the_browser_has_no_complaint(page, tmp_path):
    dom, said = dom_of(page, tmp_path)
    assert said == []
    assert len(re.findall(r"<th[^>]*data-sort[^>]*><button>", dom)) == 7


def test_it_says_the_same_without_javascript(page, tmp_path):
    dom, _ = dom_of(page, tmp_path)
    def words(of):
        return html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"(?s)<(script|style).*?</\1>", "", of))).split()
    assert words(dom) == words(page.read_text())


def test_every_link_leads_to_a_block(page, tmp_path):
    dom, _ = dom_of(page, tmp_path)
    links = re.findall(r'href="#([^"]+)"', dom)
    assert len(links) >= 7
    assert set(links) == set(re.findall(r'<article id="([^"]+)"', dom))
