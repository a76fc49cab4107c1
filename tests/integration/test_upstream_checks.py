"""Health checks ask every mongos, with and without clients, and a failure is reported within seconds."""

import itertools
import json
import re
import signal
import socket
import ssl
import time

import pytest

from certificates import Authority
from malformed import FIND, PING
from processes import OWN_HOST, Daemon, Sim, free_port
from raw import RawClient, op_msg
from upstream import OFTEN, Upstream, answer_all, swallow
from waiting import wait_until

UP = "scattergate_upstream_up"
FAILURES = "scattergate_upstream_failures_total"
CHECKS = "scattergate_upstream_health_checks_total"


def conditions(daemon):
    return [each for each in json.loads(daemon.get("/api/v1/status")[2])["conditions"] if each["active"]]


def await_condition(daemon):
    [condition] = wait_until(lambda: [each for each in conditions(daemon) if each["kind"] == "upstream_failing"],
                        "the condition")
    return condition


def upstreams(daemon):
    return {each["address"]: each["up"]
            for listener in json.loads(daemon.get("/api/v1/status")[2])["listeners"]
            for each in listener["upstreams"]}


def test_clients_whose_first_hello_hangs_wait_too(start):
    sim = start(Sim)
    daemon = start(Daemon, sim.address, failover=OFTEN)
    daemon.await_metric(1, UP, upstream=sim.address)
    sim.signal(signal.SIGSTOP)
    with RawClient(daemon.port) as client:
        client.send(op_msg({"hello": 1, "$db": "admin"}, 1))
        wait_until(lambda: "1 client waits for a reply" in await_condition(daemon)["detail"], "the client to be named")
        sim.signal(signal.SIGCONT)
        assert client.receive().body["ok"] == 1


def test_an_only_mongos_that_hangs_is_named_while_clients_wait(start):
    sim = start(Sim)
    daemon = start(Daemon, sim.address, failover=OFTEN)
    daemon.await_metric(1, UP, upstream=sim.address)
    assert upstreams(daemon) == {sim.address: True} and not conditions(daemon)
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        sim.signal(signal.SIGSTOP)
        client.send(op_msg(PING, 2))
        condition = await_condition(daemon)
        assert sim.address in condition["subject"] and daemon.address in condition["subject"]
        assert condition["detail"].startswith("no answer within 2 seconds")
        wait_until(lambda: "1 client waits for a reply" in await_condition(daemon)["detail"], "the client to be named")
        [listener] = json.loads(daemon.get("/api/v1/status")[2])["listeners"]
        assert listener["clientsWaiting"] == 1 and listener["longestWaitMillis"] >= 1000
        assert daemon.metrics().total(UP, upstream=sim.address) == 0
        assert daemon.metrics().total(FAILURES, upstream=sim.address, reason="timeout") >= 1
        assert upstreams(daemon) == {sim.address: False}
        daemon.await_line(r'.*"id":1015\b.*no answer within 2 seconds')
        assert "no answer within 2 seconds" in daemon.get("/")[2]
        sim.signal(signal.SIGCONT)
        assert client.receive().body["ok"] == 1
    daemon.await_metric(1, UP, upstream=sim.address)
    wait_until(lambda: not conditions(daemon), "the condition to end")
    daemon.await_line(r'.*"id":1016\b')


def test_a_mongos_that_refuses_is_named_before_any_client_comes(start):
    address = f"{OWN_HOST}:{free_port()}"
    daemon = start(Daemon, address, failover=OFTEN)
    assert await_condition(daemon)["detail"] == "Connection refused"
    assert daemon.metrics().total(FAILURES, upstream=address, reason="refused") >= 1
    there = Upstream(port=int(address.rsplit(":", 1)[1]), host=OWN_HOST)
    daemon.await_metric(1, UP, upstream=address)
    there.close()


def test_a_name_without_an_address_is_named(start):
    daemon = start(Daemon, "no-such-host.invalid:27017", failover=OFTEN)
    assert "resolved" in await_condition(daemon)["detail"]
    assert daemon.metrics().total(FAILURES, reason="dns") >= 1


@pytest.mark.parametrize("script, reason", [(lambda connection: None, "closed"), (swallow, "timeout")])
def test_a_mongos_that_gives_no_answer_is_named(start, upstream, script, reason):
    there = upstream(script)
    daemon = start(Daemon, there.address, failover=OFTEN)
    await_condition(daemon)
    assert daemon.metrics().total(FAILURES, upstream=there.address, reason=reason) >= 1
    there.script = answer_all
    daemon.await_metric(1, UP, upstream=there.address)


