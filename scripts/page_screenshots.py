"""Pictures of the page at the admin address for docs/: see scripts/page-screenshots."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/integration"))

from playwright.sync_api import sync_playwright  # noqa: E402
from processes import Daemon, Sim, program_path, started  # noqa: E402

MOST_BYTES = 200_000
PICTURES = [("page-light.png", "light", 1280, 860), ("page-dark.png", "dark", 1280, 860), ("page-narrow.png", "light", 390, 1000)]


@contextlib.contextmanager
def demo_traffic(daemon):
    """Until it is left."""
    traffic = subprocess.Popen(
        [program_path("SCATTERGATE_BIN", "scattergate").parent / "scattergate-demo",
         "--operations", "100000000", "--seconds", "120"],
        env={**os.environ, "SCATTERGATE_DEMO_URI": f"mongodb://127.0.0.1:{daemon.port}/"},
        stdout=subprocess.DEVNULL)
    yield
    traffic.kill()
    traffic.wait()


def daemon_of(start, directory):
    """One that knows the chunks, with the preset's rules; its last reload has failed."""
    sim = program_path("SCATTERGATE_SIM_BIN", "scattergate-sim")
    catalog = subprocess.run([sim, "--shards", "3", "--preset", "yorkie", "--print-catalog"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    preset = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "catalog", "preset:yorkie"],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    (directory / "catalog.yaml").write_text(catalog + preset[preset.index("\nrules:") + 1:])
    daemon = start(Daemon, start(Sim).address, catalog={"source": str(directory / "catalog.yaml")})
    daemon.config_path.write_text("listners: []")
    daemon.signal(signal.SIGHUP)
    return daemon


def take(chromium, daemon, folder):
    for name, scheme, width, height in PICTURES:
        page = chromium.new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        page.goto(daemon.admin + "/")
        page.locator("#findings .cost").first.wait_for()
        page.wait_for_timeout(12_000)  # for rates, which take two answers
        page.locator(".mark.fine", has_text="live").wait_for()
        page.screenshot(path=folder / name)
        page.close()
        size = (folder / name).stat().st_size
        print(f"{folder / name}: {size} bytes")
        if size > MOST_BYTES:
            sys.exit(f"{name} is too large")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    with tempfile.TemporaryDirectory() as directory, contextlib.contextmanager(started)(directory) as start, \
            sync_playwright() as playwright:
        daemon = daemon_of(start, pathlib.Path(directory))
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with demo_traffic(daemon):
            take(chromium, daemon, folder)
        chromium.close()


if __name__ == "__main__":
    main()
