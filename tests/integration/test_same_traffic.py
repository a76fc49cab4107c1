"""One and the same traffic as packets, as a recording, as mongos logged it, as its application
counted it, and as the proxy counts it when the same bytes are sent through it: the same counts.
Packets are read, and recordings written, without the program's own code (captured.py)."""

import collections
import datetime
import gzip
import json
import socket
import subprocess
import urllib.parse

import pytest

import captured
import query_stats
from processes import Daemon, clean_environment, program_path, started
from raw import take_message
from reports import CATALOG, REAL, reported
from upstream import Upstream
from waiting import PATIENCE, wait_until

CAPTURE = REAL / "traffic.pcap.gz"
SENT = json.loads((REAL / "traffic-sent.json").read_text())
SENSITIVE = {"hello", "isMaster", "saslStart", "saslContinue"}


def server_port(capture):
    """The port that most packets have."""
    ports = collections.Counter()
    for _, packet in captured.packets(capture):
        head = (packet[0] & 15) * 4
        ports.update({int.from_bytes(packet[head + at:head + at + 2], "big") for at in (0, 2)})
    return ports.most_common(1)[0][0]


@pytest.fixture(scope="module")
def traffic():
    capture = gzip.decompress(CAPTURE.read_bytes())
    return list(captured.messages(capture, server_port(capture)))


def replies_to(traffic):
    """Each request's replies, by its bytes."""
    open_requests, replies = {}, collections.defaultdict(list)
    for one in traffic:
        if one.is_request:
            open_requests[one.client, one.request_id] = replies[one.content]
        elif (one.client, one.response_to) in open_requests:
            answers = open_requests[one.client, one.response_to]
            answers.append(one.content)
            open_requests[one.client, one.request_id] = answers  # what an exhaust reply is followed by
    return replies


def replay(traffic, port, replies):
    """Each request when the one before it has been answered, over a connection of its client's."""
    connections = {}
    for one in traffic:
        if not one.is_request:
            continue
        if one.client not in connections:
            connections[one.client] = socket.create_connection(("127.0.0.1", port), PATIENCE), bytearray()
        connection, unread = connections[one.client]
        connection.sendall(one.content)
        for reply in replies[one.content]:
            while not (message := take_message(unread)):
                data = connection.recv(1 << 18)
                assert data, "the proxy has closed"
                unread += data
            assert message.request_id == captured.Message(0, (), False, reply).request_id
    for connection, _ in connections.values():
        connection.close()


@pytest.fixture(scope="module")
def proxied(traffic, tmp_path_factory):
    """A daemon through which all of it went, and which has counted it."""
    replies = replies_to(traffic)

    def answer(connection):
        buffer = bytearray()
        while data := connection.socket.recv(1 << 18):
            buffer += data
            while len(buffer) >= 16 and len(buffer) >= (size := int.from_bytes(buffer[:4], "little")):
                for reply in replies[bytes(buffer[:size])]:
                    connection.send(reply)
                del buffer[:size]

    upstream = Upstream(answer)
    starting = started(tmp_path_factory.mktemp("proxied"))
    start = next(starting)
    folder = tmp_path_factory.mktemp("state")
    daemon = start(Daemon, upstream.address, catalog={"source": str(CATALOG)}, audit={"interval": "1s"},
                   state={"file": str(folder / "state"), "interval": "1s"})
    replay(traffic, daemon.port, replies)
    daemon.await_quiet()
    yield daemon
    next(starting, None)
    upstream.close()


@pytest.fixture(scope="module")
def wire():
    return reported(CAPTURE)


def by_app(of):
    """Commands by application and name, over all shapes."""
    counts = collections.Counter()
    for shape in of["shapes"]:
        for caller in shape["callers"]:
            counts[caller.get("appName", ""), shape["command"]] += caller["count"]
    return counts


FIELDS = ("routing", "bounds", "reason", "missing", "shardKey", "shape", "suggestion", "count", "errors", "fanout",
          "wastedShardRequests")
NOT_AUDITED = "fanout", "wastedShardRequests", "errors"


def facts(of, *without):
    """The facts about each shape that must be equal for all sources."""
    return {(shape["ns"], shape["command"], shape["shapeHash"]):
            {field: shape[field] for field in FIELDS if field not in without} for shape in of["shapes"]}


def apps_by_shape(of):
    counts = collections.Counter()
    for shape in of["shapes"]:
        for caller in shape["callers"]:
            counts[shape["shapeHash"], shape["command"], caller.get("appName", "")] += caller["count"]
    return counts


def test_a_recording_of_it_reports_the_same_as_the_packets(traffic, wire, tmp_path):
    (tmp_path / "same.rec").write_bytes(captured.recording(traffic))
    of = reported(tmp_path / "same.rec")
    assert of["sources"][0]["kind"] == "recording"
    assert of["totals"] == wire["totals"]
    assert of["sources"][0]["skipped"] == wire["sources"][0]["skipped"]
    assert facts(of) == facts(wire)
    assert apps_by_shape(of) == apps_by_shape(wire)


