"""docker-compose.yml: every service, command line, mounted file and port is held to the repository
and the programs. (Compose's own opinion: test_docker_compose.py and test_readers.py.)"""

import re
import subprocess

import pytest
import yaml

from documents import ROOT, load_yaml
from processes import Process, Sim, clean_environment, program_path
from waiting import wait_until

COMPOSE = load_yaml("docker-compose.yml")
SERVICES = COMPOSE["services"]
SMALL = load_yaml("docker-compose.small.yml")["services"]
SIDECARS = {name: service for name, service in SERVICES.items() if service["image"] == "scattergate"
            and service["command"][0] == "run"}
SHARDS = [f"shard{shard}-{member}" for shard in (1, 2, 3) for member in (1, 2, 3)]
CONFIG_SERVERS = ["config1", "config2", "config3"]
MONGOS = ["mongos1", "mongos2"]
ONE_SHOT = {"init", "verify"}
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def config_of_sidecars():
    path, = {source for service in SIDECARS.values() for source in mounts(service)}
    return ROOT / path


def mounts(service):
    """{file here: place in the container}"""
    return dict(re.fullmatch(r"\./([^:]+):([^:]+):ro", volume).groups() for volume in service.get("volumes", []))


def flag(service, name):
    command = service["command"]
    return command[command.index(name) + 1]


def published(service):
    """{port of the container: port of the host}"""
    return {inside: outside for outside, inside in
            (re.fullmatch(r"127\.0\.0\.1:(\d+):(\d+)", port).groups() for port in service.get("ports", []))}


def test_the_reference_cluster_and_what_stands_around_it():
    others = {"init", "scattergate1", "scattergate2", "traffic", "prometheus", "grafana", "verify", "page1", "page2"}
    assert set(SERVICES) == {*CONFIG_SERVERS, *SHARDS, *MONGOS, *others}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_its_limits_and_its_image_by_tag(name):
    service = SERVICES[name]
    assert re.fullmatch(r"\d+m", service["mem_limit"])
    if "build" in service:
        assert service["build"]["context"] == "."
        assert re.search(rf"^FROM .* AS {service['build']['target']}$", DOCKERFILE, re.M)
    else:
        assert re.fullmatch(r"[\w/]+:v?\d+(\.\d+)+", service["image"])
    if name not in ONE_SHOT:
        assert service["restart"] == "unless-stopped"
        assert name == "traffic" or service["healthcheck"]["test"][0] == "CMD"
    for source in mounts(service):
        assert (ROOT / source).exists(), source
    for dependency, how in service.get("depends_on", {}).items():
        if how["condition"] == "service_healthy":
            assert "healthcheck" in SERVICES[dependency]
        if how["condition"] == "service_completed_successfully":
            assert dependency in ONE_SHOT


def test_nothing_is_published_beyond_this_host_or_twice():
    ports = [port for service in SERVICES.values() for port in published(service).values()]
    assert len(ports) == len(set(ports)) == sum(len(each.get("ports", [])) for each in SERVICES.values())
    for port in ports:  # what the file's own heading promises
        assert f":{port}" in (ROOT / "docker-compose.yml").read_text().split("x-mongod")[0]


def replica_sets(text):
    return {name: hosts.split(",") for name, hosts in (each.split("/") for each in text.split())}


@pytest.mark.parametrize("environment, services", [
    (SERVICES["init"]["environment"], SERVICES),
    ({**SERVICES["init"]["environment"], **SMALL["init"]["environment"]},
     {name: {**service, **SMALL.get(name, {})} for name, service in SERVICES.items()
      if "profiles" not in SMALL.get(name, {})}),
], ids=["reference", "small"])
def test_replica_sets_shards_and_routers_fit_together(environment, services):
    members = {name: service for name, service in services.items() if service.get("command", [""])[0] == "mongod"}
    seen = []
    for name, hosts in replica_sets(environment["CONFIG"] + " " + environment["SHARDS"]).items():
        for host in hosts:
            service, port = host.split(":")
            seen.append(service)
            assert flag(members[service], "--replSet") == name and flag(members[service], "--port") == port
            role = "--configsvr" if name == "config" else "--shardsvr"
            assert role in members[service]["command"] and "--bind_ip_all" in members[service]["command"]
            assert port in members[service]["healthcheck"]["test"]
    assert sorted(seen) == sorted(members)
    for name in MONGOS:
        assert flag(services[name], "--configdb") == environment["CONFIG"]
        assert flag(services[name], "--port") in services[name]["healthcheck"]["test"]
    assert environment["MONGOS"] == "mongos1:" + flag(services["mongos1"], "--port")
    # No remaining service depends on one that is left out.
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)


