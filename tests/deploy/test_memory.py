"""The deployment files give the daemon the memory that docs/security.md says it may need."""

import re

import pytest
import yaml

from documents import DEPLOY, ROOT, load_all_yaml, load_yaml

SECURITY = (ROOT / "docs/security.md").read_text()
CONFIGURATION = (ROOT / "docs/configuration.md").read_text()
MIB, KIB = 1 << 20, 1 << 10
LABELS = 200  # metrics.max_namespaces, which none of them changes


def constant(start):
    """A row of the table of constants in addition to limits.memory, in bytes."""
    number, unit = re.search(rf"^\| {start}\b.*\| (\d+) (KiB|MiB) \|$", SECURITY, re.M).groups()
    return int(number) * {"MiB": MIB, "KiB": KIB}[unit]


def in_bytes(text):
    number, unit = re.fullmatch(r"(\d+)(MiB|Mi|m|GiB|G)", str(text)).groups()
    return int(number) * (MIB if unit.lower().startswith("m") else MIB << 10)


def default(option):
    return re.search(rf"^\| `limits\.{option}` \|.*?\| `(\w+)` \| (?:yes|no) \|", CONFIGURATION, re.M)[1]


def driver_processes(config):
    fleet = config.get("fleet", {})
    return 1 + sum([bool(config.get("verify", {}).get("self_check")), "uri_file" in fleet, bool(fleet.get("read"))])


def needed(config):
    limits = config.get("limits", {})
    assert "metrics" not in config
    connections = int(limits.get("connections", default("connections")))
    sides = sum("tls" in each or "upstream_tls" in each for each in config["listeners"])
    assert sides == 0  # else the row on TLS counts
    threads = config.get("workers", {}).get("threads", 2)  # the default; see config/options/options.cpp
    return (in_bytes(limits.get("memory", default("memory"))) + constant("the process") + constant("the advice")
            + driver_processes(config) * constant("a driver process")
            + threads * constant("a worker") + connections * constant("a connection")
            + threads * LABELS * constant("a label"))


def systemd_limit():
    return re.search(r"^MemoryMax=(.*)$", (DEPLOY / "systemd/scattergate.service").read_text(), re.M)[1]


def sidecar(pod):
    container, = (each for each in pod["spec"]["initContainers"] if each["name"] == "scattergate")
    return container["resources"]["limits"]["memory"]


def plain():
    documents = {each["kind"]: each for each in load_all_yaml("deploy/kubernetes/plain.yaml")}
    config = yaml.safe_load(documents["ConfigMap"]["data"]["scattergate.yaml"])
    return config, sidecar(documents["Deployment"]["spec"]["template"])


def kubernetes():
    return (load_yaml("deploy/kubernetes/example/scattergate.yaml"),
            sidecar(load_yaml("deploy/kubernetes/sidecar/container.yaml")["spec"]["template"]))


def compose():
    return (load_yaml("deploy/compose/scattergate.yaml"),
            load_yaml("docker-compose.yml")["services"]["scattergate1"]["mem_limit"])


def manual():
    """The sidecar of docs/deploy.md for Compose."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs/deploy.md").read_text(), re.M | re.S)
    config, = (yaml.safe_load(block) for block in blocks if "listen: 0.0.0.0:27117" in block)
    services, = (yaml.safe_load(block)["services"] for block in blocks if block.startswith("services:"))
    return config, services["scattergate"]["mem_limit"]


def systemd():
    return load_yaml("deploy/scattergate.yaml"), systemd_limit()


@pytest.mark.parametrize("shipped", [kubernetes, plain, compose, manual, systemd])
def test_the_limit_is_limits_memory_and_what_stands_next_to_it(shipped):
    config, limit = shipped()
    assert in_bytes(limit) >= needed(config)


def test_the_formula_is_that_of_the_table():
    at_the_defaults = needed({"listeners": [{}]})
    assert f"{round(at_the_defaults / MIB)} MiB" in re.sub(r"\s+", " ", SECURITY)
    formula = (f"+ {constant('the process') // MIB} MiB + {constant('the advice') // MIB} MiB "
               f"+ {constant('a worker') // MIB} MiB x workers.threads "
               f"+ {constant('a connection') // KIB} KiB x limits.connections "
               f"+ {constant('a label') // KIB} KiB x metrics.max_namespaces x workers.threads")
    assert f"+ {constant('a driver process') // MIB} MiB x driver processes" in SECURITY
    assert formula in re.sub(r"\s+", " ", SECURITY)
