"""reload: on_change: files that change are read again, without a signal."""

import os
import shutil
import socket
import ssl
import time

import pytest

from certificates import Authority
from log_lines import lines_of
from processes import Daemon
from test_reload import FAILURES, REJECT, is_refused
from waiting import wait_until

RELOADS = "scattergate_config_reloads_total"
SUCCESSFUL = "scattergate_config_last_reload_successful"


def replace(path, text):
    """Writes a file as careful programs do."""
    fresh = path.with_suffix(".fresh")
    fresh.write_text(text)
    os.replace(fresh, path)


def changed_files(daemon):
    return [line["files"] for line in lines_of(daemon, 3007)]


@pytest.fixture
def watching(start, sim):
    def make(**options):
        return start(Daemon, sim.address, reload="on_change", **options)
    return make


def test_a_changed_configuration_applies_and_is_named(watching, connect):
    daemon = watching()
    client = connect(daemon, maxPoolSize=1)
    assert not is_refused(client)
    daemon.write_config(rules=[REJECT])
    wait_until(lambda: is_refused(client), "the rule")
    daemon.await_line(r'"id":3001\b')
    assert changed_files(daemon) == [str(daemon.config_path)]
    assert daemon.metrics().total(RELOADS) == 1 and daemon.metrics().total(FAILURES) == 0


def test_by_default_nothing_happens_without_a_signal(start, sim):
    daemon = start(Daemon, sim.address)
    daemon.write_config(rules=[REJECT])
    daemon.reload()  # by HUP; then the watch would have noticed, too
    daemon.write_config(reload="on_change", rules=[])
    daemon.reload()
    daemon.write_config(rules=[REJECT])
    daemon.await_metric(3, RELOADS)
    assert changed_files(daemon) == [str(daemon.config_path)]
    daemon.write_config(reload="on_signal")  # the last change that is noticed
    daemon.await_metric(4, RELOADS)
    daemon.write_config(rules=[])
    daemon.reload()
    assert daemon.metrics().total(RELOADS) == 5 and len(changed_files(daemon)) == 2


def test_bad_content_keeps_the_old_and_good_content_ends_the_condition(watching, connect):
    daemon = watching(rules=[REJECT])
    client = connect(daemon)
    good = daemon.config_path.read_text()
    replace(daemon.config_path, "rules: [{name: a, action: shoot}]\n")
    daemon.await_line(r'"id":3002\b.*shoot')
    assert is_refused(client) and daemon.metrics().total(SUCCESSFUL) == 0
    os.unlink(daemon.config_path)
    daemon.await_line(r'"id":3002\b.*No such file')
    replace(daemon.config_path, good)
    daemon.await_line(r'"id":3004\b')
    assert is_refused(client) and daemon.metrics().total(SUCCESSFUL) == 1


def test_a_catalog_its_chunks_and_accepted_findings_count(watching, tmp_path):
    catalog, chunks, accepted = (tmp_path / name for name in ("keys.yaml", "chunks.jsonl", "accepted.yaml"))
    chunks.write_text('{"min": {"a": {"$minKey": 1}}, "max": {"a": {"$maxKey": 1}}, "shard": "s0"}\n')
    accepted.write_text("schemaVersion: 1\naccepted: []\n")
    catalog.write_text("collections: [{namespace: a.b, shardKey: {a: 1}, chunksFile: chunks.jsonl}]\n")
    daemon = watching(catalog={"source": str(catalog)}, rules=[{"accepted": str(accepted)}])
    for done, file in enumerate((catalog, chunks, accepted), 1):
        replace(file, file.read_text() + "\n")
        daemon.await_line_count(r'"id":3001\b', done)
        assert changed_files(daemon)[-1] == str(file)
    chunks.write_text("{}\n")
    daemon.await_line(r'"id":7011\b.*chunks\.jsonl:1')


def mounted(folder, version, files):
    """A volume of Kubernetes: the names link to `..data/NAME`, and `..data` to the version's folder."""
    inner = folder / f"..{version}"
    inner.mkdir(parents=True)
    for name, source in files.items():
        shutil.copy(source, inner / name)
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")
    (folder / "..data_tmp").symlink_to(inner.name)
    os.replace(folder / "..data_tmp", folder / "..data")
    return folder


def served_certificate(daemon):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((daemon.address.rsplit(":", 1)[0], daemon.port)) as plain:
        with context.wrap_socket(plain) as secured:
            return secured.getpeercert(binary_form=True)


def test_a_secret_of_kubernetes_is_swapped(watching, tmp_path):
    authority = Authority(tmp_path / "tls")
    first = authority.issue("first")
    volume = mounted(tmp_path / "volume", "1", {"tls.pem": first})
    daemon = watching(listeners=[{"listen": "127.0.0.1:0", "upstream": ["127.0.0.1:1"],
                                  "tls": {"cert_file": str(volume / "tls.pem")}}])
    before = served_certificate(daemon)
    mounted(volume, "2", {"tls.pem": authority.issue("second")})
    wait_until(lambda: served_certificate(daemon) != before, "the new certificate")
    shutil.rmtree(volume / "..1")
    second = served_certificate(daemon)
    mounted(volume, "3", {"tls.pem": authority.issue("third")})
    wait_until(lambda: served_certificate(daemon) != second, "the next certificate")
    assert set(changed_files(daemon)) == {str(volume / "tls.pem")}


def test_a_certificate_with_the_wrong_key_isnt_used(watching, tmp_path):
    authority = Authority(tmp_path / "tls")
    wrong, right = (tmp_path / name for name in ("wrong.pem", "right.pem"))
    for name, file in (("one", right), ("two", wrong)):
        shutil.copy(authority.issue(name), file)
    tls = {"cert_file": str(right), "key_file": str(right)}
    daemon = watching(listeners=[{"listen": "127.0.0.1:0", "upstream": ["127.0.0.1:1"], "tls": tls}])
    before = served_certificate(daemon)
    daemon.write_config(listeners=[{**daemon.config["listeners"][0], "tls": {**tls, "key_file": str(wrong)}}])
    daemon.await_line(r'"id":3002\b.*wrong\.pem: not a usable private key: key values mismatch')
    assert served_certificate(daemon) == before
    replace(wrong, right.read_text())  # not a file of the configuration in use
    daemon.await_line(r'"id":3004\b')


def test_a_file_is_not_read_while_it_is_being_written(watching, tmp_path):
    """A program has written half of a catalog, which is a valid catalog, and waits."""
    catalog = tmp_path / "keys.yaml"
    line = "  - {namespace: a.%d, shardKey: {a: 1}}\n"
    catalog.write_text("collections:\n" + line % 0)
    daemon = watching(catalog={"source": str(catalog)})
    with open(catalog, "w") as writing:
        writing.write("collections:\n" + line % 1)
        writing.flush()
        time.sleep(2.5)  # longer than the watch waits for further changes
        assert lines_of(daemon, 3007) == []
        writing.write(line % 2)
    daemon.await_line(r'"id":3001\b.*"collections":2')
    assert len(lines_of(daemon, 3001)) == 1
