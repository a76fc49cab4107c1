"""The fleet: what sidecars add to a database is exact, no matter what breaks."""

import json
import re
import shutil
import signal
import subprocess
import time

import pytest

from fleet_lives import ROUNDS, advise_as_the_state_files_do, cut_and_kill, traffic
from fleet_store import (DATABASE, SILENCE, ConflictingServer, CuttingRelay, ShiftedClock, Store,
                         TroubledServer, commands_in, fleet_settings, ledger_in)
from life import Generations
from processes import Daemon, Sim, clean_environment, program_path
from test_api import check
from waiting import wait_until


def test_a_sidecar_flushes_what_its_state_file_holds(start, connect, sim, server, store, tmp_path):
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, server.address, "one"))
    client = connect(daemon)
    traffic(client, 50)
    wait_until(lambda: store.commands().get(("yorkie", "clients", "insert")) == 50, "the first flush")
    traffic(client, 7)
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    # The last flush was acknowledged before the daemon ended.
    of_file, total = commands_in(tmp_path / "one.state")
    assert of_file[("yorkie", "documents", "find")] == 57
    in_store = store.commands()
    in_store.pop(None)
    assert in_store == of_file
    assert store.total() == total
    assert store.callers() == sum(of_file.values())
    assert store.database.leases.count_documents({}) == 0


def test_metrics_and_documents_describe_the_flush(start, connect, sim, server, store, tmp_path):
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, server.address, "one"))
    traffic(connect(daemon), 5)
    wait_until(lambda: store.total() >= 10, "the first flush")
    daemon.await_metric(0, "scattergate_fleet_waiting_commands")
    metrics = daemon.metrics()
    assert metrics.total("scattergate_fleet_flushes_total") >= 1
    assert abs(metrics.total("scattergate_fleet_last_flush_timestamp_seconds") - time.time()) < 300
    sidecar = store.sidecar("one")
    assert sidecar["schemaVersion"] == 1
    assert sidecar["catalog"].startswith("preset:yorkie ")
    assert len(sidecar["rules"]) == 16
    assert daemon.get("/readyz?verbose")[2].count("[+]fleet_name ok") == 1


def test_a_database_that_is_away_costs_nothing_but_time(start, connect, sim, tmp_path):
    away = CuttingRelay(1, seed=1)  # refuses
    daemon = start(Daemon, sim.address, drain={"grace": "1s"},
                   **fleet_settings(tmp_path, away.address, "one"))
    traffic(connect(daemon), 20)
    daemon.await_line(r'"id":5020\b')
    assert daemon.metrics().total("scattergate_fleet_failures_total") >= 1
    conditions = json.loads(daemon.get("/api/v1/status")[2])
    assert "fleet_failing" in json.dumps(conditions)
    assert daemon.stop() == 0, daemon.stderr
    assert daemon.find_line(r'"id":5027\b.*"commands":\d+')
    # The next start flushes it.
    server = start(Sim, name="server", preset=None)
    store = Store(server.port)
    (tmp_path / "one.uri").write_text(f"mongodb://{server.address}/\n")
    again = start(Daemon, sim.address, name="again", **{
        key: {**value} for key, value in fleet_settings(tmp_path, server.address, "one").items()})
    wait_until(lambda: store.commands().get(("yorkie", "clients", "insert")) == 20, "the flush")
    assert again.stop() == 0, again.stderr
    _, total = commands_in(tmp_path / "one.state")
    assert store.total() == total
    store.close()
    away.close()


def test_the_last_flush_is_repeated_until_it_is_acknowledged(start, connect, sim, server, store, tmp_path):
    """At SIGTERM, without clients."""
    way = CuttingRelay(server.port, seed=1, most_bytes=1)
    daemon = start(Daemon, sim.address, drain={"grace": "50s"}, **fleet_settings(tmp_path, way.address, "one"))
    client = connect(daemon)
    traffic(client, 5)
    client.close()
    daemon.await_quiet()
    daemon.signal(signal.SIGTERM)
    daemon.await_line(r'"id":1002\b.*"connections":0')
    cuts = way.cuts
    wait_until(lambda: way.cuts > cuts + 5, "the flush to be tried again")
    assert daemon.is_alive() and store.total() == 0
    way.is_cutting = False
    assert daemon.wait() == 0, daemon.stderr
    assert not daemon.find_line(r'"id":5027\b'), daemon.stderr
    _, total = commands_in(tmp_path / "one.state")
    assert store.total() == total
    assert store.commands()[("yorkie", "clients", "insert")] == 5
    way.close()


