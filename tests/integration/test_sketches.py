"""Sketches (digest/sketches/) against exact counts and against Apache DataSketches, on the same streams."""

import collections
import json
import math
import random
import shutil
import signal
import string
import subprocess

import bson
import datasketches
import jsonschema
import pytest

from fleet_store import CuttingRelay, Store, commands_in, fleet_settings, ledger_in
from processes import ROOT, Daemon, Sim, clean_environment, program_path
from waiting import wait_until

PROBE = program_path("SCATTERGATE_SKETCH_PROBE", "tests/integration/sketch_probe")
COUNT = 60_000
CAPACITY = 40        # value_sketch::common
STANDARD_ERROR = 0.023  # cardinality


def stream(name):
    rng = random.Random(name)
    if name == "all distinct":
        return [f"{i:024x}" for i in range(COUNT)]
    if name == "one":
        return ["x"] * COUNT
    if name == "hot tenant":
        return ["big" if rng.random() < 0.4 else f"t{rng.randrange(9_000)}" for _ in range(COUNT)]
    _, values, exponent = name.split()
    return [str(v) for v in rng.choices(range(int(values)),
                                        [1 / (i + 1) ** float(exponent) for i in range(int(values))], k=COUNT)]


STREAMS = ["all distinct", "one", "hot tenant", "zipf 12000 0", "zipf 12000 0.7", "zipf 500 1", "zipf 50000 1.2",
           "zipf 40 0", "zipf 41 0", "zipf 100000 2"]


def sketched(values, parts):
    run = subprocess.run([PROBE, str(parts)], input="\n".join(values) + "\n", text=True, capture_output=True,
                         check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("parts", [1, 7])
@pytest.mark.parametrize("name", STREAMS)
def test_sketches_keep_their_bounds(name, parts):
    values = stream(name)
    exact = collections.Counter(values)
    ours = sketched(values, parts)

    theirs = datasketches.hll_sketch(11, datasketches.HLL_8)
    frequent = datasketches.frequent_strings_sketch(6)
    for value in values:
        theirs.update(value)
        frequent.update(value)

    # Distinct values: within the allowed error, and compatible with the oracle's bounds.
    assert ours["distinct"] == pytest.approx(len(exact), rel=4 * STANDARD_ERROR, abs=1)
    reach = 3 * STANDARD_ERROR * len(exact) + 1
    assert theirs.get_lower_bound(3) - reach <= ours["distinct"] <= theirs.get_upper_bound(3) + reach

    # Common values: correct bounds that overlap the oracle's; no value above 1/CAPACITY is missing.
    assert ours["total"] == COUNT
    listed = {value: (low, high) for value, low, high in ours["commonest"]}
    for value, (low, high) in listed.items():
        assert low <= exact[value] <= high
        assert high - low <= COUNT / CAPACITY
        assert low <= frequent.get_upper_bound(value) and frequent.get_lower_bound(value) <= high
    for value, count in exact.items():
        if count * CAPACITY > COUNT:
            assert value in listed
    common = frequent.get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_POSITIVES)
    for value, _, low, _ in common:
        if low * CAPACITY > COUNT:
            assert value in listed


# Through the daemon.

NAMESPACE = ("yorkie-meta", "documents")


def distinct_of(text):
    """A second opinion on a HyperLogLog's registers: the estimate of the paper, with linear counting."""
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    registers = [alphabet.index(c) for c in text]
    m = len(registers)
    raw = 0.7213 / (1 + 1.079 / m) * m * m / sum(2.0 ** -rank for rank in registers)
    zeros = registers.count(0)
    return m * math.log(m / zeros) if raw < 2.5 * m and zeros else raw


