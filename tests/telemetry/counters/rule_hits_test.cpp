#include "telemetry/counters/rule_hits.hpp"

#include <gtest/gtest.h>

#include "telemetry/metrics/metrics_collector.hpp"
#include "text/utf8.hpp"

namespace scattergate::telemetry {
namespace {

TEST(rule_hits, are_added_up_over_the_workers) {
  metrics_collector metrics{10};
  worker_metrics& one = metrics.add_worker();
  worker_metrics& other = metrics.add_worker();
  const rule_id rule = metrics.rules().admit("nightly");
  EXPECT_EQ(metrics.rules().admit("nightly"), rule);
  one.count_rule_hit(rule, rule_hit::accepted);
  other.count_rule_hit(rule, rule_hit::accepted);
  other.count_rule_hit(rule, rule_hit::expired);
  const auto totals = metrics.rule_totals();
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[rule].name, "nightly");
  EXPECT_EQ(totals[rule].by_hit[static_cast<std::size_t>(rule_hit::accepted)], 2U);
  EXPECT_EQ(totals[rule].by_hit[static_cast<std::size_t>(rule_hit::expired)], 1U);
  EXPECT_EQ(totals[rule].by_hit[static_cast<std::size_t>(rule_hit::rejected)], 0U);
}

TEST(rule_hits, of_more_names_than_there_is_room_for_share_one) {
  rule_registry rules;
  for (std::size_t i = 1; i < rule_registry::capacity; ++i) {
    EXPECT_EQ(rules.admit("rule " + std::to_string(i)), i);
  }
  EXPECT_EQ(rules.admit("one more"), rule_registry::other);
  EXPECT_EQ(rules.admit("rule 7"), 7U);
  EXPECT_EQ(rules.names().size(), rule_registry::capacity);
}

TEST(rule_hits, have_names_that_can_be_labels) {
  rule_registry rules;
  const rule_id id = rules.admit("a\xff");
  EXPECT_TRUE(text::is_plain(rules.names()[id]));
  EXPECT_EQ(rules.admit("a\xff"), id);
}

TEST(rule_hits, of_a_rule_called_as_the_rest_count_with_the_rest) {
  rule_registry rules;
  EXPECT_EQ(rules.admit("__other__"), rule_registry::other);
  EXPECT_EQ(rules.names().size(), 1U);
}

}  // namespace
}  // namespace scattergate::telemetry
