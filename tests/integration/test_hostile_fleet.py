"""A fleet's database whose cursors never end: the view, the report and the status read up to their limits, and say so."""

import itertools
import json

import bson
import pytest
from bson import Int64

from fake_mongos import ConfigDatabase, FakeMongos
from fleet_store import DATABASE, fleet_settings
from hostile_mongos import MIB
from processes import Daemon, Process, has_sanitizer, program_path
from raw import op_msg
from test_api import check
from waiting import wait_until

BATCH = 2_000
MARK = "0000000000"
GROWTH = 192 * MIB  # what the view keeps, twice while it replaces a reading, and malloc's share


def sidecar(number):
    return {"_id": f"{MARK}-{number}", "name": f"{MARK}-{number}" * 20, "version": "v" * 900, "catalog": "c" * 900,
            "rules": "r" * 900}


def shape(number):
    return {"_id": f"{MARK}-{number}", "schemaVersion": 1, "database": "db", "collection": f"{MARK}-{number}",
            "command": "find", "shapeHash": f"{number:016x}", "count": Int64(7), "errors": Int64(0),
            "what": {"scatter_gather": {"reason": "missing_key", "shape": json.dumps({"filter": "x" * 6000})}},
            "byRouting": {"scatter_gather": Int64(7)}}


def caller(number):
    return {"_id": f"{MARK}-{number}", "schemaVersion": 1, "database": "db", "collection": "c", "command": "find",
            "shapeHash": f"{1:016x}", "sidecar": f"{MARK}-{number}", "appName": f"{MARK}-{number}", "count": Int64(1)}


DOCUMENTS = {"sidecars": sidecar, "shapes": shape, "callers": caller}
UNITS = {"sidecars": "documents", "shapes": "bytes to keep", "callers": "documents"}


class EndlessFleet(FakeMongos):
    """A fleet's database in which the cursor of one collection has no end."""

    def __init__(self, endless):
        super().__init__(ConfigDatabase("8.0"))
        self.endless = endless
        self.turns = itertools.count(1)
        made = [DOCUMENTS[endless](number) for number in range(BATCH)]
        self.batches = {name: bson.encode({"cursor": {"id": Int64(7), "ns": f"{DATABASE}.{endless}", name: made}, "ok": 1.0})
                        for name in ("firstBatch", "nextBatch")}

    def __call__(self, connection):
        while request := connection.message():
            body = request.body
            name = next(iter(body))
            of = body.get("find", body.get("collection"))
            if name in ("find", "getMore") and (body["$db"], of) == (DATABASE, self.endless):
                data = self.batches["firstBatch" if name == "find" else "nextBatch"]
                turn = f"{next(self.turns):010}".encode()
                connection.send(op_msg(data.replace(MARK.encode(), turn), 1, response_to=request.request_id))
            elif name in ("update", "killCursors", "endSessions", "delete"):
                connection.reply(request, {"n": 1, "ok": 1.0})
            else:
                connection.reply(request, self.answer(body))


@pytest.mark.parametrize("endless", DOCUMENTS)
def test_the_view_ends_and_says_which_limit_it_has_reached(start, sim, upstream, tmp_path, endless):
    there = upstream(EndlessFleet(endless))
    daemon = start(Daemon, sim.address, **fleet_settings(tmp_path, there.address, "one", read="on"))
    before = daemon.peak_resident_bytes()

    def seen():
        shown = json.loads(daemon.get("/api/v1/fleet")[2])
        return shown if shown["state"] != "reading" else None
    shown = wait_until(seen, "the fleet to be read")
    check(shown, "fleet")
    assert shown["state"] == "read", shown["problem"]
    assert f"the collection {endless} has more than " in shown["incomplete"], shown["incomplete"]
    assert f" {UNITS[endless]}, and only these were read" in shown["incomplete"]
    assert "Incomplete: the collection " + endless in daemon.get("/fleet")[2]
    if not has_sanitizer():
        assert daemon.peak_resident_bytes() - before < GROWTH
    assert daemon.stop() == 0


@pytest.mark.parametrize("arguments, endless", [(["report"], "shapes"), (["fleet", "status"], "sidecars")])
def test_a_tool_prints_what_it_has_read_and_ends_with_2(upstream, tmp_path, arguments, endless):
    address = upstream(EndlessFleet(endless)).address
    uri = f"mongodb://{address}/{DATABASE}"
    uri_file = tmp_path / "fleet.uri"
    uri_file.touch(0o600)
    uri_file.write_text(uri + "\n")
    of = [uri] if arguments == ["report"] else ["--uri-file", uri_file, "--database", DATABASE]
    tool = Process("tool", [program_path("SCATTERGATE_BIN", "scattergate"), *arguments, *of], tmp_path)
    assert tool.wait(120) == 2
    assert f"the collection {endless} has more than " in tool.stderr
    assert MARK[1:] in tool.stdout or "db." in tool.stdout
