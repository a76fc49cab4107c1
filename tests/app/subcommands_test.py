"""The program's subcommands, as a user meets them. SCATTERGATE_BIN names the program."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest

PROGRAM = os.environ["SCATTERGATE_BIN"]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("SCATTERGATE_")}


def scattergate(*arguments, stdin="", environment=None):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True,
                          env={**CLEAN, **(environment or {})}, timeout=60)


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)


class Check(WithFolder):
    def test_a_good_configuration_is_ok(self):
        file = self.write("s.yaml", "listeners: [{upstream: [a]}]\ncatalog: {source: preset:yorkie}\n")
        done = scattergate("check", "--config", file)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, f"configuration '{file}' OK\n", ""))

    def refused(self, text, *flags, environment=None):
        file = self.write("s.yaml", text)
        done = scattergate("check", "--config", file, *flags, environment=environment)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        return done.stderr.replace(file, "FILE")

    def test_what_run_would_refuse_is_refused(self):
        self.assertIn("no mongos to forward to", self.refused("audit: {interval: 1m}\n"))
        listener = "listeners: [{upstream: [a]}]\n"
        folder = self.folder / "nowhere"
        for section in ("audit", "log"):
            self.assertEqual(self.refused(f"{listener}{section}: {{file: {folder}/x}}\n"),
                             f"FILE:2: '{folder}/x': No such file or directory\n")
            self.assertEqual(self.refused(f"{listener}{section}: {{file: {self.folder}}}\n"),
                             f"FILE:2: '{self.folder}': Is a directory\n")
        self.assertIn("FILE:2: cannot listen on 192.0.2.1:1: Cannot assign",
                      self.refused(listener + "admin: {listen: 192.0.2.1:1}\n"))
        self.write("plain", "")
        self.assertEqual(self.refused(f"listeners: [{{upstream: [a], listen: 'unix:{self.folder}/plain'}}]\n"),
                         f"FILE:1: cannot listen on unix:{self.folder}/plain: there is another file\n")

    def test_nothing_is_left_of_what_it_tried(self):
        file = self.write("s.yaml", f"listeners: [{{upstream: [a], listen: 'unix:{self.folder}/socket'}}]\n"
                                    f"audit: {{file: {self.folder}/audit}}\n")
        self.assertEqual(scattergate("check", "--config", file).returncode, 0)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["s.yaml"])

    def test_a_state_file_whose_directory_cannot_be_written_is_refused(self):
        listener = "listeners: [{upstream: [a]}]\n"
        self.write("plain", "")
        for folder, why in (("nowhere", "No such file or directory"), ("plain", "Not a directory")):
            self.assertEqual(self.refused(f"{listener}state: {{file: {self.folder}/{folder}/state}}\n"),
                             f"FILE:2: '{self.folder}/{folder}/state': its directory cannot be written: {why}\n")
        file = self.write("good.yaml", f"{listener}state: {{file: {self.folder}/state}}\n")
        done = scattergate("check", "--config", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(list(self.folder.glob("state*")))

    def test_the_file_may_be_named_by_the_environment_or_there_may_be_none(self):
        file = self.write("s.yaml", "listeners: [{upstream: [a]}]\n")
        done = scattergate("check", environment={"SCATTERGATE_CONFIG": file})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"configuration '{file}' OK\n", ""))
        done = scattergate("config", environment={"SCATTERGATE_CONFIG": file})
        self.assertIn("a:27017", done.stdout)
        bad = self.write("bad.yaml", "listeners: [{upstreem: [a]}]\n")
        done = scattergate("check", "--config", bad, environment={"SCATTERGATE_CONFIG": file})
        self.assertEqual(done.returncode, 1)
        done = scattergate("check", "--upstream", "a")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "configuration OK\n", ""))
        done = scattergate("check")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\A--upstream: no mongos to forward to: .*\n\Z")

    def test_what_only_follows_from_another_problem_is_left_out(self):
        absent = str(self.folder / "absent.yaml")
        for arguments, environment in ((["--config", absent], {}), ([], {"SCATTERGATE_CONFIG": absent})):
            done = scattergate("check", *arguments, environment=environment)
            self.assertEqual((done.returncode, done.stderr), (1, f"{absent}: cannot be read: No such file or directory\n"))
        for text in ("listeners: [{upstreem: [a]}]\n", "listeners: [{upstream: ['a:x']}]\n", "listeners: [\n",
                     "listeners: [{upstream: [a], tls: {cert_fil: x}}]\n"):
            self.assertEqual(len(self.refused(text).splitlines()), 1, text)

    def test_an_address_in_use_is_no_problem_for_a_daemon_has_it(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            file = self.write("s.yaml", "listeners: [{upstream: [a], listen: '127.0.0.1:%d'}]\n"
                              % taken.getsockname()[1])
            self.assertEqual(scattergate("check", "--config", file).returncode, 0)

    def test_flags_and_variables_are_looked_at_too(self):
        file = self.write("s.yaml", "admin: {page: off}\n")
        self.assertEqual(scattergate("check", "--config", file, "--upstream", "a").returncode, 0)
        self.assertEqual(scattergate("check", "--config", file,
                                     environment={"SCATTERGATE_UPSTREAM": "a"}).returncode, 0)

    def test_it_warns_of_rules_that_never_match(self):
        rule = ("rules:\n  - name: r\n    action: observe\n    match: {queryShapeHash: %s}\n" % ("A" * 64))
        for version, warns in (("", True), ("version: '7.0'\n", True), ("version: '8.0'\n", False)):
            self.write("c.yaml", version + "collections: []\n")
            file = self.write("s.yaml", "listeners: [{upstream: [a]}]\ncatalog: {source: c.yaml}\n" + rule)
            done = scattergate("check", "--config", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("queryShapeHash requires MongoDB 8.0" in done.stderr, warns, version)

    def test_what_was_meant_is_said(self):
        self.assertIn("; did you mean 'upstream'?",
                      self.refused("listeners: [{upstreem: [a]}]\n"))
        self.assertIn("; did you mean 'yorkie'?",
                      self.refused("listeners: [{upstream: [a]}]\n", "--catalog", "preset:yorki"))
        self.assertIn("SCATTERGATE_AUDIT_FLIE: no setting has this name; did you mean 'SCATTERGATE_AUDIT_FILE'?",
                      self.refused("", environment={"SCATTERGATE_AUDIT_FLIE": "x"}))

    def test_a_wrong_file_is_reported_in_a_line_and_not_shown(self):
        secrets = {"shadow": "".join(f"{each}:$y$j9T$SECRET:20228:0:99999:7:::\n" for each in range(30)),
                   "pem": "-----BEGIN PRIVATE KEY-----\nSECRETSECRETSECRETSECRET\n-----END PRIVATE KEY-----\n",
                   "env": "PASSWORD=SECRET\nTOKEN=SECRET\n",
                   "json": '{"auths": {"registry": {"auth": "SECRET"}}}\n',
                   "ini": "[client]\nuser = SECRET\npassword = SECRET\n",
                   "word": "SECRET\n"}
        for name, text in secrets.items():
            file = self.write(name, text)
            for arguments in (["check", "--config", file],
                              ["run", "--upstream", "a", "--catalog", file],
                              ["classify", "--catalog", file],
                              ["report", "/dev/null", "--catalog", file],
                              ["report", "/dev/null", "--catalog", "preset:yorkie", "--baseline", file]):
                done = scattergate(*arguments)
                self.assertNotEqual(done.returncode, 0, arguments)
                self.assertNotIn("SECRET", done.stdout + done.stderr, arguments)
                self.assertLessEqual(len(done.stderr.splitlines()), 3, (arguments, done.stderr))

    def test_every_problem_is_a_line_with_its_place(self):
        self.write("keys.yaml", "collections:\n  - namespace: nodot\n")
        file = self.write("s.yaml", "inspect: on\nadmin: {lisen: x}\ncatalog: {source: keys.yaml}\n")
        done = scattergate("check", "--config", file)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        places = [line.split(": ")[0] for line in done.stderr.splitlines()]
        self.assertEqual(places, [f"{file}:2", f"{self.folder}/keys.yaml:2"])

    def test_a_certificate_that_cannot_be_used_is_a_problem_of_the_line_that_needs_it(self):
        junk = self.write("junk.pem", "no certificate\n")
        for where, key in (("", "cert_file"), ("upstream_", "cert_file"), ("upstream_", "ca_file")):
            file = self.write("s.yaml", "listeners:\n  - upstream: [a]\n"
                                        f"    {where}tls:\n      {key}: junk.pem\n")
            done = scattergate("check", "--config", file)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertTrue(done.stderr.startswith(f"{file}:3: {junk}: no"), done.stderr)


class Config(WithFolder):
    def test_what_is_printed_is_a_configuration_that_says_the_same(self):
        file = self.write("s.yaml", "listeners:\n  - listen: 127.0.0.1:1\n    upstream: [a, b]\n"
                                    "drain: {grace: 90s}\n")
        first = scattergate("config", "--config", file, environment={"SCATTERGATE_LOG_LEVEL": "error"})
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("level: error", first.stdout)
        again = scattergate("config", "--config", self.write("t.yaml", first.stdout))
        self.assertEqual(again.stdout, first.stdout)

    def test_the_defaults_are_printed_without_a_file(self):
        done = scattergate("config")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("127.0.0.1:27117", done.stdout)

    def test_an_unknown_variable_is_a_problem(self):
        done = scattergate("config", environment={"SCATTERGATE_AUDIT_FLIE": "x"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("SCATTERGATE_AUDIT_FLIE: ", done.stderr)


class Run(unittest.TestCase):
    def test_a_bad_configuration_ends_it_at_once_with_the_reason(self):
        for arguments, reason in ((["--threads", "x"], "--threads"), ([], "--upstream"),
                                  (["--upstream", "a", "--catalog", "preset:x"], "preset:x")):
            done = scattergate("run", *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)


class Catalog(WithFolder):
    def test_a_preset_is_a_file_to_start_from(self):
        done = scattergate("catalog", "preset:yorkie")
        self.assertEqual(done.returncode, 0)
        again = scattergate("catalog", self.write("own.yaml", done.stdout))
        self.assertEqual(again.stdout, done.stdout)

    def test_an_unknown_preset_is_refused(self):
        done = scattergate("catalog", "preset:yorky")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("known: bugsnag yorkie yorkie-v0.4", done.stderr)


class Classify(unittest.TestCase):
    def classify(self, *lines, json_lines=True):
        flags = ["--json"] if json_lines else []
        return scattergate("classify", "--catalog", "preset:yorkie", *flags,
                           stdin="".join(line + "\n" for line in lines))

    def test_every_line_has_its_verdict(self):
        done = self.classify(
            '{"find": "documents", "filter": {"key": "k"}, "$db": "yorkie-meta"}',
            '{"find": "changes", "filter": {"doc_id": {"$oid": "57e193d7a9cc81b4027498b5"}}, "$db": "yorkie-meta"}',
            '{"ping": 1}')
        self.assertEqual(done.returncode, 0, done.stderr)
        verdicts = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([one["routing"] for one in verdicts],
                         ["scatter_gather", "single_shard", "not_routed"])
        self.assertEqual(verdicts[0]["missing"], ["project_id"])

    def test_query_operators_are_not_taken_for_values(self):
        done = self.classify(
            '{"find": "documents", "filter": {"project_id": {"$type": 7}}, "$db": "yorkie-meta"}',
            '{"find": "documents", "filter": {"project_id": {"$regex": "^x", "$ne": "xy"}}, "$db": "yorkie-meta"}')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([json.loads(line)["bounds"] for line in done.stdout.splitlines()],
                         ["narrowed", "narrowed"])

    def test_a_line_that_is_no_command_is_named_and_the_rest_goes_on(self):
        done = self.classify('{"ping": 1}', "", "nonsense", "5", "{}", '{"find": "x"}',
                             "[" * 100000, '{"hello": 1, "a": {"$oid": "x"}}', '{"ping": 1}')
        self.assertEqual(done.returncode, 1)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([one.get("line") for one in answers], [None, 3, 4, 5, 6, 7, 8, None])
        for one in answers[1:-1]:
            self.assertEqual(sorted(one), ["error", "line"])

    def test_people_get_a_line_of_words(self):
        done = self.classify('{"find": "documents", "filter": {}, "$db": "yorkie-meta"}',
                             json_lines=False)
        for word in ("scatter_gather", "yorkie-meta.documents", "find", "reason: missing_key",
                     "missing: project_id", "do: add equality or a range on project_id"):
            self.assertIn(word, done.stdout)
        done = self.classify('{"insert": "documents", "documents": [{"project_id": 1}], "$db": "yorkie-meta"}',
                             json_lines=False)
        self.assertIn("single_shard", done.stdout)
        self.assertIn("fan-out: 1", done.stdout)

    def test_a_line_is_answered_before_the_next_one_comes(self):
        with subprocess.Popen([PROGRAM, "classify", "--catalog", "preset:yorkie", "--json"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=CLEAN) as process:
            for _ in range(3):
                process.stdin.write('{"ping": 1}\n')
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["command"], "ping")
            process.stdin.close()

    def test_a_thousand_lines_are_a_thousand_verdicts(self):
        done = self.classify(*['{"ping": 1}'] * 1000)
        self.assertEqual(len(done.stdout.splitlines()), 1000)


class Health(unittest.TestCase):
    def ask(self, reply):
        """Runs `health` against a server that gives this reply to one request."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                connection, _ = server.accept()
                with connection:
                    self.request = connection.recv(4096)
                    connection.sendall(reply)
            thread = threading.Thread(target=answer)
            thread.start()
            done = scattergate("health", "--admin", "127.0.0.1:%d" % server.getsockname()[1])
            thread.join()
            return done

    def test_a_ready_proxy_is_healthy(self):
        done = self.ask(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nready\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(self.request.startswith(b"GET /readyz HTTP/1.1\r\n"))

    def test_the_reason_of_one_that_is_not_is_shown(self):
        done = self.ask(b"HTTP/1.1 503 Service Unavailable\r\n\r\ndraining\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("draining", done.stderr)

    def test_neither_silence_nor_nonsense_is_healthy(self):
        self.assertEqual(self.ask(b"").returncode, 1)
        self.assertEqual(self.ask(b"\x00\xff" * 5000).returncode, 1)

    def test_no_one_there_is_not_healthy(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        done = scattergate("health", "--admin", f"127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not reachable", done.stderr)

    def test_the_address_may_come_from_the_environment(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = "127.0.0.1:%d" % server.getsockname()[1]
        done = scattergate("health", environment={"SCATTERGATE_ADMIN_LISTEN": address})
        self.assertIn(address, done.stderr)


class HealthOfAConfiguration(WithFolder):
    def test_the_address_is_that_of_the_file_unless_a_flag_says_another(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        file = self.write("s.yaml", f"listeners: [{{upstream: [a]}}]\nadmin: {{listen: '127.0.0.1:{port}'}}\n")
        self.assertIn(f"127.0.0.1:{port}: not reachable", scattergate("health", "--config", file).stderr)
        other = scattergate("health", "--config", file, "--admin", "127.0.0.1:1")
        self.assertIn("127.0.0.1:1: not reachable", other.stderr)


class Completion(unittest.TestCase):
    def completed(self, line):
        """bash's completions with the cursor at the end of the line."""
        asked = ('source <("$1" completion bash); COMP_LINE=$2 COMP_POINT=${#2}; _scattergate; '
                 'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", asked, "-", PROGRAM, line], capture_output=True, text=True, env=CLEAN,
                              cwd="/", timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_subcommands_flags_and_values(self):
        self.assertEqual(self.completed("scattergate ch"), ["check"])
        self.assertIn("report", self.completed("scattergate "))
        self.assertEqual(self.completed("scattergate run --adm"), ["--admin"])
        self.assertEqual(self.completed("scattergate report x --fail-on n"), ["new", "never"])
        self.assertEqual(self.completed("scattergate run --catalog preset:bug"), ["bugsnag"])
        self.assertIn("mongos", self.completed("scattergate run --catalog mo"))
        self.assertEqual(self.completed("scattergate completion z"), [])
        self.assertIn("etc", self.completed("scattergate run --config et"))
        self.assertEqual(self.completed("scattergate run --threads "), [])

    def test_every_flag_of_help_is_completed(self):
        for subcommand in ("run", "check", "report", "gate", "verify", "health", "classify", "catalog"):
            flags = set(re.findall(r"^ +(?:-\w,)?(--[a-z][a-z-]*)",
                                   scattergate(subcommand, "--help").stdout, re.M))
            self.assertLessEqual(flags, set(self.completed(f"scattergate {subcommand} --")))

    @unittest.skipIf(shutil.which("zsh") is None, "zsh isn't here")
    def test_zsh_reads_it(self):
        text = scattergate("completion", "zsh").stdout
        done = subprocess.run(["zsh", "-fc", 'autoload -U compinit; compinit -u -D; eval "$1"; '
                               'print $_comps[scattergate]', "-", text],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "_scattergate\n", ""))

    @unittest.skipIf(shutil.which("fish") is None, "fish isn't here")
    def test_fish_completes(self):
        with tempfile.TemporaryDirectory() as home:
            for line, offered in (("scattergate ch", "check"), ("scattergate run --adm", "--admin"),
                                  ("scattergate run --catalog pres", "preset:yorkie"),
                                  ("scattergate report --fail-on ne", "never")):
                done = subprocess.run(["fish", "--no-config", "-c", 'eval "$argv[1]"; complete -C $argv[2]',
                                       scattergate("completion", "fish").stdout, line],
                                      capture_output=True, text=True, env={**CLEAN, "HOME": home}, timeout=60)
                self.assertEqual(done.stderr, "")
                self.assertIn(offered, [each.split("\t")[0] for each in done.stdout.splitlines()])

    def test_another_shell_has_none(self):
        self.assertEqual(scattergate("completion", "tcsh").returncode, 2)


class Program(unittest.TestCase):
    def test_it_reports_its_version(self):
        done = scattergate("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^scattergate \d+\.\d+\.\d+\n$")

    def test_what_was_meant_is_said(self):
        for arguments, meant in ((["chekc"], "check"), (["run", "--lisen", "a"], "--listen"),
                                 (["run", "--lisen=a"], "--listen"), (["--verison"], "--version"),
                                 (["report", "x", "--catalgo", "y"], "--catalog")):
            done = scattergate(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"Did you mean {meant}?\n", done.stderr)
        for arguments in (["nonsense"], ["run", "--nonsense"], ["gate", "--", "gaet"]):
            self.assertNotIn("Did you mean", scattergate(*arguments).stderr)

    def test_help_has_the_defaults_that_hold(self):
        help_of_run = scattergate("run", "--help").stdout
        for flag, default in (("--listen", "127.0.0.1:27117"), ("--admin", "127.0.0.1:19216"),
                              ("--audit", "-"), ("--catalog", "mongos"), ("--threads", "2, or")):
            self.assertRegex(help_of_run, rf"(?s){flag} .*?\[{re.escape(default)}")

    def test_what_it_does_not_know_is_refused(self):
        for arguments in ([], ["nonsense"], ["run", "--nonsense"], ["check"], ["classify"]):
            self.assertNotEqual(scattergate(*arguments).returncode, 0)


if __name__ == "__main__":
    unittest.main()
