"""TLS to clients and to mongos, Unix sockets and IPv6: who gets in, who doesn't, and why."""

import contextlib
import pathlib
import shutil
import socket
import ssl
import tempfile
import threading
import urllib.parse

import pymongo
import pytest
from pymongo.errors import AutoReconnect, PyMongoError

from certificates import Authority
from healthy import HealthyClient
from processes import Daemon, Sim
from raw import RawClient, op_msg, take_message
from waiting import PATIENCE, wait_until

WIRE_ERRORS = "scattergate_wire_errors_total"
CLOSED = "scattergate_connections_closed_total"
PING = {"ping": 1, "$db": "admin"}


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path / "tls")


@pytest.fixture
def stranger(tmp_path):
    """An untrusted CA."""
    return Authority(tmp_path / "strange", "stranger")


@pytest.fixture
def secured(start, authority):
    """A daemon that speaks TLS to clients, its certificate issued as "proxy"."""
    def make(upstream, name="scattergate", listen="127.0.0.1:0", upstream_tls=None, **tls):
        authority.issue("proxy")
        tls = {"cert_file": str(authority.ca_file.with_name("proxy.pem")), **tls}
        options = {"upstream_tls": upstream_tls} if upstream_tls else {}
        return start(Daemon, upstream, name=name, listeners=[
            {"listen": listen, "upstream": [upstream], "tls": tls, **options}])
    return make


def client_context(authority, certificate=None):
    context = ssl.create_default_context(cafile=authority.ca_file)
    if certificate:
        context.load_cert_chain(certificate)
    return context


class TlsClient(RawClient):
    def __init__(self, port, context, **options):
        super().__init__(port)
        self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1", **options)

    @property
    def certificate(self):
        return self.socket.getpeercert(binary_form=True)


def ping(server, host="127.0.0.1", **options):
    options = {"serverSelectionTimeoutMS": 10_000, **options}
    options = {name: str(value) if isinstance(value, pathlib.Path) else value
               for name, value in options.items()}
    with pymongo.MongoClient(host, server.port, **options) as client:
        return client.admin.command("ping")["ok"]


def is_refused(server, **options):
    try:
        ping(server, serverSelectionTimeoutMS=500, **options)
    except PyMongoError:
        return True
    return False


def test_a_client_may_come_without_a_certificate(secured, sim, authority):
    daemon = secured(sim.address)
    assert ping(daemon, tls=True, tlsCAFile=authority.ca_file) == 1
    assert is_refused(daemon)  # without TLS


def test_clients_show_a_certificate_of_the_right_ca(secured, sim, authority, stranger):
    daemon = secured(sim.address, client_ca_file=str(authority.ca_file))
    trust = {"tls": True, "tlsCAFile": authority.ca_file}
    assert ping(daemon, **trust, tlsCertificateKeyFile=authority.issue("client")) == 1
    assert daemon.metrics().total(CLOSED, reason="tls_failed") == 0
    assert is_refused(daemon, **trust)
    assert is_refused(daemon, **trust, tlsCertificateKeyFile=stranger.issue("intruder"))
    assert daemon.metrics().total(CLOSED, reason="tls_failed") >= 2


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_with_a_certificate_resumes_its_session(secured, sim, authority, version):
    """As OpenSSL lets it only where the context has an id."""
    daemon = secured(sim.address, client_ca_file=str(authority.ca_file))
    context = client_context(authority, authority.issue("client"))
    context.minimum_version = context.maximum_version = version
    with TlsClient(daemon.port, context) as first:
        assert first.run(PING)["ok"] == 1
        session = first.socket.session
    with TlsClient(daemon.port, context, session=session) as second:
        assert second.run(PING)["ok"] == 1
        assert second.socket.session_reused


@pytest.mark.parametrize("version", ["TLSv1", "TLSv1_1"])
def test_old_versions_are_refused(secured, sim, authority, version):
    daemon = secured(sim.address)
    context = client_context(authority)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning):
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion[version]
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        TlsClient(daemon.port, context)
    daemon.await_metric(1, CLOSED, reason="tls_failed")
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with TlsClient(daemon.port, context) as client:
        assert client.run(PING)["ok"] == 1


def test_a_tls_hello_on_a_plain_port_is_closed_and_counted(daemon, authority):
    healthy = HealthyClient(daemon.port)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        TlsClient(daemon.port, client_context(authority))
    daemon.await_metric(1, WIRE_ERRORS, reason="tls_hello")
    healthy.check()
    healthy.stop()