def test_the_successor_of_a_handover_waits_for_the_state_file(start, connect, sim, server, store, tmp_path,
                                                            short_directory):
    generation = Generations(start, sim.address, short_directory,
                             **fleet_settings(tmp_path, server.address, "one"))
    client = connect(generation.daemon)
    for number in range(3):
        traffic(client, 5)
        before = generation.succeed()
        traffic(client, 5)
        assert before.wait() == 0, before.stderr
        assert not before.find_line(r'"id":502[0-7]\b'), before.stderr
    client.close()
    assert generation.daemon.stop() == 0, generation.daemon.stderr
    assert not generation.daemon.find_line(r'"id":502[0-7]\b'), generation.daemon.stderr
    _, total = commands_in(tmp_path / "one.state")
    assert store.total() == total
    assert store.commands()[("yorkie", "clients", "insert")] == 30


def refuse(request):
    if "update" in request.body:
        return {"ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": "not authorized"}


def full(request):
    if request.body.get("update") in ("shapes", "callers"):
        return {"ok": 1.0, "n": 0, "nModified": 0, "writeErrors": [
            {"index": 0, "code": 14031, "errmsg": "OutOfDiskSpace"}]}


def fail_half_way(request):
    if request.body.get("update") == "callers":
        return {"ok": 0.0, "code": 8, "codeName": "UnknownError", "errmsg": "half-way"}


def no_answer(request):
    return SILENCE if "update" in request.body else None


@pytest.mark.parametrize("fault", (refuse, full, fail_half_way, no_answer))
def test_no_client_waits_for_a_database_in_trouble(start, connect, sim, server, store, tmp_path, upstream, fault):
    trouble = TroubledServer(server.port)
    between = upstream(trouble)
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, between.address, "one"))
    client = connect(daemon)
    traffic(client, 3)
    wait_until(lambda: store.commands().get(("yorkie", "clients", "insert")) == 3, "the first flush")
    daemon.await_metric(0, "scattergate_fleet_waiting_commands")
    callers = store.callers()
    trouble.fault = fault
    for _ in range(20):
        traffic(client, 1)
    daemon.await_line(r'"id":5020\b')
    assert daemon.metrics().total("scattergate_fleet_failures_total") >= 1
    assert "fleet_failing" in daemon.get("/api/v1/status")[2]
    traffic(client, 4)
    assert store.callers() == callers
    trouble.fault = None
    daemon.await_line(r'"id":5021\b')
    wait_until(lambda: store.commands()[("yorkie", "clients", "insert")] == 27, "what was missed")
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    _, total = commands_in(tmp_path / "one.state")
    assert store.total() == total


def test_a_commit_without_an_answer_ends_the_attempt(start, connect, sim, server, store, tmp_path, upstream):
    """Its outcome is unknown; the next attempt finds out, and counts nothing twice."""
    trouble = TroubledServer(server.port)
    between = upstream(trouble)
    since_commit = []

    def no_commit(request):
        if since_commit or "commitTransaction" in request.body:
            since_commit.append(request)
            return SILENCE
    trouble.fault = no_commit
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, between.address, "one", interval="60s"))
    client = connect(daemon)
    traffic(client, 3)
    daemon.await_line(r'"id":5020\b')
    assert "commitTransaction" in since_commit[0].body
    trouble.fault = None
    daemon.await_line(r'"id":5021\b')
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    assert store.total() == commands_in(tmp_path / "one.state")[1]


def test_a_transaction_left_open_is_ended_before_the_next_one(start, connect, sim, server, store, tmp_path, upstream):
    """Even if the connection breaks while it ends; otherwise its locks would stay for a minute."""
    trouble = TroubledServer(server.port)
    between = upstream(trouble)
    killed = []

    def break_twice(request):
        if "commitTransaction" in request.body and not killed:
            return SILENCE
        if "killSessions" in request.body:
            killed.append(request.body["killSessions"])
            if len(killed) == 1:
                return SILENCE
    trouble.fault = break_twice
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, between.address, "one"))
    client = connect(daemon)
    traffic(client, 3)
    daemon.await_line(r'"id":5021\b')
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    assert killed[1:] == killed[:1]
    assert store.total() == commands_in(tmp_path / "one.state")[1]