def test_the_small_cluster_has_one_member_of_each_set():
    left = {name for name in SERVICES if "profiles" not in SMALL.get(name, {})}
    assert left & {*CONFIG_SERVERS, *SHARDS} == {"config1", "shard1-1", "shard2-1", "shard3-1"}
    assert set(SMALL) <= set(SERVICES)


def test_the_collections_are_sharded_as_the_preset_says():
    text = (ROOT / "deploy/compose/init.js").read_text()
    keys = yaml.safe_load(re.search(r"const keys = (\{.*?\n\});", text, re.S)[1])
    preset = load_yaml("config/presets/yorkie.yaml")["collections"]
    database = re.search(r'const database = "(.*)";', text)[1]
    assert {f"{database}.{name}": key for name, key in keys.items()} == {
        each["namespace"]: each["shardKey"] for each in preset if "shardKey" in each}
    assert SERVICES["init"]["command"][-1] == mounts(SERVICES["init"])["deploy/compose/init.js"]


def test_each_mongos_has_a_sidecar():
    assert [flag(service, "--upstream") for service in SIDECARS.values()] == [
        f"{name}:{flag(SERVICES[name], '--port')}" for name in MONGOS]


@pytest.mark.parametrize("name", SIDECARS)
def test_a_sidecar_runs_with_its_command_line(name, tmp_path, http_status):
    """With the mounted file at its place here, and on free ports."""
    service = SIDECARS[name]
    (source, place), = mounts(service).items()
    assert flag(service, "--config") == place
    command = [str(ROOT / source) if word == place else word for word in service["command"]]
    program = program_path("SCATTERGATE_BIN", "scattergate")
    daemon = Process("daemon", [program, *command], tmp_path,
                     {"SCATTERGATE_LISTEN": "127.0.0.1:0", "SCATTERGATE_ADMIN_LISTEN": "0.0.0.0:0",
                      "SCATTERGATE_ADMIN_PAGE_LISTEN": "127.0.0.1:0"})
    try:
        start = daemon.await_start()
        assert start["upstreams"] == [flag(service, "--upstream")]
        admin = start["admin"].replace("http://0.0.0.0", "127.0.0.1")
        health = [program, *service["healthcheck"]["test"][2:], "--admin", admin]
        wait_until(lambda: subprocess.run(health, env=clean_environment()).returncode == 0, "health")
        # A browser behind the relay asks by the published port; past it, the page is refused.
        assert http_status(start["page"] + "/", {"Host": "127.0.0.1:19218"}) == 200
        assert http_status(f"http://{admin}/") == 403
        assert "scattergate ready" not in daemon.stderr  # JSON lines alone
    finally:
        assert daemon.stop() == 0, daemon.stderr
    assert service["healthcheck"]["test"][1] == "/usr/bin/scattergate"


def test_sidecars_listen_where_they_are_published_and_have_what_they_need():
    config = yaml.safe_load(config_of_sidecars().read_text())
    ports = [config["listeners"][0]["listen"], config["admin"]["listen"], "0.0.0.0:19218"]
    effective = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "config", "--config",
                                config_of_sidecars()], capture_output=True, text=True,
                               env=clean_environment()).stdout
    memory = int(re.search(r"memory: (\d+)MiB", effective)[1])
    grace = int(re.search(r"grace: (\d+)s", effective)[1])
    for service in SIDECARS.values():
        assert [f"0.0.0.0:{port}" for port in published(service)] == ports
        assert int(service["mem_limit"][:-1]) >= memory + 100
        assert int(service["stop_grace_period"][:-1]) > grace
        assert service["read_only"] and service["cap_drop"] == ["ALL"]


