"""The demo's report, from samples of what it reads."""

import io
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import demo_report  # noqa: E402

METRICS = r"""
# HELP scattergate_commands_total Commands by how mongos routes them.
# TYPE scattergate_commands_total counter
scattergate_commands_total{db="shop",collection="orders",command="find",routing="single_shard"} 1200
scattergate_commands_total{db="shop",collection="orders",command="find",routing="scatter_gather"} 8
scattergate_commands_total{db="shop",collection="orders",command="getMore",routing="scatter_gather"} 2
scattergate_commands_total{db="shop",collection="users",command="find",routing="unsharded"} 40
scattergate_commands_total{db="admin",collection="",command="hello",routing="not_routed"} 3
scattergate_commands_total{db="shop",collection="orders",command="shardCollection",routing="not_routed"} 1
scattergate_findings_total{db="shop",collection="orders",command="find",reason="missing_key",action="observed"} 5
scattergate_findings_total{db="shop",collection="orders",command="find",reason="missing_key",action="accepted"} 3
scattergate_build_info{version="0.1.0",compiler="a \"quoted\" one\\two\nlines"} 1
process_start_time_seconds 1.7e+09
"""


def audit_line(count, **changes):
    param = {
        "command": "find", "ns": "shop.orders", "routing": "scatter_gather", "bounds": "full",
        "reason": "missing_key", "shardKey": {"customer": 1, "_id": "hashed"},
        "missing": ["customer"], "shape": {"filter": {"status": "?string"}, "limit": "?number"},
        "shapeHash": "00000000000000aa", "fanout": ["a", "b", "c"], "rule": None,
        "action": "observed", "why": None, "count": count,
        "durationMillis": {"max": 1.5, "total": 3.0},
        "callers": [{"appName": "shop", "comment": "orders.go: Open", "count": count}],
        "suggestion": "add equality on customer to the filter",
    }
    param.update(changes)
    return json.dumps({"schemaVersion": 1, "atype": "scattergate.finding", "param": param, "result": 0})


ACCEPTED = {"action": "accepted", "rule": "cleaning", "why": "once a night", "shapeHash": "00000000000000bb"}
AUDIT = "\n".join([audit_line(1), audit_line(3, **ACCEPTED), audit_line(4), ""])
TRAFFIC = {"total": 1250, "commands": [
    {"db": "shop", "collection": "orders", "command": "find", "count": 1208},
    {"db": "shop", "collection": "orders", "command": "getMore", "count": 2},
    {"db": "shop", "collection": "users", "command": "find", "count": 40},
    {"db": "admin", "collection": "", "command": "endSessions", "count": 3},
]}


def report(metrics=METRICS, audit=AUDIT, traffic=TRAFFIC, top=10):
    out = io.StringIO()
    demo_report.write_report(demo_report.parse_metrics(metrics), demo_report.parse_audit(audit),
                             traffic, demo_report.Page(out), top)
    return out.getvalue()


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Metrics(unittest.TestCase):
    def test_samples_have_names_labels_and_values(self):
        samples = demo_report.parse_metrics(METRICS)
        self.assertEqual(len(samples), 10)
        self.assertEqual(samples[0], ("scattergate_commands_total", {
            "db": "shop", "collection": "orders", "command": "find", "routing": "single_shard"}, 1200))
        self.assertEqual(samples[-1], ("process_start_time_seconds", {}, 1.7e9))

    def test_escapes_in_labels_are_undone(self):
        labels = demo_report.parse_metrics(METRICS)[-2][1]
        self.assertEqual(labels["compiler"], 'a "quoted" one\\two\nlines')

    def test_the_table_counts_each_collection_by_class(self):
        counts = demo_report.count_by_class(demo_report.parse_metrics(METRICS))
        self.assertEqual(counts, {"shop.orders": {"single_shard": 1200, "scatter_gather": 10},
                                  "shop.users": {"unsharded": 40}})

    def test_the_tables_columns_are_aligned(self):
        lines = demo_report.routing_table(
            demo_report.count_by_class(demo_report.parse_metrics(METRICS)))
        self.assertEqual(lines, [
            "collection   single_shard  multi_shard  scatter_gather  unsharded  commands",
            "---------------------------------------------------------------------------",
            "shop.orders         1,200            -              10          -     1,210",
            "shop.users              -            -               -         40        40",
            "---------------------------------------------------------------------------",
            "all                 1,200            -              10         40     1,250",
        ])

    def test_the_class_unknown_is_shown_where_there_is_any(self):
        line = 'scattergate_commands_total{db="d",collection="c",command="find",routing="unknown"} 7'
        lines = demo_report.routing_table(demo_report.count_by_class(demo_report.parse_metrics(line)))
        self.assertTrue(lines[0].split()[-2:] == ["unknown", "commands"])
        self.assertEqual(lines[2].split(), ["d.c", "-", "-", "-", "-", "7", "7"])


