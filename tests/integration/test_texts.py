"""Texts for people contain nothing invisible: names, comments and applications of clients
can't move a terminal's cursor, end a line or reverse the text around them."""

import json
import re
import subprocess

import bson
import pytest
import yaml

from bson import MaxKey, MinKey

from fake_mongos import SHARDS, ConfigDatabase, FakeMongos
from hostile_mongos import HostileMongos, is_explain, reply
from processes import Daemon, clean_environment, program_path
from raw import RawClient

MARKS = "\x1b\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"
UNSEEN = {chr(code) for code in (
    *range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f),
    *range(0x2066, 0x206a))} - {"\n"}
COLLECTION = f"c{MARKS}c"
NAMESPACE = f"yorkie-meta.{COLLECTION}"


def catalog_of(directory):
    path = directory / "catalog.yaml"
    path.write_text(json.dumps({"collections": [{"namespace": NAMESPACE, "shardKey": {f"k{MARKS}": 1}}]}))
    return path


def command(**further):
    return {"find": COLLECTION, "filter": {f"f{MARKS}": 1}, "comment": f"say{MARKS}",
            "$db": "yorkie-meta", **further}


def assert_seen(text, where):
    found = {f"U+{ord(c):04X}" for c in text if c in UNSEEN}
    assert not found, f"{found} in {where}"


def run(*arguments, **options):
    return subprocess.run([str(program_path("SCATTERGATE_BIN", "scattergate")), *arguments],
                          capture_output=True, timeout=60, env=clean_environment(), **options)


@pytest.mark.parametrize("samples", ["shapes", "values"])
def test_nothing_that_is_shown_holds_what_no_one_sees(behind, tmp_path, samples):
    log = tmp_path / "operational.log"
    _, daemon = behind(
        catalog={"source": str(catalog_of(tmp_path))}, verify={"samples": samples},
        log={"level": "debug", "file": str(log)},
        rules=[{"name": "no", "match": {"comment": "reject*"}, "action": "reject"}])
    with RawClient(daemon.port) as client:
        client.run({"hello": 1, "client": {
            "application": {"name": f"app{MARKS}"},
            "driver": {"name": f"driver{MARKS}", "version": MARKS}}, "$db": "admin"})
        assert client.run(command())["ok"] == 1
        assert client.run({"find": f"other{MARKS}", "$db": f"db{MARKS}"})["ok"] == 1
        refused = client.run(command(comment="reject this"))
    assert refused["code"] == 411
    assert_seen(refused["errmsg"], "errmsg")
    daemon.await_metric(2, "scattergate_findings_total")
    for path in ("/", "/metrics", "/api/v1/samples", "/readyz"):
        assert_seen(daemon.get(path)[2], path)
    daemon.stop()
    for file in (log, daemon.audit_path):
        assert_seen(file.read_text(), file)
    assert_seen(daemon.stderr, "standard error")
    lines = {line["param"]["action"]: line["param"] for line in daemon.audit()}
    seen = lines["observed"]
    [caller] = seen["callers"]
    assert (seen["ns"], seen["missing"]) == (NAMESPACE, [f"k{MARKS}"])  # to a program
    assert (caller["appName"], caller["comment"]) == (f"app{MARKS}", f"say{MARKS}")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_classify_shows_nothing_that_no_one_sees(tmp_path, form):
    done = run("classify", "--catalog", str(catalog_of(tmp_path)), *form,
               input=json.dumps(command()).encode() + b"\n" + f"{{{MARKS}\n".encode())
    assert b"scatter_gather" in done.stdout
    assert_seen((done.stdout + done.stderr).decode(), "classify")


CI_COMMANDS = ("##[error]forged", "##vso[task.x]", "::error::forged", "##teamcity[x]", "section_start:1:x",
               "--- x", "+++ x", "^^^ +++")
FORGED = "".join(f"\n{each}" for each in CI_COMMANDS)
OF_GITHUB = re.compile(r"::(error|notice) (file=[^ ]*,line=\d+,)?title=[^:]*::")


