"""--catalog mongos: the cluster's own metadata, followed."""

import math
import signal
import subprocess
import time

import pytest
import yaml

from certificates import Authority
from processes import OWN_HOST, Daemon, Sim, clean_environment, program_path
from traffic import PROJECTS
from upstream import swallow
from waiting import wait_until

COMMANDS = "scattergate_commands_total"
STATE = "scattergate_catalog_state"
LOADS = "scattergate_catalog_loads_total"
TRIGGERS = "scattergate_catalog_refresh_triggers_total"
READS = "scattergate_catalog_config_reads_total"
FORMATS = ["4.4", "5.0", "6.0", "7.0", "8.0"]
SELDOM = {"source": "mongos", "refresh": "1h"}


def state(daemon):
    return next(labels["state"] for labels, value in daemon.metrics().series(STATE) if value)


def await_state(daemon, expected):
    wait_until(lambda: state(daemon) == expected, f"the state {expected}")


def await_followed(daemon):
    """Until the cluster has been read, and every worker judges new connections by that."""
    await_state(daemon, "live")
    daemon.await_line(r'"id":7001\b')


@pytest.fixture
def follow(start):
    """A daemon that follows a simulator, and has read it."""
    def follow_one(sim, until="live", environment=None, name="scattergate", **catalog):
        daemon = start(Daemon, sim.address, name=name, environment=environment,
                       catalog={**SELDOM, **catalog})
        if until == "live":
            await_followed(daemon)
        else:
            await_state(daemon, until)
        return daemon
    return follow_one


def verdict(daemon, client, collection, query=None):
    """The class of one find, by what is counted."""
    def counts():
        return daemon.metrics().by(COMMANDS, "routing", db="shop", collection=collection,
                                   command="find")
    before = counts()
    client.shop[collection].find_one(query or {})
    after = counts()
    return next((key for (key,), value in after.items() if value != before.get((key,), 0)), None)


def await_verdict(daemon, client, collection, expected, query=None):
    wait_until(lambda: verdict(daemon, client, collection, query) == expected,
               f"{collection} to be {expected}")


def cluster_text(sim, *arguments, environment=None):
    return subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "catalog", "mongos", *arguments],
        env={**clean_environment(), "SCATTERGATE_CATALOG_URI": f"mongodb://{sim.address}",
             **(environment or {})},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.parametrize("version", FORMATS)
def test_every_format_gives_the_same_catalog(start, follow, connect, tmp_path, version):
    sim = start(Sim, further=["--config-format", version])
    daemon = follow(sim)
    metrics = daemon.metrics()
    assert metrics.total("scattergate_catalog_collections") == 7
    assert metrics.total("scattergate_catalog_chunks") == 7 * 6
    assert metrics.total("scattergate_catalog_skipped_records") == 0
    client = connect(daemon)
    documents = client["yorkie-meta"].documents
    documents.find_one({"project_id": PROJECTS[0]})
    documents.find_one({"key": 1})
    client["yorkie-meta"].users.find_one({})
    assert daemon.metrics().by(COMMANDS, "collection", "routing", command="find") == {
        ("documents", "single_shard"): 1, ("documents", "scatter_gather"): 1,
        ("users", "unsharded"): 1}
    fanouts = daemon.metrics()
    assert fanouts.total("scattergate_fanout_shards_sum", collection="documents") == 1 + 3
    # The printed catalog is the same each time, and works as a file like the simulator's.
    printed = cluster_text(sim)
    assert printed.returncode == 0 and not printed.stderr
    shown = yaml.safe_load(printed.stdout)
    expected = yaml.safe_load(subprocess.run(
        [program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"), "--shards", "3", "--preset",
         "yorkie", "--print-catalog"], check=True, stdout=subprocess.PIPE).stdout)
    assert shown["version"].startswith(version + ".")  # its patch level too
    assert [{**each, "unique": False} for each in shown["collections"]] == expected["collections"]


