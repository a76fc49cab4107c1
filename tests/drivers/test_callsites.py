"""The call sites of deploy/callsites: suites of each language, run by the gate, in which the lines that scatter end in
a comment "scatter". Each is found with its file, line and test, and nothing else is."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

import pytest
from processes import ROOT, Sim, clean_environment, program_path
from programs import built, run

SHIPPED = ROOT / "deploy" / "callsites"
SUITES = pathlib.Path(__file__).resolve().parent / "callsites"
CATALOG = 'collections: [{namespace: "shop.*", shardKey: {customer: 1, _id: 1}}]\n'

# The packages of each Python suite.
PYTHON = {
    "newest": (("test_sync.py", "test_async.py"),
               ("pymongo==4.20.0", "pytest==9.2.0", "beanie==2.2.0", "mongoengine==0.29.3", "motor==3.7.1")),
    "oldest": (("test_sync.py",), ("pymongo==3.13.0", "pytest==9.2.0", "mongoengine==0.27.0")),
}

# The packages of each Node suite.
NODE = {"newest": ("mongodb@7.8.0", "mongoose@9.12.1", "jest@29.7.0", "mocha@10.8.2"),
        "oldest": ("mongodb@4.17.2", "mongoose@6.13.11")}

# The versions of Go's driver.
GO = {"2": "go.mongodb.org/mongo-driver/v2 v2.9.3", "1": "go.mongodb.org/mongo-driver v1.17.10"}

# The versions of Spring Boot: drivers 5 and 4.
SPRING = {"newest": "4.0.7", "oldest": "2.7.18"}


def python_of(name):
    """The interpreter of a Python suite's environment."""
    def make(folder):
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON[name][1])
    return built(f"callsites-python-{name}", [pathlib.Path(__file__).resolve()], make) / "bin" / "python"


def planted(folder):
    """The lines that scatter: file, number."""
    return {(file.name, number) for file in folder.rglob("*") if file.suffix in (".py", ".js", ".mjs", ".ts", ".go", ".java")
            for number, line in enumerate(file.read_text().splitlines(), 1) if re.search(r"(#|//) scatter( |$)", line)}


def gate(command, folder, start, environment=None, status=1, root=None):
    """Runs a suite in `folder`; returns the report's findings."""
    (folder / "keys.yaml").write_text(CATALOG)
    done = subprocess.run(
        [program_path("SCATTERGATE_BIN", "scattergate"), "gate", "--catalog", "keys.yaml", "--env", "MONGODB_URI",
         "-o", "out.json", "-o", "out.sarif", "--root", root or folder, "--", *command],
        cwd=folder, capture_output=True, text=True, timeout=500,
        env={**clean_environment(), **(environment or {}),
             "MONGODB_URI": f"mongodb://{start(Sim, preset=None).address}/"})
    assert done.returncode == status and "; fix that first; " not in done.stderr, done.stdout + done.stderr
    return [shape for shape in json.loads((folder / "out.json").read_text())["shapes"] if shape["baseline"] == "new"]


def sites_of(findings):
    """The lines that the findings name, with their tests; the comments that name none, with their tests."""
    named, unnamed = {}, []
    for finding in findings:
        for caller in finding["callers"]:
            comment = caller.get("comment", "")
            place = re.search(r"file='([^']*)',line='(\d+)'", comment)
            if place:
                key = (unquote(place[1]).rpartition("/")[2], int(place[2]))
                named.setdefault(key, set()).add(caller.get("test"))
            else:
                unnamed.append((comment, caller.get("test")))
    return named, unnamed


@pytest.mark.parametrize("version", GO)
def test_go(driver, version, start, tmp_path):
    if driver != "go":
        pytest.skip("of another driver")
    other = "connect_v1.go" if version == "2" else "connect_v2.go"

    def make(folder):
        shutil.copytree(SUITES / "go", folder, dirs_exist_ok=True, ignore=lambda *_: [other])
        shutil.copytree(SHIPPED / "go", folder / "internal" / "callsites")
        if version == "1":
            for file in folder.glob("*.go"):
                file.write_text(file.read_text().replace("mongo-driver/v2/", "mongo-driver/"))
        (folder / "go.mod").write_text(f"module shop\n\ngo 1.24\n\nrequire {GO[version]}\n")
        run("go", "mod", "tidy", cwd=folder)
        run("go", "vet", "./internal/callsites", cwd=folder)
        run("go", "test", "-c", "-o", "suite", ".", cwd=folder)
    folder = built(f"callsites-go-{version}", [SUITES / "go", SHIPPED / "go", pathlib.Path(__file__).resolve()], make)
    named, unnamed = sites_of(gate([folder / "suite"], tmp_path, start))
    assert set(named) == planted(folder)
    assert unnamed == [("elsewhere.go:7", "shop.TestComments")]
    assert named["orders.go", 13] == {"shop.TestReads"}
    assert set().union(*named.values()) == {"shop.TestReads", "shop.TestWrites", "shop.TestParallel", "shop.TestComments"}