def test_tls_that_fails_is_named_for_its_listener_alone(start, tmp_path):
    authority = Authority(tmp_path)
    sim = start(Sim)
    broken = {"listen": "127.0.0.1:0", "upstream": [sim.address], "upstream_tls": {"ca_file": str(authority.ca_file)}}
    idle = {"listen": "127.0.0.1:0", "upstream": [sim.address]}
    daemon = start(Daemon, sim.address, listeners=[broken, idle], failover=OFTEN)
    condition = await_condition(daemon)
    assert daemon.addresses[0] in condition["subject"]
    daemon.await_metric(0, UP, listener=daemon.addresses[0])
    daemon.await_metric(1, UP, listener=daemon.addresses[1])
    assert daemon.metrics().total(FAILURES, listener=daemon.addresses[1]) == 0


def test_a_mongos_that_requires_our_certificate_is_named(start, upstream, tmp_path):
    """In TLS 1.3 the server's refusal comes after the handshake."""
    authority = Authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.issue("mongos"))
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority.ca_file)
    there = upstream(lambda connection: context.wrap_socket(connection.socket, server_side=True))
    daemon = start(Daemon, there.address, failover=OFTEN, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [there.address], "upstream_tls": {"ca_file": str(authority.ca_file)}}])
    assert "certificate required" in await_condition(daemon)["detail"]
    assert daemon.metrics().total(FAILURES, reason="tls") >= 1


def test_a_handshake_without_an_answer_is_named(start, upstream, tmp_path):
    there = upstream(swallow)
    authority = Authority(tmp_path)
    daemon = start(Daemon, there.address, failover=OFTEN, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [there.address], "upstream_tls": {"ca_file": str(authority.ca_file)}}])
    assert await_condition(daemon)["detail"] == "no answer to the TLS handshake within 2 seconds"


def test_tls_that_is_not_configured_is_thought_of(start, upstream):
    daemon = start(Daemon, upstream(lambda connection: None).address, failover=OFTEN)
    assert await_condition(daemon)["detail"].endswith("if it requires TLS, set upstream_tls")


def test_that_none_answers_names_each_cause(start, upstream):
    first, second = upstream(answer_all), f"{OWN_HOST}:{free_port()}"
    daemon = start(Daemon, first.address, failover=OFTEN,
                   listeners=[{"listen": "127.0.0.1:0", "upstream": [first.address, second],
                               "upstream_choice": "listed"}])
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        first.script = lambda connection: None
        for connection in first.connections:
            connection.socket.shutdown(socket.SHUT_RDWR)
        daemon.await_line(rf'"id":1012\b.*{re.escape(first.address)}: it closed the connection.*{re.escape(second)}: Connection refused')


def test_a_connection_is_kept_for_a_few_checks(start, upstream):
    """This avoids new connections all the time, but still detects a mongos that accepts none."""
    there = upstream(answer_all)
    daemon = start(Daemon, there.address, failover={"check_interval": "100ms"})
    checks = wait_until(lambda: (passed := daemon.metrics().total(CHECKS, result="passed")) >= 30 and passed, "30 checks")
    assert 2 <= len(there.connections) <= checks / 15 + 2
    there.close()
    await_condition(daemon)


def test_an_answer_to_an_earlier_hello_is_none(start, upstream):
    """A mongos that answers the first two requests, and then hangs."""
    def script(connection):
        there.script = swallow
        request = connection.message()
        connection.reply(request)
        connection.reply(request)
        swallow(connection)
    there = upstream(script)
    daemon = start(Daemon, there.address, failover=OFTEN)
    daemon.await_metric(1, UP, upstream=there.address)
    assert await_condition(daemon)["detail"].startswith("no answer within 2 seconds")
    assert daemon.metrics().total(CHECKS, result="passed") == 1


def test_a_kept_connection_that_was_closed_is_opened_anew(start, upstream):
    there = upstream(lambda connection: connection.reply(connection.message()))  # one answer each
    daemon = start(Daemon, there.address, failover={"check_interval": "100ms"})
    wait_until(lambda: daemon.metrics().total(CHECKS, result="passed") >= 5, "checks")
    assert daemon.metrics().total(CHECKS, result="failed") == 0


def test_the_standby_is_checked_too(start, upstream):
    first, second = upstream(answer_all), upstream(swallow)
    daemon = start(Daemon, first.address, failover=OFTEN,
                   listeners=[{"listen": "127.0.0.1:0", "upstream": [first.address, second.address]}])
    assert second.address in await_condition(daemon)["subject"]
    assert upstreams(daemon) == {first.address: True, second.address: False}
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1


def test_a_slow_reply_alone_is_no_condition(start, upstream):
    def script(connection):
        while request := connection.message():
            if "find" not in request.body:
                connection.reply(request)
    daemon = start(Daemon, upstream(script).address, failover=OFTEN)
    with RawClient(daemon.port) as client:
        client.send(op_msg(FIND))
        wait_until(lambda: json.loads(daemon.get("/api/v1/status")[2])["listeners"][0]["clientsWaiting"] == 1,
                   "the client that waits")
        assert not conditions(daemon)


