"""check: the problems that a daemon would have with a configuration."""

import json
import os
import re
import subprocess
import sys

import pytest

from certificates import Authority, lifetime, openssl
from fake_mongos import ConfigDatabase, FakeMongos
from processes import OWN_HOST, Daemon, Sim, clean_environment, free_port, program_path
from upstream import answer_all, swallow

PRESET = {"source": "preset:yorkie"}
LIVE = {"source": "mongos"}


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path / "tls")


@pytest.fixture
def check(tmp_path):
    """Runs it on a configuration with one listener."""
    def run(upstream, *flags, listener=None, environment=None, **sections):
        config = {"listeners": [{"listen": "127.0.0.1:0", "upstream": [upstream], **(listener or {})}],
                  "catalog": PRESET, "admin": {"listen": "127.0.0.1:0"}, **sections}
        file = tmp_path / "check.yaml"
        file.write_text(json.dumps(config, indent=1))
        return subprocess.run(
            [program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", file, *flags],
            capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
            env={**clean_environment(), **(environment or {})})
    return run


def steps(done):
    """Each step's outcome and the rest of its line, by what was tried: "TCP", "page"."""
    found = {}
    for line in done.stdout.splitlines():
        got = re.match(r"(ok|warning|FAILED) +(?:listener \S+, upstream \S+, )?([^:]+?)(?: /\S+| [\d.]+:\d+)?: (.*)", line)
        if got:
            found[got[2]] = (got[1], got[3])
    return found


def failed(done, step, cause, advice=""):
    """It is the one step that failed, and nothing that depends on it was reported."""
    got = steps(done)
    assert [name for name, (outcome, _) in got.items() if outcome == "FAILED"] == [step], done.stdout
    assert re.search(cause, got[step][1]) and advice in got[step][1], done.stdout
    assert done.returncode == 1 and "1 failed; steps that depend on a failed one" in done.stdout
    return got


def test_every_step_has_a_line(start, check, tmp_path):
    sim = start(Sim)
    done = check(f"localhost:{sim.port}", "--connect", catalog=LIVE, state={"file": str(tmp_path / "state")},
                 audit={"file": str(tmp_path / "audit")})
    assert done.returncode == 0, done.stdout + done.stderr
    got = steps(done)
    assert {outcome for outcome, _ in got.values()} == {"ok"}
    assert list(got) == ["DNS", "TCP", "hello", "catalog, mongos", "catalog, rights", "state file", "audit log",
                          "page"]
    assert "127.0.0.1" in got["DNS"][1] and got["TCP"][1].endswith(str(sim.port))
    assert got["hello"][1] == "a mongos answers"
    for name in ("collections", "chunks", "shards", "databases", "version"):
        assert f"config.{name}" in got["catalog, rights"][1]
    assert done.stdout.splitlines()[-1] == "8 ok, 0 warnings, 0 failed"
    assert not (tmp_path / "state").exists() and not (tmp_path / "audit").exists()


def test_without_the_flag_no_mongos_is_asked(check):
    done = check("127.0.0.1:1")
    assert done.returncode == 0 and steps(done) == {}


def listener_of_another_process():
    """A process that isn't this one, and the port that it listens on."""
    process = subprocess.Popen([sys.executable, "-c", (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)\nwhile True: s.accept()[0].close()")],
        stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


@pytest.mark.parametrize("setting", ["listen", "admin.listen"])
def test_an_address_in_use_names_the_process(start, check, setting):
    sim = start(Sim)
    process, port = listener_of_another_process()
    try:
        used = {"listen": f"127.0.0.1:{port}"}
        done = check(sim.address, "--connect", **({"listener": used} if setting == "listen" else {"admin": used}))
    finally:
        process.kill()
        process.wait()
    got = failed(done, setting, rf"in use by python\S* \(process {process.pid}\)", "run can't start")
    assert f"{setting} 127.0.0.1:{port}: " in done.stdout and set(got) >= {"TCP", "hello", "page"}


def test_the_addresses_of_a_running_scattergate_are_no_failure(start, check):
    sim = start(Sim)
    daemon = start(Daemon, sim.address)
    done = check(sim.address, "--connect", listener={"listen": daemon.address},
                 admin={"listen": daemon.admin.removeprefix("http://")})
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("; a scattergate runs here already") == 2


def test_a_dead_port(check):
    got = failed(check(f"{OWN_HOST}:{free_port()}", "--connect", catalog=LIVE), "TCP", "Connection refused",
                  "start mongos there")
    assert set(got) == {"TCP", "page"}


def test_one_dead_upstream_of_two(start, check):
    sim = start(Sim)
    done = check(f"{OWN_HOST}:{free_port()}", "--connect", catalog=LIVE,
                 environment={"SCATTERGATE_UPSTREAM": f"{OWN_HOST}:{free_port()},{sim.address}",
                              "SCATTERGATE_CATALOG_URI": f"mongodb://{sim.address}"})
    assert done.returncode == 1
    assert "Connection refused" in done.stdout and "a mongos answers" in done.stdout
    assert steps(done)["catalog, rights"][0] == "ok"


def test_a_wrong_name(check):
    got = failed(check("no-such-host.invalid:27017", "--connect", catalog=LIVE), "DNS", ".", "")
    assert set(got) == {"DNS", "page"}


def test_a_silent_name_server(check):
    library = os.environ.get("SCATTERGATE_SILENT_NAMES")
    if not library:
        pytest.skip("SCATTERGATE_SILENT_NAMES names no library: run by ctest")
    # The sanitizers' own libraries would have to come first.
    options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    done = check("silent.example:27017", "--connect",
                 environment={"LD_PRELOAD": library, "ASAN_OPTIONS": options})
    failed(done, "DNS", "no answer within 5 s")


def test_something_else_listens_there(check, upstream):
    def http(connection):
        connection.read()
        connection.send(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
    failed(check(upstream(http).address, "--connect"), "hello", "does not use MongoDB's wire protocol")


def test_a_mongos_that_hangs(check, upstream):
    failed(check(upstream(swallow).address, "--connect"), "hello", "no answer within 5 s", "hangs")


def test_a_mongos_that_closes(check, upstream):
    failed(check(upstream(lambda connection: connection.read()).address, "--connect"), "hello",
           "closed the connection", "set upstream_tls")


@pytest.mark.parametrize("reply, says", [({"ok": 1.0}, "not a mongos"), ({"setName": "rs0", "ok": 1.0}, "set rs0")])
def test_a_server_that_is_no_mongos_is_a_warning(check, upstream, reply, says):
    def script(connection):
        while request := connection.message():
            connection.reply(request, reply)
    done = check(upstream(script).address, "--connect")
    assert done.returncode == 0, done.stdout
    outcome, text = steps(done)["hello"]
    assert outcome == "warning" and says in text and "use the address of a mongos" in text
    assert ", 1 warning, 0 failed" in done.stdout


@pytest.fixture
def secured(start, authority):
    """A simulator under TLS, whose certificate ends after so many days."""
    def make(days=30, **options):
        file = authority.issue("mongos", **options)
        authority.renew("mongos", days)
        return start(Sim, further=["--tls-cert-file", file])
    return make


def test_tls_that_is_well(check, secured, authority):
    listener = {"upstream_tls": {"ca_file": str(authority.ca_file)}}
    done = check(secured().address, "--connect", listener=listener)
    got = steps(done)
    assert done.returncode == 0 and got["hello"] == ("ok", "a mongos answers"), done.stdout
    assert got["TLS"][0] == "ok" and "valid until 20" in got["TLS"][1]


def test_mongoss_certificate_expires_soon(check, secured, authority):
    listener = {"upstream_tls": {"ca_file": str(authority.ca_file)}}
    done = check(secured(days=5).address, "--connect", listener=listener)
    assert done.returncode == 0 and steps(done)["TLS"][0] == "warning", done.stdout


@pytest.mark.parametrize("options, cause, advice", [
    ({"alternatives": "DNS:other.example"}, "mismatch", "upstream_tls.server_name"),
    ({"days": -1}, "expired", "renew mongos's certificate"),
])
def test_mongoss_certificate_is_refused(check, secured, authority, options, cause, advice):
    listener = {"upstream_tls": {"ca_file": str(authority.ca_file)}}
    got = failed(check(secured(**options).address, "--connect", listener=listener), "TLS", cause, advice)
    assert "hello" not in got


def test_mongoss_certificate_is_of_another_ca(check, secured, tmp_path):
    stranger = Authority(tmp_path / "strange", "stranger")
    listener = {"upstream_tls": {"ca_file": str(stranger.ca_file)}}
    failed(check(secured().address, "--connect", listener=listener), "TLS", "certificate", "upstream_tls.ca_file")


def test_a_mongos_without_tls(start, check, authority):
    listener = {"upstream_tls": {"ca_file": str(authority.ca_file)}}
    failed(check(start(Sim).address, "--connect", listener=listener), "TLS", ".", "net.tls.mode")


def test_a_mongos_with_tls_that_is_not_configured(check, secured):
    failed(check(secured().address, "--connect"), "hello", ".", "set upstream_tls")


def test_the_rights_of_the_catalogs_user(start, check, tmp_path):
    sim = start(Sim, users=["ann:pencil"])
    failed(check(sim.address, "--connect", catalog=LIVE), "catalog, rights", "config.collections.*authenti",
           "catalog.uri_file")
    secret = tmp_path / "uri"
    for password, outcome in (("wrong", "FAILED"), ("pencil", "ok")):
        secret.write_text(f"mongodb://ann:{password}@{sim.address}/?authSource=admin\n")
        secret.chmod(0o600)
        done = check(sim.address, "--connect", catalog={**LIVE, "uri_file": str(secret)})
        assert password not in done.stdout + done.stderr
        if outcome == "ok":
            assert done.returncode == 0 and steps(done)["catalog, rights"][0] == "ok", done.stdout
        else:
            failed(done, "catalog, login", "uthentication", "the password")


class Guarded(FakeMongos):
    """A cluster whose user may not read one of the collections."""

    def __init__(self, config, closed):
        super().__init__(config)
        self.closed = closed

    def answer(self, body):
        if body.get("find") == self.closed:
            return {"ok": 0.0, "code": 13, "codeName": "Unauthorized",
                    "errmsg": f"not authorized on config to read {self.closed}"}
        return super().answer(body)


@pytest.mark.parametrize("closed, outcome", [("chunks", "FAILED"), ("shards", "warning")])
def test_a_right_that_is_missing(check, upstream, closed, outcome):
    there = upstream(Guarded(ConfigDatabase("8.0"), closed))
    done = check(there.address, "--connect", catalog={**LIVE, "uri": f"mongodb://{there.address}"})
    got = steps(done)["catalog, rights"]
    assert got[0] == outcome and f"cannot read config.{closed}: not authorized" in got[1]
    assert "clusterMonitor" in got[1]
    assert done.returncode == (1 if outcome == "FAILED" else 0)


def test_a_catalog_from_what_is_no_mongos(check, upstream):
    def script(connection):
        while request := connection.message():
            connection.reply(request, {"isWritablePrimary": True, "ismaster": True, "maxWireVersion": 21,
                                       "minWireVersion": 0, "ok": 1.0})
    failed(check(upstream(script).address, "--connect", catalog=LIVE), "catalog, mongos", "is not a mongos",
           "point the connection string to a mongos")


def test_a_version_that_is_known_in_part_is_a_warning(check, tmp_path):
    file = tmp_path / "keys.yaml"
    series = '[{"namespace": "a.s", "timeseries": true}]'
    for version, collections, says in (
            ("6.0", "[]", "6.0 has no patch level"), ("6.0.12", "[]", None), ("7.0.12", "[]", None),
            ("7.0.12", series, "7.0.12 may or may not find shards for deletes from time series"),
            ("8.0", "[]", "8.0 was examined in part"), ("8.2", "[]", None), ("8.2", series, None)):
        file.write_text(f'schemaVersion: 1\nversion: "{version}"\ncollections: {collections}\n')
        done = check("127.0.0.1:1", catalog={"source": str(file)})
        assert done.returncode == 0
        warning = f"{file}: warning: version {says}" if says else ""
        assert done.stderr.startswith(warning) and bool(done.stderr) == bool(says)


def test_a_page_that_refuses_everyone_is_a_warning(check):
    exposed = {"listen": "0.0.0.0:0"}
    done = check("127.0.0.1:1", admin=exposed)
    assert done.returncode == 0
    assert re.search(r"check\.yaml:\d+: warning: 0\.0\.0\.0:0 refuses the page for everyone; .*admin\.page_listen",
                     done.stderr)
    for good in ({"page_listen": "127.0.0.1:0"}, {"page": "off"}):
        assert check("127.0.0.1:1", admin={**exposed, **good}).stderr == ""


def test_who_can_open_the_page(check, upstream, authority, tmp_path):
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123456789abcdef\n")
    token.chmod(0o600)
    authority.issue("admin")
    authority.renew("admin", 30)
    guard = {"token_file": str(token), "tls": {"cert_file": str(tmp_path / "tls/admin.pem")}}
    address = upstream(answer_all).address

    def page(**admin):
        done = check(address, "--connect", admin={"listen": "127.0.0.1:0", **admin})
        assert done.returncode == 0 and done.stderr == "", done.stderr
        assert "0123456789abcdef" not in done.stdout
        return steps(done)["page"]
    assert page() == ("ok", "every user of this host can open http://127.0.0.1:0/")
    assert page(page="off")[1] == "off (admin.page: off)"
    assert page(listen="0.0.0.0:0", page_listen="127.0.0.2:0")[1].endswith("http://127.0.0.2:0/")
    assert page(listen="0.0.0.0:0", **guard) == (
        "ok", "anyone with the token in admin.token_file can open https://0.0.0.0:0/")
    refused = page(listen="0.0.0.0:0", token_file=str(token))
    assert refused[0] == "warning" and "admin.page_listen" in refused[1]


def certified(where, file, ca):
    """The sections that name this certificate, or these CAs."""
    own = {"cert_file": str(file)}
    return {"tls": {"listener": {"tls": own}},
            "upstream_tls": {"listener": {"upstream_tls": {**own, "ca_file": str(ca)}}},
            "admin": {"admin": {"listen": "127.0.0.1:0", "tls": own}}}[where]


@pytest.mark.parametrize("where", ["tls", "upstream_tls", "admin"])
def test_the_dates_of_our_own_certificates(check, authority, where):
    file = authority.issue("ours")
    for days, status, says in ((-1, 1, r"certificate '\S*ours\.pem' expired on 20\d\d-\d\d-\d\dT"),
                               (5, 0, r"warning: certificate '\S*ours\.pem' expires on 20\d\d-"), (30, 0, r"^$")):
        authority.renew("ours", days)
        done = check("127.0.0.1:1", **certified(where, file, authority.ca_file))
        assert done.returncode == status, (days, done.stderr)
        assert re.search(says, done.stderr), (days, done.stderr)
        assert re.match(r"^$|\S*check\.yaml:\d+: ", done.stderr)
        assert len(done.stderr.splitlines()) <= 1


def test_a_ca_that_has_expired_is_a_warning(check, authority):
    openssl("x509", "-in", authority.ca_file, "-signkey", authority.ca_file.with_suffix(".key"), *lifetime(-1),
            "-out", authority.ca_file)
    done = check("127.0.0.1:1", listener={"upstream_tls": {"ca_file": str(authority.ca_file)}})
    assert done.returncode == 0
    assert re.search(r"warning: CA certificates in '\S*ca\.pem' have expired: 1 of 1, one on 20", done.stderr)


def test_the_lock_of_a_running_daemon_is_no_problem(start, tmp_path):
    daemon = start(Daemon, "127.0.0.1:1", state={"file": str(tmp_path / "state")})
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", daemon.config_path],
                          capture_output=True, text=True, timeout=60, env=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")


def test_an_empty_config_flag_is_named(check):
    done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", ""],
                          capture_output=True, text=True, timeout=60, env=clean_environment())
    assert done.returncode == 1 and "--config: expected a file's name, not ''" in done.stderr


@pytest.mark.parametrize("content", ["", "nonsense", '{"schemaVersion": 1'])
def test_a_damaged_state_file_is_an_error_and_stays(check, tmp_path, content):
    file = tmp_path / "state"
    file.write_text(content)
    done = check("127.0.0.1:1", state={"file": str(file)})
    assert done.returncode == 1
    assert re.search(r"check\.yaml:\d+: '\S*state': cannot be used, so run starts without its counts: ", done.stderr)
    assert file.read_text() == content and [each.name for each in tmp_path.glob("state*")] == ["state"]


@pytest.mark.parametrize("setting", ["state", "audit", "log"])
def test_a_full_disk_is_named(check, tmp_path, setting):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount")
    try:
        config = {setting: {"file": str(folder / "file")}}
        assert check("127.0.0.1:1", **config).returncode == 0
        (folder / "filler").write_bytes(bytes(64 << 10))
        done = check("127.0.0.1:1", **config)
        assert done.returncode == 1 and "the disk is full" in done.stderr
        if setting != "state":
            (folder / "filler").write_bytes(b"")
            (folder / "file").write_text("x")
            (folder / "filler").write_bytes(bytes(60 << 10))
            assert "the disk is full" in check("127.0.0.1:1", **config).stderr
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("kind, says", [("folder", "is a folder"), ("fifo", "is not a regular file"),
                                        ("loop", "Too many levels of symbolic links"), ("large", "is larger than 16 MiB")])
def test_what_is_no_certificate_file_is_named_at_once(check, tmp_path, kind, says):
    file = tmp_path / "server.pem"
    {"folder": file.mkdir, "fifo": lambda: os.mkfifo(file), "loop": lambda: file.symlink_to(file),
     "large": lambda: (file.touch(), os.truncate(file, 2 << 30))}[kind]()
    done = check("127.0.0.1:1", listener={"tls": {"cert_file": str(file)}})
    assert done.returncode == 1 and says in done.stderr


def test_a_configuration_or_catalog_that_is_a_folder_or_pipe_is_named(check, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file, says in ((tmp_path, "is a folder"), (pipe, "is a pipe from which nothing came for 5 s")):
        assert says in check("127.0.0.1:1", catalog={"source": str(file)}).stderr
        done = subprocess.run([program_path("SCATTERGATE_BIN", "scattergate"), "check", "--config", file],
                              capture_output=True, text=True, timeout=60, env=clean_environment())
        assert done.returncode == 1 and says in done.stderr
