"""gate: a test suite behind a proxy, judged by what it sent."""

import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml

import jsonschema
import pytest
import yaml
from bson import Int64

import gate_suite
from certificates import Authority
from processes import OWN_HOST, ROOT, Daemon, Sim, clean_environment, free_port, program_path
from waiting import wait_until

HERE = pathlib.Path(__file__).parent
SUITE = [sys.executable, HERE / "gate_suite.py"]
RUNS = 20


@pytest.fixture
def catalog(tmp_path):
    path = tmp_path / "keys.yaml"
    path.write_text(gate_suite.CATALOG)
    source = tmp_path / gate_suite.PLACE.partition(":")[0]
    source.parent.mkdir()
    source.touch()
    return path


@pytest.fixture
def gate(tmp_path, sim, catalog):
    """Runs a command behind a gate in front of the simulator."""
    def run(*command, options=(), uri=None, catalog=catalog, variable="MONGODB_URI", status=None, **further):
        arguments = [program_path("SCATTERGATE_BIN", "scattergate"), "gate"]
        arguments += ["--catalog", catalog] if catalog else []
        arguments += ["--env", variable] if variable else []
        environment = {**clean_environment(), "CI": "", "MONGODB_URI": uri or f"mongodb://{sim.address}/",
                       **further.pop("env", {})}
        further.setdefault("cwd", tmp_path)
        done = subprocess.run([str(part) for part in (*arguments, *options, "--", *command)],
                              env=environment, capture_output=True, text=True, timeout=120, **further)
        assert status is None or done.returncode == status, done.stderr
        return done
    return run


def verdict(path):
    return sorted((shape["command"], shape["reason"], shape["ns"], shape["shapeHash"])
                  for shape in json.loads(path.read_text())["shapes"] if shape["baseline"] == "new")


def test_all_that_was_planted_is_found_and_nothing_else(gate, tmp_path):
    done = gate(*SUITE, 1, options=["-o", "out.json", "-o", "out.sarif", "-o", "out.xml"], status=1)
    found = verdict(tmp_path / "out.json")
    assert [(command, reason) for command, reason, _, _ in found] == gate_suite.PLANTED
    assert {ns for _, _, ns, _ in found} == {"test-*.orders", "test-*.carts"}
    assert f"comment {gate_suite.PLACE}" in done.stderr
    assert "add equality or a range on customer" in done.stderr
    log = json.loads((tmp_path / "out.sarif").read_text())
    jsonschema.validate(log, json.loads((HERE / "schemas/sarif-schema-2.1.0.json").read_text()),
                        cls=jsonschema.Draft4Validator)
    places = [place["physicalLocation"] for one in log["runs"][0]["results"] for place in one["locations"]]
    assert {"artifactLocation": {"uri": "tests/orders_test.py"}, "region": {"startLine": 42}} in places
    assert {"artifactLocation": {"uri": "keys.yaml"}, "region": {"startLine": 3}} in places
    assert {"artifactLocation": {"uri": "keys.yaml"}, "region": {"startLine": 5}} in places
    assert xml.parse(tmp_path / "out.xml").getroot().get("failures") == str(len(gate_suite.PLANTED))
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    report = json.loads((tmp_path / "out.json").read_text())
    jsonschema.validate(report, schema, cls=jsonschema.Draft202012Validator)
    for parts in ("perHour", "byCollection", "byApp", "byUser", "byHost"):
        assert sum(part["commands"] for part in report[parts]) == report["totals"]["commands"]


def test_a_suite_without_any_passes(gate):
    gate(*SUITE, 2, "clean", status=0)


def test_the_verdict_is_the_same_every_time(gate, tmp_path):
    verdicts = set()
    for seed in range(RUNS):
        gate(*SUITE, seed, options=["-o", "out.json"], status=1)
        verdicts.add(json.dumps(verdict(tmp_path / "out.json")))
    assert len(verdicts) == 1


def test_a_baseline_accepts_and_one_more_fails(gate, tmp_path):
    written = gate(*SUITE, 3, options=["--write-baseline", "baseline.yaml"], status=0)
    assert f"{len(gate_suite.PLANTED)} accepted" in written.stderr
    done = gate(*SUITE, 4, options=["--baseline", "baseline.yaml"], status=0)
    assert done.stderr.splitlines()[-1] == "scattergate gate: PASS: 9 findings, all accepted by baseline.yaml"
    done = gate(*SUITE, 5, options=["--baseline", "baseline.yaml", "--fail-on", "any"], status=1)
    assert done.stderr.splitlines()[-1] == (
        "scattergate gate: FAIL: 9 findings, all accepted by baseline.yaml, and --fail-on any accepts none: "
        'follow the advice after "do"')
    accepted = yaml.safe_load((tmp_path / "baseline.yaml").read_text())
    dropped = accepted["accepted"].pop()
    for one in accepted["accepted"]:
        one.update(since=str(one["since"]))
    (tmp_path / "baseline.yaml").write_text(yaml.safe_dump(accepted))
    done = gate(*SUITE, 6, options=["--baseline", "baseline.yaml", "-o", "out.json"], status=1)
    assert [hash for *_, hash in verdict(tmp_path / "out.json")] == [dropped["shapeHash"]]
    assert "against the baseline: 1 new" in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last == ("scattergate gate: FAIL: 1 new finding (8 accepted): follow the advice after \"do\", "
                    "or accept with --write-baseline baseline.yaml")
    done = gate(*SUITE, 7, options=["--baseline", "baseline.yaml", "--fail-on", "never"], status=0)
    assert done.stderr.splitlines()[-1] == (
        "scattergate gate: PASS: 1 new finding (8 accepted), allowed by --fail-on never")


