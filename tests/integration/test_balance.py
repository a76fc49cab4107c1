"""Each worker gets its share of the connections, however the kernel distributes them."""

import socket

import pytest

from processes import Daemon
from raw import op_msg
from waiting import PATIENCE

CLIENTS = 64
WORKERS = 4
MOST = 1.2 * CLIENTS / WORKERS


@pytest.fixture(params=["tcp", "unix"])
def daemon(request, start, sim, short_directory):
    listen = "127.0.0.1:0" if request.param == "tcp" else f"unix:{short_directory}/clients.sock"
    return start(Daemon, sim.address, listeners=[{"listen": listen, "upstream": [sim.address]}],
                 workers={"threads": WORKERS})


def opened(daemon, count):
    """Connections that have been served, so that each has its worker."""
    clients = []
    for _ in range(count):
        if daemon.port:
            client = socket.create_connection(("127.0.0.1", daemon.port), PATIENCE)
        else:
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(PATIENCE)
            client.connect(daemon.address.removeprefix("unix:"))
        clients.append(client)
        client.sendall(op_msg({"ping": 1, "$db": "admin"}))
        assert client.recv(1000)
    return clients


def by_worker(daemon):
    return [value for _, value in daemon.metrics().series("scattergate_worker_connections")]


def close(clients):
    for client in clients:
        client.close()


def test_no_worker_has_more_than_its_share(daemon):
    clients = opened(daemon, CLIENTS)
    shares = by_worker(daemon)
    assert len(shares) == WORKERS and sum(shares) == CLIENTS
    assert max(shares) <= MOST, shares
    close(clients)
    daemon.await_quiet()
    assert by_worker(daemon) == [0] * WORKERS


def test_new_connections_fill_the_gaps_that_others_have_left(daemon):
    clients = opened(daemon, CLIENTS)
    close(clients[::2])
    daemon.await_metric(CLIENTS / 2, "scattergate_connections")
    clients = clients[1::2] + opened(daemon, CLIENTS // 2)
    shares = by_worker(daemon)
    assert sum(shares) == CLIENTS
    assert max(shares) <= MOST, shares
    close(clients)
