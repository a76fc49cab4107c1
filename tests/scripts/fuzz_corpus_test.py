"""scripts/fuzz-corpus, over a tree of its own."""

import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = {"empty": b"", "seed": b"\0\r\n\xff" * 300, "0a1b": b"text\n"}


def write(folder, inputs):
    folder.mkdir(parents=True)
    for name, content in inputs.items():
        (folder / name).write_bytes(content)
    return folder


def read(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Corpus(unittest.TestCase):
    def setUp(self):
        tree = tempfile.TemporaryDirectory()
        self.addCleanup(tree.cleanup)
        self.tree = pathlib.Path(tree.name).resolve()
        (self.tree / "tests/fuzz/corpus").mkdir(parents=True)
        (self.tree / "tests/fuzz/fuzz_thing.cpp").touch()
        (self.tree / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/fuzz-corpus", self.tree / "scripts")
        self.archive = self.tree / "tests/fuzz/corpus/fuzz_thing.tar.xz"

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, self.tree / "scripts/fuzz-corpus", *arguments],
                              capture_output=True, text=True)

    def succeeds(self, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def fails(self, why, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        line, = done.stderr.splitlines()
        self.assertIn(why, line)

    def packs(self, inputs=INPUTS):
        with tempfile.TemporaryDirectory() as folder:
            return self.succeeds("pack", "fuzz_thing", write(pathlib.Path(folder) / "inputs", inputs))

    def program(self):
        """Prints what is in the folder that it gets."""
        path = self.tree / "build/program"
        path.parent.mkdir()
        path.write_text('#!/bin/sh\nls "$@"\nexit 7\n')
        path.chmod(0o755)
        return path

    def test_what_is_unpacked_is_what_was_packed(self):
        self.assertEqual(self.packs(), "fuzz_thing: 3 inputs: 3 added, 0 removed, 0 changed\n")
        self.succeeds("unpack", "fuzz_thing", self.tree / "out")
        self.assertEqual(read(self.tree / "out"), INPUTS)

    def test_list_shows_targets_and_inputs(self):
        self.packs()
        self.assertEqual(self.succeeds("list").split(), ["3", "fuzz_thing"])
        self.assertEqual(self.succeeds("list", "fuzz_thing").split(), ["5", "0a1b", "0", "empty", "1,200", "seed"])

    def test_times_modes_and_order_of_the_files_leave_the_bytes_alone(self):
        self.packs()
        first = self.archive.read_bytes()
        self.archive.unlink()
        folder = write(self.tree / "other", dict(reversed(INPUTS.items())))
        os.utime(folder / "seed", (1, 1))
        (folder / "empty").chmod(0o600)
        self.succeeds("pack", "fuzz_thing", folder)
        self.assertEqual(self.archive.read_bytes(), first)

    def test_cmake_unpacks_the_same(self):
        self.packs()
        (self.tree / "out").mkdir()
        subprocess.run(["cmake", "-E", "tar", "xf", self.archive], cwd=self.tree / "out", check=True)
        self.assertEqual(read(self.tree / "out"), INPUTS)

    def test_pack_prints_what_changes(self):
        self.packs()
        printed = self.packs({"empty": b"no longer", "seed": INPUTS["seed"], "new": b"1", "newer": b"2"})
        self.assertEqual(printed, "fuzz_thing: 4 inputs: 2 added, 1 removed, 1 changed\n")

    def test_pack_does_not_write_what_is_packed_already(self):
        self.packs()
        os.utime(self.archive, (1, 1))
        self.assertEqual(self.packs(), "fuzz_thing: 3 inputs: 0 added, 0 removed, 0 changed\n")
        self.assertEqual(self.archive.stat().st_mtime, 1)

    def test_pack_refuses_what_it_could_not_give_back(self):
        folder = write(self.tree / "inputs", {})
        self.fails("no inputs", "pack", "fuzz_thing", folder)
        (folder / "folder").mkdir()
        self.fails("not a file", "pack", "fuzz_thing", folder)
        self.fails("no such target", "pack", "fuzz_things", folder)
        self.fails("No such file", "pack", "fuzz_thing", self.tree / "nowhere")
        self.assertFalse(self.archive.exists())

    def test_unpack_keeps_other_files(self):
        self.packs()
        out = write(self.tree / "out", {"found": b"new"})
        self.succeeds("unpack", "fuzz_thing", out)
        self.assertEqual(read(out), INPUTS | {"found": b"new"})

    def test_replay_runs_the_program_over_the_inputs_and_nothing_stale(self):
        self.packs()
        program = self.program()
        for _ in range(2):
            done = self.run_script("replay", "fuzz_thing", program)
            self.assertEqual((done.returncode, done.stdout.split()), (7, ["0a1b", "empty", "seed"]))
            (self.tree / "build/corpus/fuzz_thing/stale").touch()

    def test_replay_runs_the_program_through_an_emulator(self):
        self.packs()
        done = self.run_script("replay", "fuzz_thing", "sh", "-e", self.program())
        self.assertEqual((done.returncode, done.stdout.split()), (7, ["0a1b", "empty", "seed"]))

    def test_replay_fails_without_a_sound_archive(self):
        program = self.program()
        replay = ("replay", "fuzz_thing", program)
        self.fails(f"No such file or directory: '{self.archive}'", *replay)
        self.packs()
        sound = self.archive.read_bytes()
        self.archive.write_bytes(b"")
        self.fails("fuzz_thing.tar.xz: ", *replay)
        for end in range(1, len(sound), 23):
            self.archive.write_bytes(sound[:end])
            self.fails("fuzz_thing.tar.xz: ", *replay)
        for at in range(0, len(sound), 23):
            self.archive.write_bytes(sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1:])
            self.fails("fuzz_thing.tar.xz: ", *replay)
        self.assertFalse((program.parent / "corpus").exists())

    def test_replay_fails_on_an_archive_of_nothing(self):
        program = self.program()
        (self.tree / "empty").mkdir()
        subprocess.run(["tar", "-C", self.tree / "empty", "-cf", self.tree / "nothing.tar", "."], check=True)
        self.archive.write_bytes(lzma.compress((self.tree / "nothing.tar").read_bytes()))
        self.fails("not a file at the top level", "replay", "fuzz_thing", program)
        self.archive.write_bytes(lzma.compress(b"\0" * 10240))
        self.fails("no inputs", "replay", "fuzz_thing", program)

    def test_replay_fails_without_its_program(self):
        self.packs()
        self.fails("build/program: No such file", "replay", "fuzz_thing", self.tree / "build/program")


class Usage(unittest.TestCase):
    def test_anything_else_is_answered_with_the_usage(self):
        for arguments in ([], ["pack"], ["unpack", "fuzz_thing"], ["replay", "fuzz_thing"], ["list", "a", "b"]):
            done = subprocess.run([sys.executable, ROOT / "scripts/fuzz-corpus", *arguments],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("fuzz-corpus unpack NAME FOLDER", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