def test_a_catalog_that_matches_nothing_is_reported(gate, catalog):
    catalog.write_text("collections:\n  - {namespace: tests-*.orders, shardKey: {customer: 1}}\n")
    assert "no command was on a collection that" in gate(*SUITE, 1, status=0).stderr
    for options, env, status in ((["--require-match"], {}, 2), ([], {"CI": "true"}, 2), ([], {"CI": "1"}, 0),
                                 (["--no-require-match"], {"CI": "true"}, 0)):
        last = gate(*SUITE, 1, options=options, env=env, status=status).stderr.splitlines()[-1]
        assert last.startswith("scattergate gate: FAIL: the catalog matches none" if status else
                               "scattergate gate: PASS: no findings"), last
    catalog.write_text(gate_suite.CATALOG)
    assert "no command was on" not in gate(*SUITE, 1, status=1).stderr


MADE_UP = """
import os, pymongo, uuid
client = pymongo.MongoClient(os.environ["MONGODB_URI"])
for _ in range(3):
    db = client[f"test-{uuid.uuid4().hex}"]
    db.orders.insert_one({"customer": 1, "status": "x"})
    db.settings.find_one({"a": 1})
    db.orders.find_one({"status": "x"})
    list(db.settings.aggregate([{"$lookup": {"from": "orders", "localField": "a", "foreignField": "b", "as": "c"}},
                                {"$merge": {"into": {"db": db.name, "coll": "o"}}}]))
    db.settings.count_documents({})
    client.drop_database(db.name)
"""


def test_a_pattern_stands_for_its_databases_everywhere(gate, tmp_path):
    """Names generated for each run leave no trace, not even in commands without a collection."""
    views = ["out.json", "out.sarif", "out.xml", "gl-code-quality-report.json", "out.md", "out.txt", "out.html"]
    seen = set()
    for _ in range(2):
        done = gate(sys.executable, "-c", MADE_UP, options=[part for view in views for part in ("-o", view)] +
                    ["--write-baseline", "baseline.yaml"], status=0)
        texts = [(tmp_path / view).read_text() for view in (*views, "baseline.yaml")] + [done.stderr]
        assert not any(re.search("test-[0-9a-f]{32}", text) for text in texts)
        shapes = json.loads(texts[0])["shapes"]
        seen.add(json.dumps(sorted((one["ns"], one["command"], one["shapeHash"], one["baseline"]) for one in shapes)))
        assert {"test-*", "test-*.orders", "test-*.settings"} <= {one["ns"] for one in shapes}
        (tmp_path / "baseline.yaml").unlink()
        assert "dropDatabase" not in done.stderr + texts[5]
    assert len(seen) == 1


def test_what_the_baseline_has_and_nothing_sends_is_a_note(gate, tmp_path):
    gate(*SUITE, 3, options=["--write-baseline", "baseline.yaml"], status=0)
    done = gate(*SUITE, 3, "clean", options=["--baseline", "baseline.yaml", "-o", "out.json", "-o", "out.sarif"],
                status=0)
    assert "Accepted, and not seen:" in done.stderr and "find test-*.orders" in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "scattergate gate: PASS: no findings; 9 accepted but not seen: --write-baseline baseline.yaml removes them")
    shapes = json.loads((tmp_path / "out.json").read_text())["shapes"]
    assert [one["count"] for one in shapes if one["baseline"] == "absent"] == [0] * 9
    results = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    assert [one["level"] for one in results] == ["note"] * 9


def test_a_suite_of_many_databases_is_judged_whole(gate, tmp_path):
    many = ("import os, pymongo; client = pymongo.MongoClient(os.environ['MONGODB_URI'])\n"
            "for n in range(400):\n"
            "    client[f'test-{n}'].orders.insert_one({'customer': 1}); client[f'test-{n}'].orders.find_one({'x': 1})\n")
    gate(sys.executable, "-c", many, options=["-o", "out.json"], status=1)
    found = [one for one in json.loads((tmp_path / "out.json").read_text())["shapes"] if one["baseline"] == "new"]
    assert [(one["ns"], one["count"]) for one in found] == [("test-*.orders", 400)]


def test_a_run_that_failed_writes_no_baseline(gate, tmp_path):
    gate("sh", "-c", f"{sys.executable} {HERE / 'gate_suite.py'} 1; exit 5",
         options=["--write-baseline", "baseline.yaml"], status=5)
    assert not (tmp_path / "baseline.yaml").exists()


@pytest.mark.parametrize("script, status", [("exit 3", 3), ("kill -TERM $$", 143), ("kill -KILL $$", 137)])
def test_the_commands_status_wins(gate, script, status):
    gate("sh", "-c", script, status=status)
    gate("sh", "-c", f"{sys.executable} {HERE / 'gate_suite.py'} 1; {script}", status=status)


def test_a_command_that_can_not_be_run_has_the_shells_status(gate, tmp_path):
    (tmp_path / "text").write_text("no program")
    assert "No such file" in gate("no-such-program", status=127).stderr
    assert "Permission denied" in gate("./text", status=126).stderr


def test_a_command_that_never_connects_says_so(gate):
    done = gate("true", status=2)
    assert done.stderr == ("scattergate gate: true never connected to the proxy: does it use SCATTERGATE_URI, or "
                           "a variable named by --env?\n")