@pytest.mark.parametrize("data", [op_msg(PING), b"GET / HTTP/1.1\r\n\r\n", b"\0"])
def test_plain_bytes_on_a_tls_port_are_closed_and_counted(secured, sim, authority, data):
    daemon = secured(sim.address)
    with TlsClient(daemon.port, client_context(authority)) as beside:
        assert beside.run(PING)["ok"] == 1
        with RawClient(daemon.port) as plain:
            plain.send(data)
            assert plain.read_to_end() == b""
        daemon.await_metric(1, WIRE_ERRORS, reason="not_tls")
        assert beside.run(PING, 2)["ok"] == 1
    daemon.await_quiet()
    assert sim.is_alive()


def test_a_handshake_that_stalls_is_ended(secured, sim):
    daemon = secured(sim.address)
    daemon.write_config(limits={"first_message": "200ms"})
    daemon.reload()
    with RawClient(daemon.port) as silent, RawClient(daemon.port) as halfway:
        halfway.send(b"\x16\x03\x01\x02")
        assert silent.read_to_end() == b""
        assert halfway.read_to_end() == b""
    daemon.await_metric(2, CLOSED, reason="first_message")


def test_bytes_come_apart_and_together_anyhow(secured, sim, authority):
    """One byte per record, and many messages in one: record boundaries don't matter."""
    daemon = secured(sim.address)
    with TlsClient(daemon.port, client_context(authority)) as client:
        for byte in op_msg(PING):
            client.send(bytes([byte]))
        assert client.receive().body["ok"] == 1
        client.send(b"".join(op_msg(PING, number) for number in range(2, 500)))
        assert [client.receive().response_to for _ in range(2, 500)] == list(range(2, 500))
        text = "x" * 15_000_000
        assert client.run({"insert": "c", "$db": "test"}, 600,
                          sequences={"documents": [{"_id": 1, "text": text}]})["n"] == 1
        batch = client.run({"find": "c", "$db": "test"}, 601)["cursor"]["firstBatch"]
        assert batch[0]["text"] == text
    daemon.await_quiet()
    assert daemon.metrics().total(WIRE_ERRORS) == 0


def test_a_new_certificate_is_taken_without_dropping_anybody(secured, sim, authority):
    daemon = secured(sim.address)
    with TlsClient(daemon.port, client_context(authority)) as old:
        assert old.run(PING)["ok"] == 1
        authority.issue("proxy")
        daemon.reload()
        with TlsClient(daemon.port, client_context(authority)) as new:
            assert new.run(PING)["ok"] == 1
            assert new.certificate != old.certificate
        assert old.run(PING, 2)["ok"] == 1
    assert daemon.metrics().total(CLOSED, reason="tls_failed") == 0


@pytest.mark.parametrize("content", ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_bad_certificate_keeps_the_old(secured, sim, authority, content):
    daemon = secured(sim.address)
    with TlsClient(daemon.port, client_context(authority)) as before:
        authority.ca_file.with_name("proxy.pem").write_text(content)
        daemon.reload()
        assert daemon.metrics().total("scattergate_config_reload_failures_total") == 1
        assert "proxy.pem" in daemon.find_line(r'.*"id":3002\b.*')[0]
        with TlsClient(daemon.port, client_context(authority)) as after:
            assert after.run(PING)["ok"] == 1
            assert after.certificate == before.certificate


def test_tls_is_switched_on_and_off_for_new_connections(secured, sim, authority):
    daemon = secured(sim.address)
    [listener] = daemon.config["listeners"]
    with TlsClient(daemon.port, client_context(authority)) as old:
        daemon.write_config(listeners=[{**listener, "tls": "off"}])
        daemon.reload()
        wait_until(lambda: not is_refused(daemon), "plain connections to be taken")
        assert old.run(PING)["ok"] == 1


def upstream_daemon(start, sim, name="scattergate", **tls):
    return start(Daemon, sim.address, name=name, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [sim.address],
         "upstream_tls": {key: str(value) for key, value in tls.items()} or "on"}])


def test_mongos_is_reached_by_tls_and_sees_our_certificate(start, authority):
    sim = start(Sim, further=["--tls-cert-file", authority.issue("mongos"),
                              "--tls-ca-file", authority.ca_file])
    good = upstream_daemon(start, sim, ca_file=authority.ca_file,
                           cert_file=authority.issue("proxy"))
    assert ping(good) == 1
    bare = upstream_daemon(start, sim, "bare", ca_file=authority.ca_file)
    assert is_refused(bare)


