"""The program of each driver: what it needs, how it is built, once, under build/, and started."""

import contextlib
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "integration"))

from processes import program_path  # noqa: E402


def run(*arguments, **options):
    subprocess.run([str(each) for each in arguments], check=True, timeout=1500, **options)


@contextlib.contextmanager
def only_one(file):
    with open(file, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def built(name, sources, make):
    """The folder in which make(folder) has built these sources; made again when they change."""
    folder = ROOT / "build" / "drivers" / name
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(file for source in sources for file in [source, *source.rglob("*")]
                   if file.is_file())
    state = hashlib.sha256()
    for file in files:
        state.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    stamp = folder.with_suffix(".built")
    with only_one(folder.with_suffix(".lock")):
        if not stamp.exists() or stamp.read_text() != state.hexdigest():
            stamp.unlink(missing_ok=True)
            make(folder)
            stamp.write_text(state.hexdigest())
    return folder


@dataclasses.dataclass
class Identity:
    """The files that a client needs for TLS."""

    ca_file: pathlib.Path
    cert_file: pathlib.Path

    def uri_options(self):
        return f"tls=true&tlsCAFile={self.ca_file}&tlsCertificateKeyFile={self.cert_file}"


class Program:
    """A driver's program; which version, its own manifest says."""

    tools = ()
    counts_commands = True
    refuses = frozenset()  # steps that the driver itself can't do

    def missing_tools(self):
        return [tool for tool in self.tools if not shutil.which(tool)]

    def command(self, uri, left_out, identity, directory):
        """The command line; `identity` is None without TLS."""
        raise NotImplementedError

    def throttled(self):
        """The command line of its clients that a rule throttles, without their input;
        None if there are none."""
        return None

    def uri_options(self, identity):
        return identity.uri_options()

    def environment(self, directory):
        return {}


class Pymongo(Program):
    def command(self, uri, left_out, identity, directory):
        return [sys.executable, HERE / "python" / "script.py", uri, *left_out]


class Mongoc(Program):
    """Built by CMake, as the project links libmongoc anyway."""

    def command(self, uri, left_out, identity, directory):
        name = "tests/drivers/mongoc_script"
        return [program_path("SCATTERGATE_MONGOC_SCRIPT", name), uri, *left_out]


class Node(Program):
    """Node's driver, and mongoose over it."""

    tools = ("node", "npm")

    def __init__(self, name):
        self._name = name

    @staticmethod
    def folder():
        names = ("node", "mongoose", "mongosh")

        def make(folder):
            shutil.copy(HERE / "node" / "package.json", folder)
            run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
                "--no-package-lock", "--legacy-peer-deps", "--loglevel=error", cwd=folder)
            for name in names:
                for script in (HERE / name).glob("script.*"):
                    shutil.copy(script, folder / f"{name}{script.suffix}")
            shutil.copy(HERE / "node" / "throttle.mjs", folder)
        return built("node", [HERE / name for name in names], make)

    def command(self, uri, left_out, identity, directory):
        return ["node", self.folder() / f"{self._name}.mjs", uri, *left_out]

    def throttled(self):
        return ["node", self.folder() / "throttle.mjs"] if self._name == "node" else None


class Mongosh(Node):
    counts_commands = False

    def __init__(self):
        super().__init__("mongosh")

    def command(self, uri, left_out, identity, directory):
        folder = self.folder()
        return ["node", folder / "node_modules/mongosh/bin/mongosh.js", uri, "--quiet", "--norc",
                "--eval", f"var leftOut = {list(left_out)}", "--file", folder / "mongosh.js"]

    def environment(self, directory):
        """A home of its own, with telemetry switched off."""
        settings = pathlib.Path(directory) / ".mongodb" / "mongosh"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "config").write_text('{"enableTelemetry": false, "disableLogging": true}')
        return {"HOME": str(directory)}


class Java(Program):
    tools = ("java", "mvn", "keytool")

    def command(self, uri, left_out, identity, directory):
        folder = built("java", [HERE / "java"], lambda folder: run(
            "mvn", "--quiet", "--batch-mode", "-f", HERE / "java" / "pom.xml",
            f"-DbuildDirectory={folder}", "process-classes"))
        return ["java", *(self._stores(identity, directory) if identity else ()), "-cp",
                f"{folder}/classes:{folder}/lib/*", "scattergate.Script", uri, *left_out]

    def uri_options(self, identity):
        return "tls=true"

    @staticmethod
    def _stores(identity, directory):
        """Java reads PKCS#12 only."""
        trust, key = (pathlib.Path(directory) / name for name in ("trust.p12", "key.p12"))
        if not trust.exists():
            run("keytool", "-importcert", "-noprompt", "-storetype", "PKCS12", "-storepass",
                "secret", "-keystore", trust, "-file", identity.ca_file,
                stderr=subprocess.DEVNULL)
            run("openssl", "pkcs12", "-export", "-in", identity.cert_file, "-out", key, "-passout",
                "pass:secret")
        return [f"-Djavax.net.ssl.{name}{part}={value}"
                for name, store in (("trustStore", trust), ("keyStore", key))
                for part, value in (("", store), ("Password", "secret"))]


class Go(Program):
    tools = ("go",)

    @staticmethod
    def folder():
        def make(folder):
            for name, package in (("script", "."), ("throttle", "./throttle")):
                run("go", "build", "-o", folder / name, package, cwd=HERE / "go",
                    env={**os.environ, "GOFLAGS": "-mod=readonly",
                         "GOCACHE": str(folder / "cache")})
        return built("go", [HERE / "go"], make)

    def command(self, uri, left_out, identity, directory):
        return [self.folder() / "script", uri, *left_out]

    def throttled(self):
        return [self.folder() / "throttle"]


class Rust(Program):
    tools = ("cargo",)
    refuses = frozenset({"unacknowledged"})

    def command(self, uri, left_out, identity, directory):
        def make(folder):
            # Not where the sources are: cargo writes its lock file next to them.
            shutil.copytree(HERE / "rust", folder, dirs_exist_ok=True)
            run("cargo", "build", "--quiet", cwd=folder)
        folder = built("rust", [HERE / "rust"], make)
        return [folder / "target/debug/script", uri, *left_out]


PROGRAMS = {"pymongo": Pymongo(), "mongoc": Mongoc(), "node": Node("node"),
            "mongoose": Node("mongoose"), "mongosh": Mongosh(), "java": Java(), "go": Go(),
            "rust": Rust()}
