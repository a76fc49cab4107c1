"""A real Prometheus as a child process, with the shipped rules in a hurry."""

import json
import re
import urllib.parse
import urllib.request

import yaml

from documents import load_yaml
from processes import Process
from waiting import PATIENCE, wait_until

# The waiting times of the shipped rules, shortened for a test.
HURRY = [(r"\[1d\]", "[60s]"), (r"\[\d+[mh]\]", "[10s]"), (r"offset \d+[mh]", "offset 5s")]


def hurried_rules():
    """The shipped rules, everything in them but their times as it is."""
    rules = load_yaml("deploy/prometheus/rules.yml")
    for group in rules["groups"]:
        for rule in group["rules"]:
            for pattern, quick in HURRY:
                rule["expr"] = re.sub(pattern, quick, rule["expr"])
            if "for" in rule:
                rule["for"] = "2s"
    return rules


class PrometheusProcess(Process):
    """prometheus on a free port, with a configuration and its data below `directory`."""

    def __init__(self, directory, config, name):
        super().__init__(name, [
            "prometheus", f"--config.file={config}",
            f"--storage.tsdb.path={directory / 'tsdb'}", "--web.listen-address=127.0.0.1:0",
            "--log.format=json"], directory)
        self._base = "http://" + self.await_line(r'"address":"(127\.0\.0\.1:[1-9]\d*)","[^\n]*Listening on')[1]
        self.await_line("Server is ready to receive web requests")

    def api(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{self._base}/api/v1/{path}?{query}", timeout=PATIENCE) as answer:
            said = json.load(answer)
        assert said["status"] == "success", said
        return said["data"]


class Prometheus(PrometheusProcess):
    """Scrapes `targets` (host:port) every second as the shipped configuration's job."""

    def __init__(self, directory, targets, name="prometheus"):
        config = load_yaml("deploy/prometheus/prometheus.yml")
        config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
        config["scrape_configs"][0]["static_configs"] = [{"targets": targets}]
        (directory / "rules.yml").write_text(yaml.safe_dump(hurried_rules(), width=10000))
        (directory / "prometheus.yml").write_text(yaml.safe_dump(config))
        super().__init__(directory, directory / "prometheus.yml", name)

    def query(self, expression):
        """[(labels, value)]; an expression that can't be parsed raises (HTTP status 400)."""
        return [(each["metric"], float(each["value"][1]))
                for each in self.api("query", query=expression)["result"]]

    def await_data(self, expression):
        return wait_until(lambda: self.query(expression), f"data of {expression}")

    def alerts(self, name, state="firing"):
        return [each for each in self.api("alerts")["alerts"]
                if each["labels"]["alertname"] == name and each["state"] == state]

    def await_alert(self, name, **labels):
        def look():
            return [each for each in self.alerts(name) if labels.items() <= each["labels"].items()]
        return wait_until(look, f"{name} to fire for {labels}")[0]

    def rules(self):
        return [rule for group in self.api("rules")["groups"] for rule in group["rules"]]
