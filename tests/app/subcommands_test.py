"""The program's subcommands, as a user meets them. SCATTERGATE_BIN names the program."""

import json
import os
import pathlib
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
        file = self.write("s.yaml", "catalog: {source: preset:yorkie}\n")
        done = scattergate("check", "--config", file)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, f"configuration '{file}' OK\n", ""))

    def test_every_problem_is_a_line_with_its_place(self):
        self.write("keys.yaml", "collections:\n  - namespace: nodot\n")
        file = self.write("s.yaml", "inspect: on\nadmin: {lisen: x}\ncatalog: {source: keys.yaml}\n")
        done = scattergate("check", "--config", file)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        places = [line.split(": ")[0] for line in done.stderr.splitlines()]
        self.assertEqual(places, [f"{file}:2", f"{self.folder}/keys.yaml:2"])

    def test_a_certificate_that_cannot_be_used_is_a_problem_of_the_line_that_wants_it(self):
        junk = self.write("junk.pem", "no certificate\n")
        for where, key in (("", "cert_file"), ("upstream_", "cert_file"), ("upstream_", "ca_file")):
            file = self.write("s.yaml", "listeners:\n  - upstream: [a]\n"
                                        f"    {where}tls:\n      {key}: junk.pem\n")
            done = scattergate("check", "--config", file)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertTrue(done.stderr.startswith(f"{file}:3: {junk}: not "), done.stderr)


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
        for word in ("scatter_gather", "yorkie-meta.documents", "find", "project_id"):
            self.assertIn(word, done.stdout)

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

    def test_nobody_there_is_not_healthy(self):
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


class Program(unittest.TestCase):
    def test_it_tells_its_version(self):
        done = scattergate("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^scattergate \d+\.\d+\.\d+\n$")

    def test_what_it_does_not_know_is_refused(self):
        for arguments in ([], ["nonsense"], ["run", "--nonsense"], ["check"], ["classify"]):
            self.assertNotEqual(scattergate(*arguments).returncode, 0)


if __name__ == "__main__":
    unittest.main()