def test_a_mongos_of_another_ca_or_name_is_not_trusted(start, authority, stranger):
    """No client's bytes reach an unverified server."""
    elsewhere = authority.issue("mongos", "DNS:mongos.example")
    sim = start(Sim, further=["--tls-cert-file", elsewhere])
    for name, tls, reason in (
            ("other_ca", {"ca_file": stranger.ca_file, "server_name": "mongos.example"},
             "certificate"),
            ("system_cas", {}, "certificate"),
            ("other_name", {"ca_file": authority.ca_file}, "mismatch"),
            ("wrong_name", {"ca_file": authority.ca_file, "server_name": "mongos.example.org"},
             "mismatch")):
        daemon = upstream_daemon(start, sim, name, **tls)
        assert is_refused(daemon)
        assert daemon.metrics().total("scattergate_upstream_connect_failures_total") >= 1
        assert reason in daemon.await_line(r'.*"id":1010\b.*')[0]
    right = upstream_daemon(start, sim, "right", ca_file=authority.ca_file,
                            server_name="mongos.example")
    assert ping(right) == 1


@pytest.mark.parametrize("alternative, is_trusted", [
    ("DNS:*.example.org", True), ("DNS:m*.example.org", False), ("DNS:*.org", False)])
def test_a_wildcard_stands_for_one_whole_label(start, authority, alternative, is_trusted):
    sim = start(Sim, further=["--tls-cert-file", authority.issue("mongos", alternative)])
    daemon = upstream_daemon(start, sim, ca_file=authority.ca_file,
                             server_name="mongos.example.org")
    if is_trusted:
        assert ping(daemon) == 1
    else:
        assert is_refused(daemon)


def test_a_plain_mongos_where_tls_is_configured_gets_no_command(start, sim, authority):
    daemon = upstream_daemon(start, sim, ca_file=authority.ca_file)
    assert is_refused(daemon)
    # It reads the hello as the beginning of a large message, and waits for the rest.
    wait_until(lambda: daemon.metrics().total("scattergate_upstream_connect_failures_total"),
               "the attempt to be given up")
    assert daemon.metrics().total("scattergate_reply_bytes_total") == 0


def test_ipv6_on_both_sides(start, secured, authority):
    sim = start(Sim, host="[::1]", further=["--tls-cert-file", authority.issue("mongos")])
    daemon = secured(sim.address, listen="[::1]:0", upstream_tls={"ca_file": str(authority.ca_file)})
    assert daemon.address.startswith("[::1]:")
    assert ping(daemon, "[::1]", tls=True, tlsCAFile=authority.ca_file) == 1


@pytest.fixture
def short_path():
    """A Unix socket's path has 107 bytes."""
    folder = tempfile.mkdtemp(prefix="scattergate-")
    yield pathlib.Path(folder)
    shutil.rmtree(folder)


@contextlib.contextmanager
def unix_upstream(path):
    """Answers every command with {ok: 1}, on a Unix socket."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def answer(peer):
        buffer = bytearray()
        with peer, contextlib.suppress(OSError):
            while data := peer.recv(1 << 16):
                buffer += data
                while message := take_message(buffer):
                    peer.sendall(op_msg({"ok": 1.0}, response_to=message.request_id))

    def accept():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    yield
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


class UnixClient(RawClient):
    def __init__(self, path, context=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self._buffer = bytearray()


@pytest.mark.parametrize("with_tls", [False, True])
def test_unix_sockets_on_both_sides(start, sim, authority, short_path, with_tls):
    """The first listener is TCP, for the daemon's address; the second is the one to test."""
    here, there = short_path / "in.sock", short_path / "out.sock"
    tls = {"tls": {"cert_file": str(authority.issue("proxy"))}} if with_tls else {}
    with unix_upstream(there):
        daemon = start(Daemon, sim.address, listeners=[
            {"listen": "127.0.0.1:0", "upstream": [sim.address]},
            {"listen": f"unix:{here}", "upstream": [f"unix:{there}"], **tls}])
        context = client_context(authority) if with_tls else None
        clients = [UnixClient(here, context) for _ in range(8)]  # on all workers
        for number, client in enumerate(clients):
            assert client.run(PING, number)["ok"] == 1
            client.socket.close()
        daemon.await_quiet()
        assert daemon.metrics().total("scattergate_commands_total", command="ping") == 8
        assert daemon.stop() == 0
    assert not here.exists()


def unix_uri(path):
    return "mongodb://" + urllib.parse.quote_plus(str(path))


def test_a_driver_comes_by_a_unix_socket(start, sim, short_path):
    here = short_path / "in.sock"
    daemon = start(Daemon, sim.address, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [sim.address]},
        {"listen": f"unix:{here}", "upstream": [sim.address]}])
    with pymongo.MongoClient(unix_uri(here)) as client:
        client.test.c.insert_many([{"_id": i} for i in range(1000)])
        assert len(list(client.test.c.find(batch_size=100))) == 1000
    daemon.stop()
    with pytest.raises(AutoReconnect):
        with pymongo.MongoClient(unix_uri(here), serverSelectionTimeoutMS=300) as client:
            client.admin.command("ping")
