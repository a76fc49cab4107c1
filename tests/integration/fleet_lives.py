"""Lives of sidecars of a fleet that end badly."""

import os
import random
import signal
import time

from fleet_store import CuttingRelay, commands_in, fleet_settings
from processes import Daemon
from waiting import wait_until

def traffic(client, commands):
    for i in range(commands):
        list(client.yorkie.documents.find({"x": i}))
        client.yorkie.clients.insert_one({})


ROUNDS = int(os.environ.get("FLEET_ROUNDS", "5"))


def cut_and_kill(start, connect, sim, server_port, store, tmp_path, rounds):
    """Two sidecars whose way to the database is cut, and that are killed, while their logical shards
    grow: then what their state files have taken is in the database. Returns the number of cuts."""
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
