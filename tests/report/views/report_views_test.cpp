#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/views/ci_reports.hpp"
#include "report/views/report_csv.hpp"
#include "report/views/report_html.hpp"
#include "report/views/report_json.hpp"
#include "report/views/report_markdown.hpp"
#include "report/views/report_text.hpp"

namespace scattergate::report {
namespace {

using routing::routing_class;
using testing::HasSubstr;
using testing::Not;

/// `text` as it is in a view; HTML has an entity for the apostrophe.
std::string text_or_html(const std::string& view, std::string text) {
  if (!view.starts_with("<!")) return text;
  for (std::size_t at = 0; (at = text.find('\'', at)) != text.npos;)
    text.replace(at, 1, "&#39;");
  return text;
}

class report_views : public testing::Test {
 protected:
  /// A shape on `fanout` shards, with ten commands.
  digest::row& add(const std::string& shape, std::uint64_t hash, std::uint32_t fanout = 6) {
    const auto [row, is_new] = table.row_of({"shop", "orders", "find", hash});
    row.what.routing = fanout > 1 ? routing_class::scatter_gather : routing_class::single_shard;
    row.what.why = fanout > 1 ? routing::reason::missing_key : routing::reason::none;
    row.what.shape_json = shape;
    row.what.suggestion = fanout > 1 ? "add equality on customer" : "";
    digest::sighting seen;
    seen.fanout = fanout;
    seen.duration = std::chrono::milliseconds{12};
    for (int i = 0; i < 10; ++i) table.count(row, seen, row.what.routing);
    return row;
  }
  report_model model() {
    return {table, held, {{"a.log", source_kind::mongos_log, 5, {}, {}}}, {}, "keys.yaml"};
  }

