"""The Debian package is built, installed by apt into a fresh root with what it depends on, and run
there."""

import os
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

from documents import ROOT
from processes import Process, clean_environment
from waiting import wait_until

TOOLS = ("cpack", "dpkg-shlibdeps", "mmdebstrap")
pytestmark = [
    pytest.mark.skipif(any(shutil.which(tool) is None for tool in TOOLS), reason="needs " + ", ".join(TOOLS)),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a root"),
]


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=clean_environment(),
                          **options)
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    directory = tmp_path_factory.mktemp("package")
    build = pathlib.Path(os.environ["SCATTERGATE_BUILD_DIR"])
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", directory)
    made, = directory.glob("*.deb")
    return made


@pytest.fixture(scope="module")
def installed(package, tmp_path_factory):
    """This machine's Debian with nothing in it but what every Debian has, and the package. apt found the rest."""
    root = tmp_path_factory.mktemp("root") / "debian"
    # The package sources of this machine.
    mirror = run("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").split()[0]
    inside = f"/{package.name}"
    run("mmdebstrap", "--variant=essential", f"--setup-hook=cp {package} \"$1\"{inside}",
        f"--customize-hook=chroot \"$1\" apt-get install --yes --no-install-recommends {inside}",
        "--include=apt", platform.freedesktop_os_release()["VERSION_CODENAME"], root, mirror)
    yield root
    shutil.rmtree(root)


def inside(root, *command, user="root"):
    return run("chroot", f"--userspec={user}", root, *command)


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def test_it_says_what_it_is(package):
    version = re.search(r"project\(scattergate VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert field(package, "Package") == "scattergate"
    assert field(package, "Version") == version
    newest = (ROOT / "deploy/debian/changelog").read_text().splitlines()[0]
    assert newest == f"scattergate ({version}) unstable; urgency=medium"
    depends = {each.split()[0] for each in field(package, "Depends").split(", ")}
    # Debian 13 calls it libssl3t64.
    assert {"adduser", "libssl3", "libc6"} <= {each.removesuffix("t64") for each in depends}


def test_it_has_what_belongs_to_it_and_root_owns_it(package):
    listing = run("dpkg-deb", "--contents", package).splitlines()
    assert all(line.split()[1] == "root/root" for line in listing)
    files = {line.split()[5].lstrip(".") for line in listing if not line.startswith("d")}
    assert {
        "/usr/bin/scattergate", "/etc/scattergate/scattergate.yaml", "/etc/logrotate.d/scattergate",
        "/usr/lib/systemd/system/scattergate.service", "/usr/lib/systemd/system/scattergate.socket",
        "/usr/share/man/man1/scattergate.1.gz", "/usr/share/doc/scattergate/copyright",
        "/usr/share/doc/scattergate/changelog.gz",
        "/usr/share/scattergate/prometheus/rules.yml", "/usr/share/scattergate/grafana/dashboard.json",
        "/usr/share/scattergate/log-pipelines/ecs.jq",
        *(f"/usr/share/scattergate/callsites/{file.relative_to(ROOT / 'deploy/callsites')}"
          for file in (ROOT / "deploy/callsites").rglob("*") if file.is_file() and "__pycache__" not in file.parts),
        "/usr/share/bash-completion/completions/scattergate", "/usr/share/zsh/vendor-completions/_scattergate",
        "/usr/share/fish/vendor_completions.d/scattergate.fish"} <= files
    documents = {f"/usr/share/doc/scattergate/docs/{path.name}" for path in (ROOT / "docs").iterdir()}
    assert documents <= files
    conffiles = run("dpkg-deb", "--info", package, "conffiles").split()
    assert set(conffiles) == {file for file in files if file.startswith("/etc/")}


@pytest.mark.skipif(shutil.which("lintian") is None, reason="lintian isn't here")
def test_lintian_finds_no_error(package):
    run("lintian", "--fail-on", "error", "--allow-root", package)


def test_it_runs_as_its_user_from_its_configuration(installed, tmp_path):
    assert inside(installed, "scattergate", "--version").startswith("scattergate ")
    config = "/etc/scattergate/scattergate.yaml"
    inside(installed, "scattergate", "check", "--config", config, user="scattergate:scattergate")
    # Free ports, because this machine's may be taken.
    daemon = Process("daemon", ["chroot", "--userspec=scattergate:scattergate", installed,
                                "scattergate", "run", "--config", config], tmp_path,
                     {"SCATTERGATE_LISTEN": "127.0.0.1:0", "SCATTERGATE_ADMIN_LISTEN": "127.0.0.1:0"})
    try:
        admin = daemon.await_start()["admin"].removeprefix("http://")
        # It isn't ready before it has looked for the first catalog, which no server here has.
        health = ["chroot", installed, "scattergate", "health", "--admin", admin]
        wait_until(lambda: subprocess.run(health, env=clean_environment()).returncode == 0, "health")
    finally:
        assert daemon.stop() == 0, daemon.stderr
    audit = installed / "var/log/scattergate/audit.json"
    owner = inside(installed, "id", "-u", "scattergate").strip()
    assert (str(audit.stat().st_uid), audit.stat().st_mode & 0o777) == (owner, 0o640)
    assert inside(installed, "dpkg", "--verify", "scattergate") == ""


def test_an_upgrade_keeps_the_configuration_and_a_purge_leaves_nothing(installed, package):
    config = installed / "etc/scattergate/scattergate.yaml"
    config.write_text(config.read_text() + "# mine\n")
    inside(installed, "dpkg", "--force-confold", "--install", f"/{package.name}")
    assert config.read_text().endswith("# mine\n")
    inside(installed, "dpkg", "--purge", "scattergate")
    left = [path for path in ("etc/scattergate", "etc/logrotate.d/scattergate", "var/log/scattergate", "var/lib/scattergate",
                              "usr/share/doc/scattergate", "usr/bin/scattergate") if (installed / path).exists()]
    assert left == []
    assert "scattergate:" in (installed / "etc/passwd").read_text()  # the user stays
