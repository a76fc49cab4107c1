"""The program as it was built: position-independent, nothing both writable and executable, all
of its relocations read-only, its calls checked.

    python3 tests/house/hardening_test.py PROGRAM BUILD_TYPE
"""

import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(sys.argv[1])
# endbr64; and paciasp, which signs the return address too
LANDING_PLACES = {"X86-64": b"\xf3\x0f\x1e\xfa", "AArch64": b"\x3f\x23\x03\xd5"}
IS_OPTIMISED = sys.argv[2] in ("Release", "RelWithDebInfo", "MinSizeRel")


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options, PROGRAM], check=True,
                          capture_output=True, text=True).stdout


def segments():
    """The flags of each program header by type: {"GNU_STACK": ["RW"], "LOAD": ["R", "R E"]}."""
    found = {}
    for line in readelf("--program-headers").splitlines():
        match = re.match(r"\s+(\w+)\s+0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ ([RWE ]{3}) 0x", line)
        if match:
            found.setdefault(match[1], []).append(match[2])
    return found


class Hardening(unittest.TestCase):
    def assert_says(self, what, *options):
        self.assertTrue(re.search(what, readelf(*options)), f"readelf shows no {what}")

    def test_loads_anywhere(self):
        self.assert_says(r"Type:\s+DYN", "--file-header")
        self.assert_says(r"FLAGS_1\)\s+Flags:.*\bPIE\b", "--dynamic")

    def test_has_no_executable_stack_and_nothing_writable_and_executable(self):
        found = segments()
        self.assertEqual([flags.strip() for flags in found["GNU_STACK"]], ["RW"])
        for flags in found["LOAD"]:
            self.assertFalse("W" in flags and "E" in flags, found)

    def test_binds_everything_at_the_start_and_then_write_protects_it(self):
        self.assertIn("GNU_RELRO", segments())
        self.assert_says(r"FLAGS_1\)\s+Flags:.*\bNOW\b", "--dynamic")
        self.assertNotRegex(readelf("--dynamic"), r"\((TEXTREL|RPATH|RUNPATH)\)")

    def test_guards_its_stack_frames(self):
        self.assert_says("__stack_chk_fail", "--dyn-syms")

    def test_checks_the_bounds_of_containers(self):
        self.assert_says("__glibcxx_assert_fail", "--dyn-syms")

    @unittest.skipUnless(IS_OPTIMISED, "needs an optimising build")
    def test_checks_the_sizes_of_copies(self):
        self.assert_says(r"__(mem|str|vsn|sn|read|recv)\w*_chk\b", "--dyn-syms")

    def test_marks_where_indirect_jumps_may_land(self):
        machine = re.search(r"Machine:.*?([\w-]+)\n", readelf("--file-header"))[1]
        self.assertGreater(PROGRAM.read_bytes().count(LANDING_PLACES[machine]), 1000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