def test_ddl_on_our_own_wire_is_followed_at_once(follow, sim, connect):
    daemon = follow(sim)
    client = connect(daemon)
    admin = client.admin
    client.shop.orders.insert_one({"_id": 1, "state": "open"})
    assert verdict(daemon, client, "orders") == "unsharded"
    admin.command("shardCollection", "shop.orders", key={"state": 1})
    await_verdict(daemon, client, "orders", "scatter_gather", {"other": 1})
    by_both = {"state": "open", "place": "x"}
    assert verdict(daemon, client, "orders", {"state": "open"}) == "single_shard"
    admin.command("refineCollectionShardKey", "shop.orders", key={"state": 1, "place": 1})
    wait_until(lambda: bounds_missing(daemon, client) == ["place", "state"], "the longer key")
    assert verdict(daemon, client, "orders", by_both) == "single_shard"
    admin.command("reshardCollection", "shop.orders", key={"other": "hashed"})
    await_verdict(daemon, client, "orders", "single_shard", {"other": 1})
    admin.command("unshardCollection", "shop.orders")
    await_verdict(daemon, client, "orders", "unsharded")
    admin.command("shardCollection", "shop.orders", key={"_id": 1})
    await_verdict(daemon, client, "orders", "single_shard", {"_id": 1})
    client.shop.orders.drop()
    await_verdict(daemon, client, "orders", "unsharded")
    metrics = daemon.metrics()
    assert metrics.total(TRIGGERS, trigger="ddl") >= 6
    assert metrics.total(TRIGGERS, trigger="timer") == 0


def bounds_missing(daemon, client):
    """The missing fields of the newest finding on shop.orders."""
    client.shop.orders.find_one({"unrelated": len(daemon.audit())})
    client.shop.orders.find_one({f"field{time.monotonic_ns()}": 1})
    wait_until(daemon.audit, "a finding")
    found = [line["param"] for line in daemon.audit() if line["param"]["ns"] == "shop.orders"]
    return sorted(found[-1]["missing"]) if found else None


def test_a_chunk_that_moves_elsewhere_is_followed(follow, sim, connect):
    daemon = follow(sim, refresh="1s")
    direct = connect(sim)
    direct.admin.command("shardCollection", "shop.moving", key={"n": 1})
    client = connect(daemon)
    await_verdict(daemon, client, "moving", "scatter_gather", {"other": 1})

    def fanout():
        return [daemon.metrics().total(f"scattergate_fanout_shards_{part}", collection="moving")
                for part in ("sum", "count")]

    def reaches(shards):
        before = fanout()
        client.shop.moving.find_one({"other": 1})
        after = fanout()
        return after[0] - before[0] == shards
    wait_until(lambda: reaches(1), "the one chunk")
    direct.admin.command("split", "shop.moving", middle={"n": 5})
    direct.admin.command("moveChunk", "shop.moving", find={"n": 7}, to="shard3")
    wait_until(lambda: reaches(2), "the second shard")
    direct.admin.command("moveChunk", "shop.moving", find={"n": 7}, to="shard1")
    wait_until(lambda: reaches(1), "it to be left again")
    assert daemon.metrics().total(LOADS, result="inconsistent") == 0


def test_a_namespace_never_seen_is_asked_about(follow, sim, connect):
    daemon = follow(sim)
    client = connect(daemon)
    direct = connect(sim)
    direct.admin.command("shardCollection", "shop.fresh", key={"n": 1})
    direct.admin.command("split", "shop.fresh", middle={"n": 5})
    direct.admin.command("moveChunk", "shop.fresh", find={"n": 7}, to="shard3")
    await_verdict(daemon, client, "fresh", "scatter_gather", {"other": 1})
    # Once for a name, and once more if another lookup was requested meanwhile.
    assert 1 <= daemon.metrics().total(TRIGGERS, trigger="namespace") <= 2
    for _ in range(20):
        assert verdict(daemon, client, "plain") == "unsharded"
    assert daemon.metrics().total(TRIGGERS, trigger="namespace") <= 4


def test_ten_thousand_names_cause_a_few_reads(follow, sim, connect):
    daemon = follow(sim)
    client = connect(daemon)
    before = daemon.metrics().total(READS)
    started = time.monotonic()
    for i in range(10_000):
        client.hostile[f"c{i}"].find_one({})
    seconds = time.monotonic() - started
    # Gaps of 1, 2, 4, ... seconds: their number grows as the logarithm of the time.
    assert daemon.metrics().total(READS) - before <= 3 + math.ceil(seconds).bit_length() * 2
    assert state(daemon) == "live"