def test_the_streams_are_the_commands_own(gate, sim):
    ping = "import os, pymongo; pymongo.MongoClient(os.environ['SCATTERGATE_URI']).admin.command('ping')"
    done = gate("sh", "-c", f'cat; echo err >&2; {sys.executable} -c "{ping}"', input="in\n", status=0)
    assert done.stdout == "in\n"
    assert done.stderr.startswith("err\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_reach_the_command_and_its_children(tmp_path, sim, catalog, number):
    script = 'trap "echo got; exit 7" TERM INT HUP; (trap "echo too > child; exit" TERM INT HUP; ' \
             'touch ready; while :; do sleep 0.05; done) & while :; do sleep 0.05; done'
    gate = subprocess.Popen(
        [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--catalog", catalog, "--upstream", sim.address,
         "--", "bash", "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # nohup and background jobs have it ignored
    wait_until(lambda: (tmp_path / "ready").exists(), "the command")
    gate.send_signal(number)
    out, err = gate.communicate(timeout=60)
    assert gate.returncode == 7, err
    assert out == "got\n"
    wait_until(lambda: (tmp_path / "child").exists(), "its child")


ON_A_TERMINAL = """
import os, signal, sys, time
got = []
signal.signal(signal.SIGINT, lambda *_: got.append(1))
print("foreground", os.tcgetpgrp(0) == os.getpgrp(), flush=True)
print("read", sys.stdin.readline().strip(), flush=True)
while not got:
    time.sleep(0.01)
print("interrupted", len(got), flush=True)
sys.exit(9)
"""


def test_on_a_terminal_the_command_has_it(tmp_path, sim, catalog):
    """Keys go to COMMAND, Ctrl-C once, and the gate's parent gets the terminal back."""
    (tmp_path / "command.py").write_text(ON_A_TERMINAL)
    (tmp_path / "session.py").write_text(f"""
import os, subprocess
done = subprocess.run({[str(part) for part in (program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--catalog",
                                              catalog, "--upstream", sim.address, "--", sys.executable,
                                              tmp_path / "command.py")]})
print("status", done.returncode, "back", os.tcgetpgrp(0) == os.getpgrp(), flush=True)
""")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, str(tmp_path / "session.py")])
    shown = b""

    def read_until(text):
        nonlocal shown
        while text not in shown:
            shown += os.read(terminal, 4096)
    read_until(b"foreground True")
    os.write(terminal, b"hello\n")
    read_until(b"read hello")  # Ctrl-C discards what is typed and not read yet
    os.write(terminal, b"\x03")
    read_until(b"interrupted 1")
    read_until(b"status 9 back True")
    os.waitpid(child, 0)
    os.close(terminal)


SHOW = "import os, sys; print(*(os.environ.get(name) for name in sys.argv[1:]), sep='\\n')"


def test_the_environment_is_rewritten_and_nothing_else_of_it(gate, sim):
    uri = f"mongodb://{sim.address}/shop?retryWrites=true&appName=a%20b&w=majority"
    done = gate(sys.executable, "-c", SHOW, "MONGODB_URI", "SCATTERGATE_URI", "OTHER", uri=uri,
                env={"OTHER": "as it was"}, status=2)  # it never connects
    given, ours, other = done.stdout.splitlines()
    host = given.removeprefix("mongodb://").split("/")[0]
    assert host.startswith("127.0.0.1:") and host != sim.address
    assert given == ours == uri.replace(sim.address, host)
    assert other == "as it was"


def test_without_a_variable_the_upstream_is_named(gate, sim):
    done = gate(sys.executable, "-c", SHOW, "MONGODB_URI", "SCATTERGATE_URI", variable=None,
                options=["--upstream", sim.address], status=2)
    given, ours = done.stdout.splitlines()
    assert given == f"mongodb://{sim.address}/"
    assert ours.startswith("mongodb://127.0.0.1:") and ours != given.rstrip("/")


def test_a_suite_with_a_fixed_address_finds_the_proxy_there(gate, sim):
    address = f"{OWN_HOST}:{free_port()}"
    find = f"import pymongo; pymongo.MongoClient('{address}')['test-1'].orders.find_one({{'a': 1}})"
    gate(sys.executable, "-c", find, variable=None,
         options=["--upstream", sim.address, "--listen", address], status=1)


def test_tls_moves_to_the_proxys_side(gate, start, tmp_path):
    authority = Authority(tmp_path / "tls")
    server, client = map(authority.issue, ("server", "client"))
    secured = start(Sim, "secured", further=["--tls-cert-file", server, "--tls-ca-file", authority.ca_file])
    uri = (f"mongodb://{secured.address}/?w=1&tls=true&tlsCAFile={authority.ca_file}"
           f"&tlsCertificateKeyFile={client}&appName=x")
    done = gate(sys.executable, "-c", SHOW, "MONGODB_URI", uri=uri, status=2)
    assert done.stdout.strip().endswith("/?w=1&appName=x")
    gate(*SUITE, 1, uri=uri, status=1)
    gate(*SUITE, 1, "clean", uri=uri, status=0)


def test_srv_names_become_hosts(gate, sim):
    library = os.environ.get("SCATTERGATE_SRV_NAMES")
    if not library:
        pytest.skip("SCATTERGATE_SRV_NAMES names no library: run by ctest")
    # The sanitizers' own libraries would have to come first.
    options = os.environ.get("ASAN_OPTIONS", "")
    names = {"LD_PRELOAD": library, "SRV_PORT": str(sim.port),
             "ASAN_OPTIONS": f"{options}:verify_asan_link_order=0"}
    uri = "mongodb+srv://cluster.localhost/shop?tls=false&w=1"
    done = gate(sys.executable, "-c", SHOW, "MONGODB_URI", uri=uri, env=names, status=2)
    assert re.fullmatch(r"mongodb://127\.0\.0\.1:\d+/shop\?w=1&authSource=admin\n", done.stdout)
    gate(*SUITE, 1, uri=uri, env=names, status=1)


def member(hello):
    """A server for one command after another: a mongod with this hello."""
    hello = {**hello, "ismaster": True, "isWritablePrimary": True, "maxBsonObjectSize": 16777216,
             "maxMessageSizeBytes": 48000000, "maxWriteBatchSize": 100000, "minWireVersion": 0,
             "maxWireVersion": 21, "readOnly": False, "ok": 1.0}

    def serve(connection):
        while request := connection.message():
            body = request.body
            if next(iter(body)).lower() in ("hello", "ismaster"):
                connection.reply(request, hello)
            elif "find" in body:
                connection.reply(request, {"ok": 1.0, "cursor": {
                    "id": Int64(0), "ns": f"{body['$db']}.{body['find']}", "firstBatch": []}})
            else:
                connection.reply(request)
    return serve


FIND = ("import os, pymongo; c = pymongo.MongoClient(os.environ['MONGODB_URI'], serverSelectionTimeoutMS=5000);"
        "print(c['test-1'].orders.find_one({'status': 'x'}), c.options.replica_set_name, os.environ['MONGODB_URI'])")


@pytest.mark.parametrize("kind", ["standalone", "replica set"])
def test_drivers_stay_with_a_mongod(gate, upstream, kind):
    hello = {"setName": "rs0", "hosts": ["elsewhere.invalid:1"], "me": "elsewhere.invalid:1",
             "primary": "elsewhere.invalid:1", "setVersion": 1, "secondary": False} if kind != "standalone" else {}
    server = upstream(member(hello))
    options = "?replicaSet=rs0&directConnection=false" if hello else ""
    done = gate(sys.executable, "-c", FIND, uri=f"mongodb://{server.address}/{options}", status=1)
    assert done.stdout.startswith("None " + ("rs0" if hello else "None"))
    assert "directConnection=true" in done.stdout
    assert ("replicaSet=rs0" in done.stdout) == bool(hello)


@pytest.mark.parametrize("options, uri, message", [
    (["--wait", "0"], "mongodb://127.0.0.1:1,127.0.0.1:2/", "127.0.0.1:1, 127.0.0.1:2: "),
    (["--max-fanout", "0"], None, "--max-fanout: expected all or a number"),
    (["--rules", "none.yaml"], None, "none.yaml: "),
    (["--from", "http://127.0.0.1:1"], None, "pass either a command to run"),
    ([], "mongodb://127.0.0.1/?loadBalanced=true", "MONGODB_URI: loadBalanced=true: "),
    ([], "postgres://x", "MONGODB_URI: it doesn't begin with mongodb:// or mongodb+srv://"),
    (["--baseline", "none.yaml"], None, "none.yaml: cannot be read"),
    (["-o", "out.docx"], None, "out.docx: its name doesn't determine the format"),
    (["--fail-on", "some"], None, "--fail-on: "),
    (["--listen", "nowhere"], None, "--listen: not an address"),
    (["--env", "NO_SUCH"], None, "--env NO_SUCH: there is no such variable"),
    (["--env", "EMPTY"], None, "--env EMPTY: the variable is empty"),
])
def test_trouble_of_its_own_is_one_line_and_2(gate, options, uri, message, tmp_path):
    done = gate("touch", "ran", options=options, uri=uri, env={"EMPTY": ""}, status=2)
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"scattergate gate: {message}"), done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_bad_catalog_is_reported_with_its_line(gate, catalog):
    catalog.write_text("collections:\n  - namespace: x\n")
    assert "keys.yaml:2: " in gate("true", status=2).stderr


