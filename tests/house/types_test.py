"""A name is one type's in the whole program: two of the same qualified name in two headers are one to the
linker, which takes the functions of either (the One Definition Rule)."""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("text", "net", "wire", "routing", "digest", "config", "telemetry", "proxy", "report", "app", "sim", "bench")
OPENED = re.compile(r"^namespace ([\w:]+) \{", re.M)
DEFINED = re.compile(r"^(?:class|struct|enum class|union) (?:alignas\([^)]*\) )?(\w+)(?: final)?(?: :[^{;]*)? ?\{", re.M)
SPECIALISED = re.compile(r"^template <>\n(?:class|struct) \w+", re.M)


def types_in(text):
    """Qualified names of what a header defines outside of any other type."""
    text = SPECIALISED.sub("", text)
    spaces = [(found.start(), found[1]) for found in OPENED.finditer(text)]
    for found in DEFINED.finditer(text):
        around = [name for at, name in spaces if at < found.start()]
        yield "::".join([around[-1] if around else "", found[1]])


class Types(unittest.TestCase):
    def test_a_name_is_one_types(self):
        defined = collections.defaultdict(set)
        for room in ROOMS:
            for path in (ROOT / room).rglob("*.hpp"):
                for name in types_in(path.read_text()):
                    defined[name].add(str(path.relative_to(ROOT)))
        self.assertGreater(len(defined), 300)
        self.assertEqual({name: sorted(of) for name, of in defined.items() if len(of) > 1}, {})


if __name__ == "__main__":
    unittest.main()
