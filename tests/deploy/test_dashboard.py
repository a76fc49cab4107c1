"""The dashboard's own order. (What a live Prometheus answers to it: test_live_prometheus.py.)"""

import re

import pytest

from documents import DEPLOY, load_json, load_yaml, unknown_families

DASHBOARD = load_json("deploy/grafana/dashboard.json")
PANELS = DASHBOARD["panels"]
GRAPHS = [panel for panel in PANELS if panel["type"] != "row"]
VARIABLES = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
# Grafana's own: $__rate_interval, $__range.
BUILT_IN = {"__rate_interval", "__range"}


def title_of(panel):
    return panel["title"]


def test_panels_have_ids_and_places_of_their_own():
    ids = [panel["id"] for panel in PANELS]
    assert len(ids) == len(set(ids))
    taken = set()
    for panel in PANELS:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        assert not taken & cells, panel["title"]
        taken |= cells


@pytest.mark.parametrize("panel", GRAPHS, ids=title_of)
def test_a_panel_asks_for_what_there_is(panel):
    assert panel["targets"]
    for target in panel["targets"]:
        assert target["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert unknown_families(target["expr"]) == set()
        used = set(re.findall(r"\$\{?(\w+)", target["expr"]))
        assert used <= VARIABLES.keys() | BUILT_IN
        assert "instance" in used, "every panel obeys the choice of instances"


def test_what_the_issue_asks_for_is_there():
    titles = {panel["title"] for panel in GRAPHS}
    assert {"Commands by class", "Top findings", "Fan-out", "Connections", "Age of the catalog",
            "Findings not written yet"} <= titles
    assert any(panel.get("repeat") == "scattering" for panel in GRAPHS)


def test_provisioning_names_what_is_mounted():
    source, = load_yaml("deploy/grafana/provisioning/datasources/prometheus.yml")["datasources"]
    assert source["type"] == "prometheus" and source["isDefault"]
    provider, = load_yaml("deploy/grafana/provisioning/dashboards/scattergate.yml")["providers"]
    assert provider["options"]["path"] == "/var/lib/grafana/dashboards"
    assert (DEPLOY / "grafana/dashboard.json").exists()