def test_a_password_is_never_shown(gate):
    done = gate("true", uri="mongodb://u:secret@127.0.0.1:1/?loadBalanced=true", status=2)
    assert "secret" not in done.stderr + done.stdout


def test_annotations_and_summary(gate, tmp_path):
    (tmp_path / "summary").write_text("")
    done = gate(*SUITE, 1, options=["--format", "github", "-o", tmp_path / "summary"],
                env={"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}, status=1)
    lines = done.stderr.splitlines()
    assert lines.pop().startswith("scattergate gate: FAIL: 9 new findings")
    assert lines.pop().startswith("scattergate gate: collections that the catalog doesn't list: ")
    assert len(lines) == len(gate_suite.PLANTED) and all(line.startswith("::error ") for line in lines)
    assert any(line.startswith("::error file=keys.yaml,line=5,title=find test-*.carts") for line in lines), lines
    assert any(line.startswith("::error file=tests/orders_test.py,line=42,title=") for line in lines)
    summary = (tmp_path / "summary").read_text()
    assert "# What scatters" in summary and "test-pinned" not in summary


SITES = """
import os, sys, pymongo
db = pymongo.MongoClient(os.environ["MONGODB_URI"])["test-sites"]
for comment in sys.argv[1:]:
    db.orders.find_one({"status": 1}, comment=comment)
"""


def places_of(sarif):
    places = []
    for one in json.loads(sarif.read_text())["runs"][0]["results"]:
        at = one["locations"][0]["physicalLocation"]
        places.append(f"{at['artifactLocation']['uri']}:{at['region']['startLine']}")
    return places


def test_paths_are_relative_to_the_repository_in_a_monorepo_too(gate, tmp_path):
    (tmp_path / ".git").mkdir()
    suite = tmp_path / "services" / "shop"
    for path in (suite / "src" / "a.py", tmp_path / "lib" / "b.py", tmp_path / "c.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    sites = ["src/a.py:1", "lib/b.py:2", "../../c.py:3", f"{suite}/src/a.py:4", f"file://{tmp_path}/lib/b.py:5",
             r"C:\work\lib\b.py:6", "/container/src/a.py:7", "/container/lib/b.py:7", "src/none.py:8", "/etc/passwd.py:9"]
    done = gate(sys.executable, "-c", SITES, *sites, status=1, cwd=suite,
                options=["-o", "out.sarif", "-o", "out.xml", "-o", "gl-code-quality-report.json", "--format", "github"])
    expected = ["services/shop/src/a.py:1", "lib/b.py:2", "c.py:3", "services/shop/src/a.py:4", "lib/b.py:5", "lib/b.py:6",
                "lib/b.py:7"]
    assert sorted(places_of(suite / "out.sarif")) == sorted(expected)
    issues = json.loads((suite / "gl-code-quality-report.json").read_text())
    assert sorted(f"{one['location']['path']}:{one['location']['lines']['begin']}" for one in issues) == sorted(expected)
    assert len({one["fingerprint"] for one in issues}) == len(expected)
    tests = xml.parse(suite / "out.xml").getroot().findall(".//testcase")
    assert sorted(one.get("name") for one in tests) == sorted(f"find {place}" for place in expected)
    assert sorted(re.findall("^::error file=(.*),line=(.*?),", done.stderr, re.M)) == sorted(
        tuple(place.split(":")) for place in expected)


def test_each_result_has_a_place(gate, tmp_path):
    (tmp_path / ".git").mkdir()
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "README.md").touch()

    def run(*options, status=1):
        done = gate(sys.executable, "-c", SITES, "", status=status, cwd=suite, options=["-o", "out.sarif", *options])
        return done.stderr, places_of(suite / "out.sarif") if status == 1 else None
    assert run()[1] == ["keys.yaml:3"]  # the catalog is a file of the repository
    stderr, places = run("--root", suite)
    assert places == ["not-listed-by-a-comment:1"]
    assert f"1 finding points to no file of {suite}" in stderr
    assert run("--root", suite, "--default-location", "README.md:4")[1] == ["README.md:4"]
    baseline = ["--write-baseline", "baseline.yaml", "--fail-on", "any"]
    assert run("--root", suite, *baseline)[1] == ["baseline.yaml:1"]
    for wrong in ("none.md", "README.md:0", "/etc/passwd", "../keys.yaml"):
        assert "--default-location: expected FILE" in run("--root", suite, "--default-location", wrong, status=2)[0]
    assert "--root: not a folder" in run("--root", "none", status=2)[0]


def test_a_variable_of_the_ci_names_the_root(gate, tmp_path):
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "a.py").touch()
    options = ["-o", "out.sarif"]
    for variable, value, expected in (("GITHUB_WORKSPACE", tmp_path, "suite/a.py:1"), ("CI_PROJECT_DIR", tmp_path, "suite/a.py:1"),
                                      ("CI_PROJECT_DIR", "/etc", "a.py:1")):
        gate(sys.executable, "-c", SITES, "a.py:1", options=options, cwd=suite, env={variable: str(value)}, status=1)
        assert places_of(suite / "out.sarif") == [expected]


