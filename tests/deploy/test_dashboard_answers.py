"""Compares each panel of the dashboard with sums over a daemon's scrape."""

import re
import shutil
import subprocess

import pymongo
import pytest
from bson import Int64, ObjectId

from documents import load_json
from metrics import Metrics
from processes import Daemon, Sim, program_path
from sampled_prometheus import MINUTES, SampledPrometheus, at_end, labels_of

pytestmark = pytest.mark.skipif(shutil.which("prometheus") is None, reason="Prometheus isn't here")

DASHBOARD = load_json("deploy/grafana/dashboard.json")
VALUES = {"instance": ".*", "db": ".*", "collection": ".*", "scattering": "documents", "__rate_interval": "5m",
          "__range": "1h"}
RATE = 1 / (MINUTES * 60)  # a second, of what the ten minutes have counted
FIVE_MINUTES = 5 / MINUTES
LINTS = {"unique_index_without_key", "shard_key_update", "ambiguous_id", "logical_shard_fanout"}
MAINTENANCE = {"name": "maintenance", "match": {"namespace": "yorkie-meta.clients", "app": "maintenance"},
               "action": "accept", "why": "reads everything"}


@pytest.fixture(scope="module")
def scrape(tmp_path_factory):
    """/metrics of a daemon behind which something of everything has happened."""
    directory = tmp_path_factory.mktemp("scraped")
    catalog = directory / "catalog.yaml"
    catalog.write_text(subprocess.run(
        [program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"), "--preset", "yorkie", "--shards", "3",
         "--print-catalog"], check=True, capture_output=True, text=True).stdout)
    sim = Sim(directory)
    daemon = Daemon(directory, sim.address, catalog={"source": str(catalog)}, rules=[MAINTENANCE])
    try:
        send(daemon.port)
        daemon.await_quiet()
        return daemon.metrics().text
    finally:
        daemon.stop()
        sim.stop()


def send(port):
    project = ObjectId("5" * 24)
    for app in ("app", "maintenance"):
        with pymongo.MongoClient("127.0.0.1", port, appname=app) as client:
            meta = client["yorkie-meta"]
            if app == "maintenance":
                for _ in range(5):
                    meta.clients.find_one({"status": "activated"})
                continue
            for _ in range(30):
                meta.clients.find_one({"project_id": project, "_id": ObjectId()})
            for _ in range(12):
                meta.documents.find_one({"key": "k"})
            for _ in range(3):
                with pytest.raises(pymongo.errors.OperationFailure):
                    meta.command("getMore", Int64(4711), collection="documents")


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory, scrape):
    if shutil.which("promtool") is None:
        pytest.skip("promtool isn't here")
    started = SampledPrometheus(tmp_path_factory.mktemp("tsdb"), scrape)
    yield started
    started.stop()


class Sums:
    """Of a scrape with the labels of its target."""

    def __init__(self, text):
        self._rows = [(name, labels_of(labels), value) for name, labels, value, _ in at_end(text)]

    def of(self, name, by=(), scale=1.0, keep=lambda labels: True):
        found = {}
        for each, labels, value in self._rows:
            if each == name and keep(labels):
                key = tuple(sorted((k, labels[k]) for k in by if labels.get(k)))
                found[key] = found.get(key, 0.0) + value * scale
        return found

    def max_of(self, name, by=(), keep=lambda labels: True):
        found = {}
        for each, labels, value in self._rows:
            if each == name and keep(labels):
                key = tuple(sorted((k, labels[k]) for k in by if labels.get(k)))
                found[key] = max(found.get(key, value), value)
        return found

    def one(self, name, **options):
        return sum(self.of(name, **options).values())


def is_routed(labels):
    return labels["routing"] != "not_routed"


def is_open(labels):
    return (labels["action"] not in ("accepted", "rejected", "throttled") and labels["reason"] not in LINTS
            and not labels["action"].startswith("would_"))


def is_accepted(labels):
    return labels["action"] == "accepted"


def positive(found):
    return {key: value for key, value in found.items() if value > 0}


def share(part, whole):
    return {key: part[key] / value for key, value in whole.items() if key in part and value > 0}


def alone(value):
    return {(): value}


