"""A daemon of one worker for two listeners: a healthy application works next to anything that a test
does to the other one, on the same thread."""

import re

from healthy import HealthyClient
from malformed import PING
from processes import Daemon, Sim
from raw import RawClient
from upstream import Upstream, answer_all

CLOSED = "scattergate_connections_closed_total"


class Neighbours:
    def __init__(self, directory, **overrides):
        self.sim = Sim(directory)
        self.upstream = Upstream()
        self.daemon = Daemon(directory, self.sim.address, **{
            "workers": {"threads": 1},
            "listeners": [{"listen": "127.0.0.1:0", "upstream": [each.address]}
                          for each in (self.sim, self.upstream)], **overrides})
        ports = re.findall(r"127\.0\.0\.1:(\d+) for mongos", self.daemon.ready_line)
        self.healthy_port, self.port = map(int, ports)
        self.healthy = HealthyClient(self.healthy_port)
        self.healthy.check()

    def client(self, **options):
        """A client of the scripted upstream."""
        return RawClient(self.port, **options)

    def begin(self, script=answer_all):
        """Before a test: what the upstream does from now on, for new connections."""
        self.upstream.script = answer_all
        with self.client() as last:  # behind any of an earlier test: they are served in order
            assert last.run(PING)["ok"] == 1
        self.upstream.connections.clear()
        self.upstream.script = script

    def check(self):
        """After a test: the healthy client has noticed nothing."""
        assert self.daemon.is_alive(), self.daemon.stderr
        self.healthy.check()

    def closed(self, reason):
        return self.daemon.metrics().total(CLOSED, reason=reason)

    def stop(self):
        self.healthy.stop()
        self.daemon.await_quiet()
        metrics = self.daemon.metrics()
        assert metrics.total("scattergate_upstream_connections") == 0
        assert (metrics.total("scattergate_connections_accepted_total")
                == metrics.total(CLOSED))
        assert self.daemon.stop() == 0, self.daemon.stderr
        self.upstream.close()
        self.sim.stop()
