"""The docs' LogQL, asked of a real Loki that has the audit log line by line, where Loki is installed."""

import json
import shutil
import socket
import time
import urllib.parse
import urllib.request

import pytest
import yaml

from processes import Process
from recipes import NOT_ACCEPTED, counts, of
from waiting import PATIENCE, wait_until

pytestmark = pytest.mark.skipif(shutil.which("loki") is None, reason="Loki isn't here")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Loki(Process):
    """One process that keeps everything below `directory`."""

    def __init__(self, directory, name="loki"):
        self.port = free_port()
        config = {
            "auth_enabled": False,
            "analytics": {"reporting_enabled": False},
            "server": {"http_listen_address": "127.0.0.1", "http_listen_port": self.port,
                       "grpc_listen_address": "127.0.0.1", "grpc_listen_port": free_port()},
            "common": {"instance_addr": "127.0.0.1", "path_prefix": str(directory / "loki"), "replication_factor": 1,
                       "ring": {"kvstore": {"store": "inmemory"}},
                       "storage": {"filesystem": {"chunks_directory": str(directory / "chunks"),
                                                  "rules_directory": str(directory / "rules")}}},
            "schema_config": {"configs": [{"from": "2020-10-24", "store": "tsdb", "object_store": "filesystem",
                                           "schema": "v13", "index": {"prefix": "index_", "period": "24h"}}]},
        }
        (directory / "loki.yaml").write_text(yaml.safe_dump(config))
        super().__init__(name, ["loki", f"-config.file={directory / 'loki.yaml'}"], directory)
        wait_until(self._is_ready, "Loki to be ready")

    def _is_ready(self):
        try:
            return self._ask("/ready").startswith("ready")
        except OSError:
            return False

    def _ask(self, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def push(self, labels, lines):
        first = time.time_ns() - len(lines)
        values = [[str(first + at), line] for at, line in enumerate(lines)]
        self._ask("/loki/api/v1/push", json.dumps({"streams": [{"stream": labels, "values": values}]}).encode())

    def query(self, expression):
        # An instant query takes no lines, a range of time no sum.
        is_sum = expression.startswith("sum")
        path = "/loki/api/v1/query?" if is_sum else "/loki/api/v1/query_range?"
        said = json.loads(self._ask(path + urllib.parse.urlencode({"query": expression})))
        assert said["status"] == "success", said
        return said["data"]["result"]


def test_logql_adds_up_commands(written, start):
    loki = start(Loki)
    lines = (written / "audit.json").read_text().splitlines()
    loki.push({"app": "scattergate"}, lines)
    loki.push({"app": "another"}, ["{}"])
    plain, summed = of("audit.md", "logql")
    expected = sorted(line for line in lines if json.loads(line)["param"]["action"] != "accepted")
    found = wait_until(lambda: loki.query(plain), "what was pushed")
    assert sorted(line for stream in found for _, line in stream["values"]) == expected
    found = loki.query(summed)
    assert counts((row["value"][1], row["metric"]["param_ns"]) for row in found) == NOT_ACCEPTED