@pytest.fixture(scope="module")
def commands(traffic):
    """(application, command) of each request that isn't a handshake, decoded by pymongo."""
    apps, sent = {}, []
    for one in traffic:
        command = one.command() if one.is_request else None
        if command is None:
            continue
        if "client" in command:
            apps[one.client] = command["client"].get("application", {}).get("name", "")
        if next(iter(command)) not in SENSITIVE:
            sent.append((apps[one.client], command))
    return sent


def test_its_commands_by_themselves_are_judged_as_the_packets_are(commands, wire, tmp_path):
    """Without replies: which command a getMore continues isn't known, nor what failed."""
    (tmp_path / "commands").write_text("\n".join(
        json.dumps({**command, "comment": app}) for app, command in commands if "getMore" not in command))
    of = reported(tmp_path / "commands")
    assert of["sources"][0]["kind"] == "commands"
    known = {key: one for key, one in facts(wire, "errors").items() if key[1] != "getMore"}
    assert facts(of, "errors") == known
    counts = {(shape["shapeHash"], shape["command"], caller["comment"]): caller["count"]
              for shape in of["shapes"] for caller in shape["callers"]}
    assert counts == {key: count for key, count in apps_by_shape(wire).items() if key[1] != "getMore"}


def test_query_statistics_of_it_count_the_same(commands, wire, tmp_path):
    """As $queryStats would record it: entries by shape and application."""
    entries = collections.Counter()
    for app, command in commands:
        name = next(iter(command))
        if name in ("find", "aggregate", "distinct") or (name in ("update", "delete") and
                                                         len(command[name + "s"]) == 1):
            entries[app, json.dumps(query_stats.shape_of(without_arguments(command), "shop"))] += 1
    made = [query_stats.made_entry(json.loads(shape), app, count) for (app, shape), count in entries.items()]
    (tmp_path / "stats.json").write_text(json.dumps(made))
    of = reported(tmp_path / "stats.json")
    source, = of["sources"]
    assert (source["kind"], source["observations"], source["skipped"]) == ("query-stats", len(made), {})
    assert of["totals"]["commands"] == sum(entries.values()) > 700
    there = facts(wire)
    for key, shape in facts(of).items():
        assert shape["shape"] == there[key]["shape"]
        if shape["fanout"]:  # else it depends on values
            assert shape == there[key], key
    apps = apps_by_shape(of)
    assert apps == {key: count for key, count in apps_by_shape(wire).items() if key in apps}


def without_arguments(command):
    """The command without the arguments that control its execution, as in a shape."""
    return {name: value for name, value in command.items()
            if not name.startswith("$") and name not in ("lsid", "txnNumber", "batchSize", "ordered", "singleBatch",
                                                         "comment", "maxTimeMS", "cursor", "readConcern")}


def test_the_packets_hold_what_the_application_counted(traffic, wire):
    counts = by_app(wire)
    assert {name: counts[tuple(name.split())] for name in SENT} == SENT
    requests = sum(one.is_request for one in traffic)
    assert requests == wire["totals"]["commands"] + sum(wire["sources"][0]["skipped"].values())


def test_the_proxys_metrics_equal_the_packets(proxied, wire):
    metrics = proxied.metrics()
    commands = metrics.by("scattergate_commands_total", "db", "collection", "command")
    counted = {key: count for key, count in commands.items() if key[2] not in SENSITIVE}
    expected = collections.Counter()
    for shape in wire["shapes"]:
        database, _, collection = shape["ns"].partition(".")
        expected[database, collection, shape["command"]] += shape["count"]
    assert counted == expected
    by_routing = {routing: metrics.total("scattergate_commands_total", routing=routing)
                  for routing in wire["totals"]["byRouting"]}
    handshakes = sum(count for key, count in commands.items() if key[2] in SENSITIVE)
    by_routing["not_routed"] -= handshakes
    assert by_routing == wire["totals"]["byRouting"]
    assert handshakes == wire["sources"][0]["skipped"]["sensitive"]


def test_the_proxys_audit_log_reports_the_same_findings(proxied, wire, tmp_path):
    findings = {key: one for key, one in facts(wire, *NOT_AUDITED).items()
                if one["routing"] == "scatter_gather" and one["reason"] != "by_nature" and key[1] != "getMore"}
    assert len(findings) > 3
    expected = sum(one["count"] for one in findings.values())
    wait_until(lambda: sum(line["param"]["count"] for line in proxied.audit()) >= expected, "the audit log")
    of = reported(proxied.audit_path)
    assert of["sources"][0]["kind"] == "audit"
    assert facts(of, *NOT_AUDITED) == findings
    apps = apps_by_shape(of)
    assert apps == {key: count for key, count in apps_by_shape(wire).items() if key in apps}


