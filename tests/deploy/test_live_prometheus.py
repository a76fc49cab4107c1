"""A real Prometheus scrapes a real daemon: alerts fire where they should, and the dashboard's
expressions have answers."""

import contextlib
import re
import shutil
import subprocess
import threading

import pymongo
import pytest
from bson import Int64, ObjectId

from documents import load_json
from processes import Daemon, Sim, program_path
from prometheus_server import Prometheus
from waiting import PATIENCE, wait_until

pytestmark = pytest.mark.skipif(shutil.which("prometheus") is None, reason="Prometheus isn't here")

MAINTENANCE = {"name": "maintenance", "match": {"namespace": "yorkie-meta.clients", "app": "maintenance"},
               "action": "accept", "why": "reads everything"}
PROJECT = ObjectId("5" * 24)


@pytest.fixture
def catalog(tmp_path):
    """The simulator's, with its chunks: only then fan-outs are known."""
    path = tmp_path / "catalog.yaml"
    path.write_text(subprocess.run(
        [program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"), "--preset", "yorkie", "--shards", "3",
         "--print-catalog"], check=True, capture_output=True, text=True).stdout)
    return path


@pytest.fixture
def daemon(start, catalog):
    return start(Daemon, start(Sim).address, catalog={"source": str(catalog)}, rules=[MAINTENANCE],
                 verify={"self_check": "on", "interval": "1s"})


@pytest.fixture
def prometheus(start, daemon):
    return start(Prometheus, [daemon.admin.removeprefix("http://")])


@contextlib.contextmanager
def traffic(daemon, *rounds):
    """Sends the rounds repeatedly, concurrently with the body of the with statement."""
    enough = threading.Event()
    failures = []

    def send():
        try:
            with contextlib.ExitStack() as stack:
                clients = {app: stack.enter_context(pymongo.MongoClient(
                    "127.0.0.1", daemon.port, appname=app)) for app in ("app", "maintenance")}
                while not enough.wait(0.05):
                    for each in rounds:
                        each(clients)
        except Exception as failure:  # the test's thread raises it
            failures.append(failure)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        enough.set()
        sender.join(PATIENCE)
    if failures:
        raise failures[0]


def routed(clients):
    meta = clients["app"]["yorkie-meta"]
    meta.clients.find_one({"project_id": PROJECT, "_id": ObjectId()})
    meta.documents.find_one({"project_id": PROJECT})


def careless(clients):
    clients["app"]["yorkie-meta"].documents.find_one({"key": "k"})


def maintenance(clients):
    clients["maintenance"]["yorkie-meta"].clients.find_one({"status": "activated"})


def unjudgeable(clients):
    with contextlib.suppress(pymongo.errors.OperationFailure):
        clients["app"]["yorkie-meta"].command("getMore", Int64(4711), collection="documents")


def test_nothing_fires_while_all_is_well(prometheus, daemon):
    def names():
        # A busy machine may judge slowly.
        return {each["labels"]["alertname"] for each in prometheus.api("alerts")["alerts"]
                if each["state"] == "firing"} - {"ScattergateInspectionSlow"}
    # Longer than the alerts' `for`: without clients, then with normal traffic.
    prometheus.await_data("count_over_time(up[1m]) >= 8")
    assert names() == set()
    with traffic(daemon, routed, maintenance):
        prometheus.await_data("count_over_time(up[1m]) >= 16")
        prometheus.await_data('db_collection:scattergate_commands:rate5m{collection="clients"} > 1')
        assert names() == set()


def test_an_alert_fires_on_a_burst_of_scatters_and_not_on_accepted_ones(prometheus, daemon):
    name = "ScattergateScatterRatioHigh"
    with traffic(daemon, routed, maintenance):
        # More than the alert waits for, all of it accepted.
        wait_until(lambda: daemon.metrics().total(
            "scattergate_findings_total", collection="clients", action="accepted") >= 100, "accepted scatters")
        prometheus.await_data('db_collection:scattergate_commands:rate5m{collection="clients"} > 1')
        with traffic(daemon, careless):
            fired = prometheus.await_alert(name, db="yorkie-meta", collection="documents")
        # They scattered all the time, and more of them.
        assert {each["labels"]["collection"] for state in ("pending", "firing")
                for each in prometheus.alerts(name, state)} <= {"documents"}
        assert daemon.metrics().total("scattergate_findings_total", collection="clients") > 100
        wait_until(lambda: not prometheus.alerts(name), "the alert to end after the burst")
    assert re.fullmatch(r"[\d.]+% of the commands on yorkie-meta\.documents scatter",
                        fired["annotations"]["summary"])


def test_an_alert_fires_where_no_one_answers(prometheus, daemon):
    instance = daemon.admin.removeprefix("http://")
    prometheus.await_data(f'up{{job="scattergate",instance="{instance}"}} == 1')
    assert daemon.stop() == 0
    fired = prometheus.await_alert("ScattergateDown", instance=instance)
    assert fired["annotations"]["summary"] == f"{instance} can't be scraped"


def test_alerts_fire_where_the_cluster_is_gone(start):
    sim = start(Sim)
    daemon = start(Daemon, sim.address, catalog={"source": "mongos", "refresh": "1s"})
    prometheus = start(Prometheus, [daemon.admin.removeprefix("http://")])
    prometheus.await_data("scattergate_catalog_last_success_timestamp_seconds > 0")
    with pymongo.MongoClient("127.0.0.1", daemon.port) as client:
        client.admin.command("ping")
        prometheus.await_data("scattergate_upstream_active == 1")
        assert sim.stop() == 0
        # The driver tries to connect again and again.
        down = prometheus.await_alert("ScattergateUpstreamDown", listener=daemon.address)
    stale = prometheus.await_alert("ScattergateCatalogStale")
    assert down["annotations"]["summary"].startswith(f"No mongos behind {daemon.address} of ")
    assert stale["annotations"]["summary"].startswith("The catalog of ")
    assert not prometheus.alerts("ScattergateDown")


def expressions():
    """(panel, expression) of the dashboard, with its variables' values in place."""
    values = {"instance": ".*", "db": ".*", "collection": "documents|clients", "scattering": "documents",
              "__rate_interval": "15s", "__range": "1h"}
    dashboard = load_json("deploy/grafana/dashboard.json")
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], re.sub(r"\$(\w+)", lambda match: values[match[1]], target["expr"])
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["name"], re.sub(r"\$(\w+)", lambda match: values[match[1]], annotation["expr"])
    for variable in dashboard["templating"]["list"]:
        asked = re.fullmatch(r"label_values\((.*), (\w+)\)", variable.get("definition", ""))
        if asked:
            any_value = re.sub(r"\$(\w+)", ".*", asked[1])
            yield variable["name"], f"group by ({asked[2]}) ({any_value})"


def test_every_rule_and_every_panel_has_an_answer(prometheus, daemon):
    with traffic(daemon, routed, careless, maintenance, unjudgeable):
        for title, expression in expressions():
            # Where a panel shows only some values, there is at least another to hide.
            prometheus.await_data(re.sub(r" (?:> 0|== [01])$", "", expression))
            prometheus.query(expression)
        rules = wait_until(
            lambda: all(rule["health"] != "unknown" for rule in prometheus.rules()) and prometheus.rules(),
            "all rules to be evaluated")
    assert {rule["name"]: rule.get("lastError") for rule in rules if rule["health"] != "ok"} == {}