@pytest.mark.parametrize("version", SPRING)
def test_java(driver, version, start, tmp_path):
    if driver != "java":
        pytest.skip("of another driver")
    maven = ["mvn", "--quiet", "--batch-mode", f"-Dspring.boot={SPRING[version]}"]

    def make(folder):
        shutil.copytree(SUITES / "java", folder, dirs_exist_ok=True)
        shutil.copytree(SHIPPED / "java" / "scattergate", folder / "src" / "test" / "java" / "scattergate", dirs_exist_ok=True)
        shutil.copytree(SHIPPED / "java" / "META-INF", folder / "src" / "test" / "resources" / "META-INF", dirs_exist_ok=True)
        run(*maven, "-Dtest=None", "-Dsurefire.failIfNoSpecifiedTests=false", "test", cwd=folder)  # loads what tests need
    folder = built(f"callsites-java-{version}", [SUITES / "java", SHIPPED / "java", pathlib.Path(__file__).resolve()], make)
    named, unnamed = sites_of(gate([*maven, "--offline", "-f", folder, "test"], tmp_path, start, root=folder))
    assert set(named) == planted(folder)
    assert sorted(unnamed) == [("?object", None), ("Elsewhere.java:7", "DriverTest.commentsOfTheApplicationStay")]
    assert named["Orders.java", 19] == {"DriverTest.reads"}
    assert set().union(*named.values()) == {None, *(f"DriverTest.{name}" for name in (
        "reads", "writes", "commentsOfTheApplicationStay", "transactions")), *(f"SpringTest.{name}" for name in (
            "repositories", "templates", "reactiveTemplates"))}
    lines = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    places = {place["physicalLocation"]["artifactLocation"]["uri"] for result in lines for place in result["locations"]}
    assert {"src/main/java/shop/Orders.java", "src/test/java/shop/SpringTest.java"} <= places


@pytest.mark.parametrize("suite", PYTHON)
def test_python(driver, suite, start, tmp_path):
    if driver != "pymongo":
        pytest.skip("of another driver")
    folder = shutil.copytree(SUITES / "python", tmp_path / "suite", ignore=lambda _, names: {
        name for name in names if name.startswith("test_") and name not in PYTHON[suite][0]})
    found = gate([python_of(suite), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "scattergate_callsites"], folder,
                 start, {"PYTHONPATH": str(SHIPPED), "PYTHONDONTWRITEBYTECODE": "1"})
    named, unnamed = sites_of(found)
    assert set(named) == planted(folder)
    assert sorted(unnamed) == [("?object", None), ("elsewhere.py:7", "test_sync.py::test_comments_of_the_application_stay")]
    assert any(caller["comment"].endswith("' the page of orders") for finding in found for caller in finding["callers"])
    assert named["orders.py", 5] == {"test_sync.py::test_reads"}
    assert named["orders.py", 9] == {"test_sync.py::test_writes[7]"}


def node_of(name):
    """The folder with a Node suite's packages."""
    def make(folder):
        (folder / "package.json").write_text("{}")
        run("npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock",
            *NODE[name], cwd=folder)
    return built(f"callsites-node-{name}", [pathlib.Path(__file__).resolve()], make) / "node_modules"


def run_node(name, files, command, start, folder):
    """The suite's folder, and what the findings name."""
    folder = folder / "suite"
    folder.mkdir()
    for file in files:
        shutil.copy(SUITES / "node" / file, folder)
    (folder / "package.json").write_text("{}")
    (folder / "node_modules").symlink_to(node_of(name))
    helper = str(SHIPPED / "scattergate-callsites.cjs")
    environment = {} if helper in command else {"NODE_OPTIONS": f"--require {helper}"}
    return folder, *sites_of(gate(command, folder, start, environment))


@pytest.mark.parametrize("packages", NODE)
def test_node(driver, packages, start, tmp_path):
    if driver != "node":
        pytest.skip("of another driver")
    folder, named, unnamed = run_node(packages, ["driver.mjs", "orders.mjs"], ["node", "--test", "driver.mjs"], start, tmp_path)
    assert set(named) == planted(folder)
    assert sorted(unnamed) == [("?object", None), ("elsewhere.js:7", "comments of the application stay")]
    assert named["orders.mjs", 4] == {"reads"}


@pytest.mark.parametrize("packages", NODE)
def test_mongoose(driver, packages, start, tmp_path):
    if driver != "mongoose":
        pytest.skip("of another driver")
    folder, named, unnamed = run_node(packages, ["mongoose.mjs"], ["node", "--test", "mongoose.mjs"], start, tmp_path)
    assert set(named) == planted(folder) and not unnamed


@pytest.mark.parametrize("runner", [["jest", "--setupFiles"], ["mocha", "orders.test.js", "--require"]], ids=lambda one: one[0])
def test_runners_of_node(driver, runner, start, tmp_path):
    if driver != "mongoose":
        pytest.skip("of another driver")
    folder, named, unnamed = run_node(
        "newest", ["orders.test.js"],
        [f"node_modules/.bin/{runner[0]}", *runner[1:], str(SHIPPED / "scattergate-callsites.cjs")], start, tmp_path)
    assert set(named) == planted(folder) and not unnamed
    assert set().union(*named.values()) == {"orders are read", "orders aren't many"}
