"""What would have to be counted by hand: log ids are given once, sizes of enums never."""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("net", "wire", "routing", "config", "telemetry", "proxy", "report", "app", "sim")

# log::write(severity, component, id, "message": whatever the severity is chosen by
LOG_LINE = re.compile(r'\bcomponent::\w+,\s*(\d+),\s*"')
HAND_COUNT = re.compile(r"_count\s*=\s*(?:\d+|static_cast<std::size_t>\(\w+::\w+\)\s*\+\s*1)\s*;")
ENUM = re.compile(r"\benum class (\w+)")


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]pp")):
            yield path.relative_to(ROOT), path.read_text()


class LogIds(unittest.TestCase):
    def setUp(self):
        self.uses = collections.defaultdict(list)
        for path, text in sources():
            for number in LOG_LINE.findall(text):
                self.uses[int(number)].append(str(path))

    def test_every_message_has_an_id_of_its_own(self):
        self.assertGreater(len(self.uses), 20)
        self.assertEqual({number: where for number, where in self.uses.items()
                          if len(where) > 1}, {})

    def test_operations_md_lists_them_all_and_no_others(self):
        text = (ROOT / "docs/operations.md").read_text()
        table = text[text.index("\n## Log lines\n"):]
        listed = [int(number) for number in re.findall(r"^\| (\d+) \|", table, re.M)]
        self.assertEqual(listed, sorted(self.uses))


class Counts(unittest.TestCase):
    def test_the_compiler_counts_enums(self):
        wrong = [f"{path}: {found[0]}" for path, text in sources() if ENUM.search(text)
                 for found in HAND_COUNT.finditer(text)]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
