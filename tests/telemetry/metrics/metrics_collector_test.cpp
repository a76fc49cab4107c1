#include "telemetry/metrics/metrics_collector.hpp"

#include <atomic>
#include <map>
#include <thread>

#include <gtest/gtest.h>
#include <prometheus/metric_family.h>

#include "telemetry/accounts/account.hpp"
#include "tests/support/family_set.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;
using labels = std::map<std::string, std::string>;

const prometheus::MetricFamily* family(const std::vector<prometheus::MetricFamily>& families,
                                       std::string_view name) {
  for (const auto& each : families) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

/// The series of a family with the labels `with`; null if there is none.
const prometheus::ClientMetric* series(const std::vector<prometheus::MetricFamily>& families,
                                       std::string_view name, const labels& with = {}) {
  const prometheus::MetricFamily* of = family(families, name);
  if (of == nullptr) return nullptr;
  for (const auto& each : of->metric) {
    labels has;
    for (const auto& label : each.label) has[label.name] = label.value;
    if (has == with) return &each;
  }
  return nullptr;
}

double value(const metrics_collector& metrics, std::string_view name, const labels& with = {}) {
  const auto families = scattergate::tests::families_of(metrics);
  const prometheus::ClientMetric* found = series(families, name, with);
  if (found == nullptr) return -1;
  return family(families, name)->type == prometheus::MetricType::Gauge ? found->gauge.value
                                                                       : found->counter.value;
}

TEST(metrics_collector, sums_what_the_workers_counted) {
  metrics_collector metrics{10};
  worker_metrics& first = metrics.add_worker();
  worker_metrics& second = metrics.add_worker();
  first.count_command(first.admit("db", "a"), command_kind::find, routing_class::single_shard);
  second.count_command(second.admit("db", "a"), command_kind::find,
                       routing_class::single_shard);
  second.count_statements(second.admit("db", "a"), command_kind::insert,
                          routing_class::multi_shard, 7);
  const labels find = {
      {"db", "db"}, {"collection", "a"}, {"command", "find"}, {"routing", "single_shard"}};
  const labels insert = {
      {"db", "db"}, {"collection", "a"}, {"command", "insert"}, {"routing", "multi_shard"}};
  EXPECT_EQ(value(metrics, "scattergate_commands_total", find), 2);
  EXPECT_EQ(value(metrics, "scattergate_commands_total", insert), -1);
  EXPECT_EQ(value(metrics, "scattergate_statements_total", insert), 7);
}

TEST(metrics_collector, shows_findings_by_reason_and_action) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  worker.count_finding(worker.admit("db", "a"), command_kind::aggregate,
                       routing::reason::no_leading_match, finding_action::accepted);
  EXPECT_EQ(value(metrics, "scattergate_findings_total",
                  {{"db", "db"},
                   {"collection", "a"},
                   {"command", "aggregate"},
                   {"reason", "no_leading_match"},
                   {"action", "accepted"}}),
            1);
}

TEST(metrics_collector, shows_histograms_in_seconds) {
  metrics_collector metrics{10};
  worker_metrics& first = metrics.add_worker();
  worker_metrics& second = metrics.add_worker();
  first.observe_duration(command_kind::find, routing_class::unsharded,
                         std::chrono::milliseconds{2});
  second.observe_duration(command_kind::find, routing_class::unsharded,
                          std::chrono::milliseconds{500});
  second.observe_inspect(std::chrono::nanoseconds{400});
  const auto families = scattergate::tests::families_of(metrics);
  const auto* duration = series(families, "scattergate_command_duration_seconds",
                                {{"command", "find"}, {"routing", "unsharded"}});
  ASSERT_NE(duration, nullptr);
  EXPECT_EQ(duration->histogram.sample_count, 2U);
  EXPECT_DOUBLE_EQ(duration->histogram.sample_sum, 0.502);
  EXPECT_DOUBLE_EQ(duration->histogram.bucket[2].upper_bound, 0.0025);
  EXPECT_EQ(duration->histogram.bucket[1].cumulative_count, 0U);
  EXPECT_EQ(duration->histogram.bucket[2].cumulative_count, 1U);
  EXPECT_EQ(duration->histogram.bucket.back().cumulative_count, 2U);
  const auto* inspect = series(families, "scattergate_inspect_seconds");
  ASSERT_NE(inspect, nullptr);
  EXPECT_DOUBLE_EQ(inspect->histogram.bucket.front().upper_bound, 250e-9);
  EXPECT_DOUBLE_EQ(inspect->histogram.sample_sum, 400e-9);
}

TEST(metrics_collector, shows_fanouts_as_shards) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  worker.observe_fanout(worker.admit("db", "a"), 3);
  const auto families = scattergate::tests::families_of(metrics);
  const auto* fanout =
      series(families, "scattergate_fanout_shards", {{"db", "db"}, {"collection", "a"}});
  ASSERT_NE(fanout, nullptr);
  EXPECT_DOUBLE_EQ(fanout->histogram.sample_sum, 3);
  EXPECT_DOUBLE_EQ(fanout->histogram.bucket[2].upper_bound, 3);
}

TEST(metrics_collector, counts_commands_without_a_collection) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  worker.count_command(worker.admit("admin", ""), command_kind::ping,
                       routing_class::not_routed);
  EXPECT_EQ(value(metrics, "scattergate_commands_total",
                  {{"db", "admin"},
                   {"collection", ""},
                   {"command", "ping"},
                   {"routing", "not_routed"}}),
            1);
}

