"""Secrets stay secret: the daemon writes and shows nothing of an authentication, a key or a literal."""

import base64
import hashlib
import json
import re
import subprocess
from pathlib import Path

import bson
import pymongo
import pytest
from pymongo.errors import PyMongoError

from certificates import Authority
from processes import Daemon, Sim, program_path
from raw import RawClient, op_msg

PASSWORD = "pw-5d1f-marker"
PLAIN = "plain-77c2-marker"
LITERAL = "literal-a9e4-marker"
COLLECTION = "documents"


def forms(secret):
    """The text itself, and the forms in which it may have been printed."""
    raw = secret.encode()
    return {secret, base64.b64encode(raw).decode().rstrip("="), raw.hex(),
            base64.b64encode(b"\0ann\0" + raw).decode().rstrip("="),
            hashlib.md5(b"ann:mongo:" + raw).hexdigest()}


def findings(client, times=3):
    """Commands that scatter, with a literal in every possible place."""
    collection = client["yorkie-meta"][COLLECTION]
    for _ in range(times):
        list(collection.find({"key": LITERAL, "$or": [{"a": LITERAL}, {"b.c": [LITERAL]}]}))
        list(collection.aggregate([{"$match": {"x": LITERAL}}, {"$set": {"y": LITERAL}}]))
        collection.update_many({"key": LITERAL}, {"$set": {"z": LITERAL}})
        collection.find_one({"$expr": {"$eq": ["$x", LITERAL]}}, comment={"why": LITERAL})


def everything_of(daemon, sim, log):
    shown = [daemon.get(path)[2] for path in ("/", "/metrics", "/readyz", "/healthz",
                                                      "/api/v1/samples")]
    daemon.stop()
    written = [path.read_text(errors="replace") for path in daemon.directory.iterdir()
               if path.is_file() and not path.name.startswith(sim.name)
               and path != daemon.config_path]
    assert log.exists() and log.read_text() and daemon.audit_path.read_text()
    return "\n".join(shown + written)


def assert_hidden(text, *secrets):
    for secret in secrets:
        for form in forms(secret):
            assert form not in text, form


@pytest.mark.parametrize("compressors", [[], ["zlib"]])
def test_real_exchanges_leave_no_trace(start, tmp_path, compressors):
    sim = start(Sim, users=[f"ann:{PASSWORD}"])
    log = tmp_path / "operational.log"
    daemon = start(Daemon, sim.address, log={"level": "debug", "file": str(log)},
                   audit={"interval": "1s"})
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-1"):
        with pymongo.MongoClient("127.0.0.1", daemon.port, username="ann", password=PASSWORD,
                                 authMechanism=mechanism, compressors=compressors) as client:
            findings(client)
    for mechanism in ("SCRAM-SHA-256", "PLAIN"):
        with pymongo.MongoClient("127.0.0.1", daemon.port, username="ann", password=PLAIN,
                                 authMechanism=mechanism) as client:
            with pytest.raises(PyMongoError):
                client.admin.command("ping")
    with RawClient(daemon.port) as client:
        for number, body in enumerate((
                {"authenticate": 1, "key": PLAIN, "mechanism": "MONGODB-CR", "$db": "admin"},
                {"createUser": "bob", "pwd": PLAIN, "roles": [], "$db": "admin"},
                {"updateUser": "bob", "pwd": PLAIN, "$db": "admin"},
                {"copydbsaslstart": 1, "payload": PLAIN.encode(), "$db": "admin"},
                {"hello": 1, "speculativeAuthenticate": {
                    "saslStart": 1, "mechanism": "PLAIN", "payload": PLAIN.encode()},
                 "$db": "admin"},
                {"saslStart": 1, "payload": PLAIN, "mechanism": PLAIN, "$db": "admin"})):
            client.run(body, number + 1)
        # Broken commands: unreadable parts aren't quoted either.
        broken = bytearray(bson.encode({"saslStart": 1, "payload": PLAIN, "$db": "admin"}))
        broken[4] = 0x42
        client.send(op_msg(bytes(broken), 99))
    daemon.await_metric(3 * 4 * 2 + 1, "scattergate_findings_total")
    assert_hidden(everything_of(daemon, sim, log), PASSWORD, PLAIN, LITERAL)


MARKED_NUMBER = 982451653
MARKED = {
    "text": "zQ7-marked-text", "int": MARKED_NUMBER, "long": bson.Int64(MARKED_NUMBER * 1000),
    "double": 98245.1653, "id": bson.ObjectId("feedfacecafebeefdeadc0de"),
    "binary": bson.Binary(b"zQ7-marked-text"), "regex": bson.Regex("zQ7-marked-text", "i"),
    "date": bson.datetime_ms.DatetimeMS(MARKED_NUMBER * 1000), "code": bson.Code("zQ7-marked-text"),
    "decimal": bson.Decimal128("98245.1653")}
TRACES = ("zQ7-", "982451653", "98245.165", "feedface", base64.b64encode(b"zQ7-marked-text").decode()[:12])
ROUTER = Path(__file__).resolve().parents[2] / "routing"
# Places where a string names a field or a collection (docs/shapes.md), and the caller's own texts.
NAMES = {"comment", "key", "out", "ns", "viewOn", "$count", "$merge", "$out", "$rename", "$unionWith",
         "$unset", "$db", "as", "coll", "connectFromField", "connectToField", "db", "depthField",
         "distanceField", "foreignField", "from", "includeArrayIndex", "includeLocs", "into",
         "localField", "merge", "on", "reduce", "replace"}


