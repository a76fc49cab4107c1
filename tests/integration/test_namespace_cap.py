"""However many namespaces there are, the labels are bounded, and no command goes uncounted."""

import bson
import pymongo
import pytest

from processes import Daemon
from raw import RawClient, op_msg
from relay import CountingRelay
from traffic import client_of

COMMANDS = "scattergate_commands_total"
OTHER = {"db": "__other__", "collection": "__other__"}
FAILED = {"db": "__failed__", "collection": "__failed__"}


def pairs(metrics):
    return {(labels["db"], labels["collection"])
            for labels, _ in metrics.series(COMMANDS)} - {("__other__", "__other__")}


def test_pairs_beyond_the_cap_are_counted_together(start, sim):
    daemon = start(Daemon, sim.address, metrics={"max_namespaces": 14})
    relay = CountingRelay(daemon.port)
    client = client_of(relay.port)
    client["yorkie-meta"].revisions.find_one({})
    for n in range(40):
        client.shop[f"c{n}"].insert_one({"_id": 1})
    # Being in the catalog gives it no priority.
    client["yorkie-meta"].documents.find_one({})
    for n in range(40):
        client.shop[f"c{n}"].find_one()
    client.close()
    daemon.await_quiet()
    relay.close()
    metrics = daemon.metrics()
    sent = relay.counts()
    assert metrics.total(COMMANDS) == sum(sent.values())
    assert ("yorkie-meta", "revisions") in pairs(metrics)
    assert ("yorkie-meta", "documents") not in pairs(metrics)
    assert len(pairs(metrics)) == 14
    folded = metrics.total(COMMANDS, **OTHER)
    assert folded == sum(n for (db, c, _), n in sent.items() if (db, c) not in pairs(metrics))
    assert folded >= 50
    assert metrics.total("scattergate_series_overflow_total") == folded


def test_a_name_without_a_successful_reply_gets_no_label(daemon, client):
    for n in range(20):
        with pytest.raises(pymongo.errors.OperationFailure):
            client[f"ghost{n}"].command({"find": "spectre", "filter": {"$nonsense": 1}})
    client.close()
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert not [pair for pair in pairs(metrics) if pair[0].startswith("ghost")]
    assert metrics.total(COMMANDS, command="find", **FAILED) == 20
    assert metrics.total(COMMANDS, command="find", **OTHER) == 0


def test_names_that_are_no_utf8_are_replaced_in_labels(daemon):
    body = bytearray(bson.encode({"find": "XXXX", "$db": "shop"}))
    at = body.index(b"XXXX")
    body[at:at + 4] = b"\xff\xfe\xc3("
    with RawClient(daemon.port) as client:
        client.send(op_msg(bytes(body)))
        assert client.receive().response_to == 1
    metrics = daemon.metrics()  # decodes as UTF-8, or fails
    assert metrics.total(COMMANDS, command="find", collection="\ufffd\ufffd\ufffd(") == 1
