"""Holds the #include lines to the rows of docs/architecture.md: which room may know which."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# room -> the rooms it may include
ROOMS = {
    "net": set(),
    "wire": set(),
    "routing": {"wire"},
    "config": {"net", "wire", "routing"},
    "telemetry": {"net", "wire", "routing", "config"},
    "proxy": {"net", "wire", "routing", "config", "telemetry"},
    "report": {"wire", "routing", "config", "telemetry"},
    "sim": {"wire"},
    "app": {"net", "wire", "routing", "config", "telemetry", "proxy", "report"},
    "bench": {"wire", "routing", "config"},
}

# What a header of some library may be included by: (pattern, rooms, headers too?)
LIBRARIES = [
    (r"bson/|mongoc/", {"wire": False, "sim": False, "config": True}),
    (r"(snappy|zlib|zstd)\.h$", {"wire": False}),
    (r"openssl/", {"net": False, "routing": False, "sim": False, "bench": True}),
    (r"boost/asio", {"net": True, "proxy": True, "telemetry": False, "sim": True, "app": False}),
    (r"boost/beast", {"telemetry": False, "app": False}),
    (r"boost/json", {"config": False, "telemetry": False, "sim": True}),
    (r"prometheus/", {"telemetry": True}),
    (r"spdlog/", {"telemetry": False}),
    (r"yaml-cpp/", {"config": False}),
    (r"CLI/", {"app": False, "sim": False}),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]pp")):
            yield room, path, INCLUDE.findall(path.read_text())


class Includes(unittest.TestCase):
    def test_rooms_only_know_the_rooms_below_them(self):
        wrong = []
        for room, path, includes in sources():
            for include in includes:
                target = include.split("/")[0]
                if target in ROOMS and target != room and target not in ROOMS[room]:
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        self.assertEqual(wrong, [])

    def test_libraries_stay_in_the_rooms_that_own_them(self):
        wrong = []
        for room, path, includes in sources():
            for include in includes:
                for pattern, rooms in LIBRARIES:
                    if not re.match(pattern, include):
                        continue
                    if room not in rooms or (path.suffix == ".hpp" and not rooms[room]):
                        wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        self.assertEqual(wrong, [])

    def test_a_wrong_include_is_noticed(self):
        self.assertNotIn("proxy", ROOMS["routing"])
        self.assertEqual(INCLUDE.findall('#include "proxy/session/session.hpp"\n'), ["proxy/session/session.hpp"])
        self.assertGreater(sum(1 for _ in sources()), 50)

    def test_no_file_has_grown_beyond_one_concept(self):
        limits = {"tests": 600}
        wrong = []
        for room in [*ROOMS, "tests"]:
            for path in sorted((ROOT / room).rglob("*.[ch]pp")):
                lines = len(path.read_text().splitlines())
                if lines > limits.get(room, 400):
                    wrong.append(f"{path.relative_to(ROOT)}: {lines} lines")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    sys.exit(unittest.main())
