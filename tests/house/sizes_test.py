"""How large a class, a file and a folder may grow. A class is measured as a whole: its declaration and the
definitions of its members, over all files, so that none is made to look small by more files."""

import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("net", "wire", "routing", "digest", "config", "telemetry", "proxy", "report", "app", "sim", "bench")

CLASS_LINES = 700
FILE_LINES = 500
TEST_FILE_LINES = 600
FOLDER_SOURCES = 60

# The one class that is larger: the grammar of a filter, whose rules call each other at every depth. It may not
# grow.
LARGER_CLASSES = {"scattergate::routing::filter_walk": 1100}

NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
TYPE = re.compile(r"(?:template <.*> )?(?:class|struct) (?:alignas\([^)]*\) )?([\w:]+)[^;()]*\{$")
MEMBER = re.compile(r"(\w+)(?:::\w+)*::(?:~?\w+|operator.*)$")
NO_DEFINITION = ("#", "//", "/*", "namespace", "}", "using")


def blocks(lines):
    """What begins in a file's first column, as (namespace, its text up to the opening brace, its lines)."""
    space = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if found := NAMESPACE.match(line):
            space = found[1]
        if not line or line[0].isspace() or line.startswith(NO_DEFINITION):
            at += 1
            continue
        end = at
        while end + 1 < len(lines) and not lines[end].endswith(("{", ";", "}")):
            end += 1
        head = " ".join(each.strip() for each in lines[at:end + 1])
        if head.endswith("{"):
            while end + 1 < len(lines) and not lines[end].startswith("}"):
                end += 1
        yield space, head, end + 1 - at
        at = end + 1


def type_of(head):
    """The name of the type that a block defines, or whose member it defines; None if it is neither."""
    if found := TYPE.match(head):
        return found[1].split("::")[0]
    before_parameters = re.sub(r"^template <[^>]*> ", "", head).split("(")[0]
    if not head.endswith(("{", "}")) or re.match(r"(?:enum|union) ", head):
        return None
    found = MEMBER.search(before_parameters)
    return found[1] if found else None


def class_sizes(texts):
    """Lines of each type that a header defines, by its qualified name."""
    sizes = collections.Counter()
    of_headers = {}
    found = [(path, *block) for path, text in texts.items() for block in blocks(text.splitlines())]
    for path, space, head, _ in found:
        if path.endswith(".hpp") and TYPE.match(head):
            of_headers[space, type_of(head)] = path
    for _, space, head, lines in found:
        if (space, type_of(head)) in of_headers:
            sizes[f"{space}::{type_of(head)}"] += lines
    return sizes


def sources(rooms):
    for room in rooms:
        yield from sorted((ROOT / room).rglob("*.[ch]pp"))


class Sizes(unittest.TestCase):
    def test_no_class_has_grown_beyond_one_idea(self):
        sizes = class_sizes({str(path): path.read_text() for path in sources(ROOMS)})
        self.assertGreater(len(sizes), 300)
        wrong = {name: lines for name, lines in sizes.items() if lines > LARGER_CLASSES.get(name, CLASS_LINES)}
        self.assertEqual(wrong, {}, "lines of a class, over all its files")
        for name in LARGER_CLASSES:
            self.assertGreater(sizes[name], CLASS_LINES, f"{name} needs no exception")

    def test_no_file_has_grown_beyond_one_idea(self):
        wrong = []
        for limit, rooms in ((FILE_LINES, ROOMS), (TEST_FILE_LINES, ["tests"])):
            for path in sources(rooms):
                lines = len(path.read_text().splitlines())
                if lines > limit:
                    wrong.append(f"{path.relative_to(ROOT)}: {lines} lines")
        self.assertEqual(wrong, [])

    def test_no_folder_holds_more_than_a_reader_can_survey(self):
        held = collections.Counter(str(path.parent.relative_to(ROOT)) for path in sources(ROOMS))
        self.assertEqual({folder: count for folder, count in held.items() if count > FOLDER_SOURCES}, {})

    def test_a_class_is_measured_over_all_its_files(self):
        header = "namespace a {\n\nclass thing final : public other {\n public:\n  void act();\n};\n\n}\n"
        source = """namespace a {
namespace {
int helper() {
  return 1;
}
}  // namespace

thing::thing(int one,
             int two)
    : one_(one) {
  two_ = two;
}

template <typename Of>
std::vector<Of> thing::all(const std::function<bool(Of)>& test) {
  return {};
}

void thing::part::act() {}
void stranger::act() {
  thing::helped();
}
}
"""
        self.assertEqual(class_sizes({"thing.hpp": header, "thing.cpp": source}), {"a::thing": 4 + 5 + 4 + 1})
        elsewhere = source.replace("namespace a", "namespace b")
        self.assertEqual(class_sizes({"thing.hpp": header, "thing.cpp": elsewhere}), {"a::thing": 4})


if __name__ == "__main__":
    sys.exit(unittest.main())