def test_without_checks_nothing_is_asked_and_nothing_is_up(start, upstream):
    there = upstream(answer_all)
    daemon = start(Daemon, there.address, failover={"check_interval": "0s"})
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
    assert not daemon.metrics().series(UP)
    assert upstreams(daemon) == {there.address: None}
    assert len(there.connections) == 1


def slow_hellos(seconds):
    def script(connection):
        while request := connection.message():
            time.sleep(seconds)
            connection.reply(request)
    return script


def test_the_time_of_a_check_is_a_setting(start, upstream):
    there = upstream(slow_hellos(0.4))
    daemon = start(Daemon, there.address, failover={**OFTEN, "check_timeout": "200ms"})
    assert await_condition(daemon)["detail"] == "no answer within 200 ms"
    patient = start(Daemon, there.address, name="patient", failover={**OFTEN, "check_timeout": "20s"})
    patient.await_metric(1, UP)
    assert patient.metrics().total(CHECKS, result="failed") == 0


def failing_at(*numbers):
    """Closes the connection instead of an answer to these checks."""
    checks = itertools.count(1)

    def script(connection):
        while request := connection.message():
            if next(checks) in numbers:
                return
            connection.reply(request)
    return script


def test_a_mongos_is_left_after_as_many_failed_checks_as_set(start, upstream):
    first, second = upstream(answer_all), upstream(answer_all)
    daemon = start(Daemon, first.address, failover={**OFTEN, "fall": 4},
                   listeners=[{"listen": "127.0.0.1:0", "upstream": [first.address, second.address],
                               "upstream_choice": "listed"}])
    with RawClient(daemon.port) as client:
        assert client.run(PING)["ok"] == 1
        daemon.await_metric(1, UP, upstream=second.address)
        first.script = lambda connection: None
        for connection in first.connections[1:]:
            connection.socket.shutdown(socket.SHUT_RDWR)
        assert client.receive() is None
    daemon.await_metric(1, "scattergate_upstream_active", upstream=second.address)
    assert daemon.metrics().total(FAILURES, upstream=first.address, reason="closed") >= 4


def test_a_mongos_is_well_after_as_many_passed_checks_as_set(start, upstream):
    """A kept connection that closes isn't a failure: the next one decides."""
    there = upstream(failing_at(2, 3, 5, 6, 8, 9))
    daemon = start(Daemon, there.address, failover={"check_interval": "100ms", "rise": 3})
    await_condition(daemon)
    wait_until(lambda: not conditions(daemon), "the condition to end")
    metrics = daemon.metrics()
    assert metrics.total(CHECKS, result="failed") == 3
    assert metrics.total(CHECKS, result="passed") >= 6  # one at first, two between failures, three in a row
    assert len(re.findall(r'"id":1016\b', daemon.stderr)) == 1


def test_readiness_includes_mongos_where_it_is_asked_to(start, upstream):
    """For a shared proxy behind a load balancer. Plain readiness doesn't change."""
    first, second = upstream(answer_all), upstream(answer_all)
    daemon = start(Daemon, first.address, failover=OFTEN, listeners=[
        {"listen": "127.0.0.1:0", "upstream": [each.address]} for each in (first, second)])
    wait_until(lambda: daemon.get("/readyz?mongos")[0] == 200, "the first checks")
    assert "[+]mongos ok\nready\n" in daemon.get("/readyz?verbose&mongos")[2]
    second.close()
    wait_until(lambda: daemon.get("/readyz?mongos")[0] == 503, "the failed check")
    assert daemon.get("/readyz?mongos")[2] == f"no mongos answers, behind {daemon.addresses[1]}\n"
    assert "[-]mongos failed\n" in daemon.get("/readyz?mongos&verbose")[2]
    assert "mongos" not in daemon.get("/readyz?verbose")[2]
    for plain in ("/readyz", "/readyz?mongosh", "/readyz?verbose"):
        assert daemon.get(plain)[0] == 200
    again = Upstream(port=second.port)
    wait_until(lambda: daemon.get("/readyz?mongos=1")[0] == 200, "readiness")
    again.close()


def test_readiness_with_mongos_waits_for_the_first_check(start, upstream):
    there = upstream(swallow)
    daemon = start(Daemon, there.address, failover={**OFTEN, "check_timeout": "1m"})
    assert daemon.get("/readyz?mongos")[0] == 503
    assert "has passed a health check yet" in daemon.get("/readyz?mongos")[2]
    unchecked = start(Daemon, there.address, name="unchecked", failover={"check_interval": "0s"})
    assert unchecked.get("/readyz?mongos")[0] == 200
