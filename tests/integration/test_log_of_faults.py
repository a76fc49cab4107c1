"""Each fault is logged once, however often it occurs, and so is its end."""

import contextlib
import json
import os
import socket

import pytest

from certificates import Authority
from log_lines import await_one, lines_of
from malformed import PING
from processes import OWN_HOST, Daemon, Sim, free_port
from raw import RawClient, header, op_msg
from upstream import Upstream, swallow
from waiting import wait_until

GARBAGE = header(7) + b"x" * 32  # shorter than a header


def is_closed(daemon, data=b"", source=None):
    """Whether a connection that sends this comes to its end."""
    with socket.create_connection(("127.0.0.1", daemon.port), 60,
                                  source_address=source) as client:
        client.sendall(data)
        with contextlib.suppress(ConnectionError):
            return client.recv(1000) == b""
        return True


def test_a_mongos_that_refuses_and_is_back(start):
    port = free_port()
    daemon = start(Daemon, f"{OWN_HOST}:{port}")
    assert all(is_closed(daemon) for _ in range(20))
    found = await_one(daemon, 1012)
    refused = f"{OWN_HOST}:{port}: Connection refused"
    assert found == {"s": "E", "subject": f"{OWN_HOST}:{port}", "listener": daemon.address, "detail": refused}
    assert not lines_of(daemon, 1013)
    upstream = Upstream(port=port, host=OWN_HOST)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    ended = await_one(daemon, 1013)
    assert ended["s"] == "I" and ended["count"] == 20 and ended["lastedSeconds"] > 0
    assert ended["was"] == refused and "detail" not in ended
    assert len(lines_of(daemon, 1012)) == 1
    upstream.close()


def test_the_same_mongos_behind_two_listeners_is_two_conditions(start):
    upstream = f"{OWN_HOST}:{free_port()}"
    daemon = start(Daemon, upstream, listeners=[{"listen": "127.0.0.1:0", "upstream": [upstream]}] * 2)
    for address in daemon.addresses:
        with RawClient(int(address.rsplit(":", 1)[1])) as client:
            assert client.receive() is None
    wait_until(lambda: len(lines_of(daemon, 1012)) == 2, "both lines")
    assert {each["listener"] for each in lines_of(daemon, 1012)} == set(daemon.addresses)


def test_a_name_that_no_one_knows(start):
    daemon = start(Daemon, "no-such-host.invalid:27017")
    with RawClient(daemon.port) as client:
        assert client.receive() is None
        found = await_one(daemon, 1012, "no-such-host.invalid:27017")
    assert "no-such-host.invalid:27017" in found["detail"]
    assert "can't be resolved" in found["detail"] or "no connection within" in found["detail"]


def test_every_upstream_with_its_error_and_the_one_that_is_used_instead(start):
    sim, port = start(Sim), free_port()
    daemon = start(Daemon, sim.address, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [f"{OWN_HOST}:{port}", sim.address],
         "upstream_choice": "listed"}])
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    [found] = lines_of(daemon, 1011)
    assert found["to"] == sim.address and found["why"] == f"{OWN_HOST}:{port}: Connection refused"
    sim.stop()
    assert is_closed(daemon)
    assert await_one(daemon, 1012)["detail"].count("Connection refused") == 2


@pytest.mark.parametrize("limits, line, severity, name", [
    ({"connections": 1}, 1038, "E", "limits.connections"),
    ({"connections_per_address": 1}, 1030, "W", "limits.connections_per_address, 127.0.0.1")])
def test_too_many_connections(start, sim, limits, line, severity, name):
    daemon = start(Daemon, sim.address, limits=limits)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        assert all(is_closed(daemon) for _ in range(10))
        found = await_one(daemon, line)
    assert found == {"s": severity, "subject": name,
                    "detail": "1 are open; further ones are refused"}


@pytest.mark.parametrize("limits, data, name", [
    ({"first_message": "200ms"}, b"", "limits.first_message"),
    ({"message": "200ms"}, op_msg(PING) + op_msg(PING)[:20], "limits.message"),
    ({"message_size": "64KiB"}, header(100_000), "limits.message_size")])
