"""proxy_protocol: v2 towards a mongos's loadBalancerPort, and drivers with loadBalanced=true."""

import socket

import pymongo
import pytest

from balancer import BalancerPort
from processes import Daemon, Sim
from raw import op_msg, take_message

PING = {"ping": 1, "$db": "admin"}


@pytest.fixture
def balancer(start):
    """Each connection must begin with a well-formed header."""
    made = BalancerPort(start(Sim).port)
    yield made
    made.close()
    assert made.malformed == []


def before(start, balancer, listen="127.0.0.1:0", **options):
    return start(Daemon, balancer.address, listeners=[
        {"listen": listen, "upstream": [balancer.address], "proxy_protocol": "v2", **options}])


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_mongos_learns_where_the_client_comes_from(start, balancer, host):
    daemon = before(start, balancer, f"[{host}]:0" if ":" in host else f"{host}:0")
    with socket.create_connection((host, daemon.port)) as client:
        client.sendall(op_msg(PING))
        assert take_message(bytearray(client.recv(4096))).body["ok"] == 1
        assert balancer.headers == [("PROXY", client.getsockname()[:2], (host, daemon.port))]


def test_a_client_of_a_unix_socket_has_no_address_to_report(start, balancer, short_directory):
    path = short_directory / "clients.sock"
    before(start, balancer, f"unix:{path}")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(op_msg(PING))
        assert take_message(bytearray(client.recv(4096))).body["ok"] == 1
    assert balancer.headers == [("PROXY", None, None)]


def test_a_driver_with_load_balanced_true(start, balancer):
    """Its cursors and transactions are pinned to a connection, which must be one to mongos too."""
    daemon = before(start, balancer)
    with pymongo.MongoClient("127.0.0.1", daemon.port, loadBalanced=True) as client:
        orders = client.shop.orders
        orders.insert_many([{"_id": i} for i in range(100)])
        cursor = orders.find({}, batch_size=10).sort("_id", 1)
        first = next(cursor)
        assert orders.count_documents({}) == 100  # over another connection meanwhile
        assert [first, *cursor] == [{"_id": i} for i in range(100)]
        assert client.topology_description.topology_type_name == "LoadBalanced"
    assert len(balancer.headers) >= 2
    assert {header[0] for header in balancer.headers} == {"PROXY"}
    daemon.await_quiet()
    metrics = daemon.metrics()
    assert metrics.total("scattergate_commands_total", command="getMore") == 9
    assert metrics.total("scattergate_commands_total", command="getMore", routing="unknown") == 0
