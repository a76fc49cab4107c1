#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/views/report_html.hpp"
#include "report/views/report_json.hpp"
#include "report/views/report_markdown.hpp"
#include "report/views/report_text.hpp"

namespace scattergate::report {
namespace {

using routing::routing_class;
using testing::HasSubstr;
using testing::Not;

class report_views : public testing::Test {
 protected:
  /// A shape on 6 shards, unless `fanout` says otherwise.
  digest::row& add(const std::string& shape, std::uint64_t hash, std::uint32_t fanout = 6) {
    const auto [row, is_new] = table.row_of({"shop", "orders", "find", hash});
    row.what.routing = fanout > 1 ? routing_class::scatter_gather : routing_class::single_shard;
    row.what.why = fanout > 1 ? routing::reason::missing_key : routing::reason::none;
    row.what.shape_json = shape;
    row.what.suggestion = fanout > 1 ? "add equality on customer" : "";
    digest::sighting seen;
    seen.count = 10;
    seen.fanout = fanout;
    seen.duration = std::chrono::milliseconds{120};
    table.count(row, seen, row.what.routing);
    return row;
  }
  report_model model() {
    return {table, held, {{"a.log", source_kind::mongos_log, 5, {}, {}}}, {}, "keys.yaml"};
  }

  digest::table table{100'000};
  report::truth held;
};

TEST_F(report_views, text_begins_with_the_profile_and_tells_only_what_is_to_be_done) {
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
  EXPECT_THAT(html, HasSubstr("shapes that cost less"));
  EXPECT_THAT(html, HasSubstr("</html>"));
}

TEST_F(report_views, markdown_can_not_be_broken_out_of) {
  digest::row& row = add("{\"filter\":{\"```\":\"?string\"}}", 1);
  row.what.suggestion = "[x](http://evil) | <img>";
  const std::string text = report_markdown(model());
  EXPECT_THAT(text, HasSubstr("````json\n"));
  EXPECT_THAT(text, HasSubstr("\\[x\\]\\(http://evil\\) \\| \\<img\\>"));
}

}  // namespace
}  // namespace scattergate::report
