"""A real Prometheus over made-up time: a daemon's scrape is where ten minutes ended in which each counter
grew evenly from 0, and each gauge stood still. So what a query answers at the end follows from the scrape."""

import re
import subprocess
import time

from metrics import LABEL, SAMPLE
from prometheus_server import PrometheusProcess

STEP = 15  # seconds between samples
MINUTES = 10
TARGET = 'job="scattergate",instance="daemon:19216"'


def at_end(text, up=True):
    """The scrape with the labels that Prometheus adds: (name, labels, value, is it a counter's?)."""
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    rows = [("up", TARGET, 1.0, False)] if up else []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        family = re.sub(r"_(bucket|sum|count)$", "", name)
        grows = kinds.get(name, kinds.get(family)) in ("counter", "histogram")
        rows.append((name, f"{labels},{TARGET}" if labels else TARGET, float(value), grows))
    return rows


def as_openmetrics(rows, end):
    """The ten minutes, as promtool makes blocks of them."""
    lines = []
    steps = MINUTES * 60 // STEP
    for name in dict.fromkeys(row[0] for row in rows):
        lines.append(f"# TYPE {name} unknown")
        for _, labels, value, grows in (row for row in rows if row[0] == name):
            for step in range(steps + 1):
                now = value * step / steps if grows else value
                lines.append(f"{name}{{{labels}}} {now!r} {end - (steps - step) * STEP}")
    return "\n".join([*lines, "# EOF", ""])


class SampledPrometheus(PrometheusProcess):
    """Answers queries at the end of the ten minutes."""

    def __init__(self, directory, text, name="sampled-prometheus"):
        self.end = int(time.time()) // STEP * STEP
        (directory / "samples").write_text(as_openmetrics(at_end(text), self.end))
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", "samples", "tsdb"],
                       cwd=directory, check=True, capture_output=True)
        (directory / "empty.yml").write_text("global: {}\n")
        super().__init__(directory, directory / "empty.yml", name)

    def query(self, expression):
        """{labels as sorted pairs: value}."""
        said = self.api("query", query=expression, time=self.end)["result"]
        return {tuple(sorted((k, v) for k, v in each["metric"].items() if k != "__name__")):
                float(each["value"][1]) for each in said}


def labels_of(text):
    return dict(LABEL.findall(text))