def test_the_proxys_digest_is_that_of_the_packets(proxied, wire):
    of = reported(proxied.admin)
    known = {key: one for key, one in facts(of).items() if key[1] not in SENSITIVE}
    expected = facts(wire)
    assert known.keys() == expected.keys()
    for key, one in known.items():
        if expected[key]["fanout"]:
            expected[key]["fanout"].pop("distribution", None)  # which the proxy doesn't keep
        # For a getMore the proxy knows only the class of the command that opened its cursor.
        unknown = ({"missing", "shardKey", "shape", "suggestion"}
                   if key[1] == "getMore" else set())
        assert {field: one[field] for field in one.keys() - unknown} == {
            field: expected[key][field] for field in one.keys() - unknown}, key
    assert {key: count for key, count in apps_by_shape(of).items() if key[1] not in SENSITIVE} == apps_by_shape(wire)


def advice(source):
    """The output of `advise` for each collection."""
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "advise", source, "--catalog", CATALOG, "--json"],
                          capture_output=True, env=clean_environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    return {one["ns"]: one for one in json.loads(done.stdout)["collections"]}


@pytest.fixture(scope="module")
def advice_of_packets():
    return advice(CAPTURE)


def as_logged(traffic):
    """Each command as a mongos logs it, with its time."""
    for one in traffic:
        command = one.command() if one.is_request else None
        if command is None or next(iter(command)) in SENSITIVE or "getMore" in command:
            continue
        name = next(iter(command))
        at = datetime.datetime.fromtimestamp(one.time, datetime.timezone.utc)
        yield json.dumps({
            "t": {"$date": at.isoformat(timespec="milliseconds")}, "s": "I", "c": "COMMAND", "id": 51803,
            "ctx": "conn1", "msg": "Slow query",
            "attr": {"type": "command", "ns": f"{command['$db']}.{command[name]}", "command": command,
                     "durationMillis": 0}})


def without_times(of):
    """The advice on a collection, without its times: a log has milliseconds."""
    return {**of, "candidates": [
        {**one, "heldOut": one["heldOut"] and {**one["heldOut"], "from": ""}} for one in of["candidates"]]}


def test_a_log_of_it_gives_the_advice_of_the_packets(traffic, advice_of_packets, tmp_path):
    (tmp_path / "mongos.log").write_text("".join(line + "\n" for line in as_logged(traffic)))
    logged = advice(tmp_path / "mongos.log")
    assert logged.keys() == advice_of_packets.keys() and len(logged) > 1
    for ns, one in logged.items():
        assert without_times(one) == without_times(advice_of_packets[ns]), ns


BY_SHAPES = "reads", "newScatterGather", "refusedCommands", "forbiddenUniqueIndexes", "colocatedWith"
BY_FILTERS = {"readDistribution": ("sampleSize", "percentageOfSingleShardReads", "percentageOfMultiShardReads",
                                   "percentageOfScatterGatherReads"),
              "writeDistribution": ("percentageOfSingleShardWrites", "percentageOfMultiShardWrites",
                                    "percentageOfScatterGatherWrites")}


def commands_in(of):
    return {ns: one["candidates"][0]["commands"] for ns, one in of.items()}


@pytest.fixture(scope="module")
def advice_of_daemon(proxied, advice_of_packets):
    """Waits until the workers have handed over all their counts."""
    def whole():
        counted = advice(proxied.admin)
        return commands_in(counted) == commands_in(advice_of_packets) and counted
    return wait_until(whole, "the daemon to have counted all")


def keys_of(of):
    return {json.dumps(one["key"]): one for one in of["candidates"]}


def test_the_daemon_and_its_state_file_give_that_advice(proxied, advice_of_daemon, advice_of_packets):
    counted = advice_of_daemon
    wait_until(lambda: advice(proxied.config["state"]["file"]) == counted, "the state file")
    compared = 0
    for ns, of in advice_of_packets.items():
        assert counted[ns]["present"] == of["present"]
        known = keys_of(counted[ns])
        for key, one in keys_of(of).items():
            if key not in known:  # whether values grow isn't known of shapes
                continue
            if known[key]["reads"]["multiShard"] == 0:  # else it depends on values
                compared += 1
                assert {name: known[key][name] for name in BY_SHAPES} == {name: one[name] for name in BY_SHAPES}, key
            for part, names in BY_FILTERS.items():
                assert {name: known[key][part][name] for name in names} == {name: one[part][name] for name in names}, key
    assert compared > 3


def test_the_api_gives_the_advice_that_the_program_gives_of_the_daemon(proxied, advice_of_daemon):
    for ns, of in advice_of_daemon.items():
        path = "/api/v1/advice?ns=" + urllib.parse.quote(ns)
        made = wait_until(lambda: json.loads(proxied.get(path)[2]).get("advice"), "the advice")
        [from_api] = made["collections"]
        ranked = [one["key"] for one in of["candidates"]]
        assert [one["key"] for one in from_api["candidates"]] == ranked