class Audit(unittest.TestCase):
    def test_the_lines_of_one_finding_add_up(self):
        findings = demo_report.parse_audit(AUDIT)
        self.assertEqual([each.count for each in findings], [5, 3])
        self.assertEqual(findings[0].callers, {("shop", "orders.go: Open"): 5})

    def test_a_line_that_is_still_being_written_is_left_out(self):
        self.assertEqual(demo_report.parse_audit(AUDIT + '{"schemaVersion":1,"aty')[0].count, 5)

    def test_lines_of_other_kinds_are_left_out(self):
        self.assertEqual(demo_report.parse_audit('{"atype": "authCheck", "param": {}}'), [])

    def test_callers_beyond_the_bound_are_shown_as_others(self):
        callers = [{"other": True, "count": 9}, {"appName": "shop", "count": 1}]
        finding = demo_report.parse_audit(audit_line(10, callers=callers))[0]
        self.assertEqual(demo_report.sources(finding), "others, shop")


class Report(unittest.TestCase):
    def test_it_says_what_scattered_and_what_that_cost(self):
        text = report()
        self.assertIn("8 of 1,250 commands (0.6%) scattered.", text)
        self.assertIn("24 requests to the shards instead of 8", text)
        self.assertIn("other 2 scatters are getMores", " ".join(text.split()))

    def test_it_says_what_to_add_and_where(self):
        self.assertIn("""
   1. find on shop.orders, 5 times: each asked all 3 shards
      from      "orders.go: Open" of shop
      query     {status: ?string}
      shard key {customer: 1, _id: hashed}; the query lacks customer
      to do     add equality on customer to the filter
""", report())

    def test_accepted_findings_stand_apart_with_their_rule(self):
        findings, accepted = report().split("== Accepted")
        self.assertNotIn("cleaning", findings)
        self.assertIn("find on shop.orders, 3 times", accepted)
        self.assertIn("rule      cleaning: once a night", accepted)
        self.assertNotIn("to do", accepted)

    def test_it_compares_its_count_with_the_drivers(self):
        self.assertIn("Commands counted by scattergate: 1,250; sent by the driver: 1,250; equal.", report())
        self.assertIn("(4 other commands, such as handshakes, are not routed", " ".join(report().split()))
        fewer = {"commands": TRAFFIC["commands"][:1]}
        self.assertIn("sent by the driver: 1,208; NOT equal.", report(traffic=fewer))
        self.assertNotIn("sent by the driver", report(traffic=None))

    def test_where_chunks_are_unknown_it_claims_no_number_of_shards(self):
        text = report(audit=audit_line(8, fanout=None))
        self.assertIn("each asked every shard", text)
        self.assertNotIn("requests to the shards", text)

    def test_what_does_not_fit_is_counted(self):
        audit = "\n".join(audit_line(2, shapeHash=f"{i:016x}") for i in range(4))
        text = report(audit=audit, top=1)
        self.assertIn("and 3 more, in the audit log", text)
        self.assertNotIn("   2. ", text)

    def test_without_findings_it_says_so(self):
        text = report(audit="")
        self.assertIn("Nothing scattered.", text)
        self.assertNotIn("Findings", text)

    def test_no_line_is_wider_than_the_page(self):
        long = audit_line(1, suggestion="add " * 80, shape={"filter": {"a" * 30: "?string", "b" * 90: 1}})
        self.assertLessEqual(max(map(len, report(audit=long).splitlines())), 100)

    def test_colours_are_for_terminals_alone(self):
        self.assertNotIn("\033", report())
        out = Terminal()
        demo_report.write_report([], [], None, demo_report.Page(out), 10)
        self.assertIn("\033[1m", out.getvalue())


class Queries(unittest.TestCase):
    def test_the_deciding_part_of_a_shape_is_shown(self):
        for shape, expected in [
            ({"filter": {"a": {"$in": ["?number"]}}, "sort": {"b": 1}}, "{a: {$in: [?number]}}"),
            ({"query": {"a": "?string"}, "update": {}}, "{a: ?string}"),
            ({"pipeline": [{"$match": {"a": "?string"}}]}, "[{$match: {a: ?string}}]"),
            ({"updates": [{"q": {"a": "?bool"}, "u": {}}]}, "{a: ?bool}"),
            ({"deletes": [{"q": {"a": 1}}, {"q": {}}]}, "{a: 1} and {}"),
            (None, ""),
        ]:
            with self.subTest(shape=shape):
                self.assertEqual(demo_report.query_of({"shape": shape}), expected)


if __name__ == "__main__":
    sys.exit(unittest.main())