def test_twenty_lines_of_source_are_shown(gate, tmp_path):
    source = tmp_path / "many.py"
    source.touch()
    (tmp_path / "summary").touch()
    done = gate(sys.executable, "-c", SITES, *(f"many.py:{line}" for line in range(1, 26)), status=1,
                options=["-o", "out.sarif", "--format", "github", "-o", tmp_path / "summary"],
                env={"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")})
    assert len(places_of(tmp_path / "out.sarif")) == 20
    assert len(re.findall("^::error file=many.py,line=", done.stderr, re.M)) == 10
    assert len(re.findall("^error many.py:", done.stderr, re.M)) == 10
    assert "::notice title=scattergate: 10 further::" in done.stderr
    results = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    assert len({json.dumps(one["partialFingerprints"]) for one in results}) == 20


HOSTILE = """
import os, pymongo
db = pymongo.MongoClient(os.environ["MONGODB_URI"])["test-hostile"]
text = "a<&>\\"']]>\\x1b[2J\\x01\\r\\n::error::x\\n##[error]y\\u202e\\ufffe"
for comment in (text, text + " src/\\x1b.py:3", "file='src%2F%0A::error.py',line='3'", "../../etc/passwd.py:3", text * 9):
    db.orders.find_one({text: 1}, comment=comment)
"""


def test_hostile_texts_stay_texts(gate, tmp_path):
    done = gate(sys.executable, "-c", HOSTILE, status=1,
                options=["-o", "out.sarif", "-o", "out.xml", "-o", "gl-code-quality-report.json", "--format", "github"])
    assert places_of(tmp_path / "out.sarif") == ["keys.yaml:3"]
    json.loads((tmp_path / "gl-code-quality-report.json").read_text())
    xml.parse(tmp_path / "out.xml")
    lines = done.stderr.splitlines()
    assert len([line for line in lines if line.startswith("::")]) == 1
    for view in (done.stderr, *((tmp_path / name).read_text() for name in ("out.sarif", "out.xml"))):
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]|##\\[error", view)


BATCHES = """
import os, pymongo
client = pymongo.MongoClient(os.environ["MONGODB_URI"])
db = client["test-batches"]
good = {"q": {"customer": 1}, "u": {"$set": {"a": 1}}, "multi": True}
bad = {"q": {"status": 1}, "u": {"$set": {"a": 1}}, "multi": True}
db.command({"update": "orders", "updates": [good, good, bad, good, bad]})
db.command({"delete": "orders", "deletes": [{"q": {"status": 1}, "limit": 0}, {"q": {"customer": 1}, "limit": 0}]})
db.command({"update": "orders", "updates": [good, good]})
insert = {"insert": 1, "document": {"_id": 1, "customer": 1}}
wrong = {"delete": 0, "filter": {"color": 1}, "multi": True}
client.admin.command({"bulkWrite": 1, "nsInfo": [{"ns": "test-batches.orders"}, {"ns": "test-batches.elsewhere"}],
                      "ops": [insert, insert, insert, wrong, {"insert": 1, "document": {"_id": 2}}, wrong]})
db.orders.find_one({"status": 1})
"""


def test_the_statement_of_a_batch_that_scatters_is_named(gate, tmp_path):
    done = gate(sys.executable, "-c", BATCHES, options=["-o", "out.json", "-o", "out.sarif", "-o", "out.html"], status=1)
    report = json.loads((tmp_path / "out.json").read_text())
    jsonschema.validate(report, json.loads((ROOT / "docs" / "report.schema.json").read_text()),
                        cls=jsonschema.Draft202012Validator)
    found = {one["command"]: one.get("statement") for one in report["shapes"] if one["baseline"] == "new"}
    assert found == {"delete": 0, "find": None, "update": 2, "bulkWrite": 3}
    assert all("statement" not in one for one in report["shapes"] if one["baseline"] != "new")
    assert re.search("  statement +index 2 of the batch", done.stderr)
    messages = [one["message"]["text"] for one in json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]]
    assert sum("Statement: index 2 of the batch." in text for text in messages) == 1
    assert "index 2 of the batch" in (tmp_path / "out.html").read_text()


def test_the_catalog_is_also_that_of_the_variable(gate, catalog):
    gate(sys.executable, "-c", SITES, "", catalog=None, env={"SCATTERGATE_CATALOG_SOURCE": str(catalog)}, status=1)


def test_an_unknown_name_of_a_file_lists_the_formats(gate):
    stderr = gate("true", options=["-o", "out.foo"], status=2).stderr
    for each in ("out.foo: its name doesn't determine the format", "NAME.sarif (sarif)", "NAME.xml (junit)",
                 "gl-code-quality-report.json (codequality)", "--format github", "GITHUB_STEP_SUMMARY"):
        assert each in stderr


