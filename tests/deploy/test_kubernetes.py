"""The manifests: what they say agrees with the configuration and the programs. (What the API's types
say, and what the kustomizations render to: test_readers.py.)"""

import re
import subprocess

from documents import ROOT, load_all_yaml, load_yaml
from processes import Process, clean_environment, program_path
from waiting import wait_until

HERE = "deploy/kubernetes"
PATCH = load_yaml(f"{HERE}/sidecar/container.yaml")
POD = PATCH["spec"]["template"]
SIDECAR, = POD["spec"]["initContainers"]
CONFIG = load_yaml(f"{HERE}/example/scattergate.yaml")
COMPONENT = load_yaml(f"{HERE}/sidecar/kustomization.yaml")
EXAMPLE = load_yaml(f"{HERE}/example/kustomization.yaml")
APPLICATION = load_yaml(f"{HERE}/example/application.yaml")


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])


def mebibytes(text):
    return int(re.fullmatch(r"(\d+)MiB|(\d+)Mi", text).group(1) or text[:-2])


def port_of(address):
    return int(address.rsplit(":", 1)[1])


def test_it_is_a_native_sidecar():
    assert SIDECAR["restartPolicy"] == "Always"
    assert "lifecycle" not in SIDECAR  # it ends after the application by itself
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= SIDECAR.keys()
    assert POD["spec"]["terminationGracePeriodSeconds"] > seconds(CONFIG["drain"]["grace"])


def test_it_is_confined():
    context = SIDECAR["securityContext"]
    user, = re.findall(r"^USER (\d+):\d+$", (ROOT / "Dockerfile").read_text().split("AS scattergate")[1], re.M)
    assert context == {"runAsNonRoot": True, "runAsUser": int(user), "runAsGroup": int(user),
                       "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                       "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}


def test_the_image_is_of_this_version():
    version = re.search(r"project\(scattergate VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert SIDECAR["image"] == f"scattergate:{version}"


def test_it_runs_from_the_config_map_and_answers_its_probes(tmp_path, http_status):
    """On free ports, with the file at its place here."""
    mounted = {mount["name"]: mount["mountPath"] for mount in SIDECAR["volumeMounts"]}
    generated, = EXAMPLE["configMapGenerator"]
    volume, = (each for each in POD["spec"]["volumes"] if "configMap" in each)
    assert volume["configMap"]["name"] == generated["name"]
    file, = generated["files"]
    place = f"{mounted[volume['name']]}/{file}"
    assert place in SIDECAR["args"]
    here = str(ROOT / HERE / "example" / file)
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", here],
                          capture_output=True, text=True, env=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")
    daemon = Process("daemon", [program_path("SCATTERGATE_BIN", "scattergate"),
                                *(here if word == place else word for word in SIDECAR["args"])], tmp_path,
                     {"SCATTERGATE_LISTEN": "127.0.0.1:0", "SCATTERGATE_ADMIN_LISTEN": "0.0.0.0:0",
                      "SCATTERGATE_ADMIN_PAGE_LISTEN": "127.0.0.1:0"})
    try:
        start = daemon.await_start()
        admin = start["admin"].replace("0.0.0.0", "127.0.0.1")
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert SIDECAR[probe]["httpGet"]["port"] == "metrics"
            path = SIDECAR[probe]["httpGet"]["path"]
            # Readiness waits a while for the first catalog, which no server here has.
            wait_until(lambda: http_status(admin + path) == 200, path)
        assert http_status(admin + "/") == 403  # no page for other clients in the cluster
        assert http_status(start["page"] + "/") == 200  # kubectl port-forward
        assert "scattergate ready" not in daemon.stderr  # JSON lines alone
    finally:
        assert daemon.stop() == 0, daemon.stderr


def test_ports_are_those_of_the_configuration():
    metrics, = (port for port in SIDECAR["ports"] if port["name"] == "metrics")
    assert metrics["containerPort"] == port_of(CONFIG["admin"]["listen"])
    assert CONFIG["admin"]["page_listen"] == "127.0.0.1:19217"  # what docs/deploy.md forwards to
    assert "kubectl port-forward POD 19217" in (ROOT / "docs/deploy.md").read_text()
    # From outside the pod: Prometheus and the kubelet; but no client.
    assert CONFIG["admin"]["listen"].startswith("0.0.0.0:")
    assert CONFIG["listeners"][0]["listen"].startswith("127.0.0.1:")
    uri = APPLICATION["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"]
    assert uri == f"mongodb://{CONFIG['listeners'][0]['listen']}/"


def test_its_memory_has_room_for_the_configured_limit():
    assert mebibytes(SIDECAR["resources"]["limits"]["memory"]) >= mebibytes(CONFIG["limits"]["memory"]) + 100
    assert "cpu" not in SIDECAR["resources"]["limits"]  # throttling would be latency


def test_secrets_are_where_the_example_says():
    secret = load_yaml(f"{HERE}/sidecar/secret.example.yaml")
    volume, = (each for each in POD["spec"]["volumes"] if "secret" in each)
    assert volume["secret"]["secretName"] == secret["metadata"]["name"]
    mount, = (each for each in SIDECAR["volumeMounts"] if each["name"] == volume["name"])
    # Inside the ConfigMap's read-only mount there is no place for another.
    assert not mount["mountPath"].startswith("/etc/scattergate/")
    text = (ROOT / HERE / "sidecar/secret.example.yaml").read_text()
    for key in secret["stringData"]:
        assert f"{mount['mountPath']}/{key}" in text


def test_labels_select_what_they_mean():
    key, value = COMPONENT["patches"][0]["target"]["labelSelector"].split("=")
    assert APPLICATION["metadata"]["labels"][key] == value
    monitor = load_yaml(f"{HERE}/monitoring/podmonitor.yaml")["spec"]
    assert monitor["selector"]["matchLabels"].items() <= POD["metadata"]["labels"].items()
    endpoint, = monitor["podMetricsEndpoints"]
    assert endpoint["port"] in {port["name"] for port in SIDECAR["ports"]}
    job = load_yaml("deploy/prometheus/prometheus.yml")["scrape_configs"][0]["job_name"]
    assert {"targetLabel": "job", "replacement": job} in endpoint["relabelings"]


def test_the_operator_gets_the_same_rules():
    rule = load_yaml(f"{HERE}/monitoring/prometheusrule.yaml")
    assert rule["spec"] == load_yaml("deploy/prometheus/rules.yml")


def test_the_plain_manifest_has_the_configuration_as_it_is():
    objects = {each["kind"]: each for each in load_all_yaml(f"{HERE}/plain.yaml")}
    assert objects["ConfigMap"]["data"] == {
        "scattergate.yaml": (ROOT / HERE / "example/scattergate.yaml").read_text()}
    container, = objects["Deployment"]["spec"]["template"]["spec"]["initContainers"]
    assert container["args"] == SIDECAR["args"] and container["image"] == SIDECAR["image"]
