"""Trace contexts lead from a number to the trace of one command that it counted."""

import json
import re
import socket
import struct
import urllib.request

import bson
import pymongo
import pytest

from processes import Daemon
from raw import body_section, framed

TRACES = [f"{n:032x}" for n in range(0x4bf92f3577b34da6a3ce929d0e0e4700, 0x4bf92f3577b34da6a3ce929d0e0e4720)]
EXEMPLAR = re.compile(r'^(\S+)\{(.*?)\} (\S+) # \{(.*)\} (\S+) (\S+)$')


def parent(trace, flags="01"):
    return f"00-{trace}-00f067aa0ba902b7-{flags}"


def openmetrics(daemon):
    asked = urllib.request.Request(daemon.admin + "/metrics", headers={"Accept": "application/openmetrics-text"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return answer.read().decode()


def exemplars(daemon, family):
    """[(the series' labels, the exemplar's)] of those that have one."""
    found = []
    for line in openmetrics(daemon).splitlines():
        match = EXEMPLAR.match(line)
        if match and match[1] == family:
            found.append((dict(re.findall(r'(\w+)="([^"]*)"', match[2])),
                          dict(re.findall(r'(\w+)="([^"]*)"', match[4]))))
    return found


def ask(daemon, message):
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=60) as peer:
        peer.sendall(message)
        head = peer.recv(4, socket.MSG_WAITALL)
        left = struct.unpack("<i", head)[0] - 4
        while left:
            left -= len(peer.recv(left))


def section(trace, flags="01"):
    return framed(struct.pack("<I", 0) + body_section({"find": "documents", "filter": {"key": 1}, "$db": "yorkie-meta"})
                  + b"\3" + bson.encode({"otel": {"traceparent": parent(trace, flags)}}))


@pytest.mark.parametrize("form", ["section", "document", "text"])
def test_an_exemplar_has_the_trace_of_its_command(daemon, connect, form):
    client = connect(daemon)
    documents = client["yorkie-meta"].documents
    documents.find_one({"key": 0})  # without a trace: is replaced
    if form == "section":
        ask(daemon, section(TRACES[0]))
    else:
        comment = {"traceparent": parent(TRACES[0]), "text": "search"} if form == "document" else (
            f"/*dddbs='docs',traceparent='{parent(TRACES[0])}'*/")
        documents.find_one({"key": 1}, comment=comment)
    client.close()
    daemon.await_quiet()
    hashes = {line["param"]["shapeHash"] for line in daemon.audit()}
    traces = [kept["trace_id"] for _, kept in exemplars(daemon, "scattergate_findings_total") if "trace_id" in kept]
    assert traces == [TRACES[0]]
    (_, kept), = exemplars(daemon, "scattergate_findings_total")
    assert kept["shape_hash"] in hashes
    slow = exemplars(daemon, "scattergate_command_duration_seconds_bucket")
    assert {labels["routing"] for labels, _ in slow} == {"scatter_gather"}
    assert TRACES[0] in {kept.get("trace_id") for _, kept in slow}
    assert " # {" not in daemon.metrics().text


def test_a_trace_that_is_not_sampled_is_no_exemplar(daemon, client):
    client["yorkie-meta"].documents.find_one({"key": 0}, comment=parent(TRACES[0], "00"))
    client.close()
    daemon.await_quiet()
    (_, kept), = exemplars(daemon, "scattergate_findings_total")
    assert set(kept) == {"shape_hash"}


def test_traces_make_no_callers_of_their_own_and_samples_have_them(start, sim, connect):
    daemon = start(Daemon, sim.address, verify={"samples": "values"}, audit={"interval": "100ms"})
    client = connect(daemon, appname="app")
    for trace in TRACES:
        client["yorkie-meta"].documents.find_one({"key": 1}, comment=f"search.go {parent(trace)}")
    client.close()
    daemon.await_quiet()
    samples = [json.loads(line) for line in daemon.get("/api/v1/samples")[2].splitlines()]
    assert {each.get("traceId") for each in samples if each["finding"]} <= set(TRACES)
    assert any("traceId" in each for each in samples)
    assert daemon.stop() == 0
    callers = [caller for line in daemon.audit() for caller in line["param"]["callers"]]
    assert {(caller["appName"], caller["comment"]) for caller in callers} == {("app", "search.go")}
    assert sum(caller["count"] for caller in callers) == len(TRACES)


def test_errors_of_mongos_are_counted_by_name(daemon, client):
    for _ in range(3):
        with pytest.raises(pymongo.errors.OperationFailure):
            client["yorkie-meta"].command("getMore", bson.Int64(4711), collection="documents")
    with pytest.raises(pymongo.errors.OperationFailure):
        client.admin.command("noSuchCommand")
    client.close()
    daemon.await_quiet()
    assert daemon.metrics().by("scattergate_command_errors_total", "command", "code_name") == {
        ("getMore", "CursorNotFound"): 3, ("other", "CommandNotFound"): 1}