def quantile(sums, name, of, by):
    """histogram_quantile of each group, linear within its bucket, as Prometheus documents it."""
    groups = {}
    for key, count in sums.of(name, (*by, "le")).items():
        labels = dict(key)
        bound = float(labels.pop("le"))
        groups.setdefault(tuple(sorted(labels.items())), []).append((bound, count))
    answers = {}
    for key, buckets in groups.items():
        buckets.sort()
        rank = of * buckets[-1][1]
        if buckets[-1][1] == 0:
            continue
        below = (0.0, 0.0)
        for bound, count in buckets:
            if count >= rank:
                answers[key] = below[0] if bound == float("inf") else (
                    below[0] + (bound - below[0]) * (rank - below[1]) / (count - below[1]))
                break
            below = (bound, count)
    return answers


COMMANDS, FINDINGS = "scattergate_commands_total", "scattergate_findings_total"
PAIR = ("db", "collection")


def rates(name, *by):
    return lambda sums: sums.of(name, by, RATE)


def grown(name, *by):
    return lambda sums: sums.of(name, by, FIVE_MINUTES)


def now(name, *by):
    return lambda sums: sums.of(name, by)


def itself(name):
    return lambda sums: sums.of(name, ("job", "instance"))


def ratio(name, keep):
    return lambda sums: alone(sums.one(name, keep=keep) / sums.one(COMMANDS, keep=is_routed))


# panel -> what each of its queries answers, from the sums
ANSWERS = {
    "Commands": [lambda s: alone(s.one(COMMANDS, scale=RATE, keep=is_routed))],
    "Scattering": [ratio(FINDINGS, is_open)],
    "Accepted": [ratio(FINDINGS, is_accepted)],
    "Shapes with findings": [lambda s: alone(s.one("scattergate_new_shapes_total"))],
    "Instances": [lambda s: alone(1.0), lambda s: alone(1.0)],
    "Unread": [lambda s: alone(s.one("scattergate_uninspected_messages_total") / s.one(COMMANDS))],
    "Commands by class": [lambda s: s.of(COMMANDS, ("routing",), RATE, is_routed)],
    "Scatter share by collection": [lambda s: share(s.of(FINDINGS, PAIR, keep=is_open), s.of(COMMANDS, PAIR))],
    "$scattering": [lambda s: s.of(COMMANDS, ("routing",), RATE,
                                   lambda labels: labels["collection"] == "documents")],
    "Top findings": [lambda s: s.of(FINDINGS, (*PAIR, "command", "reason", "action"))],
    "Findings by action": [rates(FINDINGS, "action")],
    "Fan-out": [grown("scattergate_fanout_shards_bucket", "le")],
    "Shapes with findings, by collection": [lambda s: s.max_of("scattergate_new_shapes_total", PAIR)],
    "Reply time by class, 99th percentile": [
        lambda s: quantile(s, "scattergate_command_duration_seconds_bucket", 0.99, ("routing",))],
    "Reply time by class, median": [
        lambda s: quantile(s, "scattergate_command_duration_seconds_bucket", 0.5, ("routing",))],
    "Judging a command, 99th percentile": [
        lambda s: quantile(s, "scattergate_inspect_seconds_bucket", 0.99, ("instance",))],
    "Errors of mongos, by name": [
        lambda s: positive(s.of("scattergate_command_errors_total", ("command", "code_name"), RATE))],
    "Connections": [now("scattergate_connections", "instance"), now("scattergate_upstream_connections", "instance")],
    "Connections closed, by reason": [
        lambda s: positive(s.of("scattergate_connections_closed_total", ("reason",), RATE))],
    "Mongos in use": [lambda s: positive(s.max_of("scattergate_upstream_active", ("instance", "listener", "upstream"))),
                      lambda s: {key: value for key, value in s.max_of(
                          "scattergate_upstream_active", ("instance", "listener")).items() if value == 0}],
    "Mongos failures": [
        rates("scattergate_upstream_connect_failures_total", "instance"),
        rates("scattergate_upstream_failovers_total", "instance"),
        lambda s: s.of("scattergate_upstream_health_checks_total", ("instance",), RATE,
                       lambda labels: labels["result"] == "failed")],
    "Bytes": [rates("scattergate_request_bytes_total"), rates("scattergate_reply_bytes_total")],
    "Open cursors": [now("scattergate_cursors", "instance")],
    "Messages forwarded unread, by reason": [
        lambda s: positive(s.of("scattergate_uninspected_messages_total", ("reason",), RATE))],
    "Framing errors, by reason": [lambda s: positive(s.of("scattergate_wire_errors_total", ("reason",), RATE))],
    "Commands of unknown routing": [
        lambda s: s.of(COMMANDS, (*PAIR, "command"), RATE, lambda labels: labels["routing"] == "unknown")],
    "Age of the catalog": [None],  # below
    "Size of the catalog": [lambda s: alone(s.one("scattergate_catalog_collections")),
                            lambda s: alone(s.one("scattergate_catalog_chunks"))],
    "Loads that failed": [grown("scattergate_catalog_load_failures_total", "instance"),
                          grown("scattergate_config_reload_failures_total", "instance")],
    "State of the catalog": [lambda s: positive(s.max_of("scattergate_catalog_state", ("instance", "state")))],
    "Self-checks": [grown(f"scattergate_verify_{word}_total") for word in ("agreed", "disagreed", "failed")],
    "Lines written": [rates("scattergate_audit_lines_total", "instance")],
    "Findings not written yet": [now("scattergate_audit_outstanding_findings", "instance")],
    "Failed writes, overflowing findings": [grown("scattergate_audit_write_failures_total", "instance"),
                                       grown("scattergate_audit_overflow_total", "instance")],
    "CPU": [lambda s: s.of("process_cpu_seconds_total", ("job", "instance"), RATE)],
    "Resident memory": [itself("process_resident_memory_bytes")],
    "File descriptors in use": [lambda s: {key: value / s.one("process_max_fds") for key, value in
                                           s.of("process_open_fds", ("job", "instance")).items()}],
}
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def filled_in(expression):
    return re.sub(r"\$(\w+)", lambda match: VALUES[match[1]], expression)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_answers_what_was_counted(prometheus, scrape, panel):
    answers = ANSWERS[panel["title"]]
    assert len(answers) == len(panel["targets"])
    for target, answer in zip(panel["targets"], answers):
        found = prometheus.query(filled_in(target["expr"]))
        if answer is None:  # the age of what was loaded when the daemon began
            loaded = Metrics(scrape).total("scattergate_catalog_loaded_timestamp_seconds")
            assert list(found.values()) == [pytest.approx(prometheus.end - loaded, abs=1)]
            continue
        expected = answer(Sums(scrape))
        assert found == pytest.approx(expected, rel=1e-6), target["expr"]


