#include "telemetry/admin/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(page, escapes_what_html_would_read_as_markup) {
  EXPECT_EQ(html_escaped("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(page, shows_commands_per_namespace_and_class) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  const namespace_id ns = worker.admit("db", "a");
  for (int i = 0; i < 3; ++i) {
    worker.count_command(ns, command_kind::find, routing_class::single_shard);
    worker.count_command(ns, command_kind::count, routing_class::single_shard);
  }
  worker.count_command(ns, command_kind::find, routing_class::scatter_gather);
  EXPECT_THAT(page_html(metrics.Collect(), ""),
              HasSubstr("<tr><td>db</td><td>a</td><td class=\"n\"></td><td class=\"n\"></td>"
                        "<td class=\"n\">6</td><td class=\"n\"></td>"
                        "<td class=\"n\"></td><td class=\"n bad\">1</td></tr>"));
}

TEST(page, shows_findings_most_frequent_first_and_alarms_for_none_that_is_accepted) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  const namespace_id ns = worker.admit("db", "a");
  worker.count_finding(ns, command_kind::count, routing::reason::missing_key,
                       finding_action::observed);
  for (int i = 0; i < 2; ++i) {
    worker.count_finding(ns, command_kind::find, routing::reason::missing_key,
                         finding_action::accepted);
  }
  EXPECT_THAT(page_html(metrics.Collect(), ""),
              HasSubstr("<td>find</td><td>missing_key</td><td>accepted</td>"
                        "<td class=\"n\">2</td></tr>\n"
                        "<tr><td>db</td><td>a</td><td>count</td><td>missing_key</td>"
                        "<td>observed</td><td class=\"n bad\">1</td></tr>"));
}

TEST(page, shows_no_markup_of_a_collections_name) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  const namespace_id ns = worker.admit("<script>", "\"><img>");
  worker.count_command(ns, command_kind::find, routing_class::unsharded);
  worker.count_finding(ns, command_kind::find, routing::reason::missing_key,
                       finding_action::observed);
  const std::string html = page_html(metrics.Collect(), "");
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("<img>")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
}

TEST(page, shows_a_bounded_number_of_findings) {
  metrics_collector metrics{200};
  worker_metrics& worker = metrics.add_worker();
  for (int i = 0; i < 150; ++i) {
    worker.count_finding(worker.admit("db", std::to_string(i)), command_kind::find,
                         routing::reason::missing_key, finding_action::observed);
  }
  const std::string html = page_html(metrics.Collect(), "");
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = html.find("missing_key", at)) != std::string::npos; ++at)
    ++rows;
  EXPECT_EQ(rows, 100U);
}

TEST(page, says_whether_it_is_ready) {
  const metrics_collector metrics{10};
  EXPECT_THAT(page_html(metrics.Collect(), ""), HasSubstr(", ready.</p>"));
  EXPECT_THAT(page_html(metrics.Collect(), "draining"), HasSubstr("not ready: draining"));
}

TEST(page, says_that_nothing_has_come_yet) {
  const metrics_collector metrics{10};
  const std::string html = page_html(metrics.Collect(), "");
  EXPECT_THAT(html, HasSubstr("<h2>Commands</h2>\n<p>None yet.</p>"));
  EXPECT_THAT(html, HasSubstr("<h2>Findings</h2>\n<p>None yet.</p>"));
}

}  // namespace
}  // namespace scattergate::telemetry
