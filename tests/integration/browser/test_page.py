"""The page at the admin address, in a real browser, before a real daemon."""

import json
import signal
import socket
import urllib.parse

import pytest
from bson import ObjectId

import traffic
from processes import Daemon
from waiting import wait_until

LOOKS = [("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)]
WORST = "find yorkie-meta.documents"


def send(connect, daemon, rounds=range(3)):
    """Careless finds on documents, the worst there is, beside what is routed well; and those on
    revisions, which the rule accepts."""
    client = connect(daemon, appname="careless-shop")
    for number in rounds:
        traffic.mixed_round(client, number)
        for _ in range(5):
            client[traffic.DATABASE].documents.find_one({"key": "k"}, comment="orders.go:42")
    client.close()
    daemon.await_quiet()
    wait_until(lambda: seen(daemon) >= counted(daemon), "the digest to have what was counted")


def seen(daemon):
    return json.loads(daemon.get("/api/v1/shapes")[2])["totals"]["commands"]


def counted(daemon):
    return daemon.metrics().total("scattergate_commands_total")


@pytest.fixture(name="busy")
def busy_daemon(placed, connect):
    send(connect, placed)
    return placed


@pytest.fixture(name="tab")
def tab_of_busy(open_tab, busy):
    return open_tab(busy.admin + "/").await_findings()


@pytest.mark.parametrize("scheme, width", LOOKS)
def test_axe_finds_nothing(open_tab, busy, scheme, width):
    tab = open_tab(busy.admin + "/", scheme, width).await_findings()
    assert tab.axe() == {}
    tab.page.keyboard.press("?")
    assert tab.axe() == {}
    assert not tab.is_wider_than_its_window()
    assert tab.complaints == []


@pytest.mark.parametrize("scheme, width", LOOKS)
def test_axe_finds_nothing_in_what_the_server_writes(open_tab, busy, scheme, width):
    """Scripts don't run there, axe neither: so with its own kept from loading."""
    tab = open_tab("about:blank", scheme, width)
    tab.page.route("**/page.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    tab.page.goto(busy.admin + "/")
    assert tab.axe() == {}
    assert not tab.is_wider_than_its_window()
    assert tab.complaints == []


def test_the_worst_is_told_without_a_keystroke_and_the_next_with_two(tab):
    open_one = "#findings details[open]"
    for words in (WORST, "lacks project_id", "careless-shop", "orders.go:42", "Add equality on project_id"):
        assert words in tab.text(open_one)
    tab.page.keyboard.press("j")
    assert tab.page.evaluate("document.activeElement.parentElement.open")
    tab.page.keyboard.press("j")
    tab.page.keyboard.press("Enter")
    tab.await_text(open_one, "aggregate yorkie-meta.documents")
    assert tab.page.locator(open_one).count() == 1
    tab.await_text(open_one, "Fix: ")


def test_keys_filter_copy_help_and_can_be_switched_off(tab):
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.page.keyboard.press("c")
    tab.await_text("#findings .paste", "copied")
    assert tab.page.evaluate("navigator.clipboard.readText()").startswith("db.getSiblingDB(")
    tab.page.keyboard.press("/")
    tab.page.keyboard.type("aggregate")
    tab.await_no_text("#findings .list", WORST)
    assert "aggregate yorkie-meta.documents" in tab.text("#findings .list")
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("?")
    tab.await_text("#help", "next shape")
    tab.page.locator("#letters").uncheck()
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("/")
    assert tab.page.evaluate("document.activeElement.id") != "filter"


def test_a_link_names_a_view(tab, open_tab, busy):
    tab.page.locator("#filter").fill("documents")
    tab.page.locator("#findings select").first.select_option("count")
    tab.page.locator("#findings summary").nth(1).click()
    tab.await_text("#findings details[open]", "aggregate")
    view = urllib.parse.parse_qs(urllib.parse.urlsplit(tab.page.url).query)
    assert view["q"] == ["documents"] and view["sort"] == ["count"] and len(view["shape"][0]) == 16
    same = open_tab(tab.page.url).await_findings()
    assert same.page.locator("#filter").input_value() == "documents"
    assert same.page.locator("#findings select").first.input_value() == "count"
    assert same.text("#findings details[open] summary .what") == tab.text("#findings details[open] summary .what")
    tab.page.go_back()
    tab.await_text("#findings details[open]", WORST)


def test_what_is_accepted_and_getmores_are_no_findings(tab):
    assert "revisions" not in tab.text("#findings .list")
    tab.page.get_by_role("button", name="Accepted 1").click()
    tab.await_text("#findings .list", "find yorkie-meta.revisions")
    tab.page.get_by_role("button", name="getMore").click()
    tab.await_no_text("#findings .list", "yorkie-meta.revisions")
    tab.await_no_text("#findings .list", WORST)


def test_it_follows_the_daemon(tab, busy, connect):
    tab.await_text("#findings summary", "18 commands")
    send(connect, busy, rounds=[3])
    tab.await_text("#findings summary", "24 commands")
    assert tab.complaints == []


def test_what_is_wrong_is_on_top_within_moments_and_its_end_too(tab, busy):
    good = busy.config_path.read_text()
    assert "Nothing is wrong" in tab.text("#wrong")
    busy.config_path.write_text("listners: []")
    busy.signal(signal.SIGHUP)
    tab.await_text("#wrong .condition.error", "listners")
    assert "(1) scattergate" in tab.page.title()
    busy.config_path.write_text(good)
    busy.reload()
    tab.await_text("#wrong", "1 over within the last hour")
    assert tab.axe() == {} and tab.complaints == []


@pytest.mark.parametrize("script", [True, False])
def test_a_mongos_out_of_reach_is_named(start, open_tab, script):
    daemon = start(Daemon, "127.0.0.1:1")
    with socket.create_connection(("127.0.0.1", daemon.port)) as client:
        client.recv(1)
    tab = open_tab(daemon.admin + "/", script=script)
    tab.await_text("#wrong .condition.error", "127.0.0.1:1")
    assert "Connection refused" in tab.text("#wrong")


def test_without_javascript_it_says_the_essential(open_tab, busy):
    tab = open_tab(busy.admin + "/", script=False)
    text = tab.page.locator("#findings li").first.inner_text()
    for words in (WORST, "lacks project_id", "careless-shop", "orders.go:42", "add equality on project_id", "explain:"):
        assert words in text
    assert "Nothing" in tab.text("#wrong")
    assert "yorkie-meta.documents" in tab.text("#collections")


def test_names_of_clients_are_nothing_but_text(open_tab, placed, connect):
    client = connect(placed, appname="<img src=x onerror=alert(1)>\u202egnp")
    client[traffic.DATABASE].documents.find_one({"<b>\u202eeman": ObjectId()}, comment="<script>alert(1)</script>\u0007")
    client.close()
    placed.await_quiet()
    tab = open_tab(placed.admin + "/").await_findings()
    text = tab.text("#findings")
    assert "<img src=x" in text and "<script>" in text and "\\u202e" in text and "\\u0007" in text
    assert "\u202e" not in text and "\u0007" not in text
    assert tab.page.locator("#findings img, #findings script").count() == 0
    assert tab.complaints == []


def test_a_daemon_that_is_gone_is_said_to_be(start, open_tab, busy):
    tab = open_tab(busy.admin + "/").await_findings()
    busy.stop()
    tab.await_text("#wrong", "The daemon doesn't answer")
    assert WORST in tab.text("#findings")
