"""How long the page at the admin address keeps a browser busy at a time, with many findings.

    build/python-env/bin/python bench/page/long_tasks.py [--findings 500] [--seconds 15] [--most 50]

Starts a simulator and a daemon, sends so many findings of shapes of their own, opens the page in Chromium,
has new commands come while it is open, opens rows, filters, sorts, changes the charts' range and sets a mark, and
prints every task that took more than 50 ms. The first page that a browser's process draws is printed apart: it
pays for the process's own start, with 20 rows as with 500. The exit status is 1 where a later task took longer
than --most milliseconds.
"""

import argparse
import contextlib
import pathlib
import shutil
import sys
import tempfile
import time

import pymongo

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

from playwright.sync_api import sync_playwright  # noqa: E402
from processes import Daemon, Sim, started  # noqa: E402

OBSERVE = """
window.tasks = [];
new PerformanceObserver(list => {
  for (const each of list.getEntries()) window.tasks.push([Math.round(each.startTime), Math.round(each.duration)]);
}).observe({type: "longtask", buffered: true});
"""


def send(daemon, findings):
    with pymongo.MongoClient("127.0.0.1", daemon.port, appname="bench") as client:
        for number in range(findings):
            client["yorkie-meta"].documents.find_one({f"field_{number}": number}, comment=f"bench.py:{number}")


def load(page, daemon, rows):
    """The long tasks of that."""
    page.goto(daemon.admin + "/")
    page.wait_for_function("count => document.querySelectorAll('#findings .list > li').length >= count", arg=rows)
    page.wait_for_timeout(500)
    return page.evaluate("window.tasks")


def look(page, daemon, findings, seconds):
    load(page, daemon, min(findings, 500))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        send(daemon, findings // 10)
        for key in ("j", "j", "Enter", "/", "field_4", "Escape"):
            page.keyboard.type(key) if "_" in key else page.keyboard.press(key)
            page.wait_for_timeout(200)
        page.locator("#findings select").first.select_option("count")
        page.locator("#filter").fill("")
        page.locator("#findings select").first.select_option("worst")
        for button in ("1 h", "Mark now", "24 h"):
            page.get_by_role("button", name=button, exact=True).click()
            page.wait_for_timeout(200)
        page.wait_for_timeout(500)
    return page.evaluate("window.tasks")


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--findings", type=int, default=500)
    asked.add_argument("--seconds", type=float, default=15)
    asked.add_argument("--most", type=int, default=50)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as directory, contextlib.contextmanager(started)(directory) as start, \
            sync_playwright() as playwright:
        daemon = start(Daemon, start(Sim).address)
        send(daemon, options.findings)
        time.sleep(2)  # the digest is sent once a second
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.add_init_script(OBSERVE)
        print(f"the first page: {load(page, daemon, min(options.findings, 500))}")
        tasks = look(page, daemon, options.findings, options.seconds)
        browser.close()
    longest = max((duration for _, duration in tasks), default=0)
    print(f"{options.findings} findings: {len(tasks)} tasks longer than 50 ms, the longest {longest} ms: {tasks}")
    return 1 if longest > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
