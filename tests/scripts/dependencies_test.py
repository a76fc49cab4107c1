"""Missing dependencies are named in one line: by CMake for libraries, by scripts/install-deps for releases."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "cmake/dependencies.cmake").read_text()
# (kind, name, oldest version, Debian's package)
ROWS = re.findall(r'^ *scattergate_(package|module)\((\S+) ([\d.]+) ("[^"]+"|[^\s)]+)', TABLE, re.M)
PACKAGES = {tuple(line.split()) for line in re.sub(r"#.*", "", (ROOT / "scripts/packages.txt").read_text()).splitlines()
            if line.strip()}


class Configure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.modules = self.folder / "pkgconfig"
        self.modules.mkdir()

    def refusal(self, *definitions, **environment):
        """Standard error of a configure step that has to fail, without CMake's heading."""
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", self.folder / "build", *definitions],
                              capture_output=True, text=True, env={**os.environ, **environment})
        self.assertNotEqual(done.returncode, 0, done.stdout)
        heading, *lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        self.assertRegex(heading, r"^CMake Error at CMakeLists\.txt:\d+ \(message\):$")
        return lines

    def test_each_missing_dependency_is_named_in_a_line(self):
        hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for kind, name, _, _ in ROWS if kind == "package"]
        self.assertGreater(len(ROWS) - len(hidden), 5)
        self.assertGreater(len(hidden), 5)
        lines = self.refusal(*hidden, PKG_CONFIG_LIBDIR=str(self.modules), PKG_CONFIG_PATH="")
        self.assertEqual(lines, [f"scattergate needs {name} >= {oldest} (Debian: " + debian.strip('"') + "); found none. "
                                 "Run scripts/install-deps." for _, name, oldest, debian in ROWS])

    def test_a_dependency_that_is_too_old_is_named_with_its_version(self):
        for name in "libmongoc-1.0", "mongoc2":
            (self.modules / f"{name}.pc").write_text(f"Name: {name}\nDescription: an old one\nVersion: 1.20.1\n")
        self.assertEqual(self.refusal(PKG_CONFIG_PATH=str(self.modules)), [
            "scattergate needs libmongoc >= 1.23 (Debian: libmongoc-dev); found 1.20.1. Run scripts/install-deps."])

    def test_pkg_config_is_named_alone(self):
        line, = self.refusal("-DPKG_CONFIG_EXECUTABLE=/nonexistent")
        self.assertIn("scattergate needs pkg-config ", line)


class Lists(unittest.TestCase):
    def test_each_package_of_the_table_is_installed_and_each_library_is_in_the_table(self):
        named = {word for _, _, _, debian in ROWS for word in re.findall(r"[\w.+-]+-dev|python3", debian)}
        listed = {package for package, *_ in PACKAGES}
        self.assertLessEqual(named, listed)
        self.assertLessEqual({package for package in listed if package.endswith("-dev")} -
                             {"libboost-dev", "libboost1.81-dev"}, named)

    def test_a_package_is_for_each_release_or_for_a_known_one(self):
        self.assertLessEqual({tuple(release) for _, *release in PACKAGES}, {(), ("debian-12",), ("debian-13",)})


class Releases(unittest.TestCase):
    """scripts/install-deps where nothing is installed, with an apt-get that only says what it is given."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, script in (("dpkg-query", "exit 1"), ("sudo", 'exec "$@"'),
                             ("apt-get", f'echo "$@" >>"{self.folder}/asked"')):
            (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.folder / name).chmod(0o755)

    def install(self, os_release, *arguments, **environment):
        (self.folder / "os-release").write_text(os_release)
        return subprocess.run([ROOT / "scripts/install-deps", *arguments], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}",
                                   "OS_RELEASE": str(self.folder / "os-release"), **environment})

    def asked(self):
        asked = self.folder / "asked"
        return set(asked.read_text().split()) if asked.exists() else set()

    def test_each_release_gets_what_is_common_and_its_own(self):
        for version, boost, other in ("12", "libboost1.81-dev", "libboost-dev"), ("13", "libboost-dev", "libboost1.81-dev"):
            with self.subTest(version):
                done = self.install(f'PRETTY_NAME="Debian GNU/Linux {version}"\nID=debian\nVERSION_ID="{version}"\n', "--all")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLessEqual({boost, "libmongoc-dev", "mmdebstrap"}, self.asked())
                self.assertNotIn(other, self.asked())
                (self.folder / "asked").unlink()

    def test_another_release_is_refused_in_a_line_and_nothing_is_tried(self):
        for text, name in (('PRETTY_NAME="Ubuntu 24.04 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n', "Ubuntu 24.04 LTS"),
                           ('PRETTY_NAME="Debian GNU/Linux forky/sid"\nID=debian\n', "Debian GNU/Linux forky/sid")):
            with self.subTest(name):
                done = self.install(text)
                self.assertEqual(done.returncode, 1)
                line, = done.stderr.splitlines()
                self.assertIn("Debian 12 and 13", line)
                self.assertIn(name, line)
                by_hand = self.install(text, INSTALL_DEPS="no")
                self.assertEqual((by_hand.returncode, by_hand.stdout, by_hand.stderr), (0, "", ""))
                self.assertEqual(self.asked(), set())


if __name__ == "__main__":
    unittest.main()