def words_of(*files):
    """What the router knows: every word in quotes of these."""
    text = "".join(path.read_text() for file in files for path in ROUTER.rglob(file))
    words = sorted(set(re.findall(r'"([$_A-Za-z]+)"', text)))
    assert words, files
    return words


def marked_at(name):
    """Marked values of every type for a field of that name."""
    values = [value for what, value in MARKED.items() if what != "text" or name not in NAMES]
    document = {f"f{i}": value for i, value in enumerate(values)}
    return [values, document, [document], *values]


def marked_commands():
    """Each command with each argument; each operator and stage in its possible places."""
    words = words_of("shape_writer.cpp", "language.cpp", "match_operator.cpp", "stage.cpp")
    for number, command in enumerate(words_of("command_kind.cpp", "command_table.hpp")):
        if command in ("shutdown", "sleep", "fsync", "configureFailPoint", "dropConnections"):
            continue
        arguments = [word for word in words if not word.startswith("$") and word != command
                     and word != "comment"]
        for start in range(0, len(arguments), 60):
            yield {command: COLLECTION, **{argument: marked_at(argument)[
                (number + at) % len(marked_at(argument))] for at, argument in
                enumerate(arguments[start:start + 60])}}
    for word in words:
        for value in marked_at(word)[:4]:
            yield {"find": COLLECTION, "filter": {"key": {word: value}}, "sort": {word: value}}
            yield {"find": COLLECTION, "filter": {word: value}, "hint": {"a": {word: value}}}
            yield {"find": COLLECTION, "collation": {word: value}, "projection": {"a": {word: value}}}
            yield {"aggregate": COLLECTION, "pipeline": [{"$set": {"a": {word: value}}}, {word: value}],
                   "cursor": {}}
            yield {"update": COLLECTION, "updates": [
                {"q": {"a": {word: value}}, "u": {"$push": {"l": {word: value}}}, "multi": True}]}


def test_no_marked_value_comes_out_of_any_place_in_any_command(start, tmp_path):
    sim = start(Sim)
    log = tmp_path / "operational.log"
    daemon = start(Daemon, sim.address, log={"level": "debug", "file": str(log)},
                   audit={"interval": "1s"},
                   rules=[{"name": "no counting", "match": {"command": "count"}, "action": "reject"}])
    answers = []
    with RawClient(daemon.port) as client:
        for number, command in enumerate(marked_commands()):
            client.send(op_msg({**command, "$db": "yorkie-meta"}, number + 1))
            reply = client.receive().body
            if "scattergate" in reply.get("errmsg", ""):
                answers.append(reply["errmsg"])
            if number % 500 == 0:
                answers.append(daemon.get("/api/v1/samples")[2])
    assert answers
    assert daemon.metrics().total("scattergate_findings_total") > 500
    everything = everything_of(daemon, sim, log) + "".join(answers)
    for trace in TRACES:
        at = everything.find(trace)
        assert at < 0, everything[max(at - 500, 0):at + 100]


def run(*arguments, **options):
    done = subprocess.run([str(program_path("SCATTERGATE_BIN", "scattergate")), *arguments],
                          capture_output=True, text=True, timeout=60, **options)
    return done.stdout + done.stderr


@pytest.mark.parametrize("body", [
    {"authenticate": 1, "mechanism": "PLAIN", "key": PLAIN},
    {"saslStart": 1, "mechanism": "PLAIN", "payload": PLAIN},
    {"saslContinue": 1, "conversationId": 1, "payload": PLAIN},
    {"createUser": "bob", "pwd": PLAIN, "roles": []},
    {"updateUser": "bob", "pwd": PLAIN, "customData": {PLAIN: 1}},
    {"hello": 1, "speculativeAuthenticate": {"saslStart": 1, PLAIN: PLAIN}},
    {"isMaster": 1, "speculativeAuthenticate": {"saslStart": 1, "payload": PLAIN}},
])
def test_classify_shows_no_authentication(body):
    for format_option in ((), ("--json",)):
        shown = run("classify", "--catalog", "preset:yorkie", *format_option,
                    input=json.dumps({**body, "$db": "admin"}))
        assert "not_routed" in shown
        assert_hidden(shown, PLAIN)


def test_config_and_check_show_the_name_of_a_key_file_and_nothing_of_the_key(tmp_path):
    certificate = Authority(tmp_path / "tls").issue("proxy")
    config = tmp_path / "scattergate.yaml"
    config.write_text(json.dumps({"listeners": [
        {"listen": "127.0.0.1:0", "upstream": ["127.0.0.1:1"],
         "tls": {"cert_file": str(certificate)}, "upstream_tls": {"cert_file": str(certificate)}}]}))
    lines = [line for line in certificate.read_text().splitlines() if "-----" not in line]
    for subcommand in ("config", "check"):
        shown = run(subcommand, "--config", str(config))
        assert not any(line in shown for line in lines), subcommand
    # A key given as what it isn't is named, not quoted.
    for option in ("--config", "--catalog"):
        shown = run("check", option, str(certificate))
        assert not any(line in shown for line in lines), option
