"""How large a function, a class's public face and a file may grow."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("net", "wire", "text", "routing", "digest", "config", "telemetry", "fleet", "advise", "proxy", "report",
         "app", "sim", "bench")

FUNCTION_LINES = 75
PUBLIC_FUNCTIONS = 32
FILE_LINES = 1000

TYPE = re.compile(r"( *)(?:template <.*> )?(class|struct) (?:alignas\([^)]*\) )?([\w:]+)[^;()]*\{$")
ACCESS = re.compile(r"( *) (public|private|protected):$")
NO_DEFINITION = ("#", "//", "/*", "namespace", "}", "using")
# Knowledge in rows, or one row of a switch a value: as long as what it knows.
TABLE = re.compile(r"to_array|make_command_table|\b(?:name|label)_of\(")


def blocks(lines):
    """What begins in a file's first column, as (its text up to the opening brace, its lines)."""
    at = 0
    while at < len(lines):
        line = lines[at]
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
        yield head, end + 1 - at
        at = end + 1


def functions(text):
    """(head, lines) of each function that a file defines outside of a class."""
    for head, lines in blocks(text.splitlines()):
        if "(" in head and head.endswith(("{", "}")) and not TYPE.match(head) and not TABLE.search(head):
            yield head, lines


def public_faces(text):
    """(name, number of public functions) of each class."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if not (found := TYPE.match(line)):
            continue
        indent, kind, name = found.groups()
        access = "public" if kind == "struct" else "private"
        count = 0
        for inner in lines[at + 1:]:
            if inner.startswith(indent + "}"):
                break
            if changed := ACCESS.match(inner):
                access = changed[2] if changed[1] == indent else access
            elif access == "public" and re.match(indent + r"  [^\s/}].*\(", inner):
                count += 1
        yield name, count


def sources(rooms):
    for room in rooms:
        yield from sorted((ROOT / room).rglob("*.[ch]pp"))


class Sizes(unittest.TestCase):
    def test_no_function_has_grown_beyond_one_idea(self):
        found = [(path, *each) for path in sources(ROOMS) for each in functions(path.read_text())]
        self.assertGreater(len(found), 4000)
        self.assertEqual([f"{path.relative_to(ROOT)}: {lines} lines: {head}" for path, head, lines in found
                          if lines > FUNCTION_LINES], [])

    def test_no_class_has_a_face_that_a_reader_cannot_survey(self):
        found = [(path, *each) for path in sources(ROOMS) for each in public_faces(path.read_text())]
        self.assertGreater(len(found), 1000)
        self.assertEqual([f"{path.relative_to(ROOT)}: {name} has {count} public functions"
                          for path, name, count in found if count > PUBLIC_FUNCTIONS], [])

    def test_no_file_is_longer_than_a_reader_can_survey(self):
        sizes = {path: len(path.read_text().splitlines()) for path in sources((*ROOMS, "tests"))}
        self.assertEqual([f"{path.relative_to(ROOT)}: {lines} lines" for path, lines in sizes.items()
                          if lines > FILE_LINES], [])

    def test_counts_functions_and_faces(self):
        text = """class thing final : public other {
 public:
  void act();
  [[nodiscard]] int count(int of,
                          int or_of) const;
  int held = 0;

 private:
  void hidden();
  struct part {
    void open();
  };
};

int thing::count(int of,
                 int or_of) const {
  return 1;
}
"""
        self.assertEqual(list(functions(text)), [("int thing::count(int of, int or_of) const {", 4)])
        self.assertEqual(list(public_faces(text)), [("thing", 2), ("part", 1)])


if __name__ == "__main__":
    sys.exit(unittest.main())