@pytest.mark.parametrize("name, relay", zip(SIDECARS, ["page1", "page2"]))
def test_a_relay_leads_to_the_page_of_each_sidecar(name, relay):
    service = SERVICES[relay]
    page = yaml.safe_load(config_of_sidecars().read_text())["admin"]["page_listen"]
    assert service["network_mode"] == f"service:{name}" and page.startswith("127.0.0.1:")
    source, target = service["command"]
    assert target == f"tcp-connect:{page}"
    assert re.match(r"tcp-listen:(\d+),", source)[1] in published(SERVICES[name])


def test_prometheus_scrapes_the_sidecars_by_our_rules():
    config = load_yaml("deploy/prometheus/prometheus.yml")
    targets = config["scrape_configs"][0]["static_configs"][0]["targets"]
    admin = yaml.safe_load(config_of_sidecars().read_text())["admin"]["listen"].split(":")[1]
    assert targets == [f"{name}:{admin}" for name in SIDECARS]
    assert mounts(SERVICES["prometheus"]) == {
        "deploy/prometheus/prometheus.yml": "/etc/prometheus/prometheus.yml",
        **{f"deploy/prometheus/{name}": f"/etc/prometheus/{name}" for name in config["rule_files"]}}


def test_grafana_finds_prometheus_and_the_dashboard():
    source, = load_yaml("deploy/grafana/provisioning/datasources/prometheus.yml")["datasources"]
    assert source["url"] == "http://prometheus:9090" and "9090" in published(SERVICES["prometheus"])
    provider, = load_yaml("deploy/grafana/provisioning/dashboards/scattergate.yml")["providers"]
    places = mounts(SERVICES["grafana"])
    assert places["deploy/grafana/provisioning"] == "/etc/grafana/provisioning"
    dashboard = places["deploy/grafana/dashboard.json"]
    assert dashboard.startswith(provider["options"]["path"] + "/")
    assert SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == dashboard


def test_the_traffic_goes_through_both_sidecars_by_flags_that_there_are():
    command = SERVICES["traffic"]["command"]
    listen = yaml.safe_load(config_of_sidecars().read_text())["listeners"][0]["listen"].split(":")[1]
    hosts = re.fullmatch(r"mongodb://([^/]+)/", flag(SERVICES["traffic"], "--uri"))[1]
    assert hosts.split(",") == [f"{name}:{listen}" for name in SIDECARS]
    # --help is answered after the flags before it have been read and checked.
    done = subprocess.run([program_path("SCATTERGATE_DEMO_BIN", "scattergate-demo"), *command, "--help"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in command[::2]:
        assert f"{name} " in done.stdout


def test_the_rule_of_the_sidecars_is_the_presets():
    assert yaml.safe_load(config_of_sidecars().read_text())["rules"] == load_yaml("config/presets/yorkie.yaml")["rules"]


def test_verify_explains_its_commands_with_its_flags(start):
    """On the simulator, which has Yorkie's collections as the reference cluster will."""
    service = SERVICES["verify"]
    (source, place), = mounts(service).items()
    uri = flag(service, "--uri")
    assert uri == f"mongodb://mongos1:{flag(SERVICES['mongos1'], '--port')}/" and place in service["command"]
    here = {uri: f"mongodb://{start(Sim).address}/", place: str(ROOT / source)}
    command = [here.get(word, word) for word in service["command"]]
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), *command, "--max-per-second", "1000"],
                          capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    commands = (ROOT / source).read_text().splitlines()
    assert re.search(rf"^all +{len(commands)} +0 +0 +0$", done.stdout, re.M)
    judged = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "classify", "--catalog",
                             "preset:yorkie"], input="\n".join(commands), capture_output=True, text=True).stdout
    assert {line.split()[0] for line in judged.splitlines()} == {
        "unsharded", "single_shard", "multi_shard", "scatter_gather"}
