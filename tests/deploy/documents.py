"""The files under test, and what they may name."""

import json
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"

FAMILY = re.compile(r"\b((?:scattergate|process)_[a-z0-9_]+)")
SELECTOR = re.compile(r"\{[^{}]*\}")


def load_yaml(path):
    return yaml.safe_load((ROOT / path).read_text())


def load_all_yaml(path):
    return list(yaml.safe_load_all((ROOT / path).read_text()))


def load_json(path):
    return json.loads((ROOT / path).read_text())


def documented_families():
    """{name: type} of docs/metrics.md, which a test of telemetry holds to the code."""
    rows = re.findall(r"^\| `(\w+)[^`]*` \| (\w+) \|", (ROOT / "docs/metrics.md").read_text(), re.M)
    assert len(rows) > 30
    return dict(rows)


def families_of(expression):
    """The families that a PromQL expression names, labels left out."""
    bare = SELECTOR.sub("", expression)
    # A recording rule's name has colons; its middle part looks like a family.
    bare = re.sub(r"\b\w*:[\w:]+", "", bare)
    return set(FAMILY.findall(bare))


def unknown_families(expression):
    """Those that no daemon has: a histogram has three series names and no plain one."""
    series = set()
    for name, kind in documented_families().items():
        series |= {f"{name}_{part}" for part in ("bucket", "sum", "count")} if kind == "histogram" else {name}
    return families_of(expression) - series
