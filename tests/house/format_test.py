"""The C++ sources are as scripts/format leaves them."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_format(*arguments):
    return subprocess.run([ROOT / "scripts/format", *arguments], capture_output=True, text=True)


class Format(unittest.TestCase):
    def test_every_tracked_file_is_formatted(self):
        done = run_format("--check")
        self.assertEqual(done.returncode, 0, f"\n{done.stdout}{done.stderr}")

    def test_a_file_that_is_not_is_listed_and_repaired(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wrong.cpp"
            file.write_text("int  main( ) { return 0 ;}\n")
            done = run_format("--check", file)
            self.assertEqual((done.returncode, done.stdout), (1, f"{file}\n"))
            self.assertIn("to repair: scripts/format", done.stderr)

            self.assertEqual(run_format(file).returncode, 0)
            self.assertEqual(file.read_text(), "int main() {\n  return 0;\n}\n")
            self.assertEqual(run_format("--check", file).returncode, 0)

    def test_a_file_that_is_not_there_is_an_error(self):
        self.assertEqual(run_format("--check", "/nowhere/lost.cpp").returncode, 2)


if __name__ == "__main__":
    unittest.main()