def sketches_in(text):
    """The sketches of each collection in a stored digest; None if it has none."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('{"type":"scattergate.sketches"')), None)
    if begin is None:
        return None
    found = {}
    for line in lines[begin + 1:]:
        if line.startswith('{"end":'):
            return found
        one = json.loads(line)
        found[one["database"], one["collection"]] = {
            "requests": one["requests"],
            "fields": {field["path"]: field for field in one["fields"]},
            "pairs": {(pair["first"], pair["second"]): pair for pair in one["pairs"]}}
    raise AssertionError("the sketches have no end")


def sketches_of(daemon):
    return sketches_in(daemon.get("/api/v1/shapes?format=stored")[2])


def await_requests(daemon, count):
    """Waits for sketches of at least this number of statements."""
    found = []

    def reached():
        found[:] = [(sketches_of(daemon) or {}).get(NAMESPACE)]
        return found[0] is not None and found[0]["requests"] >= count
    wait_until(reached, f"{count} requests are sketched, not {found and found[0] and found[0]['requests']}")
    return found[0]


def sketching(start, sim, tmp_path, **options):
    return start(Daemon, sim.address, advise={"sketch": "on", "salt_file": str(tmp_path / "salt")}, **options)


def label(client):
    """A collection is sketched after mongos has answered a command on it."""
    client[NAMESPACE[0]][NAMESPACE[1]].find_one({"project_id": 0})


def test_equal_numbers_of_any_type_and_of_reads_and_writes_are_one_value(start, sim, connect, tmp_path):
    daemon = sketching(start, sim, tmp_path)
    client = connect(daemon)
    label(client)
    documents = client[NAMESPACE[0]][NAMESPACE[1]]
    values = 3_000
    for i in range(values):
        documents.find_one({"project_id": [i, bson.Int64(i), float(i)][i % 3], "key": "x"})
    for first in range(0, values, 10):
        documents.insert_many([{"_id": i, "project_id": [float(i), i, bson.Int64(i)][i % 3]}
                               for i in range(first, first + 10)])
    found = await_requests(daemon, 2 * values)
    project = found["fields"]["project_id"]
    assert distinct_of(project["distinct"]) == pytest.approx(values, rel=4 * STANDARD_ERROR)
    assert project["total"] == pytest.approx(2 * values, abs=1)
    assert project["pinned"] == pytest.approx(values, abs=1)
    assert project["order"][1:] == ["1.0000", True]
    # A missing field counts as null.
    key = found["fields"]["key"]
    assert 1.5 < distinct_of(key["distinct"]) < 2.5
    assert [count for _, count, _ in key["commonest"]] == [values, values]


def test_a_hot_value_has_its_share_and_its_minutes(start, sim, connect, tmp_path):
    daemon = sketching(start, sim, tmp_path)
    client = connect(daemon)
    label(client)
    documents = client[NAMESPACE[0]][NAMESPACE[1]]
    rng = random.Random(1)
    tenants = ["big" if rng.random() < 0.5 else f"small-{rng.randrange(500)}" for _ in range(1_000)]
    for tenant in tenants:
        documents.update_one({"$and": [{"project_id": {"$eq": tenant}}, {"key": {"$in": ["a", "b"]}}]},
                             {"$set": {"x": 1}})
    found = await_requests(daemon, 1_000)
    project = found["fields"]["project_id"]
    _, count, error = project["commonest"][0]
    assert count - error <= tenants.count("big") <= count
    assert project["minutes"][1] / project["minutes"][0] == pytest.approx(0.5, abs=0.1)
    pair = found["pairs"]["key", "project_id"]
    assert pair["pinned"] == pytest.approx(1_000, abs=1)
    assert pair["total"] == pytest.approx(2_000, abs=2)
    assert distinct_of(pair["distinct"]) == pytest.approx(2 * len(set(tenants)), rel=0.15)


def test_sketches_outlive_a_restart_unless_the_salt_is_another(start, sim, connect, tmp_path):
    state = {"file": str(tmp_path / "state")}

    def run(name):
        daemon = sketching(start, sim, tmp_path, state=state, name=name)
        client = connect(daemon)
        label(client)
        for i in range(100):
            client[NAMESPACE[0]][NAMESPACE[1]].find_one({"project_id": f"secret-{name}-{i}"})
        return daemon

    first = run("first")
    await_requests(first, 100)
    first.stop()
    salt = tmp_path / "salt"
    assert salt.stat().st_mode & 0o777 == 0o600
    text = (tmp_path / "state").read_text()
    assert "secret" not in text and salt.read_text().strip() not in text
    stored = sketches_in(text)[NAMESPACE]

    second = run("second")
    both = await_requests(second, stored["requests"] + 100)
    assert distinct_of(both["fields"]["project_id"]["distinct"]) == pytest.approx(200, rel=0.1)
    second.stop()

    salt.unlink()
    third = run("third")
    third.await_line(r'"id":5018\b')
    assert await_requests(third, 100)["requests"] < 200
    assert distinct_of(sketches_of(third)[NAMESPACE]["fields"]["project_id"]["distinct"]) < 120


def test_sketches_and_a_fleets_ledger_share_a_state_file(start, sim, connect, tmp_path):
    """A daemon is killed while a delta waits: the next one continues with both."""
    server = start(Sim, name="server", preset=None)
    store = Store(server.port)
    way = CuttingRelay(server.port, seed=1, most_bytes=1)
    way.is_cutting = False
    options = fleet_settings(tmp_path, way.address, "one")
    state = tmp_path / "one.state"
    first = sketching(start, sim, tmp_path, name="first", **options)
    client = connect(first)
    documents = client[NAMESPACE[0]][NAMESPACE[1]]
    label(client)
    wait_until(lambda: first.metrics().total("scattergate_fleet_flushes_total") >= 1, "the first flush")
    way.cut_all()
    for i in range(100):
        documents.find_one({"project_id": i})
    client.close()
    wait_until(lambda: commands_in(state)[0].get((*NAMESPACE, "find")) == 101, "the file to have all")
    wait_until(lambda: ledger_in(state).get("frozen"), "a delta to wait")
    first.ends_with = -signal.SIGKILL
    first.signal(signal.SIGKILL)
    first.wait()
    before = sketches_in(state.read_text())[NAMESPACE]
    assert before["requests"] >= 100 and ledger_in(state)["frozen"]["commands"] > 0
    way.is_cutting = False
    second = sketching(start, sim, tmp_path, name="second", **options)
    assert sketches_of(second)[NAMESPACE] == before
    wait_until(lambda: store.commands().get((*NAMESPACE, "find")) == 101, "the flush")
    assert second.stop() == 0, second.stderr
    assert not second.find_line(r'"id":50(11|16|17|18|24|25|26|27)\b'), second.stderr
    assert store.total() == commands_in(state)[1]
    store.close()
    way.close()


def test_large_inserts_are_weighed_by_their_first_documents(start, sim, connect, tmp_path):
    daemon = sketching(start, sim, tmp_path)
    client = connect(daemon)
    label(client)
    documents = client[NAMESPACE[0]][NAMESPACE[1]]
    documents.find_one({"project_id": "few", "key": "x"})
    count, batches = 4_000, 5
    for batch in range(batches):
        documents.insert_many([{"project_id": "big" if i % 2 else f"small-{i}", "key": i, "text": "x" * 100}
                               for i in range(batch * count, (batch + 1) * count)])
    found = await_requests(daemon, 0.9 * batches * count)
    assert found["requests"] == pytest.approx(batches * count, rel=0.1)
    project = found["fields"]["project_id"]
    _, most, error = project["commonest"][0]
    # Half of them. About 130 documents are sampled, so three standard deviations are 13 %.
    assert most - error <= 0.63 * batches * count and most >= 0.37 * batches * count


def test_bulk_writes_are_sketched_by_their_namespaces(start, sim, connect, tmp_path):
    daemon = sketching(start, sim, tmp_path)
    client = connect(daemon)
    label(client)
    for i in range(200):
        client.admin.command(
            "bulkWrite", 1, nsInfo=[{"ns": "yorkie-meta.clients"}, {"ns": ".".join(NAMESPACE)}],
            ops=[{"insert": 1, "document": {"_id": i, "project_id": i % 7}},
                 {"update": 1, "filter": {"project_id": i}, "updateMods": {"$set": {"x": 1}}},
                 {"delete": 0, "filter": {"_id": i}}])
    found = await_requests(daemon, 400)
    assert found["fields"]["project_id"]["pinned"] == pytest.approx(200, abs=2)
    assert found["fields"]["project_id"]["total"] == pytest.approx(400, abs=3)
    assert distinct_of(found["fields"]["project_id"]["distinct"]) == pytest.approx(200, rel=0.1)


def test_nothing_is_sketched_unless_that_is_switched_on(start, sim, connect):
    daemon = start(Daemon, sim.address)
    client = connect(daemon)
    label(client)
    daemon.await_metric(1, "scattergate_commands_total", collection="documents")
    assert sketches_of(daemon) is None


def test_a_salt_file_that_others_may_read_is_reported(start, sim, tmp_path):
    salt = tmp_path / "salt"
    salt.write_text("0123456789abcdef" * 2 + "\n")
    salt.chmod(0o640)
    daemon = sketching(start, sim, tmp_path)
    daemon.await_line(r'"id":3006\b.*0640')

    def check():
        return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config",
                               daemon.config_path], capture_output=True, text=True, env=clean_environment())
    wide = check()
    assert wide.returncode == 1
    assert "0640" in wide.stderr and "chmod 0600" in wide.stderr
    salt.chmod(0o600)
    assert check().returncode == 0
    salt.write_text("no salt")
    assert "not a salt" in check().stderr
    salt.unlink()
    assert check().returncode == 0
    assert not salt.exists()


# The advice from them.

ORDERS = "shop.orders"
SCHEMA = json.loads((ROOT / "docs" / "advise.schema.json").read_text())


def advice(tmp_path, *sources):
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "advise", *sources, "--catalog",
                           tmp_path / "keys.yaml", "--collection", ORDERS, "--key", "{_id: 1}", "--json"],
                          capture_output=True, text=True, env=clean_environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    jsonschema.validate(made, SCHEMA)
    return made["collections"][0]


def candidates(advised):
    return {json.dumps(one["key"]): one for one in advised["candidates"]}


def test_advise_names_the_hot_tenant_and_the_growing_id(start, sim, connect, tmp_path):
    (tmp_path / "keys.yaml").write_text(
        f"schemaVersion: 1\ncollections:\n  - namespace: {ORDERS}\n    shardKey: {{tenant: 1}}\n")
    daemon = sketching(start, sim, tmp_path, catalog={"source": str(tmp_path / "keys.yaml")},
                       state={"file": str(tmp_path / "state")})
    client = connect(daemon)
    orders = client.shop.orders
    orders.find_one({"_id": 0, "tenant": "small-0"})  # from now on it is sketched
    orders.find_one({"_id": 0, "tenant": "small-0"})
    rng = random.Random(2)
    tenants = ["big" if rng.random() < 0.6 else f"small-{rng.randrange(300)}" for _ in range(1_500)]
    for number, tenant in enumerate(tenants):
        orders.insert_one({"_id": number, "tenant": tenant})
        orders.find_one({"tenant": tenant, "_id": number})
    distinct = len(set(tenants))

    def reached():
        found = (sketches_of(daemon) or {}).get(("shop", "orders"))
        return found is not None and found["requests"] >= 3_000
    wait_until(reached, "3000 statements to be sketched")
    advised = advice(tmp_path, daemon.admin)
    daemon.stop()
    assert advice(tmp_path, tmp_path / "state")["candidates"][0]["key"] == advised["candidates"][0]["key"]

    of = candidates(advised)
    tenant = of['{"tenant": 1}']
    common = tenant["keyCharacteristics"]["mostCommonValues"]
    assert common[0]["frequency"] / 3_000 == pytest.approx(tenants.count("big") / 1_500, abs=0.02)
    assert tenant["keyCharacteristics"]["numDistinctValues"] == pytest.approx(distinct, rel=0.1)
    assert tenant["keyCharacteristics"]["monotonicity"]["type"] == "not monotonic"
    assert tenant["hotValue"] is True
    assert tenant["jumboChunkRisk"] == "high"

    growing = of['{"_id": 1}']
    assert growing["keyCharacteristics"]["monotonicity"] == {
        "recordIdCorrelationCoefficient": pytest.approx(1), "type": "monotonic"}
    assert growing["keyCharacteristics"]["numDistinctValues"] == pytest.approx(1_500, rel=0.1)
    assert growing["perMinuteShare"] == pytest.approx(0.5, abs=0.05), "all new documents go to one place"
    # The proposed key begins with a hashed field where values would grow, and has no hot value.
    first = advised["candidates"][0]
    assert first["key"] in ({"_id": "hashed"}, {"_id": "hashed", "tenant": 1}), first["key"]
    assert not first["hotValue"]
    assert all("no values" not in gap for gap in advised["unknown"]), advised["unknown"]
    assert of['{"_id": "hashed", "tenant": 1}']["keyCharacteristics"]["numDistinctValues"] > 1_000


def test_sketches_in_a_state_file_of_an_earlier_commit_are_read(start, sim, tmp_path):
    formats = ROOT / "tests" / "formats"
    shutil.copy(formats / "state-with-sketches", tmp_path / "state")
    shutil.copy(formats / "state-with-sketches.salt", tmp_path / "salt")
    (tmp_path / "salt").chmod(0o600)
    before = sketches_in((tmp_path / "state").read_text())[NAMESPACE]
    daemon = sketching(start, sim, tmp_path, state={"file": str(tmp_path / "state")})
    after = sketches_of(daemon)[NAMESPACE]
    assert after == before
    assert not daemon.find_line(r'"id":50(11|16|17|18)\b')
    assert distinct_of(after["fields"]["key"]["distinct"]) == pytest.approx(200, rel=0.1)
