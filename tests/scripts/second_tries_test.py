"""The history of second tries: what a run of the script says and records after given earlier runs."""

import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import second_tries  # noqa: E402

SCRIPT = ROOT / "scripts" / "second_tries.py"

ODD = ["integration.a b", "integration.a:b", 'drivers.quo"te\'s', "deploy.back\\slash", "deploy.é☃",
       "integration.$HOME`*", "integration.{}", "integration.\u2028", "integration.\udcff"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.history = pathlib.Path(folder.name) / "not yet there" / "runs"

    def environment(self):
        return {**os.environ, "TEST_HISTORY": str(self.history)}

    def command(self, kind, again):
        return [sys.executable, SCRIPT, "--kind", kind, "--presets", "release", "--", *again]

    def run_of(self, *names, kind="core", preset="release"):
        """A run in which these tests needed a second try: the exit status and the output."""
        done = subprocess.run(self.command(kind, [f"{preset}:{name}" for name in names]),
                              env=self.environment(), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, errors="replace")
        return done.returncode, done.stdout

    def earlier(self, *names, kind="core"):
        """A run in the past, in which these tests needed a second try."""
        again = {"release": list(names)} if names else {}
        second_tries.record(second_tries.Run(kind, ["release"], again, "long ago", None), self.history)

    def recorded(self):
        return [json.loads(line) for line in self.history.read_text().splitlines()]


def lost_runs(history, kind):
    """Records many runs of one kind. Returns those that were missing when the next one was recorded."""
    lost = []
    for number in range(50):
        runs, _ = second_tries.record(second_tries.Run(kind, [], {}, str(number), None), history)
        mine = [run.date for run in runs if run.kind == kind]
        if mine[-2:] != [str(number - 1), str(number)][-len(mine):]:
            lost.append(number - 1)
    return lost


class Counting(Case):
    # What came before, as (kind, names); this run's kind; what it says of integration.a; its status.
    TABLE = [
        ("the first run known", [], "core", "the only run known", 0),
        ("a first second try", [("core", [])], "core", "1 of the last 2 runs", 0),
        ("other tests' second tries", [("core", ["integration.b"])] * 4, "core",
         "1 of the last 5 runs", 0),
        ("twice in a row", [("core", ["integration.a"])], "core", "2 of the last 2 runs", 1),
        ("twice within five", [("core", ["integration.a"])] + [("core", [])] * 3, "core",
         "2 of the last 5 runs", 1),
        ("the other five runs back", [("core", ["integration.a"])] + [("core", [])] * 4, "core",
         "1 of the last 5 runs", 0),
        ("always", [("core", ["integration.a"])] * 7, "core", "5 of the last 5 runs", 1),
        ("the other in a run of another kind", [("core", ["integration.a"])], "all",
         "2 of the last 2 runs", 1),
        ("many core runs between two of --all", [("all", ["integration.a"])] + [("core", [])] * 9,
         "all", "2 of the last 2 all runs", 1),
        ("five of --all back", [("all", ["integration.a"])] + [("all", []), ("core", [])] * 4,
         "all", "1 of the last 5 runs", 0),
    ]

    def test_two_within_five_fail(self):
        for what, before, kind, said, status in self.TABLE:
            with self.subTest(what):
                self.history.unlink(missing_ok=True)
                for earlier, names in before:
                    self.earlier(*names, kind=earlier)
                got, text = self.run_of("integration.a", kind=kind)
                self.assertIn(f"integration.a (release): in {said}\n", text)
                self.assertEqual(got, status, text)
                self.assertEqual(text.count("scripts/test fails: integration.a needed"), status)

    def test_a_test_that_passes_at_once_fails_nothing(self):
        for _ in range(3):
            self.earlier("integration.a")
        self.assertEqual(self.run_of(), (0, ""))
        status, text = self.run_of("integration.b")
        self.assertEqual(status, 0)
        self.assertNotIn("integration.a", text)

    def test_two_presets_of_one_run_count_once(self):
        again = ["release:integration.a", "asan:integration.a"]
        done = subprocess.run(self.command("all", again), env=self.environment(), text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.recorded()[0]["again"],
                         {"release": ["integration.a"], "asan": ["integration.a"]})

    def test_each_failing_test_is_named_in_a_line_of_its_own(self):
        self.earlier("integration.a", "deploy.b", "drivers.c")
        status, text = self.run_of("deploy.b", "integration.a")
        self.assertEqual(status, 1)
        self.assertEqual([line.split()[2] for line in text.splitlines() if "fails:" in line],
                         ["deploy.b", "integration.a"])

    def test_names_are_kept_whatever_is_in_them(self):
        for name in ODD:
            with self.subTest(name=name):
                self.history.unlink(missing_ok=True)
                self.earlier(name)
                status, text = self.run_of(name)
                self.assertEqual(status, 1)
                self.assertEqual([run["again"] for run in self.recorded()], [{"release": [name]}] * 2)
                if name.isprintable():
                    self.assertIn(f"fails: {name} needed", text)


class History(Case):
    def test_every_run_is_recorded_and_old_ones_go(self):
        for kind in ["all"] * 20 + ["core"] * 20:
            self.earlier(kind=kind)
        self.assertEqual(self.run_of(), (0, ""))
        self.assertEqual([run["kind"] for run in self.recorded()], ["all"] * 5 + ["core"] * 5)

    def test_a_line_says_when_and_what(self):
        self.run_of()
        [run] = self.recorded()
        self.assertEqual(list(run), ["kind", "presets", "again", "date", "commit"])
        self.assertRegex(run["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
        self.assertEqual(run["presets"], ["release"])

    def test_lines_that_record_no_run_are_skipped_and_reported(self):
        self.earlier("integration.a")
        good = self.history.read_bytes()
        fields = json.loads(good)
        bad = [good[:-20], b"\xff\xfe\x00", b"[" * 100_000, b"7", b"null", b"[]", b"{}", b"some text",
               *(json.dumps({**fields, **change}).encode() for change in (
                   {"kind": 1}, {"presets": "release"}, {"presets": [1]}, {"again": ["a"]},
                   {"again": {"release": "integration.a"}}, {"again": {"release": [None]}},
                   {"more": 1}))]
        for line in bad:
            with self.subTest(line=line[:60]):
                self.history.write_bytes(line + b"\n" + good + b"\n" + line)
                status, text = self.run_of()
                self.assertEqual(status, 0)
                self.assertIn(f"{self.history}: dropped 2 lines", text)
                self.assertEqual([bool(run["again"]) for run in self.recorded()], [True, False])

    def test_runs_of_clones_at_the_same_time_are_all_recorded(self):
        clones = ["a", "b", "c", "d"]
        with multiprocessing.Pool(len(clones)) as pool:
            lost = pool.starmap(lost_runs, [(self.history, clone) for clone in clones])
        self.assertEqual(lost, [[]] * len(clones))

    def test_a_history_that_cannot_be_written_is_reported_and_fails_nothing(self):
        file = self.history.parent
        file.write_text("where a folder has to be")
        folder = file.with_name("folder")
        folder.mkdir()
        for where in (file / "runs", folder, pathlib.Path("/proc/scattergate/runs")):
            with self.subTest(where=where):
                self.history = where
                for _ in range(2):
                    status, text = self.run_of("integration.a")
                    self.assertEqual(status, 0)
                    self.assertIn("this run is not recorded: ", text)
                    self.assertIn("integration.a (release): in the only run known", text)

    def test_without_a_path_it_is_in_the_users_state_folder(self):
        home = self.history.parents[1]
        for variables, where in [({}, ".local/state"), ({"XDG_STATE_HOME": ""}, ".local/state"),
                                 ({"XDG_STATE_HOME": str(home / "state")}, "state")]:
            with self.subTest(variables):
                subprocess.run(self.command("core", []), check=True,
                               env={"PATH": os.environ["PATH"], "HOME": str(home), **variables})
                self.assertTrue((home / where / "scattergate" / "test-runs").is_file())


if __name__ == "__main__":
    sys.exit(unittest.main())
