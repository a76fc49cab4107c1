"""The Dockerfile, without an engine to build it: its stages are held to the scripts and presets they
use, its packages to what the programs are linked with."""

import json
import platform
import re
import shlex
import shutil
import subprocess

import pytest

from documents import ROOT
from processes import clean_environment, program_path


def instructions():
    """[(stage, instruction, arguments)], continued lines joined, comments left out."""
    text = "".join(line for line in (ROOT / "Dockerfile").read_text().splitlines(keepends=True)
                   if not line.lstrip().startswith("#"))
    found, stage = [], None
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        name, arguments = line.split(maxsplit=1)
        if name == "FROM":
            base, _, stage = re.fullmatch(r"(\S+) (AS) (\S+)", arguments).groups()
            arguments = base
        found.append((stage, name, arguments))
    return found


INSTRUCTIONS = instructions()
# Packages in every Debian image.
IN_THE_IMAGE = {"libc6", "libgcc-s1", "libstdc++6"}


def arguments_of(stage, name):
    return [arguments for at, each, arguments in INSTRUCTIONS if (at, each) == (stage, name)]


def commands(stage):
    return [shlex.split(command) for run in arguments_of(stage, "RUN") for command in run.split("&&")]


def installed(stage):
    return {word for command in commands(stage) if command[:2] == ["apt-get", "install"]
            for word in command[2:] if not word.startswith("-")}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def owner_of(path):
    """The package that a library comes from; /lib may be /usr/lib by another name."""
    bare = path.removeprefix("/usr")
    for each in (f"/usr{bare}", bare):
        found = subprocess.run(["dpkg-query", "--search", each], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise AssertionError(f"no package has {path}")


def needed(program):
    """The Debian packages of the libraries that a program names; those bring their own."""
    paths = dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", program), re.M))
    named = re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "--dynamic", "--wide", program))
    if any(re.match(r"lib(a|t|ub)san\.", each) for each in named):
        pytest.skip("a build with sanitizers needs other libraries than what is shipped")
    # The loader belongs to no list.
    return {owner_of(paths[each]) for each in named if each in paths} - IN_THE_IMAGE


@pytest.mark.skipif(platform.freedesktop_os_release().get("VERSION_CODENAME") != "bookworm",
                    reason="the Dockerfile's Debian is bookworm, and this is another")
@pytest.mark.parametrize("stage, variable, program, inherited, further", [
    ("libraries", "SCATTERGATE_BIN", "scattergate", set(), {"ca-certificates"}),
    ("demo", "SCATTERGATE_DEMO_BIN", "scattergate-demo", installed("libraries"), set()),
], ids=["scattergate", "demo"])
def test_it_installs_what_the_program_is_linked_with(stage, variable, program, inherited, further):
    want = needed(program_path(variable, program))
    assert want | further == installed(stage) | (want & inherited)


def test_stages_come_from_debian_by_tag_or_from_each_other():
    stages = {}
    for stage, name, base in INSTRUCTIONS:
        if name == "FROM":
            assert base == "debian:bookworm-slim" or base in stages
            stages[stage] = base
    # The last one is what `docker build` makes.
    assert list(stages) == ["build", "libraries", "demo", "scattergate"]


def test_the_build_stage_uses_our_scripts_and_presets():
    presets = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["buildPresets"]}
    install, configure, build, strip = commands("build")
    assert (ROOT / install[0]).stat().st_mode & 0o111
    assert configure[:3] == ["cmake", "--preset", "release"] and build[:4] == ["cmake", "--build", "--preset", "release"]
    assert "release" in presets
    assert "option(SCATTERGATE_TESTS" in (ROOT / "CMakeLists.txt").read_text()
    # Nothing is built that isn't copied out, and the other way round.
    targets = build[build.index("--target") + 1:]
    assert strip == ["strip", *(f"build/release/{target}" for target in targets)]
    copied = {shlex.split(copy)[1] for stage in ("demo", "scattergate") for copy in arguments_of(stage, "COPY")
              if copy.startswith("--from=build")}
    assert copied == {f"/src/build/release/{target}" for target in targets}


def test_what_the_build_stage_needs_is_not_ignored():
    ignored = {line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"}
    cmake = (ROOT / "CMakeLists.txt").read_text()
    always = cmake.split("if(SCATTERGATE_TESTS)")[0]
    expected = set(re.findall(r"scattergate_room\((\w+)", always)) | {"app", "sim", "cmake", "scripts", "deploy"}
    assert not expected & ignored
    for each in expected:
        assert (ROOT / each).is_dir(), each
    # A file that is installed alone may be missing.
    assert "docs" in ignored and "LICENSE" not in ignored


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this isn't a clone")
def test_the_build_stage_configures_from_what_it_is_given(tmp_path):
    """What .dockerignore leaves isn't in the context."""
    ignored = {line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"}
    files = output_of("git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for file in files:
        is_sent = file.split("/")[0] not in ignored or f"!{file}" in ignored
        if is_sent and (ROOT / file).is_file():
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, tmp_path / file)
    configure = commands("build")[1]
    done = subprocess.run(configure, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "build/release/build.ninja").exists()


def test_it_runs_as_no_one_in_particular_and_without_a_shell():
    for stage, program in (("scattergate", "scattergate"), ("demo", "scattergate-demo")):
        user, = arguments_of(stage, "USER")
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
        assert json.loads(arguments_of(stage, "ENTRYPOINT")[0]) == [f"/usr/bin/{program}"]
        names = [name for at, name, _ in INSTRUCTIONS if at == stage]
        assert "RUN" not in names[names.index("USER"):]


def test_its_health_check_and_command_are_subcommands():
    check = arguments_of("scattergate", "HEALTHCHECK")[0].split("CMD ", 1)[1]
    default, = arguments_of("scattergate", "CMD")
    for words in (json.loads(check)[1:], json.loads(default)):
        done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), *words, "--help"],
                              capture_output=True, text=True, env=clean_environment())
        assert done.returncode == 0 and f"Usage: scattergate {words[0]}" in done.stdout


def test_it_exposes_the_default_ports():
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "config"], capture_output=True,
                          text=True, env={**clean_environment(), "SCATTERGATE_UPSTREAM": "mongos:27017"})
    ports = set(re.findall(r'listen: "?127\.0\.0\.1:(\d+)', done.stdout))
    assert ports == set(arguments_of("scattergate", "EXPOSE")[0].split())