def test_a_client_that_is_too_slow_or_sends_too_much(start, sim, limits, data, name):
    daemon = start(Daemon, sim.address, limits=limits)
    with socket.create_connection(("127.0.0.1", daemon.port), 60) as client:
        client.sendall(data)
        while client.recv(1000):
            pass
    assert await_one(daemon, 1030)["subject"] == f"{name}, 127.0.0.1"


def test_no_memory_within_the_limit(start):
    upstream = Upstream(swallow)
    daemon = start(Daemon, upstream.address, limits={"memory": "1MiB"})
    with RawClient(daemon.port) as client:
        client.send(op_msg({"find": "c", "$db": "d", "filter": {"t": "x" * 3_000_000}}))
        assert await_one(daemon, 1030)["subject"] == "limits.memory"
    upstream.close()


def test_more_shapes_and_collections_than_have_labels(start, sim, connect):
    daemon = start(Daemon, sim.address, audit={"max_shapes": 1}, metrics={"max_namespaces": 1})
    client = connect(daemon)
    for name in ("documents", "clients", "users"):
        client["yorkie-meta"][name].find_one({name: 1})
    await_one(daemon, 1030, "audit.max_shapes")
    client["yorkie-meta"].documents.find_one({"again": 1})
    await_one(daemon, 1030, "metrics.max_namespaces")


def test_more_admin_connections_than_there_is_room_for(start, sim):
    daemon = start(Daemon, sim.address)
    port = int(daemon.admin.rsplit(":", 1)[1])
    with contextlib.ExitStack() as held:
        for _ in range(70):
            held.enter_context(socket.create_connection(("127.0.0.1", port), 60))
        assert daemon.get("/healthz")[0] == 200
        await_one(daemon, 1030, "admin connections")


def test_a_peer_that_breaks_the_protocol(start, sim):
    daemon = start(Daemon, sim.address)
    assert all(is_closed(daemon, GARBAGE) for _ in range(50))
    assert await_one(daemon, 1032) == {"s": "W", "subject": "127.0.0.1", "listener": daemon.address,
                                       "detail": "bad_length"}


def test_a_mongos_that_breaks_the_protocol(start):
    def script(connection):
        connection.message()
        connection.send(GARBAGE)
        connection.read()
    upstream = Upstream(script)
    daemon = start(Daemon, upstream.address)
    assert is_closed(daemon, op_msg(PING))
    found = await_one(daemon, 1032)
    assert found["subject"] == upstream.address and found["listener"] == daemon.address
    upstream.close()


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"POST /x HTTP/1.1\r\nHost: x\r\n\r\n",
                                  b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
def test_http_on_the_port_of_mongodb_is_named(start, sim, data):
    daemon = start(Daemon, sim.address)
    assert is_closed(daemon, data)
    found = await_one(daemon, 1032)
    assert (found["subject"], found["detail"]) == ("127.0.0.1", "http_request")
    assert daemon.metrics().total("scattergate_wire_errors_total", reason="http_request") == 1


def test_the_worst_client_is_named_among_many_strangers(start, sim):
    daemon = start(Daemon, sim.address)
    for number in range(100):
        assert is_closed(daemon, GARBAGE, source=(f"127.0.1.{number + 1}", 0))
        if number >= 50:
            assert is_closed(daemon, GARBAGE, source=("127.0.3.1", 0))
    await_one(daemon, 1032, "others")
    await_one(daemon, 1032, "127.0.3.1")
    assert len(lines_of(daemon, 1032)) <= 66


def test_many_strangers_are_few_lines(start, sim):
    daemon = start(Daemon, sim.address)
    for number in range(200):
        assert is_closed(daemon, GARBAGE, source=(f"127.0.1.{number + 1}", 0))
    await_one(daemon, 1032, "others")
    assert len(lines_of(daemon, 1032)) <= 33