def test_nothing_is_left_behind(gate):
    before = set(pathlib.Path("/tmp").glob("scattergate-gate-*"))
    gate("true", status=2)
    others = set(pathlib.Path("/tmp").glob("scattergate-gate-*")) - before
    # Gates of other tests that run at the same time keep theirs until they end.
    wait_until(lambda: not any(each.exists() for each in others), "every gate's folder to be gone")


REFUSED = """
import os, pymongo
orders = pymongo.MongoClient(os.environ["MONGODB_URI"])["test-1"].orders
for filter in ({"status": "x"}, {"status": "x"}, {"customer": 1}):
    try:
        orders.find_one(filter)
    except pymongo.errors.OperationFailure:
        pass
"""


def refusing(connection):
    """A mongod that refuses every find."""
    while request := connection.message():
        is_hello = next(iter(request.body)).lower() in ("hello", "ismaster")
        connection.reply(request, {"ismaster": True, "isWritablePrimary": True, "maxBsonObjectSize": 16777216,
                                   "maxMessageSizeBytes": 48000000, "maxWriteBatchSize": 100000, "minWireVersion": 0,
                                   "maxWireVersion": 21, "readOnly": False, "ok": 1.0} if is_hello else
                         {"ok": 0.0, "code": 2, "codeName": "BadValue", "errmsg": "no"})


def test_a_scatter_that_the_server_refuses_is_a_finding(gate, upstream):
    uri = f"mongodb://{upstream(refusing).address}/"
    done = gate(sys.executable, "-c", REFUSED, uri=uri, status=1)
    assert "2 scatters failed at the server and were judged all the same" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("scattergate gate: FAIL: 1 new finding")
    done = gate(sys.executable, "-c", REFUSED, uri=uri, options=["--ignore-failed"], status=0)
    assert "1 finding left out by --ignore-failed" in done.stderr


STARTS_ITS_OWN = """
import os, subprocess, sys, pymongo
server = subprocess.Popen([sys.argv[1], "--listen", sys.argv[2]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    client = pymongo.MongoClient(os.environ["SCATTERGATE_URI"])
    client["test-1"].orders.find_one({"status": "x"})
    client["test-1"].orders.find_one({"customer": 1})
finally:
    server.kill()
    server.wait()
"""


def test_a_suite_may_start_its_own_server(gate):
    """At an address that is chosen before: the server isn't there when the gate starts, nor when it ends."""
    address = f"{OWN_HOST}:{free_port()}"
    done = gate(sys.executable, "-c", STARTS_ITS_OWN, program_path("SCATTERGATE_SIM_BIN", "scattergate-sim"), address,
                variable=None, options=["--upstream", address], status=1)
    assert done.stderr.splitlines()[-1].startswith("scattergate gate: FAIL: 1 new finding")


def test_a_server_that_never_comes_is_named(gate):
    address = f"{OWN_HOST}:{free_port()}"
    tries = ("import os, pymongo\n"
             "try: pymongo.MongoClient(os.environ['MONGODB_URI'], serverSelectionTimeoutMS=500).admin.command('ping')\n"
             "except pymongo.errors.ServerSelectionTimeoutError: pass")
    done = gate(sys.executable, "-c", tries, uri=f"mongodb://{address}/", status=2)
    assert done.stderr.startswith(f"scattergate gate: nothing was judged: the server never answered: {address}: ")


