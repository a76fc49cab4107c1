#include "telemetry/counters/worker_metrics.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/allocation_counter.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;

TEST(worker_metrics, knows_what_was_admitted_before_it_came) {
  namespace_registry registry{10};
  rule_registry rules;
  EXPECT_NE(registry.admit("db", "a"), other_namespace);
  worker_metrics worker{registry, rules};
  EXPECT_EQ(worker.known("db", "a"), registry.find("db", "a"));
  EXPECT_FALSE(worker.known("db", "b").has_value());
}

TEST(worker_metrics, finds_a_name_that_it_missed_once_another_worker_admitted_it) {
  namespace_registry registry{10};
  rule_registry rules;
  worker_metrics first{registry, rules};
  worker_metrics second{registry, rules};
  EXPECT_FALSE(first.known("db", "late").has_value());
  const namespace_id id = second.admit("db", "late");
  EXPECT_EQ(first.known("db", "late"), id);
  EXPECT_EQ(first.admit("db", "late"), id);
}

TEST(worker_metrics, finds_a_name_that_a_later_catalog_added) {
  namespace_registry registry{10};
  rule_registry rules;
  worker_metrics worker{registry, rules};
  EXPECT_FALSE(worker.known("db", "new").has_value());
  EXPECT_NE(registry.admit("db", "new"), other_namespace);
  EXPECT_TRUE(worker.known("db", "new").has_value());
}

TEST(worker_metrics, finds_a_malformed_name_under_its_replaced_form) {
  namespace_registry registry{10};
  rule_registry rules;
  worker_metrics worker{registry, rules};
  const namespace_id id = worker.admit("db", "\xFF");
  EXPECT_NE(id, other_namespace);
  EXPECT_EQ(worker.known("db", "\xFE"), id);
  EXPECT_FALSE(worker.known("db", std::string(300, '\xFF')).has_value());
}

TEST(worker_metrics, folds_names_beyond_the_cap) {
  namespace_registry registry{1};
  rule_registry rules;
  worker_metrics worker{registry, rules};
  EXPECT_NE(worker.admit("db", "a"), other_namespace);
  EXPECT_EQ(worker.admit("db", "b"), other_namespace);
  worker.count_command(other_namespace, command_kind::find, routing_class::unsharded);
}

TEST(worker_metrics, lets_go_of_what_leaves_but_for_commands_under_way) {
  namespace_registry registry{10};
  rule_registry rules;
  worker_metrics worker{registry, rules};
  const namespace_id id = worker.admit("db", "a");
  worker.begin(id);
  registry.leave(id);
  EXPECT_FALSE(worker.release_leaving());
  EXPECT_EQ(worker.known("db", "a"), id);
  worker.count_command(id, command_kind::find, routing_class::unsharded);
  worker.end(id);
  EXPECT_EQ(worker.counted(id), 1U);
  registry.leave(id);
  EXPECT_TRUE(worker.release_leaving());
  EXPECT_FALSE(worker.known("db", "a").has_value());
  // Until it is freed it may come back, with its counts.
  EXPECT_EQ(worker.admit("db", "a"), id);
  EXPECT_EQ(worker.known("db", "a"), id);
  EXPECT_EQ(worker.counted(id), 1U);
}

TEST(worker_metrics, counts_without_allocating_once_a_command_was_seen) {
  namespace_registry registry{10};
  rule_registry rules;
  EXPECT_NE(registry.admit("db", "a"), other_namespace);
  worker_metrics worker{registry, rules};
  const auto count_all = [&worker] {
    const namespace_id ns = worker.known("db", "a").value_or(other_namespace);
    worker.count_command(ns, command_kind::find, routing_class::scatter_gather);
    worker.count_statements(ns, command_kind::find, routing_class::scatter_gather, 3);
    worker.count_finding(ns, command_kind::find, routing::reason::missing_key,
                         finding_action::observed);
    worker.observe_fanout(ns, 3);
    worker.observe_duration(command_kind::find, routing_class::scatter_gather,
                            std::chrono::milliseconds{3});
    worker.observe_inspect(std::chrono::microseconds{1});
    worker.count_closed(close_reason::drained);
    // A name without a label is looked for each time.
    EXPECT_FALSE(worker.known("db", "unknown").has_value());
  };
  count_all();
  const scattergate::tests::allocation_counter allocations;
  count_all();
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(worker_metrics, stays_small_with_many_namespaces) {
  // 200 namespaces on two workers, each with six commands and findings for all of them.
  constexpr std::size_t blocks = std::size_t{200} * 2;
  constexpr std::size_t kinds = 6;
  constexpr std::size_t bytes =
      blocks *
      (sizeof(namespace_cells) + kinds * (sizeof(command_cells) + sizeof(finding_cells)));
  EXPECT_LT(bytes, std::size_t{10} << 20U);
}

TEST(worker_metrics, names_its_labels) {
  EXPECT_EQ(label(finding_action::accepted), "accepted");
  EXPECT_EQ(label(close_reason::upstream_unreachable), "upstream_unreachable");
}

}  // namespace
}  // namespace scattergate::telemetry
