"""The recipes of the docs, and what they are run over: what a daemon wrote of known traffic."""

import json
import os
import re
import subprocess

import pymongo
import pytest

from documents import ROOT
from processes import Daemon, Sim
from waiting import wait_until

RULES = [
    {"name": "maintenance", "match": {"namespace": "yorkie-meta.clients"}, "action": "accept", "why": "reads everything"},
    {"name": "strict", "match": {"namespace": "yorkie-meta.revisions"}, "action": "reject"},
]
OBSERVED, ACCEPTED, REJECTED = 7, 5, 2
NOT_ACCEPTED = {"documents": OBSERVED, "revisions": REJECTED}
EVERYTHING = {**NOT_ACCEPTED, "clients": ACCEPTED}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.M | re.S)
INLINE = re.compile(r"`(jq [^`]+|sum by [^`]+)`")


def commands_in(block):
    """The shell commands of a block, those over several lines whole."""
    command = ""
    for line in block.splitlines():
        if not command and (not line.strip() or line.lstrip().startswith("#")):
            continue
        command += re.sub(r"  +#.*$", "", line) + "\n"
        if command.count("'") % 2 == 0 and not line.rstrip().endswith(("|", "\\")):
            yield command.strip()
            command = ""


def expressions_in(block):
    """The PromQL or LogQL expressions of a block, parted by blank lines and comments."""
    text = re.sub(r"^#.*\n", "\n", block, flags=re.M)
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def recipes():
    """(page, kind, text) of each."""
    for page in PAGES:
        text = page.read_text()
        for language, block in BLOCK.findall(text):
            name = page.name
            if language in ("promql", "logql"):
                yield from ((name, language, each) for each in expressions_in(block))
            elif language in ("sql", "js") and "param." in block:
                yield name, language, block.strip()
            elif name == "metrics.md" and "rate(" in block:
                yield from ((name, "promql", each) for each in expressions_in(block))
            elif language in ("", "sh"):
                yield from ((name, "shell", each) for each in commands_in(block)
                            if re.match(r"(tail\b.*\| *)?jq |duckdb |mongoimport ", each))
        for inline in INLINE.findall(BLOCK.sub("", text)):
            yield page.name, "shell" if inline.startswith("jq") else "promql", inline


ALL = list(recipes())


def of(page, kind):
    return [text for name, each, text in ALL if (name, each) == (page, kind)]


def write(directory):
    """The audit log, by the name that the docs give it, and /metrics."""
    sim = Sim(directory)
    daemon = Daemon(directory, sim.address, rules=RULES, audit={"interval": "100ms"},
                    catalog={"source": "mongos", "refresh": "1s"})
    try:
        daemon.await_line(r'"id":7001\b')  # every worker has the catalog
        with pymongo.MongoClient("127.0.0.1", daemon.port, appname="app") as client:
            meta = client["yorkie-meta"]
            for sent in range(1, OBSERVED + 1):  # one by one, so that there are several lines
                meta.documents.find_one({"key": "k"})
                wait_until(lambda: sum(line["param"]["count"] for line in daemon.audit()) == sent, "its line")
            for _ in range(ACCEPTED):
                meta.clients.find_one({"status": "activated"})
            for _ in range(REJECTED):
                with pytest.raises(pymongo.errors.OperationFailure):
                    meta.revisions.find_one({"label": "x"})
        daemon.await_quiet()
        (directory / "metrics").write_text(daemon.metrics().text)
    finally:
        daemon.stop()
        sim.stop()
    text = daemon.audit_path.read_text()
    (directory / "audit.json").write_text(text)
    assert len(text.splitlines()) > 4, "more lines than findings, or counting them would do"
    return directory


def run(written, command, **environment):
    command = command.replace("DB.COLLECTION", "yorkie-meta.documents")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=written, capture_output=True, text=True,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def counts(rows):
    return {row[1].removeprefix("yorkie-meta."): int(row[0]) for row in rows}


def aggregate(client):
    """The counts of the aggregation in audit.md."""
    script, = of("audit.md", "js")
    pipeline = json.loads(re.search(r"aggregate\((.*)\)$", script, re.S)[1])
    return counts([row["commands"], row["_id"]["ns"]] for row in client.audit.findings.aggregate(pipeline))