def test_a_clients_handshake_that_fails(start, sim, tmp_path):
    authority = Authority(tmp_path / "tls")
    listener = {"listen": "127.0.0.1:0", "upstream": [sim.address],
                "tls": {"cert_file": str(authority.issue("proxy"))}}
    daemon = start(Daemon, sim.address, listeners=[listener])
    assert all(is_closed(daemon, b"\x16\x03\x01" + b"nonsense" * 10) or True for _ in range(10))
    found = await_one(daemon, 1034)
    assert found["subject"] == "127.0.0.1" and found["listener"] == daemon.address and found["detail"]
    assert is_closed(daemon, op_msg(PING))
    assert await_one(daemon, 1032)["detail"] == "not_tls"


def test_a_section_of_an_unknown_kind_that_a_rule_refuses(start, sim):
    daemon = start(Daemon, sim.address, rules=[
        {"name": "no-scatter", "match": {"namespace": "yorkie-meta.*"}, "action": "reject"}])
    strange = bytearray(op_msg(PING))
    strange[20] = 77  # the section's kind
    with RawClient(daemon.port) as client:
        client.send(bytes(strange))
        assert b"no-scatter" in client.receive().data
    assert await_one(daemon, 1036) == {"s": "E", "subject": "127.0.0.1",
                                       "detail": "by rule 'no-scatter'"}


def test_a_mongos_that_is_not_trusted_and_then_is(start, tmp_path):
    authority, other = Authority(tmp_path / "tls"), Authority(tmp_path / "other")
    sim = start(Sim, further=["--tls-cert-file", authority.issue("mongos")])

    def trusting(whom):
        return [{"listen": "127.0.0.1:0", "upstream": [sim.address],
                 "upstream_tls": {"ca_file": str(whom.ca_file)}}]
    daemon = start(Daemon, sim.address, listeners=trusting(other))
    assert all(is_closed(daemon) for _ in range(10))
    found = await_one(daemon, 1010, sim.address)
    assert "certificate" in found["detail"]
    daemon.write_config(listeners=trusting(authority))
    daemon.reload()
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    await_one(daemon, 1014, sim.address)


def careless(client, field):
    client["yorkie-meta"].documents.find_one({field: 1})


def test_an_audit_log_on_a_full_disk_and_on_one_with_room(start, sim, connect, tmp_path):
    os.symlink("/dev/full", tmp_path / "audit")
    daemon = start(Daemon, sim.address, audit={"file": str(tmp_path / "audit")})
    client = connect(daemon)
    careless(client, "key")
    found = await_one(daemon, 5002)
    assert found == {"s": "E", "subject": str(tmp_path / "audit"),
                    "detail": "No space left on device"}
    os.unlink(tmp_path / "audit")
    daemon.signal(10)  # USR1
    await_one(daemon, 5003)
    client.close()
    assert daemon.stop() == 0
    assert (tmp_path / "audit").read_text().count("scattergate.finding") == 1


def test_findings_that_are_lost_at_the_end_make_the_status_1(start, sim, connect):
    daemon = start(Daemon, sim.address, audit={"file": "/dev/full"})
    daemon.ends_with = 1
    client = connect(daemon)
    for field in ("key", "name", "name"):
        careless(client, field)
    client.close()
    assert daemon.stop() == 1
    [found] = lines_of(daemon, 5004)
    assert found == {"s": "E", "findings": 3, "file": "/dev/full"}
    assert "scattergate: 3 findings could not be written to the audit log" in daemon.stderr