TEST(metrics_collector, counts_what_found_no_room) {
  metrics_collector metrics{0};
  worker_metrics& worker = metrics.add_worker();
  for (int i = 0; i < 3; ++i) {
    worker.count_command(worker.admit("db", "a"), command_kind::find, routing_class::unknown);
  }
  EXPECT_EQ(value(metrics, "scattergate_series_overflow_total", {{"family", "namespaces"}}), 3);
  EXPECT_EQ(value(metrics, "scattergate_commands_total",
                  {{"db", "__other__"},
                   {"collection", "__other__"},
                   {"command", "find"},
                   {"routing", "unknown"}}),
            3);
}

TEST(metrics_collector, counts_new_shapes_by_namespace) {
  metrics_collector metrics{10};
  EXPECT_NE(metrics.add_worker().admit("db", "a"), other_namespace);
  metrics.count_new_shape("db", "a");
  metrics.count_new_shape("db", "a");
  metrics.count_new_shape("db", "unlisted");
  EXPECT_EQ(value(metrics, "scattergate_new_shapes_total", {{"db", "db"}, {"collection", "a"}}),
            2);
  EXPECT_EQ(value(metrics, "scattergate_new_shapes_total",
                  {{"db", "__other__"}, {"collection", "__other__"}}),
            1);
}

TEST(metrics_collector, starts_closed_lists_of_reasons_at_zero) {
  metrics_collector metrics{10};
  EXPECT_EQ(metrics.add_worker().connections_open.get(), 0U);
  EXPECT_EQ(value(metrics, "scattergate_wire_errors_total", {{"reason", "bad_length"}}), 0);
  EXPECT_EQ(value(metrics, "scattergate_wire_errors_total", {{"reason", "bad_bson"}}), -1);
  EXPECT_EQ(value(metrics, "scattergate_uninspected_messages_total", {{"reason", "bad_bson"}}),
            0);
  EXPECT_EQ(value(metrics, "scattergate_connections_closed_total", {{"reason", "drained"}}), 0);
}

TEST(metrics_collector, distinguishes_good_checksums_from_bad_ones) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  for (int i = 0; i < 7; ++i) worker.count_checksum(i < 5);
  EXPECT_EQ(value(metrics, "scattergate_checksums_verified_total"), 7);
  EXPECT_EQ(value(metrics, "scattergate_checksum_failures_total"), 2);
}

TEST(metrics_collector, shows_the_daemons_facts) {
  metrics_collector metrics{10};
  metrics.facts().catalog_loaded_at = 1'700'000'000;
  metrics.facts().config_reload_failures = 3;
  EXPECT_EQ(value(metrics, "scattergate_catalog_loaded_timestamp_seconds"), 1'700'000'000);
  EXPECT_EQ(value(metrics, "scattergate_config_reload_failures_total"), 3);
}

TEST(metrics_collector, shows_what_became_of_the_audit_log) {
  const tests::temporary_folder folder;
  metrics_collector metrics{10};
  live_digest digest{10, tests::plenty()};
  audit_log audit{{.file = folder.file("audit.json")}, {}};
  metrics.watch_audit(&audit);
  account adding{digest, {&audit.as_sink()}};
  adding.submit({tests::sample_delta(4)});
  adding.close();
  audit.close();
  EXPECT_EQ(value(metrics, "scattergate_audit_lines_total"), 1);
  EXPECT_EQ(value(metrics, "scattergate_audit_findings_total"), 4);
  EXPECT_EQ(value(metrics, "scattergate_audit_outstanding_findings"), 0);
  metrics.watch_audit(nullptr);
  EXPECT_EQ(value(metrics, "scattergate_audit_lines_total"), 0);
}

TEST(metrics_collector, may_be_read_while_workers_count) {
  constexpr std::uint64_t rounds = 20'000;
  metrics_collector metrics{50};
  std::atomic<bool> is_done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&metrics, worker = &metrics.add_worker()] {
      for (std::uint64_t n = 0; n < rounds; ++n) {
        const namespace_id ns = worker->admit("db", std::to_string(n % 100));
        worker->count_command(ns, static_cast<command_kind>(n % routing::command_kind_count),
                              routing_class::scatter_gather);
        worker->count_finding(ns, command_kind::find, routing::reason::missing_key,
                              finding_action::observed);
        worker->observe_inspect(std::chrono::nanoseconds{n});
      }
    });
  }
  std::thread reader{[&] {
    while (!is_done) EXPECT_FALSE(scattergate::tests::families_of(metrics).empty());
  }};
  for (std::thread& thread : threads) thread.join();
  is_done = true;
  reader.join();
  double commands = 0;
  double findings = 0;
  const auto families = scattergate::tests::families_of(metrics);
  for (const auto& each : family(families, "scattergate_commands_total")->metric) {
    commands += each.counter.value;
  }
  for (const auto& each : family(families, "scattergate_findings_total")->metric) {
    findings += each.counter.value;
  }
  EXPECT_EQ(commands, 2.0 * rounds);
  EXPECT_EQ(findings, 2.0 * rounds);
}

}  // namespace
}  // namespace scattergate::telemetry
