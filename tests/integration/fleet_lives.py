"""Runs of a fleet's sidecars that end badly."""

import json
import os
import random
import signal
import subprocess
import time
import uuid

from fleet_store import DATABASE, CuttingRelay, commands_in, fleet_settings
from processes import Daemon, clean_environment, program_path
from waiting import wait_until

def traffic(client, commands):
    for i in range(commands):
        list(client.yorkie.documents.find({"x": i}))
        client.yorkie.clients.insert_one({})


def varied_traffic(client, number):
    """Commands of several shapes on three collections, enough to rank keys."""
    documents = client["yorkie-meta"].documents
    for i in range(number):
        documents.insert_one({"project_id": uuid.uuid4().hex, "key": f"k{i}", "owner": f"o{i % 3}"})
        documents.find_one({"project_id": f"p{i}", "key": f"k{i}"})
        list(documents.find({"owner": {"$in": ["o1", "o2"]}, "key": f"k{i}"}))
        documents.update_one({"key": f"k{i}", "owner": "o1"}, {"$set": {"seen": i}})
        client["yorkie-meta"].clients.delete_many({"status": f"s{i}"})
        client.shop.orders.find_one({"customer": i})


def advice(*sources):
    """The advice for each collection, as JSON."""
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "advise", *sources, "--catalog",
                           "preset:yorkie", "--key", "{owner: 1}", "--json"],
                          capture_output=True, text=True, env=clean_environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def advise_as_the_state_files_do(start, connect, sim, server, store, tmp_path):
    """Two sidecars of a fleet: its database and their state files give the same advice."""
    for name, number in (("one", 7), ("two", 4)):
        daemon = start(Daemon, sim.address, name=name, **fleet_settings(tmp_path, server.address, name))
        client = connect(daemon)
        varied_traffic(client, number)
        client.close()
        assert daemon.stop() == 0, daemon.stderr
    files = [str(tmp_path / f"{name}.state") for name in ("one", "two")]
    of_fleet, of_files = advice(f"mongodb://{server.address}/{DATABASE}"), advice(*files)
    assert {one["ns"] for one in of_fleet["collections"]} == {
        "yorkie-meta.documents", "yorkie-meta.clients", "shop.orders"}
    # Neither has values; how to get them differs.
    for of_one, of_other in zip(of_fleet["collections"], of_files["collections"], strict=True):
        without, also_without = ([text for text in one.pop("unknown") if "have no values" not in text]
                                 for one in (of_one, of_other))
        assert without == also_without
    assert of_fleet == of_files


ROUNDS = int(os.environ.get("FLEET_ROUNDS", "5"))


def cut_and_kill(start, connect, sim, server_port, store, tmp_path, rounds):
    """Two sidecars are killed, and their connections to the database cut, while their logical shards grow:
    afterwards the database has all that their state files took. Returns the number of cuts."""
    chance = random.Random(rounds)
    relays = [CuttingRelay(server_port, seed=seed, most_bytes=25_000) for seed in (rounds, rounds + 1)]
    def settings(i, number):
        return fleet_settings(tmp_path, relays[i].address, ("one", "two")[i],
                              logical_shards=1 + 8 * number // rounds)
    sent = [0, 0]
    for number in range(rounds):
        for i in (0, 1):
            daemon = start(Daemon, sim.address, name=f"life{i}-{number}", **settings(i, number))
            client = connect(daemon)
            traffic(client, 5)
            daemon.await_metric(5, "scattergate_commands_total", command="insert")
            client.close()
            # A cut per connection, a new one with every attempt; and then anywhere in the next one.
            cuts = relays[i].cuts
            wait_until(lambda: relays[i].cuts >= cuts + number % 3, "the way to be cut")
            time.sleep(chance.random() * 1.2)
            daemon.ends_with = -signal.SIGKILL
            daemon.signal(signal.SIGKILL)
            daemon.wait()
            sent[i] += 5
    for i in (0, 1):
        relays[i].is_cutting = False
        daemon = start(Daemon, sim.address, name=f"last{i}", **settings(i, rounds))
        assert daemon.stop() == 0, daemon.stderr
        assert not daemon.find_line(r'"id":5027\b'), daemon.stderr
    files = [commands_in(tmp_path / f"{name}.state") for name in ("one", "two")]
    expected = {}
    for of_file, _ in files:
        for key, count in of_file.items():
            expected[key] = expected.get(key, 0) + count
    in_store = store.commands()
    in_store.pop(None, None)
    assert in_store == expected
    assert store.total() == files[0][1] + files[1][1]
    for i in (0, 1):
        assert files[i][0][("yorkie", "clients", "insert")] <= sent[i]
    for relay in relays:
        relay.close()
    cuts = sum(relay.cuts for relay in relays)
    print(f"{2 * rounds} kills, {cuts} cuts, {sum(sent)} inserts, {expected[('yorkie', 'clients', 'insert')]} counted")
    return cuts