def test_counts_older_than_retain_are_dropped(start, connect, sim, server, store, tmp_path):
    """A delta frozen by a server whose clock is 31 days behind, and flushed to another one."""
    behind = ShiftedClock(tmp_path / "clock", days=-31)
    old = start(Sim, name="old", preset=None, environment=behind.environment)
    way = CuttingRelay(old.port, seed=1, most_bytes=1)
    way.is_cutting = False
    settings = fleet_settings(tmp_path, way.address, "one")
    state = tmp_path / "one.state"
    first = start(Daemon, sim.address, drain={"grace": "1s"}, **settings)
    client = connect(first)
    traffic(client, 1)
    wait_until(lambda: first.metrics().total("scattergate_fleet_flushes_total") >= 1, "the first flush")
    way.cut_all()
    traffic(client, 4)
    client.close()
    await_waiting_delta(first, state)
    assert first.stop() == 0, first.stderr
    waiting = int(first.find_line(r'"id":5027\b.*"commands":(\d+)')[1])
    (tmp_path / "one.uri").write_text(f"mongodb://{server.address}/\n")
    second = start(Daemon, sim.address, name="second", **settings)
    dropped = int(second.await_line(r'"id":5026\b.*"commands":(\d+)')[1])
    assert 0 < dropped <= waiting
    second.await_metric(dropped, "scattergate_fleet_dropped_commands_total")
    client = connect(second)
    traffic(client, 2)
    client.close()
    assert second.stop() == 0, second.stderr
    assert store.sidecar("one")["dropped"] == dropped
    before = Store(old.port)
    assert before.total() + dropped + store.total() == commands_in(state)[1]
    before.close()
    way.close()


def test_two_daemons_with_one_name(start, connect, sim, server, store, tmp_path):
    first = start(Daemon, sim.address, **fleet_settings(tmp_path, server.address, "one"))
    traffic(connect(first), 3)
    wait_until(lambda: store.total() >= 6, "the first flush")
    settings = fleet_settings(tmp_path, server.address, "one")
    settings["state"]["file"] = str(tmp_path / "other.state")
    second = start(Daemon, sim.address, name="second", drain={"grace": "1s"}, **settings)
    second.await_line(r'"id":5022\b.*"subject":"one"')
    assert "[-]fleet_name failed" in second.get("/readyz?verbose")[2]
    assert second.get("/readyz")[0] == 200
    traffic(connect(second), 4)
    second.await_metric(4, "scattergate_commands_total", command="insert")
    holder = store.database.leases.find_one({"_id": "one"})["sidecar"]
    other, = (each["_id"] for each in store.database.sidecars.find() if each["_id"] != holder)
    status = run("fleet", "status", "--uri-file", settings["fleet"]["uri_file"], "--database", DATABASE).stdout
    assert re.search(f"^The sidecar {other}, seen .* flushes nothing: its name, one, is held by sidecar {holder}",
                     status, re.M), status
    assert first.stop() == 0, first.stderr
    # The first has given its name up: the second takes it.
    second.await_line(r'"id":5023\b')
    assert second.stop() == 0, second.stderr
    assert store.commands()[("yorkie", "clients", "insert")] == 7
    _, one = commands_in(tmp_path / "one.state")
    _, other = commands_in(tmp_path / "other.state")
    assert store.total() == one + other


def await_waiting_delta(daemon, state):
    """Until the state file has a delta that the database hasn't acknowledged."""
    def is_there():
        frozen = ledger_in(state).get("frozen")
        return frozen and frozen["flush"] > daemon.metrics().total("scattergate_fleet_flushes_total")
    wait_until(is_there, "a delta to wait")