def test_a_user_without_read_access_is_served_and_the_log_says_so(start, follow, connect, tmp_path):
    sim = start(Sim, users=["ann:pencil"])
    secret = tmp_path / "uri"
    secret.write_text(f"mongodb://ann:wrong@{sim.address}/\n")
    secret.chmod(0o644)
    daemon = follow(sim, until="unauthorized", uri_file=str(secret))
    client = connect(daemon, username="ann", password="pencil")
    assert verdict(daemon, client, "orders") == "unknown"
    wait_until(lambda: daemon.get("/readyz")[0] == 200, "readiness")
    assert daemon.metrics().total("scattergate_catalog_load_failures_total") >= 1
    daemon.await_line(r'"id":7002\b.*"unauthorized: ')
    daemon.await_line(r'"id":7004\b.*can be read by every user')
    secret.write_text(f"mongodb://ann:pencil@{sim.address}/\n")
    secret.chmod(0o600)
    daemon.reload()
    await_state(daemon, "live")
    await_verdict(daemon, client, "orders", "unsharded")
    assert "pencil" not in daemon.stderr and "wrong" not in daemon.stderr


def test_a_mongos_that_comes_up_late_is_found(start, connect, tmp_path):
    sim = start(Sim, host=OWN_HOST)
    assert sim.stop() == 0
    daemon = start(Daemon, sim.address, catalog=SELDOM)
    await_state(daemon, "unreachable")
    assert daemon.get("/healthz")[0] == 200
    again = start(Sim, name="again", host=OWN_HOST, port=sim.port)
    await_followed(daemon)
    assert daemon.metrics().total("scattergate_catalog_collections") == 7
    assert len(daemon.await_line(r'"id":7002\b')[0]) and again.is_alive()
    # The catalog stays when the server goes.
    again.stop()
    daemon.signal(signal.SIGHUP)
    await_state(daemon, "unreachable")
    assert daemon.metrics().total("scattergate_catalog_collections") == 7
    assert daemon.get("/readyz")[0] == 200


def test_a_cluster_that_shards_nothing_is_one(start, follow, connect):
    sim = start(Sim, preset=None)
    daemon = follow(sim)
    assert verdict(daemon, connect(daemon), "orders") == "unsharded"


def test_beyond_the_cap_collections_are_known_by_their_keys(follow, sim, connect):
    daemon = follow(sim, max_chunks=13)
    metrics = daemon.metrics()
    assert metrics.total("scattergate_catalog_chunks") == 12
    assert metrics.total("scattergate_catalog_key_only_collections", reason="max_chunks") == 5
    client = connect(daemon)
    client["yorkie-meta"].versionvectors.find_one({"server_seq": 1})
    assert daemon.metrics().by(COMMANDS, "collection", "routing", command="find") == {
        ("versionvectors", "scatter_gather"): 1}
    assert len(daemon.await_line(r'"id":7003\b.*max_chunks')[0])


def test_hup_reads_it_anew(follow, sim, connect):
    daemon = follow(sim)
    connect(sim).admin.command("shardCollection", "shop.later", key={"n": "hashed"})
    daemon.reload()
    daemon.await_metric(8, "scattergate_catalog_collections")
    assert daemon.metrics().total(TRIGGERS, trigger="signal") == 1
    # To a file and back.
    daemon.write_config(catalog={"source": "preset:yorkie"})
    daemon.reload()
    assert state(daemon) == "file"
    assert not daemon.metrics().series(LOADS)
    daemon.write_config(catalog={"source": "off"})
    daemon.reload()
    assert state(daemon) == "off"
    assert verdict(daemon, connect(daemon), "later") == "unknown"
    daemon.write_config(catalog={"source": "mongos"})
    daemon.reload()
    await_state(daemon, "live")
    await_verdict(daemon, connect(daemon), "later", "scatter_gather", {"x": 1})


def answer_as(hello):
    """A script for an upstream that answers every command as a handshake."""
    def script(connection):
        while request := connection.message():
            connection.reply(request, hello)
    return script


def test_what_is_no_mongos_is_not_asked(upstream, start):
    there = upstream(answer_as({"ismaster": True, "maxWireVersion": 17, "minWireVersion": 0,
                                "ok": 1.0}))
    daemon = start(Daemon, there.address, catalog=SELDOM)
    await_state(daemon, "not_mongos")


