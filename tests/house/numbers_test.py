"""Numbers that aren't maintained by hand: log ids are unique, and sizes of enums aren't written down."""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("net", "wire", "routing", "config", "telemetry", "proxy", "report", "app", "sim")

# severity::a, component::b, 1001, "message" "goes on": a call of log::write(), or a row of a table. The
# severity may be chosen between two.
LOG_LINE = re.compile(r'((?:severity::\w+[^;{}"]{0,60}?)+),\s*(?:\w+::)*component::\w+,\s*(\d+),\s*'
                      r'((?:"(?:[^"\\]|\\.)*"\s*)+)')
LOG_ID = re.compile(r'\bcomponent::\w+,\s*(\d+),\s*"')
LOG_ROW = re.compile(r"^\| (\d+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", re.M)
HAND_COUNT = re.compile(r"_count\s*=\s*(?:\d+|static_cast<std::size_t>\(\w+::\w+\)\s*\+\s*1)\s*;")
ENUM = re.compile(r"\benum class (\w+)")


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]pp")):
            yield path.relative_to(ROOT), path.read_text()


def message_of(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


class LogLines(unittest.TestCase):
    def setUp(self):
        self.written = collections.defaultdict(list)
        self.ids = []
        for _, text in sources():
            self.ids += [int(number) for number in LOG_ID.findall(text)]
            for severities, number, literals in LOG_LINE.findall(text):
                words = re.findall(r"severity::(\w+)", severities)
                self.written[int(number)].append((", ".join(words), message_of(literals)))
        self.listed = LOG_ROW.findall((ROOT / "docs/log.md").read_text())

    def test_every_message_has_an_id_of_its_own(self):
        self.assertGreater(len(self.written), 20)
        self.assertEqual(sorted(self.ids), sorted(set(self.ids)))
        self.assertEqual(sorted(self.ids), sorted(self.written))

    def test_log_md_lists_them_all_and_no_others_in_order(self):
        self.assertEqual([int(row[0]) for row in self.listed], sorted(self.written))

    def test_log_md_has_their_severity_and_their_words(self):
        for number, severity, message, _, _ in self.listed:
            self.assertEqual([(severity, message)], self.written[int(number)], number)

    def test_log_md_says_what_each_means_and_what_to_do(self):
        self.assertEqual([row[0] for row in self.listed if not row[3].strip() or not row[4].strip()], [])


class Counts(unittest.TestCase):
    def test_the_compiler_counts_enums(self):
        wrong = [f"{path}: {found[0]}" for path, text in sources() if ENUM.search(text)
                 for found in HAND_COUNT.finditer(text)]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
