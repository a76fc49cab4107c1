"""The demo's final report: how mongos routed the traffic, what scattered, and what to add.

Reads what every user of scattergate has: the text of /metrics and the lines of the audit log
(docs/metrics.md, docs/audit.md). Compares its count of commands with the driver's.
"""

import argparse
import collections
import dataclasses
import json
import re
import sys
import textwrap
import time
import urllib.error
import urllib.request

CLASSES = ["single_shard", "multi_shard", "scatter_gather", "unsharded", "unknown"]
WIDTH = 96
INDENT = "   "

SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)"')
ESCAPED = re.compile(r"\\(.)")


def unescape(label):
    return ESCAPED.sub(lambda match: "\n" if match[1] == "n" else match[1], label)


def parse_metrics(text):
    """The samples of Prometheus's text format: [(name, labels, value)]."""
    samples = []
    for line in text.splitlines():
        match = SAMPLE.match(line)
        if match is None:
            continue
        name, labels, value = match.groups()
        pairs = {key: unescape(raw) for key, raw in LABEL.findall(labels or "")}
        samples.append((name, pairs, float(value)))
    return samples


@dataclasses.dataclass
class Finding:
    """All audit lines of one finding together."""

    param: dict  # of one of its lines: what is the same in all of them
    count: int = 0
    callers: collections.Counter = dataclasses.field(default_factory=collections.Counter)


def parse_audit(text):
    """The findings of an audit log, most frequent first. Cut-off last lines are left out."""
    findings = {}
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry.get("atype") != "scattergate.finding":
            continue
        param = entry["param"]
        same = ("ns", "command", "shapeHash", "reason", "action", "rule")
        finding = findings.setdefault(tuple(param[key] for key in same), Finding(param))
        finding.count += param["count"]
        for caller in param["callers"]:
            who = caller.get("appName", "others" if caller.get("other") else "unnamed")
            finding.callers[who, caller.get("comment", "")] += caller["count"]
    return sorted(findings.values(), key=lambda each: (-each.count, each.param["shapeHash"]))