def test_a_mongos_that_says_nothing_does_not_keep_us(upstream, start):
    there = upstream(swallow)
    daemon = start(Daemon, there.address, catalog=SELDOM)
    there.await_connection()
    assert daemon.get("/healthz")[0] == 200
    assert daemon.stop() == 0


def test_a_second_signal_while_ending_does_no_harm(upstream, start):
    there = upstream(swallow)
    for attempt in range(3):
        daemon = start(Daemon, there.address, name=f"daemon{attempt}", catalog=SELDOM)
        while daemon.is_alive():
            daemon.signal(signal.SIGTERM)
            time.sleep(0.002)
        assert daemon.wait() == 0


def test_the_password_is_shown_nowhere(start, follow, tmp_path):
    sim = start(Sim, users=["ann:pencil"])
    uri = f"mongodb://ann:pencil@{sim.address}/"
    environment = {"SCATTERGATE_CATALOG_URI": uri}
    daemon = follow(sim, environment=environment)
    for path in ("/metrics", "/", "/readyz"):
        assert "pencil" not in daemon.get(path)[2]
    assert "pencil" not in daemon.stderr and "pencil" not in daemon.stdout
    shown = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "config"],
        env={**clean_environment(), **environment}, check=True, capture_output=True, text=True)
    assert "ann:***@" in shown.stdout and "pencil" not in shown.stdout + shown.stderr
    refused = cluster_text(sim, "--catalog-uri", f"mongodb://ann:pencil2@{sim.address}/")
    assert refused.returncode == 2 and "pencil" not in refused.stdout + refused.stderr


def test_it_is_the_default_where_an_upstream_is_given(sim, start, tmp_path):
    daemon = start(Daemon, sim.address)
    del daemon.config["catalog"]
    daemon.write_config()
    daemon.reload()
    await_state(daemon, "live")
    wait_until(lambda: daemon.get("/readyz")[0] == 200, "readiness")


def test_the_cluster_is_read_under_tls_where_commands_go_under_tls(start, tmp_path):
    authority = Authority(tmp_path / "tls")
    server, ours = authority.issue("mongos"), authority.issue("ours")
    sim = start(Sim, further=["--tls-cert-file", server, "--tls-ca-file", authority.ca_file])

    def before(**upstream_tls):
        return [{"listen": "127.0.0.1:0", "upstream": [sim.address],
                 "upstream_tls": {"ca_file": str(authority.ca_file), **upstream_tls}}]
    daemon = start(Daemon, sim.address, listeners=before(cert_file=str(ours)), catalog=SELDOM)
    await_state(daemon, "live")
    # The driver takes the server's name from the address alone.
    named = start(Daemon, sim.address, name="named", catalog=SELDOM,
                  listeners=before(cert_file=str(ours), server_name="localhost"))
    await_state(named, "bad_uri")
    named.await_line(r'"id":7002\b.*server_name')
    named.write_config(catalog={"uri": f"mongodb://{sim.address}/?tls=true&tlsCAFile="
                                       f"{authority.ca_file}&tlsCertificateKeyFile={ours}"})
    named.reload()
    await_state(named, "live")


@pytest.mark.parametrize("alternatives, trusts, allowed, becomes", [
    ("DNS:elsewhere.example", "ca", "", "unreachable"),
    ("DNS:elsewhere.example", "ca", "&tlsAllowInvalidHostnames=true", "live"),
    ("DNS:localhost", "another", "", "unreachable"),
    ("DNS:localhost", "another", "&tlsAllowInvalidCertificates=true", "live"),
    ("DNS:localhost", "ca", "", "live")])
def test_a_mongos_is_believed_by_its_certificate(start, tmp_path, alternatives, trusts, allowed, becomes):
    authority = Authority(tmp_path / "tls")
    Authority(tmp_path / "tls", "another")
    sim = start(Sim, further=["--tls-cert-file", authority.issue("mongos", alternatives)])
    daemon = start(Daemon, sim.address, catalog={
        **SELDOM, "uri": f"mongodb://localhost:{sim.port}/?tls=true&tlsCAFile={tmp_path}/tls/{trusts}.pem{allowed}"})
    await_state(daemon, becomes)
    daemon.await_line(r'"id":7001\b' if becomes == "live" else r'"id":7002\b.*certificate')
