"""What nobody should have to count by hand."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("wire", "routing", "config", "telemetry", "proxy", "report", "app", "sim")

HAND_COUNT = re.compile(r"_count\s*=\s*(?:\d+|static_cast<std::size_t>\(\w+::\w+\)\s*\+\s*1)\s*;")
ENUM = re.compile(r"\benum class (\w+)")


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]pp")):
            yield path.relative_to(ROOT), path.read_text()


class Counts(unittest.TestCase):
    def test_the_compiler_counts_enums(self):
        wrong = [f"{path}: {found[0]}" for path, text in sources() if ENUM.search(text)
                 for found in HAND_COUNT.finditer(text)]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
