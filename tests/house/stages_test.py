"""Aggregation stages are named in their table alone, routing/stages/stage.cpp, where a shape's
placeholders get values that mongos takes in a stage's place, digest/placeholder.cpp, and where
mongosh's methods become commands."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "routing/stages/stage.cpp"
EXAMPLES = ROOT / "digest/placeholder.cpp"
# Not the simulator, which shares no judging code, nor what only measures.
ROOMS = ("text", "net", "wire", "routing", "digest", "config", "telemetry", "proxy", "report", "app")
# Operators of filters or updates as well.
OPERATORS = {"$geoNear", "$set", "$sort", "$unset"}
MONGOSH = ROOT / "config/mongosh/shell_methods.cpp"
ROW = re.compile(r'\{\.name = "(\$\w+)"')


def names_in(text):
    return set(re.findall(r'"(\$\w+)"', text))


class Stages(unittest.TestCase):
    def setUp(self):
        self.stages = set(ROW.findall(TABLE.read_text()))

    def test_the_table_is_found(self):
        self.assertGreater(len(self.stages), 60)
        self.assertLessEqual(OPERATORS, self.stages)

    def test_only_the_table_and_the_examples_name_stages(self):
        naming = {}
        for room in ROOMS:
            for path in (ROOT / room).rglob("*.[ch]pp"):
                named = names_in(path.read_text()) & (self.stages - OPERATORS)
                if named:
                    naming[str(path.relative_to(ROOT))] = sorted(named)
        allowed = {str(path.relative_to(ROOT)) for path in (TABLE, EXAMPLES, MONGOSH)}
        self.assertEqual({path: named for path, named in naming.items() if path not in allowed}, {})

    def test_rows_are_sorted(self):
        listed = ROW.findall(TABLE.read_text())
        self.assertEqual(listed, sorted(listed))


if __name__ == "__main__":
    unittest.main()