def test_the_traffic_is_what_panels_say(prometheus):
    """The sums above, once from what was sent."""
    def answers(title):
        panel = next(panel for panel in PANELS if panel["title"] == title)
        return prometheus.query(filled_in(panel["targets"][0]["expr"]))
    findings = {(dict(key)["collection"], dict(key)["action"]): value for key, value in answers("Top findings").items()}
    assert findings == {("documents", "observed"): pytest.approx(12), ("clients", "accepted"): pytest.approx(5)}
    assert answers("Scattering")[()] == pytest.approx(12 / (12 + 5 + 30 + 3))
    assert answers("Accepted")[()] == pytest.approx(5 / (12 + 5 + 30 + 3))
    assert [dict(key)["state"] for key in answers("State of the catalog")] == ["file"]


def test_only_collections_that_scatter_are_repeated(prometheus):
    variable = next(each for each in DASHBOARD["templating"]["list"] if each["name"] == "scattering")
    asked = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["definition"])
    found = prometheus.query(f"group by ({asked[2]}) ({filled_in(asked[1])})")
    assert {dict(key)["collection"] for key in found} == {"documents", "clients"}
    assert {panel.get("repeat") for panel in PANELS} == {None, "scattering"}


@pytest.mark.parametrize("title", ["Mongos in use", "State of the catalog", "Instances"])
def test_one_is_green_where_a_panel_reports_a_state(title):
    defaults = next(panel for panel in PANELS if panel["title"] == title)["fieldConfig"]["defaults"]
    assert defaults["color"] == {"mode": "thresholds"}
    assert defaults["thresholds"]["steps"] == [{"color": "red", "value": None}, {"color": "green", "value": 1}]
    for mapping in defaults.get("mappings", []):
        assert mapping["options"]["1"]["color"] == "green"
