"""Rules, their unit tests and the runbook belong together. (promtool's own opinion: test_promtool.py.)"""

import re

import pytest

from documents import ROOT, load_yaml, unknown_families

RULES = [rule for group in load_yaml("deploy/prometheus/rules.yml")["groups"] for rule in group["rules"]]
ALERTS = [rule for rule in RULES if "alert" in rule]
RECORDS = {rule["record"] for rule in RULES if "record" in rule}
TESTS = load_yaml("deploy/prometheus/rules_test.yml")["tests"]


# The external label, or where the page is nowhere.
BASE = '{{ or $externalLabels.scattergate_runbook "https://scattergate.example/docs/runbook.md" }}'


def name_of(rule):
    return rule.get("alert") or rule["record"]


def test_names_are_unique():
    names = [name_of(rule) for rule in RULES]
    assert len(names) == len(set(names))
    assert len(ALERTS) >= 15


@pytest.mark.parametrize("alert", ALERTS, ids=name_of)
def test_an_alert_says_how_bad_it_is_and_where_to_read_on(alert):
    assert re.fullmatch(r"Scattergate([A-Z][a-z]+)+", alert["alert"])
    assert alert["labels"]["severity"] in ("critical", "warning", "info")
    annotations = alert["annotations"]
    assert annotations["runbook_url"] == f"{BASE}#{alert['alert'].lower()}"
    assert 10 < len(annotations["summary"]) < 120
    assert len(annotations["description"]) > 40


def test_the_runbook_has_one_section_for_each_alert_in_the_same_order():
    sections = re.findall(r"^## (Scattergate.+)$", (ROOT / "docs/runbook.md").read_text(), re.M)
    assert sections == [alert["alert"] for alert in ALERTS]


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_expressions_name_what_there_is(rule):
    assert unknown_families(rule["expr"]) == set()
    assert set(re.findall(r"\b\w+:[\w:]+", rule["expr"])) <= RECORDS


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_aggregations_keep_what_names_a_pod(rule):
    for kept in re.findall(r"\b(?:sum|max|min|avg|count|histogram_quantile\([\d.]+, sum) (?:by|BY) \(([^)]*)\)", rule["expr"]):
        labels = {each.strip() for each in kept.split(",")}
        assert "namespace" in labels, kept
        assert "instance" not in labels or "pod" in labels, kept
    assert not re.search(r"\b(?:sum|max|min|avg|count)\(", rule["expr"]), "an aggregation that keeps nothing"


def minutes(time):
    return sum(int(count) * {"d": 1440, "h": 60, "m": 1}[unit] for count, unit in re.findall(r"(\d+)([dhm])", time))


def expectations(alert, test):
    """Whether it is expected to fire, for each time that this unit test asks, in the order of time."""
    asked = []
    for case in test.get("promql_expr_test", []):
        match = re.search(r'alertname=(~?)"([^"]+)"', case["expr"])
        if match and (re.fullmatch(match[2], alert) if match[1] else match[2] == alert):
            asked.append((minutes(case["eval_time"]), bool(case["exp_samples"])))
    return [fires for _, fires in sorted(asked)]


@pytest.mark.parametrize("alert", ALERTS, ids=name_of)
def test_a_unit_test_has_it_start_and_end(alert):
    asked = [expectations(alert["alert"], test) for test in TESTS]
    assert any(re.search("FT+F", "".join("FT"[fires] for fires in one)) for one in asked), asked


# Conditions whose alert has another metric, because its labels or value say more.
BY_ANOTHER_METRIC = {
    "catalog_stale": "ScattergateCatalogStale", "fleet_stale": "ScattergateFleetStale",
    "certificate_expired": "ScattergateCertificateExpired", "certificate_expiring": "ScattergateCertificateExpiring"}


def test_every_condition_has_an_alert():
    """Its own, which the generic alert then leaves out, or the generic one."""
    source = (ROOT / "telemetry/conditions/condition.cpp").read_text()
    kinds = set(re.findall(r'^     "(\w+)",$', source, re.M))
    assert len(kinds) > 15
    generic, = (alert for alert in ALERTS if alert["alert"] == "ScattergateCondition")
    left_out, = re.findall(r'kind!~"([\w|]+)"', generic["expr"])
    own = [kind for alert in ALERTS for kind in re.findall(r'kind="(\w+)"', alert["expr"])]
    assert set(left_out.split("|")) == {*own, *BY_ANOTHER_METRIC} <= kinds
    assert set(BY_ANOTHER_METRIC.values()) <= {alert["alert"] for alert in ALERTS}


def test_unit_tests_ask_only_for_alerts_that_there_are():
    asked = {match for test in TESTS for case in test.get("promql_expr_test", [])
             for match in re.findall(r'alertname=~?"([^"]+)"', case["expr"])}
    known = {alert["alert"] for alert in ALERTS}
    assert {name for name in asked if not name.endswith(".*")} <= known


def test_the_scrape_job_has_the_name_that_alerts_look_for():
    job, = load_yaml("deploy/prometheus/prometheus.yml")["scrape_configs"]
    named = {name for rule in RULES for name in re.findall(r'job="(\w+)"', rule["expr"])}
    assert named == {job["job_name"]}


def test_a_wrong_family_is_noticed():
    assert unknown_families('rate(scattergate_command_total{db="scattergate_nothing"}[5m])') == {
        "scattergate_command_total"}
    assert unknown_families("rate(scattergate_inspect_seconds[5m])") == {"scattergate_inspect_seconds"}
    assert unknown_families("db:scattergate_x:rate5m + scattergate_connections") == set()


def test_alerts_and_dashboards_leave_out_every_lint_and_error():
    source = (ROOT / "routing/verdict.cpp").read_text()
    lints = set(re.findall(r'\{lint_kind::\w+, "(\w+)"\}', source))
    assert len(lints) > 3
    for name in ("prometheus/rules.yml", "kubernetes/monitoring/prometheusrule.yaml", "grafana/dashboard.json"):
        lists = re.findall(r'reason!~\\?"([\w|]+)\\?"', (ROOT / "deploy" / name).read_text())
        assert lists and all(set(one.split("|")) == {"refused", *lints} for one in lists), name