def plural(count, word):
    """'1 shard', '2 shards'"""
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def table(rows):
    """Aligned columns: the first to the left, numbers to the right."""
    texts = [[cell if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in texts) for i in range(len(texts[0]))]
    lines = []
    for row in texts:
        cells = [row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    return lines


def count_by_class(samples):
    """{namespace: Counter of classes} of the commands that mongos routes."""
    counts = collections.defaultdict(collections.Counter)
    for name, labels, value in samples:
        if name == "scattergate_commands_total" and labels["routing"] != "not_routed":
            counts[f"{labels['db']}.{labels['collection']}"][labels["routing"]] += int(value)
    return dict(sorted(counts.items()))


def routing_table(counts):
    """One row a collection, one column a class; `unknown` only if there is any."""
    total = sum(counts.values(), collections.Counter())
    classes = [each for each in CLASSES if each != "unknown" or total[each]]
    rows = [["collection", *classes, "commands"]]
    for ns, by_class in [*counts.items(), ("all", total)]:
        rows.append([ns, *(by_class[each] or "-" for each in classes), by_class.total()])
    lines = table(rows)
    rule = "-" * max(map(len, lines))
    return [lines[0], rule, *lines[1:-1], rule, lines[-1]]


def paragraph(text):
    return textwrap.wrap(text, WIDTH - len(INDENT))


def cost(samples, counts, findings):
    """The cost of the scattered commands for the shards."""
    commands = sum(each.total() for each in counts.values())
    scattered = sum(each.count for each in findings)
    if scattered == 0:
        return ["Nothing scattered."]
    text = f"{scattered:,} of {plural(commands, 'command')} ({scattered / commands:.1%}) scattered. "
    requests = sum(each.count * len(each.param["fanout"] or []) for each in findings)
    if requests > scattered:
        text += f"They sent {requests:,} requests to the shards instead of {scattered:,}. "
    batches = sum(int(value) for name, labels, value in samples
                  if name == "scattergate_commands_total" and labels["command"] == "getMore"
                  and labels["routing"] == "scatter_gather")
    if batches:
        text += (f"(The table's other {batches:,} scatters are getMores: they fetch further batches of "
                 "these queries and aren't findings.)")
    return paragraph(text)


def comparison(samples, counts, traffic):
    """Whether what scattergate counted is what the driver says it sent."""
    sent = sum(each["count"] for each in traffic["commands"] if each["collection"])
    counted = sum(each.total() for each in counts.values())
    others = sum(int(value) for name, labels, value in samples
                 if name == "scattergate_commands_total" and labels["routing"] == "not_routed")
    verdict = "equal" if sent == counted else "NOT equal"
    return paragraph(f"Commands counted by scattergate: {counted:,}; sent by the driver: {sent:,}; {verdict}. "
                     f"({plural(others, 'other command')}, such as handshakes, are not routed: mongos "
                     "answers them itself.)")


def in_shell_style(value):
    """JSON as it is written in mongosh: {project_id: ?objectId}"""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {in_shell_style(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_shell_style, value)) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def query_of(param):
    """The part of the shape that decides where the command goes."""
    shape = param["shape"] or {}
    for name in ("filter", "query", "pipeline"):
        if name in shape:
            return in_shell_style(shape[name])
    statements = shape.get("updates") or shape.get("deletes") or []
    return " and ".join(in_shell_style(each.get("q", {})) for each in statements)


def sources(finding):
    """The sender, and its place in the code: '"search.go: Find" of yorkie-admin'"""
    names = []
    for (app, comment), _ in finding.callers.most_common(3):
        names.append(f'"{comment}" of {app}' if comment else app)
    return ", ".join(names)


def field(name, text):
    """`name      text`, with the text folded behind the name."""
    if not text:
        return []
    start = INDENT + f"{name:<10}"
    return textwrap.wrap(text, WIDTH - len(INDENT), initial_indent=start,
                         subsequent_indent=" " * len(start), break_on_hyphens=False)


def asked(param):
    shards = len(param["fanout"] or [])
    if shards == 1:
        return "asked the only shard that owns chunks; with more shards it asks them all"
    return f"asked all {shards} shards" if shards else "asked every shard"


def open_finding(number, finding):
    param = finding.param
    key = in_shell_style(param["shardKey"] or {})
    missing = ", ".join(param["missing"])
    lines = [f"{number}. {param['command']} on {param['ns']}, {plural(finding.count, 'time')}: each "
             f"{asked(param)}"]
    lines += field("from", sources(finding))
    lines += field("query", query_of(param))
    lines += field("shard key", key + (f"; the query lacks {missing}" if missing else ""))
    lines += field("to do", param["suggestion"] or "")
    return lines


def accepted_finding(finding):
    param = finding.param
    lines = [f"{param['command']} on {param['ns']}, {plural(finding.count, 'time')}"]
    lines += field("from", sources(finding))
    lines += field("query", query_of(param))
    lines += field("rule", f"{param['rule']}: {param['why']}" if param["why"] else param["rule"] or "")
    return lines


class Page:
    """Sections on standard output; headings bold on a terminal."""

    def __init__(self, out):
        self.out = out
        self.bold = ("\033[1m", "\033[0m") if out.isatty() else ("", "")

    def section(self, heading, *blocks):
        start, end = self.bold
        print(f"\n{start}== {heading}{end}", file=self.out)
        for block in blocks:
            print(*((INDENT + line).rstrip() for line in block), sep="\n", file=self.out)
            if block is not blocks[-1]:
                print(file=self.out)


def write_report(samples, findings, traffic, page, top):
    counts = count_by_class(samples)
    blocks = [
        paragraph("A query that contains its collection's shard key goes to the shard that owns it. Any other "
                  "query goes to every shard (scatter-gather), and costs more with each shard you add."),
        routing_table(counts),
        cost(samples, counts, findings),
    ]
    if traffic is not None:
        blocks.append(comparison(samples, counts, traffic))
    page.section("How mongos routed the traffic", *blocks)

    accepted = [each for each in findings if each.param["action"] == "accepted"]
    others = [each for each in findings if each.param["action"] != "accepted"]
    shown = [open_finding(i, each) for i, each in enumerate(others[:top], 1)]
    if len(others) > top:
        shown.append([f"... and {len(others) - top} more, in the audit log"])
    if others:
        page.section(f"Findings: {plural(len(others), 'query shape')} that scattered", paragraph(
            "Each is one query of the application, without its values. Add the missing fields to its filter. "
            "If a query must read everything, accept it with a rule in the configuration."), *shown)
    if accepted:
        page.section("Accepted by a rule: counted and shown, but no cause for alarm",
                     *map(accepted_finding, accepted))


def fetch(url):
    """The body, read without the environment's HTTP proxies; None if it wasn't found."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=10) as reply:
            return reply.read().decode()
    except urllib.error.HTTPError:
        return None


def read_both(metrics_url, audit_file):
    """The samples and the findings, once the audit log has come up with the metrics."""
    deadline = time.monotonic() + 10
    while True:
        samples = parse_metrics(fetch(metrics_url) or "")
        with open(audit_file, encoding="utf-8") as audit:
            findings = parse_audit(audit.read())
        counted = sum(v for name, _, v in samples if name == "scattergate_findings_total")
        if counted == sum(each.count for each in findings) or time.monotonic() > deadline:
            return samples, findings
        time.sleep(0.1)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--admin", required=True, help="http://HOST:PORT of scattergate")
    options.add_argument("--audit", required=True, help="its audit log")
    options.add_argument("--listen", required=True, help="where it listens for applications")
    options.add_argument("--traffic", help="what scattergate-demo wrote by --summary")
    options.add_argument("--top", type=int, default=10, help="findings to show")
    given = options.parse_args()

    samples, findings = read_both(given.admin + "/metrics", given.audit)
    traffic = None
    if given.traffic:
        with open(given.traffic, encoding="utf-8") as file:
            traffic = json.load(file)
    page = Page(sys.stdout)
    write_report(samples, findings, traffic, page, given.top)
    places = [["metrics", f"{given.admin}/metrics"], ["audit log", given.audit],
              ["connect", f"mongodb://{given.listen}/"]]
    if fetch(given.admin + "/"):
        places.insert(0, ["page", f"{given.admin}/"])
    page.section("Where to look", [f"{name:<10}{place}" for name, place in places])


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        sys.exit(f"demo_report: {problem}")