@pytest.mark.parametrize("is_waiting", (False, True), ids=("flushed", "waiting"))
def test_a_restored_state_file_counts_nothing_twice(start, connect, sim, server, store, tmp_path, is_waiting):
    """A backup of it, made after a flush, or when a delta waits to be flushed."""
    way = CuttingRelay(server.port, seed=1, most_bytes=1)
    way.is_cutting = False
    settings = fleet_settings(tmp_path, way.address, "one")
    state = tmp_path / "one.state"
    first = start(Daemon, sim.address, **settings)
    client = connect(first)
    traffic(client, 5)
    wait_until(lambda: store.total() >= 10, "the first flush")
    first.await_metric(0, "scattergate_fleet_waiting_commands")
    sent = 5
    if is_waiting:
        way.cut_all()
        traffic(client, 4)
        sent += 4
        await_waiting_delta(first, state)
    backup = tmp_path / "backup"
    shutil.copy(state, backup)
    way.is_cutting = False
    traffic(client, 6)
    sent += 6
    client.close()
    assert first.stop() == 0, first.stderr
    before = store.total()
    assert before == commands_in(state)[1]
    assert commands_in(backup)[1] < before
    shutil.copy(backup, state)
    second = start(Daemon, sim.address, name="second", **settings)
    client = connect(second)
    traffic(client, 2)
    client.close()
    second.await_line(r'"id":5025\b')
    assert second.stop() == 0, second.stderr
    assert not second.find_line(r'"id":5027\b'), second.stderr
    assert store.commands()[("yorkie", "clients", "insert")] == sent + 2
    # The counts of this run were added, and nothing of the backup.
    assert store.total() - before == commands_in(state)[1] - commands_in(backup)[1]
    way.close()


def live(start, connect, sim, settings, name, commands):
    """A sidecar's run with twice this number of commands, all of which are flushed."""
    daemon = start(Daemon, sim.address, name=name, **settings)
    client = connect(daemon)
    traffic(client, commands)
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    assert not daemon.find_line(r'"id":502[0-7]\b'), daemon.stderr


def test_a_restored_database_gets_what_is_counted_from_then_on(start, connect, sim, server, store, tmp_path):
    """A backup of it, which lacks the latest flush: that is lost, and nothing counts twice."""
    settings = fleet_settings(tmp_path, server.address, "one")
    state = tmp_path / "one.state"
    live(start, connect, sim, settings, "first", 5)
    names = store.database.list_collection_names()
    backup = {name: list(store.database[name].find()) for name in names}
    before = store.total()
    live(start, connect, sim, settings, "second", 6)
    since = commands_in(state)[1]
    for name in store.database.list_collection_names():
        store.database[name].delete_many({})
        if backup.get(name):
            store.database[name].insert_many(backup[name])
    live(start, connect, sim, settings, "third", 7)
    assert store.commands()[("yorkie", "clients", "insert")] == 5 + 7
    assert store.total() - before == commands_in(state)[1] - since


def test_a_state_file_that_changes_its_database_counts_in_each_what_it_lacked(start, connect, sim, server, store,
                                                                            tmp_path):
    other = start(Sim, name="other", preset=None)
    of_other = Store(other.port)
    settings = fleet_settings(tmp_path, server.address, "one")
    for number, to in enumerate((server, other, server)):
        (tmp_path / "one.uri").write_text(f"mongodb://{to.address}/\n")
        live(start, connect, sim, settings, f"life{number}", 3 + number)
    assert store.commands()[("yorkie", "clients", "insert")] == 3 + 5
    assert of_other.commands()[("yorkie", "clients", "insert")] == 4
    assert store.total() + of_other.total() == commands_in(tmp_path / "one.state")[1]
    of_other.close()


def test_a_copied_state_file_is_noticed(start, connect, sim, server, store, tmp_path):
    first = start(Daemon, sim.address, drain={"grace": "1s"}, **fleet_settings(tmp_path, server.address, "one"))
    traffic(connect(first), 3)
    wait_until(lambda: store.commands().get(("yorkie", "clients", "insert")) == 3, "the first flush")
    first.await_metric(0, "scattergate_fleet_waiting_commands")
    shutil.copy(tmp_path / "one.state", tmp_path / "copy.state")
    settings = fleet_settings(tmp_path, server.address, "one")
    settings["state"]["file"] = str(tmp_path / "copy.state")
    second = start(Daemon, sim.address, name="second", **settings)
    first.await_line(r'"id":5022\b.*a copy of the state file')
    traffic(connect(second), 4)
    second.await_metric(4, "scattergate_commands_total", command="insert")
    assert second.stop() == 0, second.stderr
    assert store.commands()[("yorkie", "clients", "insert")] == 7


