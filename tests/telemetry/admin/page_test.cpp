#include "telemetry/admin/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"
#include "text/html_blocks.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(page, escapes_what_html_would_read_as_markup) {
  EXPECT_EQ(text::html_text("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

/// Commands of one shape on db.a, as the workers hand them over.
shape_delta commands_of(std::uint64_t hash, routing_class routing, std::uint64_t count,
                        std::optional<finding_action> action = {},
                        command_kind command = command_kind::find) {
  shape_details details = tests::sample_finding(hash);
  details.database = "db";
  details.collection = "a";
  details.command = command;
  details.what.routing = routing;
  details.action = action;
  shape_delta delta = tests::sample_delta(count, hash);
  delta.by_routing = {};
  delta.by_routing[static_cast<std::size_t>(routing)] = count;
  delta.first_seen = delta.last_seen = std::chrono::system_clock::now();
  delta.details = std::make_shared<const shape_details>(std::move(details));
  return delta;
}

TEST(page, shows_a_collections_scatters_and_findings_without_accepted_ones_and_getmores) {
  live_digest digest{10, tests::plenty()};
  tests::add_to(
      digest, {
                  commands_of(1, routing_class::single_shard, 1'000),
                  commands_of(2, routing_class::multi_shard, 3),
                  commands_of(3, routing_class::scatter_gather, 5, finding_action::observed),
                  commands_of(4, routing_class::scatter_gather, 7, finding_action::accepted),
                  commands_of(5, routing_class::scatter_gather, 9, {}, command_kind::get_more),
              });
  EXPECT_THAT(page_html("", &digest),
              HasSubstr("<tr><td>db.a<br><a href=\"advice?ns=db.a\">which shard key</a></td>"
                        "<td class=\"n\">1,024</td><td class=\"n\">5</td>"
                        "<td class=\"n bad\">5</td>"));
}

TEST(page, shows_current_findings_without_resolved_and_accepted_ones) {
  live_digest digest{10, tests::plenty(), std::chrono::hours{1}};
  shape_delta old = commands_of(1, routing_class::scatter_gather, 5, finding_action::observed);
  old.first_seen = old.last_seen = *old.last_seen - std::chrono::hours{2};
  const shape_delta fresh =
      commands_of(2, routing_class::scatter_gather, 5, finding_action::rejected);
  const shape_delta accepted =
      commands_of(3, routing_class::scatter_gather, 5, finding_action::accepted);
  const shape_delta more =
      commands_of(4, routing_class::scatter_gather, 9, {}, command_kind::get_more);
  tests::add_to(digest, {old, fresh, accepted, more});
  const std::string html = page_html("", &digest);
  EXPECT_THAT(html, HasSubstr("<dd>0000000000000002</dd>"));
  EXPECT_THAT(html, HasSubstr("<p>1 finding seen in the last 1h"));
  for (const std::string hash : {"0000000000000001", "0000000000000003", "0000000000000004"}) {
    EXPECT_THAT(html, Not(HasSubstr(hash)));
  }
}

TEST(page, shows_no_markup_of_a_collections_name) {
  live_digest digest{10, tests::plenty()};
  shape_details details = tests::sample_finding();
  details.database = "<script>";
  details.collection = "\"><img>";
  shape_delta delta = tests::sample_delta(1);
  delta.details = std::make_shared<const shape_details>(std::move(details));
  tests::add_to(digest, {delta});
  const std::string html = page_html("", &digest);
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("<img>")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
}

TEST(page, has_nothing_inline_that_its_security_policy_forbids) {
  const std::string html = page_html("", nullptr);
  EXPECT_THAT(html, Not(HasSubstr("<style")));
  EXPECT_THAT(html, Not(HasSubstr("style=")));
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
}

TEST(page, says_whether_it_is_ready) {
  EXPECT_THAT(page_html("", nullptr), HasSubstr(", ready"));
  EXPECT_THAT(page_html("draining", nullptr), HasSubstr("not ready: draining"));
}

TEST(page, shows_what_is_wrong_the_gravest_first_and_not_what_is_over) {
  condition_board board;
  EXPECT_THAT(page_html("", nullptr, &board),
              HasSubstr("Nothing is wrong with scattergate itself."));
  board.raise(condition_kind::audit_failing, "<audit>.json", "No space left on device");
  board.raise(condition_kind::limit_reached, "limits.connections", "10000", 3);
  board.raise(condition_kind::state_failing, "state.json", "Permission denied");
  board.clear(condition_kind::state_failing, "state.json");
  const std::string html = page_html("", nullptr, &board);
  EXPECT_THAT(html, HasSubstr("<b>error</b> The audit log can&#39;t be written; findings wait "
                              "in memory: <code>&lt;audit&gt;.json</code> – No space left"));
  EXPECT_THAT(html, HasSubstr("limits.connections</code> – 10000"));
  EXPECT_THAT(html, HasSubstr(", 3 times, last "));
  EXPECT_THAT(html, Not(HasSubstr("state.json")));
  EXPECT_THAT(
      html, HasSubstr("Raise the limit, or find out why it is reached. <a target=\"_blank\" "
                      "rel=\"noopener\" href=\"runbook#scattergatelimitreached\">runbook</a>"));
  EXPECT_LT(html.find("audit&gt;.json"), html.find("limits.connections"));
}

TEST(page, names_the_listener_of_a_condition) {
  condition_board board;
  board.raise(condition_kind::tls_failures, {"10.0.0.7", "127.0.0.1:27117"}, "unknown ca");
  EXPECT_THAT(page_html("", nullptr, &board), HasSubstr("listener 127.0.0.1:27117; since "));
}

TEST(page, shows_a_bounded_number_of_conditions_and_says_how_many_more_there_are) {
  condition_board board;
  for (int i = 10; i < 32; ++i) {
    board.raise(condition_kind::tls_failures, "10.0.0." + std::to_string(i), "unknown ca");
  }
  board.raise(condition_kind::audit_failing, "audit.json", "No space left on device");
  const std::string html = page_html("", nullptr, &board);
  EXPECT_LT(html.find("audit.json"), html.find("10.0.0."));
  EXPECT_THAT(html, HasSubstr("And 3 more: <a href=\"api/v1/status\">"));
}

TEST(page, begins_with_the_headline) {
  const headline top{headline_level::down, "mongos down behind <a>"};
  EXPECT_THAT(page_html("", nullptr, nullptr, top),
              HasSubstr("<p id=\"headline\" class=\"down\">mongos down behind &lt;a&gt;</p>"));
  EXPECT_THAT(page_html("", nullptr), Not(HasSubstr("id=\"headline\"")));
}

TEST(page, shows_what_is_rejected_or_throttled_first) {
  live_digest digest{10, tests::plenty()};
  shape_delta dear = commands_of(1, routing_class::scatter_gather, 5, finding_action::observed);
  dear.shards.add(4, 5);
  tests::add_to(digest, {dear, commands_of(2, routing_class::scatter_gather, 2,
                                           finding_action::throttled)});
  const std::string html = page_html("", &digest);
  EXPECT_LT(html.find("0000000000000002"), html.find("0000000000000001"));
  EXPECT_THAT(html, HasSubstr("<b>2</b> rejected or throttled"));
  EXPECT_THAT(html, HasSubstr("2 findings seen in the last 1h"));
}

TEST(page, shows_no_zero_where_no_fan_out_is_known) {
  live_digest digest{10, tests::plenty()};
  shape_delta scatter = commands_of(1, routing_class::scatter_gather, 5);
  tests::add_to(digest, {scatter});
  EXPECT_THAT(page_html("", &digest), HasSubstr("<td class=\"n\">?</td></tr>"));
  scatter.shards.add(1, 5);
  tests::add_to(digest, {scatter});
  EXPECT_THAT(page_html("", &digest), Not(HasSubstr("<td class=\"n\">?</td>")));
}

TEST(page, says_that_nothing_has_come_yet) {
  live_digest digest{10, tests::plenty()};
  const std::string html = page_html("", &digest);
  EXPECT_THAT(html, HasSubstr("<p>No commands yet.</p>"));
  EXPECT_THAT(html, HasSubstr("<p>No findings.</p>"));
}

TEST(page, reports_what_to_do_about_the_worst_finding_first) {
  live_digest digest{10, tests::plenty()};
  shape_delta dear = tests::sample_delta(3, 0xDEA4);
  dear.shards.add(4, 3);
  shape_delta hostile = tests::sample_delta(1, 0xBAD);
  auto details = tests::sample_finding(0xBAD);
  details.collection = "<script>\xE2\x80\xAE";
  hostile.details = std::make_shared<const shape_details>(details);
  tests::add_to(digest, {hostile, dear});
  const std::string html = page_html("", &digest);
  EXPECT_THAT(html, HasSubstr("<li><details open><summary><span class=\"what\">"
                              "<span class=\"command\">find</span> "
                              "<b>yorkie-meta.clients</b> <span class=\"lacks\">lacks "
                              "project_id</span></span>"));
  EXPECT_THAT(html, HasSubstr("<b>9</b> shard requests wasted"));
  EXPECT_THAT(html, HasSubstr("<p class=\"fix\">add project_id to the filter"));
  EXPECT_THAT(html, HasSubstr("<dt>sent by</dt><dd>3 × "));
  EXPECT_THAT(html, HasSubstr("{explain: "));
  EXPECT_LT(html.find("000000000000dea4"), html.find("0000000000000bad"));
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("\xE2\x80\xAE")));
}

TEST(page, shows_a_bounded_number_of_findings_and_says_how_many_more_there_are) {
  live_digest digest{200, tests::plenty()};
  std::vector<shape_delta> all;
  for (std::uint64_t i = 1; i <= 150; ++i) all.push_back(tests::sample_delta(1, i));
  tests::add_to(digest, all);
  const std::string html = page_html("", &digest);
  EXPECT_THAT(html, HasSubstr("And 130 more: <a href=\"api/v1/shapes\">"));
}

TEST(web_files, are_what_the_page_loads) {
  const std::string html = page_html("", nullptr);
  for (const std::string name : {"page.js", "live.js", "text.js", "page.css", "icon.svg"}) {
    const web_file* file = find_web_file("/" + name);
    ASSERT_NE(file, nullptr) << name;
    EXPECT_FALSE(file->text.empty()) << name;
  }
  for (const web_file& each : web_files()) {
    EXPECT_THAT(html, HasSubstr("\"" + std::string{each.path.substr(1)} + "\""));
  }
  EXPECT_EQ(find_web_file("/page.html"), nullptr);
}

TEST(web_files, import_nothing_that_is_not_there) {
  std::size_t imports = 0;
  for (const web_file& each : web_files()) {
    constexpr std::string_view from = "\"./";
    for (std::size_t at = each.text.find(from); at != each.text.npos;
         at = each.text.find(from, at + 1)) {
      const std::size_t begin = at + from.size() - 1;
      const std::string path{each.text.substr(begin, each.text.find('"', begin) - begin)};
      EXPECT_NE(find_web_file(path), nullptr) << each.path << " imports " << path;
      ++imports;
    }
  }
  EXPECT_GT(imports, 30U);
}

}  // namespace
}  // namespace scattergate::telemetry
