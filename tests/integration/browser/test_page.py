"""The page at the admin address, in a real browser, before a real daemon."""

import contextlib
import csv
import json
import signal
import socket
import urllib.parse
from datetime import datetime, timedelta

import pytest
from bson import ObjectId
from pymongo.errors import OperationFailure

import traffic
from processes import Daemon
from waiting import wait_until

LOOKS = [("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)]
WORST = "find yorkie-meta.documents"


def send(connect, daemon, rounds=range(3)):
    """Careless finds on documents, the worst finding, next to well-routed commands; and finds on revisions, which
    the rule accepts."""
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


def rows(tab):
    """The list's rows, in order: "find yorkie-meta.documents"."""
    return tab.page.evaluate("""[...document.querySelectorAll('#findings .list > li')].map(
        row => row.querySelector('.command').textContent + ' ' + row.querySelector('.what b').textContent)""")


def await_rows(tab, expected):
    shown = []

    def look():
        shown[:] = rows(tab)
        return shown == expected
    try:
        wait_until(look, "")
    except AssertionError:
        raise AssertionError(f"the list shows {shown}, not {expected}") from None


def order(tab):
    return tab.page.locator("#findings select").first


def query_of(tab):
    return {name: value for name, [value] in urllib.parse.parse_qs(urllib.parse.urlsplit(tab.page.url).query).items()}


def open_altered(open_tab, daemon, path="/", **changes):
    """The page of a daemon whose answers are changed on their way, each by its function; without events."""
    tab = open_tab("about:blank")
    tab.page.route("**/api/v1/events", lambda route: route.fulfill(status=503, body=""))
    for what, change in changes.items():
        def answer(route, *, what=what, change=change):
            body = json.loads(daemon.get("/api/v1/" + what)[2])
            change(body)
            route.fulfill(json=body)
        tab.page.route(f"**/api/v1/{what}", answer)
    tab.page.goto(daemon.admin + path)
    return tab.await_findings()


def await_events(tab, count):
    """Waits until the daemon has sent this number of per-second events."""
    tab.page.evaluate("""count => new Promise(done => {
        const events = new EventSource("api/v1/events");
        events.addEventListener("now", () => { if (--count === 0) { events.close(); done(); } });
    })""", count)


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
    """axe can't run without scripts, so only the page's own script is blocked."""
    tab = open_tab("about:blank", scheme, width)
    tab.page.route("**/page.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    tab.page.goto(busy.admin + "/")
    assert tab.axe() == {}
    assert not tab.is_wider_than_its_window()
    assert tab.complaints == []


def test_the_worst_shows_without_a_keystroke_and_the_next_with_two(tab):
    open_one = "#findings details[open]"
    for words in (WORST, "lacks project_id", "careless-shop", "orders.go:42", "Add equality or a range on project_id"):
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
    tab.await_text("#health .mark.bad", "last reload failed")
    busy.config_path.write_text(good)
    busy.reload()
    tab.await_text("#wrong", "1 resolved in the last hour")
    tab.await_no_text("#health .mark.bad", "last reload failed")
    assert tab.axe() == {} and tab.complaints == []


@pytest.mark.parametrize("script", [True, False])
def test_a_mongos_out_of_reach_is_named(start, open_tab, script):
    daemon = start(Daemon, "127.0.0.1:1")
    with socket.create_connection(("127.0.0.1", daemon.port)) as client:
        client.recv(1)
    tab = open_tab(daemon.admin + "/", script=script)
    tab.await_text("#wrong .condition.error", "127.0.0.1:1")
    assert "Connection refused" in tab.text("#wrong")
    if script:
        link = tab.page.locator("#wrong .condition.error a", has_text="runbook").first
        assert link.get_attribute("href").startswith("runbook#")
        assert (link.get_attribute("target"), link.get_attribute("rel")) == ("_blank", "noopener")
        tab.page.locator("#headline.down").wait_for()
        tab.await_title(tab.text("#headline") + " - scattergate")


def test_without_javascript_it_says_the_essential(open_tab, busy):
    tab = open_tab(busy.admin + "/", script=False)
    text = tab.page.locator("#findings li").first.inner_text()
    for words in (WORST, "lacks project_id", "careless-shop", "orders.go:42", "add equality or a range on project_id", "explain:"):
        assert words in text
    assert "Nothing" in tab.text("#wrong")
    assert "yorkie-meta.documents" in tab.text("#collections")


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_without_javascript_no_label_overlaps_another(open_tab, busy, width):
    tab = open_tab(busy.admin + "/", script=False, width=width)
    overflowing = tab.page.evaluate("""() => [...document.querySelectorAll("#findings .num")]
        .filter(each => each.scrollWidth > each.clientWidth).map(each => each.innerText)""")
    assert tab.page.locator("#findings .num").count() > 1 and overflowing == []


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
    tab.await_title("The daemon doesn't answer - scattergate")
    assert tab.text("#headline.down") == "The daemon doesn't answer"


def test_the_headline_is_the_servers(open_tab, busy):
    level, text = "degraded", "Findings wait in memory <b>"
    def change(status):
        status["headline"] = {"level": level, "text": text}
    tab = open_altered(open_tab, busy, status=change)
    tab.page.locator(f"#headline.{level}").wait_for()
    assert tab.text("#headline") == text
    tab.await_title(text + " - scattergate")
    assert tab.page.evaluate("document.querySelector('body *:not(header)').id") == "headline"
    tab.page.locator("#wrong .fine").wait_for(state="hidden")


def test_a_daemon_that_refuses_the_page_is_said_to_be_lost(open_tab, busy):
    tab = open_altered(open_tab, busy)
    tab.page.route("**/api/v1/status", lambda route: route.fulfill(status=401, body="a token is needed"))
    tab.await_text("#headline.down", "The daemon refuses to answer: 401")


AGGREGATE = "aggregate yorkie-meta.documents"
BOTH = [WORST, AGGREGATE]


FILTERS = [
    ("field:key", [WORST]), ("FIELD:Key", [WORST]), ("field:ke", []), ("field:", BOTH),
    ("key", [WORST]),  # a field; the reason missing_key is another word
    ("missing_key", [WORST]), ('"missing key"', [WORST]), ("app:careless", BOTH), ("app:documents", []),
    ('app:"careless-shop"', BOTH), ("ns:meta.doc", BOTH), ("ns:careless", []), ("user:careless", []),
    ("command:aggregate", [AGGREGATE]), ("command:find orders.go:42", [WORST]), ("command:fin", []), ("nosuch:key", []),
]


def test_the_filter_takes_words_and_prefixes(open_tab, busy):
    def change(shapes):
        for each in shapes["shapes"]:
            each["reason"] = "missing_key" if each["command"] == "find" else "no_filter"
    tab = open_altered(open_tab, busy, shapes=change)
    await_rows(tab, BOTH)
    for words, expected in FILTERS:
        tab.page.locator("#filter").fill(words)
        await_rows(tab, expected)
        assert query_of(tab)["q"] == words
        if not expected:
            tab.await_text("#findings", "No shape in this view matches")
            assert tab.text("#summary .tile >> nth=0").startswith("2")  # hidden, not gone
    assert tab.complaints == []


def test_a_dotted_field_is_found_by_its_first_part_and_fields_are_in_the_row(open_tab, busy):
    def change(shapes):
        shapes["shapes"][0]["fields"] = ["address.city", "<b>"] + [f"f{number}" for number in range(9)]
    tab = open_altered(open_tab, busy, "/?q=field:address", shapes=change)
    assert len(rows(tab)) == 1
    assert tab.text("#findings summary .filter") == "filter: address.city, <b>, f0, f1, 7 more"


def test_many_conditions_of_a_kind_are_one_line(open_tab, placed):
    # No findings: until they are a minute old, the headline is about them, and then the conditions are over.
    tab = open_tab(placed.admin + "/")
    peers = [f"127.0.7.{number}" for number in range(1, 6)]
    for peer in peers:
        with socket.create_connection(("127.0.0.1", placed.port), source_address=(peer, 0)) as scanner:
            scanner.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with contextlib.suppress(ConnectionResetError):
                while scanner.recv(1000):
                    pass
    group = "#wrong > div > ul > .condition.warning"
    tab.await_text(group, f"5 active at listener {placed.address}, the newest")
    warning = tab.page.evaluate("getComputedStyle(document.querySelector('#wrong .condition.warning b')).color")
    assert tab.page.locator("#headline.warning").evaluate("element => getComputedStyle(element).color") == warning
    assert tab.page.locator(group).count() == 1
    assert tab.page.locator(group).bounding_box()["height"] < 60
    tab.page.locator(group + " summary").click()
    await_events(tab, 3)  # which draw it again
    members = tab.page.locator(group + " .condition:visible")
    assert members.count() == 5
    assert all(any(peer in text for text in members.all_inner_texts()) for peer in peers)
    assert tab.axe() == {} and tab.complaints == []


def test_a_click_that_takes_longer_than_a_redraw_is_a_click(tab):
    row = tab.page.locator("#findings summary").nth(1)
    row.locator("time").hover()
    tab.page.mouse.down()
    await_events(tab, 3)  # the pressed button shows an age, which changes each time
    tab.page.mouse.up()
    tab.await_text("#findings details[open]", AGGREGATE)
    before = row.inner_text()
    wait_until(lambda: row.inner_text() != before, "the row to be drawn again")


@pytest.mark.parametrize("answer, why", [
    ({"status": 500}, "500 Internal Server Error"), ({"body": "<html>log in</html>"}, "unexpected answer"),
    ({"json": {"message": "log in"}}, "it has no minutes"), (None, "no connection")])
def test_a_request_that_fails_is_named_until_it_succeeds(open_tab, busy, answer, why):
    tab = open_altered(open_tab, busy)
    tab.await_text("#wrong .condition.warning", "api/v1/events")
    assert "api/v1/history" not in tab.text("#wrong")
    tab.page.route("**/api/v1/history", lambda route: route.fulfill(**answer) if answer else route.abort())
    failure = tab.page.locator("#wrong .condition.warning", has_text="api/v1/history")
    failure.wait_for()
    assert why in failure.inner_text() and tab.axe() == {}
    tab.page.unroute("**/api/v1/history")
    tab.page.unroute("**/api/v1/events")
    failure.wait_for(state="detached")


def test_a_script_that_does_not_load_is_named(open_tab, busy):
    tab = open_tab("about:blank")
    tab.page.route("**/chart.js", lambda route: route.fulfill(status=503, body=""))
    tab.page.goto(busy.admin + "/")
    tab.await_text("#headline.degraded", "one of its scripts didn't load")
    assert WORST in tab.text("#findings") and tab.page.locator("#headline").count() == 1


def test_the_time_range_is_that_of_all_charts(tab, open_tab):
    charts = "document.querySelectorAll('.chart').length"
    shown = "[...document.querySelectorAll('.chart > title')].filter(each => each.textContent.startsWith('%s:')).length"
    tab.page.locator("#findings .spark svg").first.wait_for()
    tab.page.locator("#collections .chart").first.wait_for()
    for words, name in (("1 h", "1h"), ("6 h", "6h"), ("24 h", None)):
        tab.page.get_by_role("button", name=words, exact=True).click()
        wait_until(lambda: tab.page.evaluate(shown % words) == tab.page.evaluate(charts), f"charts of {words}")
        assert query_of(tab).get("range") == name
    tab.page.get_by_role("button", name="6 h", exact=True).click()
    wait_until(lambda: query_of(tab).get("range") == "6h", "the range in the address")
    same = open_tab(tab.page.url).await_findings()
    same.await_text("#collections thead", "6 h")
    wait_until(lambda: same.page.evaluate(shown % "6 h") == same.page.evaluate(charts) >= 3, "all charts")


def test_mark_now_puts_the_time_into_the_address_and_a_link_removes_it(tab):
    tab.page.get_by_role("button", name="Mark now").click()
    tab.await_text("#compare h2", "Before and after 20")
    view = query_of(tab)
    assert view["since"] == "mark" and view["mark"].endswith("Z")
    tab.page.locator("#summary .chart .at-mark").wait_for(state="attached")
    assert tab.page.locator("#findings select").nth(1).input_value() == "mark"
    tab.page.get_by_role("link", name="Remove the mark").click()
    tab.page.locator("#compare").wait_for(state="detached")
    tab.page.locator(".at-mark").first.wait_for(state="detached")
    assert "mark" not in query_of(tab) and "since" not in query_of(tab)
    assert tab.complaints == []


def planted_history(shape_hash):
    """Twelve hours before midnight and twelve after it, to the second."""
    zero, half, double = [0] * 72, [600] * 72, [1200] * 72

    def series(commands, findings):
        return {"minutes": {}, "tenMinutes": {"single_shard": commands, "findings": findings}}

    def plant(history):
        history["generatedAt"] = history["minutes"]["end"] = history["tenMinutes"]["end"] = "2026-11-23T12:00:00.000Z"
        history["collections"] = [
            {"ns": "shop.less", **series(double + half, half + half)},
            {"ns": "shop.worse", **series(half + half, zero + half)},
            {"ns": "shop.gone", **series(half + zero, zero + zero)},
            {"ns": "shop.silent", **series(zero + zero, zero + zero)},
        ]
        history["shapes"] = [{"shapeHash": shape_hash, "ns": "yorkie-meta.documents", "command": "find",
                              "minutes": [0] * 60, "tenMinutes": half + double}]
    return plant


def table_of(tab, label):
    """{name: its cells}"""
    found = tab.page.evaluate("""label => [...document.querySelectorAll(`[aria-label='${label}'] tbody tr`)].map(
        row => [...row.children].map(cell => cell.firstChild.textContent))""", label)
    return {row[0]: row[1:] for row in found}


COLLECTIONS, SHAPES = "Before and after: collections", "Before and after: shapes"


def test_before_and_after_a_mark_are_compared_over_equal_spans(open_tab, busy):
    [worst] = [each for each in json.loads(busy.get("/api/v1/shapes")[2])["shapes"]
               if f"{each['command']} {each['ns']}" == WORST and each["kind"] == "finding"]
    tab = open_altered(open_tab, busy, "/?mark=2026-11-23T00:00:00Z", history=planted_history(worst["shapeHash"]))
    wait_until(lambda: len(table_of(tab, COLLECTIONS)) == 3, "the table")
    assert table_of(tab, COLLECTIONS) == {
        "shop.less": ["2.0/s", "1.0/s", "-50 %", "1.0/s", "1.0/s", "0 %"],
        "shop.worse": ["1.0/s", "1.0/s", "0 %", "0/s", "1.0/s", "new"],
        "shop.gone": ["1.0/s", "0/s", "gone", "0/s", "0/s", "–"],
    }
    wait_until(lambda: table_of(tab, SHAPES) == {WORST: ["1.0/s", "2.0/s", "+100 %"]}, "the shapes")
    assert "Before: 2026-11-22 12:00:00 UTC to 2026-11-23 00:00:00 UTC" in tab.text("#compare")
    assert tab.axe() == {} and tab.complaints == []


def test_a_mark_that_the_history_does_not_reach_is_said(open_tab, busy):
    tab = open_tab(busy.admin + "/?mark=2026-01-01T00:00:00%2B01:00").await_findings()
    tab.await_text("#compare", "The history begins after the mark")
    assert "2025-12-31 23:00:00 UTC" in tab.text("#compare h2")
    assert not tab.page.locator("#compare table").first.is_visible()


def test_what_came_after_a_mark_is_new(open_tab, busy):
    generated = datetime.fromisoformat(json.loads(busy.get("/api/v1/history")[2])["generatedAt"].replace("Z", "+00:00"))
    mark = (generated - timedelta(minutes=6)).strftime("%Y-%m-%dT%H:%M:%SZ")
    tab = open_tab(f"{busy.admin}/?mark={mark}").await_findings()
    wait_until(lambda: "yorkie-meta.documents" in table_of(tab, COLLECTIONS), "the table")
    commands = table_of(tab, COLLECTIONS)["yorkie-meta.documents"]
    assert commands[0] == "0/s" and commands[2] == "new"
    wait_until(lambda: table_of(tab, SHAPES).get(WORST, [])[2:] == ["new"], "the shape")


def downloaded(tab, button):
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name=button).click()
    path = download.value.path()
    return download.value.suggested_filename, path.read_bytes().decode()


def test_the_view_is_exported_as_csv(open_tab, busy):
    def change(shapes):
        shapes["shapes"][0]["ns"] = '=HYPERLINK("http://x",1)'
        shapes["shapes"][0]["kind"] = "finding"
    tab = open_altered(open_tab, busy, shapes=change)
    name, text = downloaded(tab, "Export CSV")
    assert name.startswith("scattergate-shapes-20") and name.endswith("Z.csv")
    assert all(line.endswith("\r\n") for line in text.splitlines(keepends=True))
    read = list(csv.DictReader(text.splitlines(keepends=True)))
    assert [f"{each['command']} {each['ns'].removeprefix(chr(39))}" for each in read] == rows(tab)
    [planted] = [each for each in read if "HYPERLINK" in each["ns"]]
    assert planted["ns"] == '\'=HYPERLINK("http://x",1)'
    assert all(each["kind"] == "finding" for each in read)
    assert tab.complaints == []


def test_the_view_is_exported_as_json(tab, busy):
    tab.page.locator("#filter").fill("command:aggregate")
    await_rows(tab, [AGGREGATE])
    name, text = downloaded(tab, "Export JSON")
    assert name.startswith("scattergate-shapes-20") and name.endswith("Z.json")
    exported = json.loads(text)
    assert exported["schemaVersion"] == 1 and exported["view"]["q"] == "command:aggregate"
    [shape] = exported["shapes"]
    [same] = json.loads(busy.get("/api/v1/shapes/" + shape["shapeHash"])[2])["shapes"]
    assert shape.keys() == same.keys()
    assert all(shape[name] == same[name] for name in ("ns", "shape", "count", "kind", "fields"))


def test_parameters_that_are_ignored_are_said(open_tab, busy):
    tab = open_tab(busy.admin + "/?foo=1&range=9h&mark=yesterday&since=mark&sort=count&q=documents").await_findings()
    assert tab.text("#ignored") == (
        "Ignored: foo=1 (unknown), range=9h (1h, 6h or 24h), mark=yesterday (a time such as 2026-11-23T05:00:00Z), "
        "since=mark (there is no mark)")
    assert order(tab).input_value() == "count"
    tab.page.get_by_role("button", name="6 h", exact=True).click()
    tab.page.locator("#ignored").wait_for(state="hidden")
    assert query_of(tab) == {"range": "6h", "sort": "count", "q": "documents"}
    assert not open_tab(tab.page.url).await_findings().page.locator("#ignored").is_visible()


def test_what_is_rejected_comes_first(open_tab, placed, connect):
    placed.write_config(rules=[{"name": "no-revisions", "action": "reject", "why": "too dear",
                                "match": {"namespace": "yorkie-meta.revisions", "command": "find"}}])
    placed.reload()
    meta = connect(placed, appname="careless-shop")[traffic.DATABASE]
    for number in range(20):
        meta.documents.find_one({"key": f"k{number}"})
    with pytest.raises(OperationFailure):
        meta.revisions.find_one({"_id": ObjectId()})
    wait_until(lambda: seen(placed) >= counted(placed), "the digest to have what was counted")
    tab = open_tab(placed.admin + "/").await_findings()
    await_rows(tab, ["find yorkie-meta.revisions", WORST])
    assert "rejected" in tab.text("#findings li:first-child .tag.refused")
    order(tab).select_option("count")
    await_rows(tab, [WORST, "find yorkie-meta.revisions"])


def test_rows_keep_their_places_under_the_pointer(tab, busy, connect):
    order(tab).select_option("count")
    await_rows(tab, BOTH)
    tab.page.locator("#findings summary").nth(1).hover()
    client = connect(busy)
    for _ in range(30):
        list(client[traffic.DATABASE].documents.aggregate([{"$group": {"_id": "$project_id", "n": {"$sum": 1}}}]))
    client.close()
    tab.await_text("#findings summary", "33 commands")
    assert rows(tab) == BOTH
    tab.page.mouse.move(1, 1)
    await_rows(tab, [AGGREGATE, WORST])


def test_figures_are_in_columns(tab):
    await_rows(tab, BOTH)
    edges = tab.page.evaluate("""[...document.querySelectorAll('#findings summary')].map(
        row => [...row.children].map(cell => Math.round(cell.getBoundingClientRect().right)))""")
    assert len(edges) == 2 and edges[0] == edges[1] and len(edges[0]) == 8


def test_without_chunks_the_waste_is_unknown(daemon, connect, open_tab):
    client = connect(daemon)
    client[traffic.DATABASE].documents.find_one({"key": 1})
    wait_until(lambda: seen(daemon) >= 1, "the digest to have it")
    tab = open_tab(daemon.admin + "/").await_findings()
    unknown = tab.page.locator(".tile", has_text="shard requests wasted")
    assert unknown.inner_text().startswith("?") and unknown.get_attribute("title") == "no chunks known"
    assert tab.page.locator("#findings .num", has_text="wasted").first.inner_text().startswith("?")


def test_a_collection_leads_to_the_advice_on_its_key(open_tab, busy):
    tab = open_tab(busy.admin + "/").await_findings()
    row = tab.page.locator("#collections tr", has_text="yorkie-meta.documents")
    row.get_by_role("link", name="which shard key").click()
    tab.await_text("#advice h2", "yorkie-meta.documents")
    tab.await_text("#advice table", "shards/command")
    assert "no key is called safe" in tab.text("#advice")
    assert tab.axe() == {}
    tab.page.get_by_role("link", name="scattergate").click()
    tab.await_findings()


def test_collections_and_shapes_lead_to_grafana(open_tab, busy):
    def change(status):
        status["grafanaLink"] = "https://grafana.example/d/x?db={db}&c={collection}&s={shape}&from={from}&to={to}"
    tab = open_altered(open_tab, busy, "/?range=1h", status=change)
    link = tab.page.locator("#collections tr", has_text="yorkie-meta.documents").get_by_role("link", name="Grafana")
    link.wait_for()
    to = urllib.parse.parse_qs(urllib.parse.urlsplit(link.get_attribute("href")).query)
    assert (to["db"], to["c"], "s" in to) == (["yorkie-meta"], ["documents"], False)
    assert int(to["to"][0]) - int(to["from"][0]) == 3_600_000
    of_shape = tab.page.locator("#findings [open] .links a")
    of_shape.wait_for()
    assert tab.page.locator("#findings [open] p code").first.inner_text() in of_shape.get_attribute("href")


def test_a_template_that_is_no_web_address_makes_no_link(open_tab, busy):
    def change(status):
        status["grafanaLink"] = "javascript:alert('{db}')"
    tab = open_altered(open_tab, busy, status=change)
    tab.page.locator("#collections .chart").first.wait_for()
    assert tab.page.locator("a", has_text="Grafana").count() == 0