def test_clocks_that_jump_change_nothing(start, connect, sim, server, store, tmp_path):
    """Each life of the daemon begins at another date, and jumps to a third."""
    settings = fleet_settings(tmp_path, server.address, "one")
    clock = ShiftedClock(tmp_path / "clock")
    sent = 0
    for number, dates in enumerate(((300, -7_000), (-9_000, 0), (0, 400))):
        clock.jump(dates[0])
        daemon = start(Daemon, sim.address, f"life{number}", clock.environment, **settings)
        client = connect(daemon)
        for days in dates:
            clock.jump(days)
            traffic(client, 3)
            sent += 3
            wait_until(lambda: store.commands().get(("yorkie", "clients", "insert")) == sent, "a flush")
        client.close()
        assert abs(store.sidecar("one")["skewMillis"] / 86_400_000 - dates[1]) < 1
        assert daemon.stop() == 0, daemon.stderr
        assert not daemon.find_line(r'"id":502[0567]\b'), daemon.stderr
    _, total = commands_in(tmp_path / "one.state")
    assert store.total() == total
    assert store.commands()[("yorkie", "clients", "insert")] == 18


def test_logical_shards_grow_while_running(start, connect, sim, server, store, tmp_path):
    """Each sidecar but the last gets more logical shards."""
    steady = start(Daemon, sim.address, name="steady",
                   **fleet_settings(tmp_path, server.address, "two", logical_shards=1))
    client = connect(steady)
    for number, shards in enumerate((1, 3, 8, 8, 8, 8)):
        settings = fleet_settings(tmp_path, server.address, "one", logical_shards=shards)
        daemon = start(Daemon, sim.address, name=f"life{number}", **settings)
        traffic(connect(daemon), 2)
        traffic(client, 1)
        daemon.await_metric(2, "scattergate_commands_total", command="insert")
        assert daemon.stop() == 0, daemon.stderr
    client.close()
    assert steady.stop() == 0, steady.stderr
    assert store.commands()[("yorkie", "clients", "insert")] == 12 + 6
    assert store.total() == commands_in(tmp_path / "one.state")[1] + commands_in(tmp_path / "two.state")[1]
    by_shard = {}
    for one in store.database.shapes.find({"command": "insert"}):
        by_shard[one["n"]] = by_shard.get(one["n"], 0) + one["count"]
    assert by_shard[0] >= 6 and len(by_shard) > 1


def test_cut_connections_and_kills(start, connect, sim, server, store, tmp_path):
    assert cut_and_kill(start, connect, sim, server.port, store, tmp_path, ROUNDS) >= ROUNDS


def test_conflicts_and_commits_of_unknown_outcome(start, connect, sim, server, store, tmp_path, upstream):
    faults = ConflictingServer(server.port, seed=5)
    between = upstream(faults)
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, between.address, "one"))
    client = connect(daemon)
    flushes = 0
    while faults.conflicts < 5 or faults.unknown < 5:
        traffic(client, 2)
        flushes += 1
        wait_until(lambda: daemon.metrics().total("scattergate_fleet_flushes_total") >= flushes, "a flush")
    client.close()
    assert daemon.stop() == 0, daemon.stderr
    of_file, total = commands_in(tmp_path / "one.state")
    assert store.total() == total
    assert store.commands()[("yorkie", "clients", "insert")] == 2 * flushes


SHARDED = """
collections:
  - {namespace: fleet.shapes, shardKey: {shape: 1, n: 1}}
  - {namespace: fleet.callers, shardKey: {shape: 1, n: 1}}
"""


def test_no_command_of_a_sidecar_scatters(start, connect, sim, server, store, tmp_path):
    """Judged by a daemon before the fleet's database, which is sharded."""
    for name in ("shapes", "callers"):
        store.client.admin.command("shardCollection", f"{DATABASE}.{name}", key={"shape": 1, "n": 1})
    catalog = tmp_path / "fleet-catalog.yaml"
    catalog.write_text(SHARDED)
    judge = start(Daemon, server.address, name="judge", catalog={"source": str(catalog)})
    settings = fleet_settings(tmp_path, judge.address, "one")
    for life in ("first", "second"):
        daemon = start(Daemon, sim.address, name=life, **settings)
        client = connect(daemon)
        traffic(client, 4)
        daemon.await_metric(4, "scattergate_commands_total", command="insert")
        daemon.await_metric(0, "scattergate_fleet_waiting_commands")
        client.close()
        assert daemon.stop() == 0, daemon.stderr
    status = run("fleet", "status", "--uri-file", tmp_path / "one.uri", "--database", DATABASE)
    assert status.returncode == 0, status.stderr
    judge.await_quiet()
    metrics = judge.metrics()
    by_routing = metrics.by("scattergate_commands_total", "routing")
    assert by_routing[("single_shard",)] >= 4
    assert set(by_routing) <= {("single_shard",), ("unsharded",), ("not_routed",)}
    # Batches of statements, each for a document of its own, go to its shard only.
    statements = metrics.by("scattergate_statements_total", "routing")
    assert set(statements) <= {("single_shard",), ("unsharded",)}
    assert store.commands()[("yorkie", "clients", "insert")] == 8
    # The role that `fleet init` prints allows exactly what sidecars and report do.
    report_of(f"mongodb://{judge.address}/{DATABASE}")
    judge.await_quiet()
    needed = {}
    for collection, command in judge.metrics().by("scattergate_commands_total", "collection", "command"):
        if collection:
            needed.setdefault(collection, set()).update(ACTIONS[command])
    assert needed == granted()