def test_a_state_file_that_cannot_be_written_and_then_can(start, sim, tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    daemon = start(Daemon, sim.address, state={"file": str(folder / "s"), "interval": "1s"})
    wait_until((folder / "s").exists, "the state file")
    folder.rename(tmp_path / "gone")
    found = await_one(daemon, 5012)
    assert found["subject"] == str(folder / "s") and "No such file or directory" in found["detail"]
    folder.mkdir()
    await_one(daemon, 5013)


def test_a_state_file_that_another_process_has(start, sim, tmp_path):
    kept = {"state": {"file": str(tmp_path / "state"), "interval": "1s"}}
    first = start(Daemon, sim.address, name="first", **kept)
    second = start(Daemon, sim.address, name="second", **kept)
    not_saved = "State not saved: another process holds the lock"
    assert second.find_line(r'"id":5012\b'), "logged before it was ready"
    found = await_one(second, 5012)
    assert found["s"] == "E" and found["detail"] == not_saved
    conditions = json.loads(second.get("/api/v1/status")[2])["conditions"]
    assert [each["detail"] for each in conditions if each["active"]] == [not_saved]
    saved = json.loads(second.get("/api/v1/status")[2])["state"]
    assert saved["failing"] is True and saved["reason"] == not_saved
    assert second.metrics().total("scattergate_state_write_failures_total") >= 1
    assert not lines_of(first, 5012)
    assert first.stop() == 0
    await_one(second, 5013)
    assert second.stop() == 0 and not lines_of(second, 5014)


def test_a_state_file_that_another_process_keeps(start, sim, tmp_path):
    kept = {"state": {"file": str(tmp_path / "state")}}
    first = start(Daemon, sim.address, name="first", **kept)
    second = start(Daemon, sim.address, name="second", **kept)
    assert second.stop() == 0
    assert [found["s"] for found in lines_of(second, 5014)] == ["E"]
    assert first.is_alive()


def test_a_catalog_that_cannot_be_read_and_then_can(start):
    sim = start(Sim, host=OWN_HOST)
    daemon = start(Daemon, sim.address, catalog={"source": "mongos", "refresh": "1s"})
    daemon.await_line(r'"id":7001\b')
    assert sim.stop() == 0
    found = await_one(daemon, 7002)
    assert found["s"] == "W" and found["detail"].startswith("unreachable: ")
    again = start(Sim, name="again", host=OWN_HOST, port=sim.port)
    await_one(daemon, 7006)
    assert again.is_alive()


def test_a_reload_that_fails_and_its_mend(start, sim):
    daemon = start(Daemon, sim.address)
    good = daemon.config_path.read_text()
    successful = "scattergate_config_last_reload_successful"
    assert daemon.metrics().total(successful) == 1
    daemon.config_path.write_text("nonsense: 1\n")
    daemon.reload()
    assert str(daemon.config_path) + ":1" in await_one(daemon, 3002)["detail"]
    assert daemon.metrics().total(successful) == 0
    daemon.config_path.write_text(good)
    daemon.reload()
    await_one(daemon, 3004)
    assert daemon.metrics().total(successful) == 1


def test_every_setting_that_a_reload_ignores(start, sim):
    daemon = start(Daemon, sim.address)
    before = dict(daemon.config["workers"])
    daemon.write_config(workers={"threads": 3}, state={"file": "/tmp/other"},
                        limits={"memory": "1GiB", "connections": 7})
    for _ in range(3):
        daemon.reload()
    found = lines_of(daemon, 3003)
    assert [each["subject"] for each in found] == ["workers.threads", "state.file", "limits.memory"]
    assert found[1]["detail"] == "is not set, would be /tmp/other after a restart"
    daemon.write_config(workers=before)
    daemon.reload()
    ended = await_one(daemon, 3005)
    assert ended["subject"] == "workers.threads" and ended["was"].startswith("is 2, would be 3")
    assert "Setting reverted; no restart needed" in daemon.stderr


def test_a_certificate_that_has_expired_and_its_replacement(start, sim, tmp_path):
    authority = Authority(tmp_path / "tls")
    proxy = authority.issue("proxy")
    authority.last("proxy", days=-1)
    daemon = start(Daemon, sim.address, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [sim.address], "tls": {"cert_file": str(proxy)}}])
    found = await_one(daemon, 1040)
    assert found["subject"] == str(proxy) and found["detail"].startswith("valid until 20")
    authority.last("proxy", days=3)
    daemon.reload()
    await_one(daemon, 1041)
    await_one(daemon, 1042)
    authority.last("proxy", days=100)
    daemon.reload()
    await_one(daemon, 1043)


def test_the_log_is_for_its_owner_and_group(start, sim, tmp_path):
    before = os.umask(0)
    try:
        start(Daemon, sim.address, log={"file": str(tmp_path / "new" / "log")})
    finally:
        os.umask(before)
    assert os.stat(tmp_path / "new" / "log").st_mode & 0o777 == 0o640