  digest::table table{100'000};
  report::truth held;
};

TEST_F(report_views, text_begins_with_the_profile_and_has_blocks_only_for_findings) {
  add(R"({"filter":{"status":"?string"}})", 1);
  add(R"({"filter":{"customer":"?number"}})", 2, 1);
  const std::string text = report_text(model(), {});
  EXPECT_THAT(text, HasSubstr("   1 100.0 %          10       6   120.0 ms  find shop.orders"));
  EXPECT_THAT(text, HasSubstr("#1  find shop.orders  scatter_gather (missing_key)"));
  EXPECT_THAT(text, HasSubstr("add equality on customer"));
  EXPECT_THAT(text, Not(HasSubstr("#2  ")));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(report_text(model(), {100, true}), HasSubstr("\033[1m"));
}

TEST_F(report_views, accepted_findings_say_so_and_come_after_the_others) {
  digest::row& accepted = add(R"({"filter":{"status":"?string"}})", 1);
  for (int i = 0; i < 5; ++i) add(R"({"filter":{"status":"?string"}})", 1);
  accepted.run.actions[static_cast<std::size_t>(digest::finding_action::accepted)] = 60;
  accepted.run.accepted_by.add("housekeeping: rare", 60);
  digest::row& partly = add(R"({"filter":{"other":"?string"}})", 2);
  partly.run.actions[static_cast<std::size_t>(digest::finding_action::accepted)] = 4;
  partly.run.actions[static_cast<std::size_t>(digest::finding_action::observed)] = 6;
  const std::string text = report_text(model(), {});
  EXPECT_THAT(text, HasSubstr("\n  accepted by rules: 1 finding, 64 commands\n"));
  EXPECT_THAT(text, HasSubstr("6   120.0 ms  find shop.orders"));
  EXPECT_THAT(text, HasSubstr("6   720.0 ms  accepted: find shop.orders"));
  EXPECT_THAT(text, HasSubstr("\n  accepted       4 of 10 commands\n"));
  EXPECT_THAT(text, HasSubstr("\n  accepted       all 60 commands, by housekeeping: rare\n"));
  EXPECT_LT(text.find("#1  find"), text.find("4 of 10"));
  EXPECT_LT(text.find("4 of 10"), text.find("all 60"));
  const std::string html = report_html(model());
  EXPECT_THAT(html, HasSubstr("scatter_gather, accepted</td>"));
  EXPECT_THAT(html, HasSubstr("<dt>accepted</dt><dd>all 60 commands, by housekeeping: rare"));
  EXPECT_THAT(report_markdown(model()), HasSubstr("| scatter_gather, accepted | "));
  EXPECT_THAT(report_csv(model()), HasSubstr("all 60 commands, by housekeeping: rare"));
  const auto shapes = boost::json::parse(report_json(model())).at("shapes");
  EXPECT_EQ(shapes.at(0).at("actions").at("observed").as_int64(), 6);
  EXPECT_EQ(shapes.at(1).at("actions").at("accepted").as_int64(), 60);
  EXPECT_EQ(shapes.at(1).at("acceptedBy").at(0).at("rule").as_string(), "housekeeping: rare");
}

TEST_F(report_views, without_fan_outs_there_is_no_waste_and_one_sentence_says_why) {
  const auto [row, is_new] = table.row_of({"shop", "orders", "find", 1});
  row.what.routing = routing_class::scatter_gather;
  row.what.shape_json = "{}";
  row.who.add({{}, {}, {}, {}, {}, 1});
  table.count(row, digest::sighting{}, routing_class::scatter_gather);
  constexpr const char* why =
      "Waste and shards are unknown: the source doesn't log how many shards a command asked, "
      "and it can't be predicted without the collection's chunks (pass a --catalog that has "
      "them)";
  for (const std::string& view :
       {report_text(model(), {}), report_html(model()), report_markdown(model())}) {
    EXPECT_THAT(view, HasSubstr(text_or_html(view, why)));
    EXPECT_THAT(view, Not(testing::ContainsRegex("[>| ]\\?[<| ]")));
    EXPECT_THAT(view, Not(HasSubstr("sent by")));
    EXPECT_THAT(view, Not(HasSubstr("Sent by")));
  }
  EXPECT_THAT(report_text(model(), {}), HasSubstr("rank       count  shape\n   1 "));
  EXPECT_THAT(report_markdown(model()), HasSubstr("| rank | count | routing |"));
  add("{}", 2);
  EXPECT_THAT(report_text(model(), {}),
              HasSubstr("Waste and shards are unknown (?) for some shapes: "));
  EXPECT_THAT(report_text(model(), {}), HasSubstr("   2       ?           1       ?"));
}

TEST_F(report_views, unsharded_collections_need_no_chunks) {
  const auto [row, is_new] = table.row_of({"shop", "orders", "find", 1});
  row.what.routing = routing_class::unsharded;
  row.what.shape_json = "{}";
  table.count(row, digest::sighting{}, routing_class::unsharded);
  const std::string text = report_text(model(), {});
  EXPECT_THAT(text, HasSubstr("by the catalog, these collections aren't sharded"));
  EXPECT_THAT(text, Not(HasSubstr("chunks")));
}

TEST_F(report_views, without_durations_there_is_no_column_of_times) {
  const auto [row, is_new] = table.row_of({"shop", "orders", "find", 1});
  row.what.routing = routing_class::scatter_gather;
  row.what.shape_json = "{}";
  digest::sighting seen;
  seen.fanout = 6;
  table.count(row, seen, routing_class::scatter_gather);
  const auto in_views = [this](const auto& matcher) {
    EXPECT_THAT(report_text(model(), {}), matcher);
    EXPECT_THAT(report_html(model()), matcher);
    EXPECT_THAT(report_markdown(model()), matcher);
  };
  const auto has_column = testing::AnyOf(HasSubstr("shards       time  shape\n"),
                                         HasSubstr("| shards | time | routing |"),
                                         testing::ContainsRegex("<th[^>]*>time"));
  in_views(Not(has_column));
  EXPECT_THAT(report_text(model(), {}), HasSubstr("\n   1 100.0 %           1       6  find"));
  EXPECT_THAT(report_markdown(model()), HasSubstr("| 1 | 100.0 % | 1 | 6 | scatter_gather |"));
  add("{}", 2);
  in_views(has_column);
  EXPECT_THAT(report_text(model(), {}), HasSubstr("       -  find"));
  EXPECT_THAT(report_markdown(model()), HasSubstr("| 6 |  | scatter_gather |"));
}

TEST_F(report_views, a_source_counts_commands_and_the_lines_that_held_them) {
  source_facts of{"http://127.0.0.1:19216", source_kind::state, 5, {}, {}};
  of.tally.observations = 12'345;
  of.tally.rows = 67;
  EXPECT_EQ(source_text(of), "http://127.0.0.1:19216 (state): 12,345 commands in 67 shapes");
  of.tally.rows = 1;
  EXPECT_THAT(source_text(of), HasSubstr("12,345 commands in 1 shape"));
  EXPECT_THAT(source_text(of), Not(HasSubstr("shapes")));
  of.kind = source_kind::audit;
  EXPECT_THAT(source_text(of), HasSubstr("12,345 commands in 1 line"));
  of.kind = source_kind::query_stats;
  EXPECT_THAT(source_text(of), HasSubstr(": 12,345 entries"));
  of.kind = source_kind::mongos_log;
  EXPECT_THAT(source_text(of), HasSubstr(": 12,345 commands"));
}

TEST_F(report_views, text_keeps_to_the_width) {
  add("{\"filter\":{\"" + std::string(500, 'x') + "\":\"?number\"}}", 1);
  const std::string text = report_text(model(), {80, false});
  const std::size_t at = text.find("   1 100.0 %");
  EXPECT_EQ(text.find('\n', at) - at, 80U);
}

TEST_F(report_views, json_is_json_and_says_what_the_contract_names) {
  add(R"({"filter":{"status":"?string"}})", 0xab);
  held.compared = 10;
  held.agreed = 9;
  held.disagreements.push_back({"shop.orders", "find", 0xab, "scatter_gather", 6, 5, 1});
  const auto parsed = boost::json::parse(report_json(model()));
  EXPECT_EQ(parsed.at("schemaVersion").as_int64(), 1);
  EXPECT_EQ(parsed.at("totals").at("wastedShardRequests").as_int64(), 50);
  EXPECT_EQ(parsed.at("truth").at("disagreements").at(0).at("predicted").as_int64(), 6);
  const auto& shape = parsed.at("shapes").at(0);
  EXPECT_EQ(shape.at("shapeHash").as_string(), "00000000000000ab");
  EXPECT_EQ(shape.at("fanout").at("max").as_int64(), 6);
  EXPECT_NEAR(shape.at("durationMillis").at("p50").as_double(), 12, 1.5);
  EXPECT_TRUE(shape.at("queryShapeHash").is_null());
}

TEST_F(report_views, html_takes_no_text_for_markup_and_needs_no_network) {
  digest::row& row = add(R"({"filter":{"<script>":"?string"}})", 1);
  row.who.add({"<b>&\"'", {}, {}, {}, "\xe2\x80\xae", 10});
  const std::string html = report_html(model());
  EXPECT_THAT(html, Not(HasSubstr("<script>\":")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;&amp;&quot;&#39;"));
  EXPECT_THAT(html, HasSubstr("\\u202e"));
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
}

TEST_F(report_views, html_stays_below_its_bound_and_counts_what_it_leaves_out) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    add("{\"filter\":{\"" + std::string(i % 3000, 'x') + "\":\"?number\"}}", i);
  }
  const std::string html = report_html(model());
  EXPECT_LE(html.size(), max_html_bytes);
  EXPECT_THAT(html, HasSubstr("further shapes"));
  EXPECT_THAT(html, HasSubstr("</html>"));
}

TEST_F(report_views, markdown_can_not_be_broken_out_of) {
  digest::row& row = add("{\"filter\":{\"```\":\"?string\"}}", 1);
  row.what.suggestion = "[x](http://evil) | <img> www.evil &commat;all `x`\n\n# y";
  row.collection = "a|b@all";
  const std::string text = report_markdown(model());
  EXPECT_THAT(text, HasSubstr("````json\n"));
  EXPECT_THAT(
      text,
      HasSubstr("``[x](http://evil) | <img> www.evil &commat;all `x`\ufffd\ufffd# y``\n"));
  EXPECT_THAT(text, HasSubstr("| `find shop.a\\|b@all` |"));
  EXPECT_THAT(text, HasSubstr("### 1. `find shop.a|b@all`: "));
}

TEST_F(report_views, text_can_not_be_broken_out_of) {
  digest::row& row = add("{}", 1);
  row.what.suggestion = "\033[2J\n::error::x";
  row.collection = "##[error]a\r\n::stop-commands::t";
  row.who.add({{}, {}, {}, {}, "x\n::error::y", 1});
  for (const bool has_colour : {false, true}) {
    const std::string text = report_text(model(), {.width = 200, .has_colour = has_colour});
    for (const char* forged : {"\n::", "\r", "\033[2J", "##["}) {
      EXPECT_THAT(text, Not(HasSubstr(forged)));
    }
    EXPECT_THAT(text, HasSubstr("#\\#[error]a??::stop-commands::t"));
  }
}

TEST_F(report_views, csv_takes_no_text_for_a_formula) {
  for (const auto& [text, cell] : std::initializer_list<std::pair<const char*, const char*>>{
           {"plain", "plain"},
           {"", ""},
           {"a,b", "\"a,b\""},
           {"a\"b", "\"a\"\"b\""},
           {"a\nb", "a\ufffdb"},
           {"=1+1", "\"'=1+1\""},
           {"+1", "\"'+1\""},
           {"-1", "\"'-1\""},
           {"@SUM(A1)", "\"'@SUM(A1)\""},
           {"\t=1", "\"'\ufffd=1\""},
           {"\r=1", "\"'\ufffd=1\""},
           {"  =1", "\"'  =1\""},
           {"\uff1d1", "\"'\uff1d1\""},
           {"{\"filter\":{}}", "\"{\"\"filter\"\":{}}\""},
       }) {
    EXPECT_EQ(csv_cell(text), cell) << text;
  }
}

TEST_F(report_views, csv_has_a_line_for_each_shape_and_as_many_cells_as_its_head) {
  digest::row& row = add(R"({"filter":{"status":"?string"}})", 0xab);
  row.who.add({"=cmd|' /C calc'!A0", {}, {}, {}, {}, 10});
  row.run.errors.add("Unauthorized", 3);
  row.collection = "=evil";
  add("{}", 2, 1);
  const std::string text = report_csv(model());
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_THAT(text, HasSubstr("find,scatter_gather,missing_key,10,0,"));
  EXPECT_THAT(text, HasSubstr("shop.=evil,"));
  EXPECT_THAT(text, HasSubstr("00000000000000ab"));
  EXPECT_THAT(text, HasSubstr("10 x "));
}

TEST_F(report_views, every_view_says_which_errors_plans_and_fanouts_there_were) {
  digest::row& row = add(R"({"statements":"not logged"})", 1);
  row.errors = 3;
  row.run.errors.add("WriteConflict", 2);
  row.run.plans.add("IXSCAN { a: 1 }", 10);
  row.run.docs_examined.add(41);
  row.run.reply_bytes.add(4'322);
  row.fanouts.add(1, 4);
  row.fanouts.add(6, 6);
  for (const std::string& text : {report_text(model(), {}), report_markdown(model()),
                                  report_html(model()), report_csv(model())}) {
    EXPECT_THAT(text, HasSubstr("3 (2 x WriteConflict)"));
    EXPECT_THAT(text, HasSubstr("10 x IXSCAN { a: 1 }"));
  }
  EXPECT_THAT(report_text(model(), {}), HasSubstr("4 x 1 shard, 6 x 6 shards"));
  EXPECT_THAT(report_text(model(), {}), HasSubstr("41 examined by each, 41 at most"));
  const auto shape = boost::json::parse(report_json(model())).at("shapes").at(0);
  EXPECT_EQ(shape.at("errorNames").at(0).at("name").as_string(), "WriteConflict");
  EXPECT_EQ(shape.at("planSummary").at(0).at("count").as_int64(), 10);
  EXPECT_EQ(shape.at("docsExamined").at("max").as_int64(), 41);
  EXPECT_EQ(shape.at("reslen").at("total").as_int64(), 4'322);
  EXPECT_EQ(shape.at("fanout").at("distribution").at(1).at("shards").as_int64(), 6);
}

TEST_F(report_views, json_and_the_page_report_commands_by_hour_and_sender) {
  digest::row& row = add("{}", 1);
  digest::breakdown parts;
  digest::sighting seen;
  seen.fanout = 6;
  seen.first = seen.last = digest::wall_time{std::chrono::hours{24 * 365}};
  parts.count_in(row, seen, routing_class::scatter_gather, {"<b>", {}, "u", "h", {}, 1});
  seen.first = seen.last = *seen.last + std::chrono::hours{3'000};
  parts.count_in(row, seen, routing_class::single_shard, {"app", {}, "u", "h", {}, 1});
  report_model of = model();
  of.parts = &parts;
  const auto json = boost::json::parse(report_json(of));
  EXPECT_EQ(json.at("perHour").as_array().size(), 2U);
  EXPECT_EQ(json.at("perHour").at(0).at("hour").as_string(), "1971-01-01T00:00:00.000Z");
  EXPECT_EQ(json.at("perHour").at(0).at("byRouting").at("scatter_gather").as_int64(), 1);
  EXPECT_EQ(json.at("byCollection").at(0).at("ns").as_string(), "shop.orders");
  EXPECT_EQ(json.at("byCollection").at(0).at("wastedShardRequests").as_int64(), 10);
  EXPECT_EQ(json.at("byUser").at(0).at("commands").as_int64(), 2);
  const std::string html = report_html(of);
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("1971-01-01T00:00Z: 1 commands, 1 of them scatter"));
  EXPECT_THAT(html, HasSubstr("By application"));
}

/// A new finding from src/orders.py:42, an accepted one, an absent one, and a shape that isn't
/// a finding.
class ci_views : public report_views {
 protected:
  ci_views() {
    add(R"({"filter":{"status":"?string"}})", 0xab)
        .who.add({{}, {}, {}, {}, "src/orders.py:42", 10});
    add(R"({"filter":{"<&>":"?string"}})", 0xcd);
    add(R"({"filter":{"customer":"?number"}})", 0xef, 1);
    for (const std::uint64_t hash : {0xcdU, 0x77U}) {
      config::accepted_shape one;
      one.shape_hash = hash;
      one.name_space = "shop.orders";
      one.command = "find";
      one.reason = "missing_key";
      one.why = "rare";
      one.by = "dba";
      accepted.accepted.push_back(one);
    }
    compared.emplace(accepted, table, std::chrono::year{2027} / 1 / 1);
  }
  report_model against_baseline() {
    report_model made = model();
    made.against = &*compared;
    made.anchor = "keys.yaml";
    made.anchor_lines = {{"shop.orders", 7}};
    return made;
  }

  config::baseline accepted;
  std::optional<baseline_comparison> compared;
};

TEST_F(ci_views, sarif_keeps_what_is_accepted_as_suppressed) {
  const auto log = boost::json::parse(report_sarif(against_baseline()));
  const auto& run = log.at("runs").at(0);
  const auto& results = run.at("results").as_array();
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].at("baselineState").as_string(), "new");
  EXPECT_EQ(results[0].at("suppressions").as_array().size(), 0U);
  const auto& at = results[0].at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(at.at("artifactLocation").at("uri").as_string(), "src/orders.py");
  EXPECT_EQ(at.at("region").at("startLine").as_int64(), 42);
  EXPECT_EQ(results[0].at("partialFingerprints").at("scattergateShape/v1").as_string(),
            "00000000000000ab");
  EXPECT_EQ(results[1].at("baselineState").as_string(), "unchanged");
  EXPECT_EQ(results[1].at("suppressions").at(0).at("justification").as_string(), "rare (dba)");
  const auto& unplaced = results[1].at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(unplaced.at("artifactLocation").at("uri").as_string(), "keys.yaml");
  EXPECT_EQ(unplaced.at("region").at("startLine").as_int64(), 7);
  EXPECT_EQ(results[2].at("baselineState").as_string(), "absent");
  EXPECT_EQ(results[2].at("level").as_string(), "note");
  EXPECT_EQ(run.at("tool").at("driver").at("rules").as_array().size(), 1U);
}

TEST_F(ci_views, junit_fails_what_is_new_and_skips_what_is_accepted) {
  const std::string xml = report_junit(against_baseline());
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("file=\"src/orders.py\" line=\"42\""));
  EXPECT_THAT(xml, HasSubstr("file=\"keys.yaml\" line=\"7\""));
  EXPECT_THAT(xml, HasSubstr("<system-out>find shop.orders 0000000000000077 is in the "
                             "baseline, and wasn't seen"));
  EXPECT_THAT(xml, HasSubstr("&lt;&amp;&gt;"));
  const digest::table nothing{10};
  const report_model empty{nothing, held, {}, {}, {}};
  EXPECT_THAT(report_junit(empty), HasSubstr("tests=\"1\" failures=\"0\""));
}

TEST_F(ci_views, code_quality_has_a_fingerprint_and_a_path_for_each) {
  const auto issues = boost::json::parse(report_codequality(against_baseline()));
  ASSERT_EQ(issues.as_array().size(), 2U);
  EXPECT_EQ(issues.at(0).at("severity").as_string(), "major");
  EXPECT_EQ(issues.at(0).at("location").at("path").as_string(), "src/orders.py");
  EXPECT_EQ(issues.at(0).at("location").at("lines").at("begin").as_int64(), 42);
  EXPECT_EQ(issues.at(1).at("severity").as_string(), "info");
  EXPECT_EQ(issues.at(1).at("location").at("path").as_string(), "keys.yaml");
  EXPECT_EQ(issues.at(1).at("location").at("lines").at("begin").as_int64(), 7);
  EXPECT_EQ(issues.at(1).at("fingerprint").as_string(), "00000000000000cd");
}

/// Three places of one finding: two in one file.
class ci_views_of_places : public ci_views {
 protected:
  ci_views_of_places() {
    digest::row& one = add("{\"filter\":{\"x\":\"?string\"}}", 0x42);
    one.who.add({{}, {}, {}, {}, "src/z.py:9", 3});
    one.who.add({{}, {}, {}, {}, "src/z.py:4", 2});
    one.who.add({{}, {}, {}, {}, "src/b.py:1", 1});
    compared.emplace(accepted, table, std::chrono::year{2027} / 1 / 1);
  }
};

TEST_F(ci_views_of_places, sarif_has_a_result_for_each) {
  const auto log = boost::json::parse(report_sarif(against_baseline()));
  std::vector<std::string> seen;
  for (const auto& one : log.at("runs").at(0).at("results").as_array()) {
    const auto& at = one.at("locations").at(0).at("physicalLocation");
    const auto& prints = one.at("partialFingerprints");
    if (prints.at("scattergateShape/v1").as_string() != "0000000000000042") continue;
    seen.push_back(std::string{at.at("artifactLocation").at("uri").as_string()} + " " +
                   std::to_string(at.at("region").at("startLine").as_int64()) + " " +
                   std::string{prints.at("primaryLocationLineHash").as_string()});
  }
  EXPECT_THAT(seen, testing::ElementsAre("src/z.py 9 0000000000000042:2",
                                         "src/z.py 4 0000000000000042:1",
                                         "src/b.py 1 0000000000000042:1"));
}

TEST_F(ci_views_of_places, other_views_have_an_entry_for_each) {
  const std::string junit = report_junit(against_baseline());
  for (const char* const name : {"find src/z.py:9", "find src/z.py:4", "find src/b.py:1"}) {
    EXPECT_THAT(junit, HasSubstr("name=\"" + std::string{name} + "\""));
  }
  EXPECT_THAT(junit, HasSubstr("tests=\"5\" failures=\"4\""));
  std::set<std::string> prints;
  const auto issues = boost::json::parse(report_codequality(against_baseline()));
  for (const auto& one : issues.as_array()) {
    prints.emplace(one.at("fingerprint").as_string());
  }
  EXPECT_EQ(issues.as_array().size(), 5U);
  EXPECT_EQ(prints.size(), 5U);
  EXPECT_TRUE(prints.contains("0000000000000042"));
}

TEST_F(ci_views_of_places, each_names_its_test) {
  digest::row& one = add("{\"filter\":{\"x\":\"?string\"}}", 0x42);
  one.who.add({.comment = "src/z.py:9", .count = 1, .test = "tests/a.py::nine<"});
  one.who.add({.comment = "src/b.py:1", .count = 1, .test = "tests/a.py::one"});
  const report_model of = against_baseline();
  const auto log = boost::json::parse(report_sarif(of));
  std::vector<std::string> tests;
  for (const auto& result : log.at("runs").at(0).at("results").as_array()) {
    if (const auto* test = result.at("properties").as_object().if_contains("test")) {
      tests.emplace_back(test->as_string());
      EXPECT_THAT(std::string{result.at("message").at("text").as_string()},
                  HasSubstr("During test " + tests.back() + ". "));
    }
  }
  EXPECT_THAT(tests, testing::ElementsAre("tests/a.py::nine<", "tests/a.py::one"));
  EXPECT_THAT(report_junit(of), HasSubstr("During test tests/a.py::nine&lt;. "));
  EXPECT_THAT(report_github(of), HasSubstr("During test tests/a.py::one. "));
  EXPECT_THAT(report_codequality(of), HasSubstr("During test tests/a.py::one. "));
  EXPECT_THAT(report_text(of, {}),
              HasSubstr(" comment src/b.py:1 during test tests/a.py::one"));
  EXPECT_THAT(report_json(of), HasSubstr("\"test\":\"tests/a.py::one\""));
  EXPECT_THAT(report_markdown(of), HasSubstr("during test tests/a.py::one"));
  EXPECT_THAT(report_csv(of), HasSubstr("during test tests/a.py::one"));
  EXPECT_THAT(report_html(of), HasSubstr("during test tests/a.py::one"));
}

TEST_F(ci_views, a_finding_without_a_place_has_the_default_one) {
  report_model of = against_baseline();
  of.anchor.clear();
  of.otherwise_at = {"docs/scatters.md", 3};
  EXPECT_THAT(report_sarif(of), HasSubstr(R"({"uri":"docs/scatters.md"})"));
  EXPECT_THAT(report_github(of), HasSubstr("::notice file=docs/scatters.md,line=3,title="));
  EXPECT_THAT(report_junit(of), HasSubstr("name=\"find {&quot;filter&quot;:"));
  of.otherwise_at.reset();
  const auto log = boost::json::parse(report_sarif(of));
  for (const auto& one : log.at("runs").at(0).at("results").as_array()) {
    EXPECT_TRUE(one.at("locations").at(0).as_object().contains("physicalLocation"));
  }
}

TEST_F(ci_views, github_gets_the_worst_annotations_and_lines_of_the_others) {
  for (std::uint64_t hash = 0x100; hash < 0x10e; ++hash) {
    digest::row& one = add("{\"filter\":{\"x\":\"?string\"}}", hash);
    one.who.add({{}, {}, {}, {}, "src/o.py:" + std::to_string(hash), 3});
    one.who.add({{}, {}, {}, {}, "src/p.py:" + std::to_string(hash), 2});
  }
  compared.emplace(accepted, table, std::chrono::year{2027} / 1 / 1);
  const std::string text = report_github(against_baseline());
  std::istringstream lines{text};
  std::map<std::string, int> starts;
  for (std::string line; std::getline(lines, line);) ++starts[line.substr(0, line.find(' '))];
  // 15 new findings, 14 of them with two places; one accepted, one absent.
  EXPECT_EQ(starts,
            (std::map<std::string, int>{{"::error", 10}, {"::notice", 3}, {"error", 19}}));
  EXPECT_THAT(text, HasSubstr("::notice title=scattergate: 19 further::"));
  EXPECT_LT(text.find("error src/o.py:"), text.find("error src/p.py:"));
}

TEST_F(ci_views, github_gets_one_command_a_line_whatever_a_client_wrote) {
  add("{\"filter\":{\"100%\\n::error::\n\":\"?string\"}}", 0x99);
  compared.emplace(accepted, table, std::chrono::year{2027} / 1 / 1);
  const std::string text = report_github(against_baseline());
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_THAT(text, HasSubstr("::notice title=find shop.orders 0000000000000077 is in the "
                              "baseline"));
  EXPECT_THAT(text, HasSubstr("::error file=src/orders.py,line=42,title=find shop.orders asks "
                              "every shard (missing_key)::"));
  EXPECT_THAT(text, HasSubstr("::notice file=keys.yaml,line=7,title="));
  EXPECT_THAT(text, HasSubstr("100%25"));
}

TEST_F(ci_views, views_for_people_report_the_baseline_too) {
  const report_model of = against_baseline();
  const std::string text = report_text(of, {});
  EXPECT_THAT(text, HasSubstr("against the baseline: 1 new, 1 accepted, 1 absent"));
  EXPECT_THAT(text, HasSubstr("  baseline       new\n"));
  EXPECT_THAT(text, HasSubstr("  baseline       accepted: rare (dba)\n"));
  EXPECT_THAT(text, HasSubstr("Accepted, and not seen:\n  0000000000000077  find shop.orders"));
  EXPECT_THAT(report_markdown(of), HasSubstr("**Baseline:** `accepted: rare (dba)`"));
  EXPECT_THAT(report_html(of), HasSubstr("<dt>baseline</dt><dd>new</dd>"));
  const auto json = boost::json::parse(report_json(of));
  std::vector<std::string> states;
  for (const auto& shape : json.at("shapes").as_array()) {
    states.push_back(shape.at("baseline").is_null() ? "null"
                                                    : shape.at("baseline").as_string().c_str());
  }
  EXPECT_EQ(states, (std::vector<std::string>{"new", "accepted", "null", "absent"}));
}

}  // namespace
}  // namespace scattergate::report