ACTIONS = {"find": {"find"}, "getMore": {"find"}, "update": {"insert", "update"}, "delete": {"remove"}}


def granted():
    """By collection, the actions of the role."""
    printed = run("fleet", "init", "--database", DATABASE).stdout
    found = re.findall(rf'db: "{DATABASE}", collection: "(\w+)"\}}, actions: \[(.*?)\]', printed)
    return {collection: set(re.findall(r"\w+", actions)) for collection, actions in found}


def run(*arguments):
    return subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), *arguments],
                          capture_output=True, text=True, env=clean_environment(), timeout=60)


def report_of(source):
    done = run("report", source, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_report_adds_up_all_sidecars(start, connect, sim, server, store, tmp_path):
    for name, commands in (("one", 5), ("two", 6)):
        daemon = start(Daemon, sim.address, name=name,
                       **fleet_settings(tmp_path, server.address, name))
        traffic(connect(daemon), commands)
        daemon.await_metric(commands, "scattergate_commands_total", command="insert")
        assert daemon.stop() == 0, daemon.stderr
    of_fleet = report_of(f"mongodb://{server.address}/{DATABASE}")
    done = run("report", tmp_path / "one.state", tmp_path / "two.state", "--format", "json")
    of_files = json.loads(done.stdout)
    assert of_fleet["totals"] == of_files["totals"]
    assert of_fleet["window"] == of_files["window"]
    for parts in ("perHour", "byCollection", "byApp", "byUser", "byHost"):
        assert of_fleet[parts] == of_files[parts], parts
    fleet_shapes, file_shapes = ({(one["ns"], one["command"], one["shapeHash"]): one for one in of["shapes"]}
                                 for of in (of_fleet, of_files))
    assert fleet_shapes.keys() == file_shapes.keys()
    for key, one in fleet_shapes.items():
        other = file_shapes[key]
        for member in ("count", "errors", "routing", "reason", "missing", "shape", "shardKey", "suggestion",
                       "fanout", "durationMillis", "firstSeen", "lastSeen", "queryShapeHash", "callers",
                       "wastedShardRequests"):
            assert one[member] == other[member], (key, member)


def test_advise_says_of_a_fleet_what_it_says_of_its_state_files(start, connect, sim, server, store, tmp_path):
    advise_as_the_state_files_do(start, connect, sim, server, store, tmp_path)


@pytest.mark.parametrize("view", ["text", "json", "html"])
def test_advice_on_a_fleet_says_that_it_has_no_sketches(start, connect, sim, server, store, tmp_path, view):
    daemon = start(Daemon, sim.address, advise={"sketch": "on"}, **fleet_settings(tmp_path, server.address, "one"))
    traffic(connect(daemon), 5)
    wait_until(lambda: store.total() >= 10, "the first flush")
    done = run("advise", f"mongodb://{server.address}/{DATABASE}", "--catalog", "preset:yorkie", "--format", view)
    assert done.returncode == 0, done.stderr
    for text in ("no sketches", "advise: {sketch: on, salt_file: PATH}", "instead of the database"):
        assert text in done.stdout
    of_state = run("advise", tmp_path / "one.state", "--catalog", "preset:yorkie", "--format", view)
    assert "no sketches" not in of_state.stdout


def test_report_of_a_fleet_that_is_not_there(tmp_path):
    done = run("report", "mongodb://127.0.0.1:1/fleet?serverSelectionTimeoutMS=500")
    assert done.returncode == 2
    assert "mongodb://127.0.0.1:1/fleet" in done.stderr


def test_status_describes_each_sidecar(start, connect, sim, server, store, tmp_path):
    empty = run("fleet", "status", "--uri-file", tmp_path / "none")
    assert empty.returncode == 2 and "No such file" in empty.stderr
    settings = fleet_settings(tmp_path, server.address, "one")
    uri = settings["fleet"]["uri_file"]
    assert "No sidecar" in run("fleet", "status", "--uri-file", uri, "--database", DATABASE).stdout
    daemon = start(Daemon, sim.address, name="one", **settings)
    traffic(connect(daemon), 2)
    wait_until(lambda: store.total() >= 4, "the first flush")
    start(Daemon, sim.address, name="two", catalog={"source": "off"},
          **fleet_settings(tmp_path, server.address, "two"))
    wait_until(lambda: store.database.sidecars.count_documents({}) == 2, "the second sidecar")
    lines = run("fleet", "status", "--uri-file", uri, "--database", DATABASE).stdout.splitlines()
    assert lines[0].split() == ["name", "seen", "last", "flush", "lag", "waiting", "dropped", "clock",
                                "version", "catalog", "rules"]
    assert [line.split()[0] for line in lines[1:3]] == ["one", "two"]
    assert "never" in lines[2] and "never" not in lines[1]
    assert any("2 different catalogs" in line for line in lines[3:])


def test_a_sidecar_that_may_read_shows_the_whole_fleet(start, connect, sim, server, store, tmp_path):
    one = start(Daemon, sim.address, name="one", **fleet_settings(tmp_path, server.address, "one", read="on"))
    two = start(Daemon, sim.address, name="two", rules=[],
                **fleet_settings(tmp_path, server.address, "two"))
    client = connect(two)
    for i in range(5):
        list(client["yorkie-meta"].clients.find({"status": i}))
    wait_until(lambda: store.commands().get(("yorkie-meta", "clients", "find")) == 5, "the flush")
    assert two.get("/fleet")[0] == two.get("/api/v1/fleet")[0] == 404

    def seen():
        shown = json.loads(one.get("/api/v1/fleet")[2])
        return shown if shown["state"] == "read" else None
    shown = wait_until(seen, "the fleet to be read")
    check(shown, "fleet")
    finding, = shown["findings"]
    assert (finding["ns"], finding["count"], finding["sidecars"]) == ("yorkie-meta.clients", 5, ["two"])
    assert {each["name"] for each in shown["sidecars"]} == {"one", "two"}
    page = one.get("/fleet")[2]
    assert "yorkie-meta.clients" in page and "two" in page
    assert 'href="fleet"' in one.get("/")[2] and 'href="fleet"' not in two.get("/")[2]


def test_check_connects_to_the_database(start, sim, server, tmp_path):
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, server.address, "one"))
    done = run("check", "--config", daemon.config_path, "--connect")
    assert "ok      fleet, database fleet: " in done.stdout and "transactions" in done.stdout
    (tmp_path / "one.uri").write_text("mongodb://127.0.0.1:1/\n")
    done = run("check", "--config", daemon.config_path, "--connect")
    assert done.returncode == 1 and "FAILED  fleet, database fleet: " in done.stdout