def test_the_catalog_of_a_cluster_that_is_still_starting_is_awaited(tmp_path, start):
    """The gate waits for the mongos, which it needs, and then starts the command."""
    address = f"{OWN_HOST}:{free_port()}"
    environment = {**clean_environment(), "MONGODB_URI": f"mongodb://{address}/"}
    gate = subprocess.Popen(
        [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--env", "MONGODB_URI", "--no-require-match", "--",
         sys.executable, "-c", SCATTERS_BY_RANGE], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    assert gate.poll() is None
    start(Sim, host=OWN_HOST, port=int(address.rsplit(":", 1)[1]))
    err = gate.communicate(timeout=120)[1]
    assert gate.returncode == 1, err


SCATTERS_BY_RANGE = """
import bson, os, pymongo
documents = pymongo.MongoClient(os.environ["MONGODB_URI"])["yorkie-meta"].documents
list(documents.find({"project_id": {"$gte": bson.ObjectId("0" * 24)}}))
documents.find_one({"project_id": bson.ObjectId("0" * 24)})
"""


def test_what_asks_every_shard_fails_where_chunks_are_known(gate, start):
    cluster = start(Sim, "cluster", preset="yorkie", shards=3)
    for options, status in (([], 1), (["--max-fanout", "all"], 1), (["--max-fanout", "2"], 1),
                            (["--max-fanout", "3"], 0)):
        done = gate(sys.executable, "-c", SCATTERS_BY_RANGE, uri=f"mongodb://{cluster.address}/", catalog=None,
                    options=options, status=status)
        assert ("multi_shard (range)" in done.stderr) == bool(status), done.stderr


@pytest.mark.parametrize("arguments", [["--env", "URI"], ["--listen", "URI"], ["--admin", "URI"], ["--catalog", "URI"],
                                       ["--baseline", "URI"], ["--rules", "URI"], ["--from", "URI"],
                                       ["--max-fanout", "URI"], ["--wait", "URI"], ["--fail-on", "URI"], ["-o", "URI"],
                                       ["--no-such", "URI"], ["--", "URI"]])
def test_a_connection_string_in_the_wrong_place_shows_no_password(gate, arguments):
    uri = "mongodb://user:s3cret@127.0.0.1:1/"
    *options, last = (uri if one == "URI" else one for one in arguments)
    command = [last] if options == ["--"] else ["true"]
    options = [] if options == ["--"] else [*options, last]
    done = gate(*command, options=options)
    assert done.returncode not in (0, 1), done.stderr
    assert "s3cret" not in done.stderr + done.stdout
    if arguments[0] == "--env":
        assert "expected the name of a variable" in done.stderr


COMMENTED = """
import os, pymongo
orders = pymongo.MongoClient(os.environ["MONGODB_URI"], appname="nightly")["test-1"].orders
list(orders.find({"status": "x"}, comment="scattergate:accept a nightly export"))
list(orders.find({"total": 5}))
"""


def test_comments_and_rules_accept_as_in_the_proxy(gate, tmp_path):
    done = gate(sys.executable, "-c", COMMENTED, options=["-o", "out.json", "-o", "out.sarif", "-o", "out.xml"], status=1)
    assert "accepted by comment: a nightly export" in done.stderr or "accepted by a rule or comment" in done.stderr
    assert "1 new finding (1 accepted)" in done.stderr.splitlines()[-1]
    assert "against the baseline" not in done.stderr and "baseline  " not in done.stderr
    # An accepted finding is one line; the other one has a block with the rule that accepts it.
    assert done.stderr.count("\n#") == 1
    rule = re.search(r"to accept +(- \{.*\})", done.stderr)[1]
    assert "shape:" in rule and "routing:" not in rule
    (tmp_path / "rules.yaml").write_text(f"rules:\n  {rule}\n")
    done = gate(sys.executable, "-c", COMMENTED, options=["--rules", "rules.yaml"], status=0)
    assert done.stderr.splitlines()[-1] == "scattergate gate: PASS: 2 findings, all accepted"
    other = COMMENTED.replace("total", "other")  # the rule is for a shape, not for the collection
    assert "1 new finding" in gate(sys.executable, "-c", other, options=["--rules", "rules.yaml"], status=1).stderr
    for written, status in (
            ("rules: [{name: a, match: {namespace: test-*.orders, app: nightly}, action: accept, why: w}]", 0),
            ("rules: [{name: a, match: {namespace: test-*.orders, app: other}, action: accept, why: w}]", 1),
            ("rules: [{name: a, match: {namespace: test-*.orders}, action: accept, why: w, until: 2020-01-01}]", 1),
            ("rules: [{name: r, match: {command: find}, action: reject},"
             " {name: a, match: {command: find}, action: accept, why: w}]", 1),
            ("comments: {accept: [other.*]}", 1)):
        (tmp_path / "rules.yaml").write_text(written + "\n")
        done = gate(sys.executable, "-c", COMMENTED, options=["--rules", "rules.yaml"], status=status)
    assert "2 new findings" in done.stderr.splitlines()[-1]  # the comment counts only where it is allowed


def test_rules_of_the_catalog_accept(gate, catalog):
    catalog.write_text(gate_suite.CATALOG + "rules:\n  - {name: all, match: {namespace: 'test-*.orders'}, "
                       "action: accept, why: w}\n")
    gate(sys.executable, "-c", COMMENTED, status=0)


def test_names_that_differ_from_the_catalogs_are_listed(gate, catalog):
    catalog.write_text(gate_suite.CATALOG.replace("test-*.carts", "test-*.cartz"))
    done = gate(*SUITE, 1, options=["--fail-on", "never"], status=0)
    assert "catalog entries that no command used: test-*.cartz" in done.stderr
    assert "collections that the catalog doesn't list: test-*.carts" in done.stderr
    typo = "test-*.cartz (did you mean test-*.carts?)"
    assert typo in done.stderr
    last = gate(*SUITE, 1, options=["--fail-on", "never"], env={"CI": "true"}, status=2).stderr.splitlines()[-1]
    assert typo in last and "--no-require-match" in last
    catalog.write_text(gate_suite.CATALOG + "  - {namespace: test-*.invoices, shardKey: {customer: 1}}\n")
    done = gate(*SUITE, 1, options=["--fail-on", "never"], env={"CI": "true"}, status=0)  # unused, but no typo
    assert "catalog entries that no command used: test-*.invoices" in done.stderr


@pytest.mark.parametrize("source", ["same", "off"])
def test_a_running_proxy_is_judged_as_a_command_is(gate, start, sim, catalog, tmp_path, source):
    """`gate --from` has the outcome of a gate around the suite, whether the proxy knew the catalog or not."""
    proxy = start(Daemon, sim.address, catalog={"source": str(catalog) if source == "same" else "off"})
    subprocess.run([sys.executable, HERE / "gate_suite.py", "1"], check=True,
                   env={**clean_environment(), "MONGODB_URI": f"mongodb://{proxy.address}/"})
    command = [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--from", proxy.admin]

    def judged(*options, status):
        done = subprocess.run([str(one) for one in (*command, *options)], cwd=tmp_path, capture_output=True, text=True,
                              env={**clean_environment(), "CI": "true"}, timeout=120)
        assert done.returncode == status, done.stderr
        return done.stderr
    err = judged("--catalog", catalog, "-o", "from.json", "-o", "from.sarif", "-o", "from.xml", status=1)
    around = gate(*SUITE, 2, options=["-o", "out.json"], env={"CI": "true"}, status=1)
    assert verdict(tmp_path / "from.json") == verdict(tmp_path / "out.json")
    assert err.splitlines()[-1] == around.stderr.splitlines()[-1]
    judged("--catalog", catalog, "--write-baseline", "accepted.yaml", status=0)
    err = judged("--catalog", catalog, "--baseline", "accepted.yaml", status=0)
    assert err.splitlines()[-1] == "scattergate gate: PASS: 9 findings, all accepted by accepted.yaml"
    gate(*SUITE, 3, options=["--baseline", "accepted.yaml"], status=0)
    other = tmp_path / "other.yaml"
    other.write_text("collections: [{namespace: nothing.here, shardKey: {a: 1}}]\n")
    assert "the catalog matches none of the commands" in judged("--catalog", other, status=2)


# A suite whose test runner names the running test, each in its own way: NAME COLLECTION FIELD [APP].
MARKED = """
import json, os, pymongo, sys, urllib.parse, urllib.request
def mark(name, method="PUT", worker=None):
    url = os.environ["SCATTERGATE_TEST_MARKER"] + ("?worker=" + urllib.parse.quote(worker) if worker else "")
    request = urllib.request.Request(url, name.encode() if name is not None else None, method=method)
    with urllib.request.urlopen(request, timeout=30) as reply:
        assert reply.status == 204
def find(field, **further):
    with pymongo.MongoClient(os.environ["MONGODB_URI"], **further) as client:
        client["test-a"].orders.find_one({field: 1})
"""


def named_tests(path):
    """The field of each finding's filter, and its tests."""
    found = {}
    for shape in json.loads(path.read_text())["shapes"]:
        if shape["baseline"] == "new":
            (field,) = shape["shape"]["filter"]
            found.setdefault(field, []).extend(caller.get("test") for caller in shape["callers"])
    return found


def test_findings_name_the_running_test(gate, tmp_path):
    script = MARKED + """
find("before")
mark("test/orders_spec.rb[1:2] lists \\u00e9 <b>")
find("marked")
mark("second", "POST")
find("posted")
mark("", "PUT")
find("ended")
mark("third")
mark(None, "DELETE")
find("deleted")
mark("first worker's", worker="gw0")
mark("second worker's", worker="gw 1")
find("mine", appname="gw 1")
find("either", appname="app")
mark(None, "DELETE", worker="gw0")
find("rest")
with pymongo.MongoClient(os.environ["MONGODB_URI"]) as client:
    client["test-a"].orders.find_one({"named": 1}, comment="file='tests/orders_test.py',line='42',test='its%20own'")
"""
    done = gate(sys.executable, "-c", script, options=["--test-marker", "-o", "out.json", "-o", "out.sarif", "-o", "out.xml",
                                                       "-o", "out.md"], status=1)
    marked = "test/orders_spec.rb[1:2] lists \u00e9 <b>"
    assert named_tests(tmp_path / "out.json") == {
        "before": [None], "marked": [marked], "posted": ["second"], "ended": [None], "deleted": [None],
        "mine": ["second worker's"], "either": ["second worker's | first worker's"], "rest": ["second worker's"],
        "named": ["its own"]}
    assert f"from 127.0.0.1 during test {marked}\n" in done.stderr
    assert "comment file='tests/orders_test.py',line='42' during test its own\n" in done.stderr
    log = json.loads((tmp_path / "out.sarif").read_text())
    jsonschema.validate(log, json.loads((HERE / "schemas/sarif-schema-2.1.0.json").read_text()),
                        cls=jsonschema.Draft4Validator)
    assert {marked, "second", "its own"} <= {one["properties"].get("test") for one in log["runs"][0]["results"]}
    failures = [one.text for one in xml.parse(tmp_path / "out.xml").getroot().iter("failure")]
    assert any(f"During test {marked}. " in text for text in failures)
    assert "during test second" in (tmp_path / "out.md").read_text()


def test_the_marker_survives_requests_of_other_kinds(gate, tmp_path):
    script = MARKED + """
import http.client, socket
url = urllib.parse.urlsplit(os.environ["SCATTERGATE_TEST_MARKER"])
def status(method, path, body=None):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
    connection.request(method, path, body)
    return connection.getresponse().status
assert status("PUT", "/other", "x") == 404
assert status("GET", "/test") == 405
held = [socket.create_connection((url.hostname, url.port)) for _ in range(100)]
held[0].sendall(b"\\x00\\xff nonsense\\r\\n\\r\\n")
assert held[0].recv(1) == b""
held[1].sendall(b"PUT /test HTTP/1.1\\r\\nContent-Length: 99999999\\r\\n\\r\\n")
assert held[1].recv(1) == b""
mark("\\r\\n\\x1b[31m" + "x" * 1000)
find("marked")
"""
    gate(sys.executable, "-c", script, options=["--test-marker", "-o", "out.json"], status=1)
    (test,) = named_tests(tmp_path / "out.json")["marked"]
    assert len(test.encode()) <= 256 and test.startswith("\ufffd\ufffd\ufffd[31mxxx")


def test_without_the_flag_there_is_no_marker(gate):
    script = "import os, pymongo; assert 'SCATTERGATE_TEST_MARKER' not in os.environ; " \
             "pymongo.MongoClient(os.environ['MONGODB_URI']).admin.command('ping')"
    gate(sys.executable, "-c", script, options=["--no-require-match"], status=0)


def test_a_running_proxy_shows_what_the_server_refused(gate, start, upstream, catalog, tmp_path):
    proxy = start(Daemon, upstream(refusing).address, catalog={"source": "off"}, limits={"trust_clients": "on"})
    subprocess.run([sys.executable, "-c", REFUSED], check=True,
                   env={**clean_environment(), "MONGODB_URI": f"mongodb://{proxy.address}/?directConnection=true"})
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--from", proxy.admin, "--catalog",
                           str(catalog)], cwd=tmp_path, capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 1, done.stderr
    assert "2 scatters failed at the server and were judged all the same" in done.stderr


def test_what_is_no_proxy_to_judge_is_named(gate, start, sim, upstream, tmp_path):
    def failed(*arguments):
        done = subprocess.run([str(one) for one in (program_path("SCATTERGATE_BIN", "scattergate"), "gate", *arguments)],
                              cwd=tmp_path, capture_output=True, text=True, env=clean_environment(), timeout=60)
        assert done.returncode == 2, done.stderr
        return done.stderr
    idle = start(Daemon, sim.address)
    assert "no command went through the proxy" in failed("--from", idle.admin)
    assert "expected http://HOST:PORT" in failed("--from", idle.admin.removeprefix("http://"))
    assert "pass either a command" in failed()
    assert f"http://{OWN_HOST}:1: " in failed("--from", f"http://{OWN_HOST}:1")
    assert "--from: not with --upstream" in failed("--from", idle.admin, "--env", "MONGODB_URI")
    token = tmp_path / "token"
    token.write_text("a token that is long enough\n")
    guarded = start(Daemon, sim.address, name="guarded", admin={"listen": "127.0.0.1:0", "token_file": str(token)})
    assert "--token-file" in failed("--from", guarded.admin)
    assert "no command went through" in failed("--from", guarded.admin, "--token-file", token)
    beyond = start(Daemon, sim.address, name="beyond", admin={"listen": "0.0.0.0:0"})
    port = str(beyond.admin).rsplit(":", 1)[1]
    assert "refuses its API" in failed("--from", f"http://127.0.0.1:{port}")
