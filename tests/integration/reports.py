"""Running `scattergate report`, and reading what it says."""

import json
import subprocess

from processes import ROOT, clean_environment, program_path

REAL = ROOT / "tests" / "real"
CATALOG = REAL / "traffic-catalog.yaml"


def report(*arguments, status=0, catalog=CATALOG, **options):
    judged_by = ["--catalog", catalog] if catalog else []
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "report", *judged_by, *arguments],
        capture_output=True, env=clean_environment(), timeout=120, **options)
    assert done.returncode == status, done.stderr
    return done


def reported(*sources, **options):
    return json.loads(report(*sources, "--format", "json", **options).stdout)
