"""Holds the #include lines to the tables of docs/architecture.md and of the rooms' README.md: which room may include
which, and which of a room's folders may include which. There is no list of headers: in these directions, a file may
include any header."""

import graphlib
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The places that may include a library's headers: (pattern, rooms or folders, headers too?)
LIBRARIES = [
    (r"bson/", {"wire": False, "sim": False, "config": True}),
    (r"mongoc/", {"config/driver": False, "sim": False}),
    (r"(snappy|libdeflate|zlib|zstd)\.h$",
     {"wire": False, "report/sources": False, "telemetry/admin": False}),
    (r"openssl/", {"net": False, "routing": False, "sim": False, "bench": True}),
    (r"boost/asio", {"net": True, "proxy": True, "telemetry/admin": True, "sim": True, "app": False}),
    (r"boost/beast", {"telemetry/admin": True, "app": False}),
    (r"boost/json", {"config": False, "digest": True, "fleet": False, "telemetry": False, "report": False, "sim": True}),
    (r"liburing", {"net": True}),
    (r"pcap/", {"report/sources": False}),
    (r"simdjson", {"report/sources": True}),
    (r"spdlog/", {"telemetry": False}),
    (r"yaml-cpp/", {"config": False}),
    (r"CLI/", {"app": False, "sim": False}),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

# | `room/` | its one job | the rooms that it may include; libraries |
ROOM_ROW = re.compile(r"^\| `(\w+)/` \|[^|]*\|([^|;]*)[^|]*\|$", re.M)

# | `room/folder/` | its one job | the folders of its room that it may include |
FOLDER_ROW = re.compile(r"^\| `(\w+)/(\w+)/` \|[^|]*\|([^|]*)\|$", re.M)

EVERYTHING = "everything above"


def names(cell):
    return {each.strip() for each in cell.split(",")} - {"", "none"}


def rooms_of(page):
    """The rooms of the page's table, each with the rooms that it may include."""
    rooms = {}
    for room, cell in ROOM_ROW.findall(page):
        cell = cell.strip()
        rooms[room] = names(cell) if not cell.startswith(EVERYTHING) else \
            set(rooms) - names(cell.removeprefix(EVERYTHING).removeprefix(" except"))
    return {room: known for room, known in rooms.items() if room not in ("deploy", "tests")}


def folders_of(room):
    """The folders of the table in a room's README.md, each with the folders of the room that it may include."""
    return {folder: names(cell) for owner, folder, cell in FOLDER_ROW.findall((ROOT / room / "README.md").read_text())
            if owner == room}


ROOMS = rooms_of((ROOT / "docs/architecture.md").read_text())
FOLDERS = {room: folders_of(room) for room in ROOMS}


def sources():
    """Each file of the rooms, by its path, with what it includes."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]pp")):
            yield path.relative_to(ROOT).as_posix(), INCLUDE.findall(path.read_text())


def part_of(path):
    """The part of its room that a file belongs to: its folder or, at the top of the room, the file without its suffix."""
    parts = path.split("/")
    return "/".join(parts[:2]).partition(".")[0]


def wrong_include(path, include):
    """Whether the tables forbid a file of a room to include a header."""
    room, target = path.split("/")[0], include.split("/")[0]
    if target not in ROOMS:
        return False
    if target != room:
        return target not in ROOMS[room]
    own, other = part_of(path).split("/")[1], part_of(include).split("/")[1]
    folders = FOLDERS[room]
    return own in folders and other in folders and own != other and other not in folders[own]


def circle(edges):
    """A folder that includes, over others, a file that includes it, as text; or None. Files at the top of a room may
    include each other's headers as they like."""
    known = {}
    for part, other in edges:
        known.setdefault(part, set()).add(other)
    folders = {f"{room}/{folder}" for room, of_room in FOLDERS.items() for folder in of_room}
    for folder in sorted(folders & known.keys()):
        reached, waiting = set(), [folder]
        while waiting:
            for other in known.get(waiting.pop(), set()) - reached:
                reached.add(other)
                waiting.append(other)
        if folder in reached:
            return f"{folder} is included by {sorted(part for part in reached if folder in known.get(part, ()))}"
    return None


class Includes(unittest.TestCase):
    def test_rooms_and_folders_only_include_those_that_the_tables_allow(self):
        self.assertEqual([f"{path} includes {include}" for path, includes in sources() for include in includes
                          if wrong_include(path, include)], [])

    def test_the_tables_have_no_circle_and_only_names_of_their_rows(self):
        for table in [ROOMS, *FOLDERS.values()]:
            graphlib.TopologicalSorter(table).prepare()
            self.assertLessEqual(set().union(*table.values()), table.keys())

    def test_folders_and_the_files_above_and_below_them_include_each_other_in_no_circle(self):
        self.assertIsNone(circle({(part_of(path), part_of(include)) for path, includes in sources() for include in includes
                                  if include.split("/")[0] == path.split("/")[0]
                                  and part_of(include) != part_of(path)}))

    def test_headers_include_each_other_in_no_circle(self):
        headers = {path: [each for each in includes if each.split("/")[0] in ROOMS]
                   for path, includes in sources() if path.endswith(".hpp")}
        graphlib.TopologicalSorter(headers).prepare()

    def test_the_tables_have_a_row_for_each_room_and_folder(self):
        for room, folders in FOLDERS.items():
            there = {path.name for path in (ROOT / room).iterdir() if path.is_dir() and any(path.rglob("*.[ch]pp"))}
            self.assertEqual(there, set(folders), room)
        self.assertLessEqual(set(re.findall(r"scattergate_room\((\w+)", (ROOT / "CMakeLists.txt").read_text())), ROOMS.keys())

    def test_libraries_stay_in_the_rooms_that_own_them(self):
        wrong = []
        for path, includes in sources():
            for include in includes:
                for pattern, places in LIBRARIES:
                    if re.match(pattern, include):
                        owner = next((each for each in places if path.startswith(each + "/")), None)
                        if owner is None or (path.endswith(".hpp") and not places[owner]):
                            wrong.append(f"{path} includes {include}")
        self.assertEqual(wrong, [])

    def test_a_wrong_include_is_noticed(self):
        self.assertTrue(wrong_include("routing/verdict.cpp", "proxy/worker.hpp"))
        self.assertFalse(wrong_include("proxy/worker.cpp", "routing/verdict.hpp"))
        self.assertTrue(wrong_include("routing/keys/hash.cpp", "routing/catalog/catalog.hpp"))
        self.assertFalse(wrong_include("routing/catalog/catalog.cpp", "routing/keys/hash.hpp"))
        self.assertIsNotNone(circle({("routing/keys", "routing/verdict"), ("routing/verdict", "routing/keys")}))
        self.assertIsNone(circle({("routing/keys", "routing/verdict"), ("routing/verdict", "routing/scratch")}))
        self.assertEqual(part_of("routing/verdict.hpp"), "routing/verdict")
        self.assertEqual(INCLUDE.findall('#include "proxy/worker.hpp"\n'), ["proxy/worker.hpp"])
        self.assertGreater(sum(1 for _ in sources()), 50)


if __name__ == "__main__":
    sys.exit(unittest.main())