def assert_no_ci_command(text, where, is_github=False):
    """As the runners of GitHub, Azure, TeamCity, GitLab and Buildkite know them: some at a line's start."""
    assert "forged" in text, where
    for line in text.splitlines():
        assert not re.search(r"##[A-Za-z]*\[|section_(start|end):\d", line), (where, line)
        assert not line.startswith(("--- ", "+++ ", "~~~ ", "^^^ +++")), (where, line)
        rest = OF_GITHUB.sub("", line, count=1) if is_github else line
        assert not rest.lstrip().startswith("::"), (where, line)


def test_no_text_of_a_tool_holds_a_command_for_a_ci_runner(upstream, tmp_path):
    names = {"namespace": f"db.c{FORGED}", "shardKey": {f"k{FORGED.replace('.', '')}": 1}}
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text(json.dumps({"collections": [names]}))
    commands = tmp_path / "commands.jsonl"
    one = {"find": f"c{FORGED}", "filter": {f"f{FORGED}": 1}, "comment": FORGED, "$db": "db"}
    commands.write_text(json.dumps(one) + "\n")
    wrong = {"ok": 0.0, "code": 1, "codeName": FORGED, "errmsg": FORGED}
    there = HostileMongos(on=is_explain, attack=lambda _, request, body: reply(request, wrong))
    uri = f"mongodb://{upstream(there).address}/"
    for done in (
            *(run("classify", "--catalog", str(catalog), *form, input=commands.read_bytes())
              for form in ((), ("--json",))),
            *(run("report", str(commands), "--as", "commands", "--catalog", str(catalog), "--format", form)
              for form in ("text", "json", "sarif", "codequality")),
            *(run("verify", "--uri", uri, "--commands", str(commands), "--catalog", str(catalog), *form)
              for form in ((), ("--json",))),
            run("report", f"missing{FORGED}"), run("verify", "--uri", uri, "--commands", f"missing{FORGED}"),
            run("check", "--config", f"missing{FORGED}"), run("gate", f"--format=x{FORGED}", "--", "true")):
        assert_no_ci_command((done.stdout + done.stderr).decode(), done.args[1:])


FORMATS = "text", "json", "html", "markdown", "csv", "sarif", "junit", "codequality", "github"


@pytest.mark.parametrize("name", [f"{each}.c" for each in CI_COMMANDS] + [f"  {CI_COMMANDS[2]}", f"\u3000{CI_COMMANDS[2]}"])
def test_no_view_begins_a_line_with_one(tmp_path, name):
    """A name that is nothing else, also as a database, which begins a line of CSV."""
    commands = tmp_path / "commands.jsonl"
    catalog = tmp_path / "catalog.yaml"
    database = name.replace(".", "-").replace(" ", "")
    catalog.write_text(json.dumps({"collections": [
        {"namespace": f"{database}.forged", "shardKey": {f"{database}x": 1}},
        {"namespace": f"forged.{name}", "shardKey": {database: 1}}]}))
    commands.write_text(json.dumps({"find": "forged", "filter": {database: 1}, "comment": name, "$db": database}) + "\n"
                        + json.dumps({"find": name, "filter": {}, "$db": "forged"}) + "\n")
    report = ("report", str(commands), "--as", "commands", "--catalog", str(catalog))
    for form in FORMATS:
        done = run(*report, "--format", form)
        assert_no_ci_command((done.stdout + done.stderr).decode(), form, form == "github")
    old = tmp_path / "old.json"
    old.write_bytes(run(*report, "--format", "json").stdout)
    for form in ("text", "json", "html", "markdown"):
        done = run("report", "--compare", str(old), str(old), "--format", form)
        assert done.returncode == 0, done.stderr
        assert not re.search(r"##[A-Za-z]*\[|section_start:\d", done.stdout.decode()), form
    for form in ("text", "json", "html"):
        done = run("advise", *report[1:], "--format", form)
        assert done.returncode == 0, done.stderr
        assert_no_ci_command((done.stdout + done.stderr).decode(), form)


