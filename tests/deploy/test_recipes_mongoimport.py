"""The docs' mongoimport, before the simulator, where MongoDB's tools are installed."""

import shutil

import pymongo
import pytest

from processes import Sim
from recipes import NOT_ACCEPTED, aggregate, of, run

pytestmark = pytest.mark.skipif(shutil.which("mongoimport") is None, reason="mongoimport isn't here")


def test_mongoimport_takes_the_file_as_it_is(written, start):
    sim = start(Sim, preset=None)
    load, = (each for each in of("audit.md", "shell") if each.startswith("mongoimport"))
    run(written, load, URI=f"mongodb://{sim.address}")
    with pymongo.MongoClient("127.0.0.1", sim.port) as client:
        lines = (written / "audit.json").read_text().splitlines()
        assert client.audit.findings.count_documents({}) == len(lines)
        assert aggregate(client) == NOT_ACCEPTED