def test_init_prints_what_works(server, store, tmp_path):
    """Parses and runs the commands for indexes and sharding."""
    done = run("fleet", "init", "--database", DATABASE)
    assert done.returncode == 0, done.stderr
    created = re.findall(r'^fleet\.(\w+)\.createIndex\(\{(.*?)\}(?:, \{expireAfterSeconds: (\d+)\})?\)$',
                         done.stdout, re.M)
    assert {name for name, _, _ in created} == {"shapes", "callers", "sidecars", "leases", "locks"}
    for name, keys, seconds in created:
        key = [(field.split(":")[0].strip(), 1) for field in keys.split(",")]
        options = {"expireAfterSeconds": int(seconds)} if seconds else {}
        store.database[name].create_index(key, **options)
    for namespace in re.findall(r'sh\.shardCollection\("(.*?)", \{shape: 1, n: 1\}\)', done.stdout):
        store.client.admin.command("shardCollection", namespace, key={"shape": 1, "n": 1})
    # Documents name the date at which they end; a lease ends a month after its last renewal.
    ends = {name: (keys, seconds) for name, keys, seconds in created if seconds}
    assert ends.pop("leases") == ("renewedAt: 1", str(30 * 86_400))
    assert ends == dict.fromkeys(("callers", "sidecars", "locks"), ("expiresAt: 1", "0"))