def test_json_and_markup_mean_the_same_without_them(tmp_path):
    name = f"db##[error]x.c{FORGED}"
    commands = tmp_path / "commands.jsonl"
    commands.write_text(json.dumps({"find": name[13:], "filter": {"x": 1}, "$db": "db##[error]x"}) + "\n")
    report = ("report", str(commands), "--as", "commands", "--catalog", "preset:yorkie")
    [shape] = json.loads(run(*report, "--format", "json").stdout)["shapes"]
    assert shape["ns"] == "db##[error]x." + name[13:]
    assert "db#&#35;[error]x." in run(*report, "--format", "html").stdout.decode()


def test_a_catalog_from_mongos_holds_none(upstream):
    config = ConfigDatabase("8.0")
    forged = config.add(f"db.c{FORGED}", {"k##[error]x": 1}, mark=b"f")
    config.add_chunks(forged, "k##[error]x", [MinKey(), "##[error]x", MaxKey()], SHARDS[:2])
    address = upstream(FakeMongos(config)).address
    done = run("catalog", "mongos", "--catalog-uri", f"mongodb://{address}/")
    assert done.returncode == 0, done.stderr
    assert_no_ci_command(done.stdout.decode(), "catalog")
    [listed] = [each for each in yaml.safe_load(done.stdout)["collections"] if "forged" in each["namespace"]]
    assert listed["namespace"] == f"db.c{FORGED}" and listed["shardKey"] == {"k##[error]x": 1}


def test_a_page_of_a_report_is_utf8(tmp_path):
    commands = tmp_path / "commands.bson"
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text(json.dumps({"collections": [{"namespace": "*.*", "shardKey": {"k": 1}}]}))
    broken = bson.encode({"find": "cXXX", "filter": {"fXXX": 1}, "comment": "sXXX", "$db": "dXXX"})
    commands.write_bytes(broken.replace(b"XXX", b"\xff\xc3("))
    for form in FORMATS:
        done = run("report", str(commands), "--as", "commands", "--catalog", str(catalog), "--format", form)
        assert b"\xff" not in done.stdout and done.stdout.decode(), form


def test_a_wrong_flag_is_shown_without_one():
    for arguments in (("report", f"--{FORGED}"), (f"x{FORGED}",), ("report", f"--by=x{FORGED}")):
        done = run(*arguments)
        assert done.returncode != 0
        assert_no_ci_command((done.stdout + done.stderr).decode() + "forged", arguments)


def test_no_line_of_the_daemon_holds_one(start, upstream, tmp_path):
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text(json.dumps({"collections": [{"namespace": f"db.c{FORGED}", "shardKey": {"k": 1}}]}))
    wrong = {"ok": 0.0, "code": 1, "codeName": FORGED, "errmsg": FORGED}
    there = HostileMongos(attack=lambda _, request, body: reply(request, wrong))
    address = upstream(there).address
    daemon = start(Daemon, address, catalog={"source": str(catalog)})
    with RawClient(daemon.port) as client:
        client.run({"hello": 1, "client": {"application": {"name": f"app{FORGED}"}}, "$db": "admin"})
        client.run({"find": f"c{FORGED}", "filter": {f"f{FORGED}": 1}, "comment": FORGED, "$db": "db"})
    daemon.stop()
    assert_no_ci_command(daemon.audit_path.read_text(), "the audit log")
    [line] = daemon.audit()
    assert line["param"]["ns"] == f"db.c{FORGED}"  # to a program
    follower = start(Daemon, address, name="follower", catalog={"source": "mongos"})
    follower.await_line(r'"id":7002\b')
    assert_no_ci_command(follower.stderr, "the operational log")


def test_a_problem_shows_nothing_that_no_one_sees(tmp_path):
    config = tmp_path / "scattergate.yaml"
    config.write_text(json.dumps({f"key{MARKS}": 1, "log": {"level": MARKS},
                                  "listeners": [{"listen": MARKS}]}))
    for arguments in (("check",), ("run",)):
        done = run(*arguments, "--config", str(config))
        assert done.returncode != 0
        assert_seen((done.stdout + done.stderr).decode(), arguments)
