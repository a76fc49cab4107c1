"""Debian's Chromium, driven by Playwright, and axe to look at pages with."""

import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parents[1] / "drivers"))

from processes import Daemon, program_path  # noqa: E402
from waiting import PATIENCE  # noqa: E402

CHROMIUM = shutil.which("chromium")


class Tab:
    """A page of the browser, and the browser's messages about it."""

    # The page works without an answer that a daemon doesn't have.
    EXPECTED = "Failed to load resource: the server responded with a status of "

    def __init__(self, context, address):
        self.complaints = []
        self.context = context
        self.page = context.new_page()
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def _note(self, message):
        if message.type in ("error", "warning") and not message.text.startswith(self.EXPECTED):
            self.complaints.append(message.text)

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def await_text(self, selector, text):
        self.page.locator(selector).filter(has_text=text).first.wait_for(state="visible")

    def await_no_text(self, selector, text):
        self.page.locator(selector).filter(has_text=text).first.wait_for(state="detached")

    def await_title(self, text):
        """Until the script has put this into the tab's title: the server's page has another."""
        self.page.wait_for_function("text => document.title === text", arg=text)

    def await_findings(self):
        """Until the script has put its list in the place of the server's."""
        self.page.locator("#findings .list .row-details .cost").first.wait_for()
        return self

    def is_wider_than_its_window(self):
        return self.page.evaluate("document.documentElement.scrollWidth > innerWidth")

    def axe(self):
        """axe's findings, as {rule: elements}."""
        # Runs like input to the developer console, because the page's policy forbids foreign scripts.
        self.page.evaluate(axe_source())
        found = self.page.evaluate("axe.run()")
        return {each["id"]: [node["html"] for node in each["nodes"]] for each in found["violations"]}


def axe_source():
    from programs import built, run

    def make(folder):
        shutil.copy(HERE / "package.json", folder)
        run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock",
            "--loglevel=error", cwd=folder)
    folder = built("browser", [HERE / "package.json"], make)
    return (folder / "node_modules/axe-core/axe.min.js").read_text()


@pytest.fixture(scope="session")
def chromium():
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"],
                                             timeout=PATIENCE * 1000)
        yield browser
        browser.close()


@pytest.fixture
def open_tab(chromium):
    contexts = []

    def open_one(address, scheme="light", width=1280, height=900, script=True):
        contexts.append(chromium.new_context(color_scheme=scheme, java_script_enabled=script,
                                             viewport={"width": width, "height": height}))
        contexts[-1].set_default_timeout(PATIENCE * 1000)
        return Tab(contexts[-1], address)
    yield open_one
    for context in contexts:
        context.close()


@pytest.fixture
def placed(start, sim, tmp_path):
    """A daemon that has the simulator's chunks, so it knows the cost of each command."""
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text(subprocess.run(
        [program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"), "--shards", "3", "--preset", "yorkie",
         "--print-catalog"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    rule = {"name": "housekeeping", "action": "accept", "why": "rare",
            "match": {"namespace": "yorkie-meta.revisions", "command": "find"}}
    return start(Daemon, sim.address, catalog={"source": str(catalog)}, rules=[rule])
