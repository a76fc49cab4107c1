#include <array>
#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "telemetry/metrics/metrics_collector.hpp"
#include "tests/support/family_set.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;
using std::chrono::seconds;

/// commands_total by collection.
std::map<std::string, double> exposed(const metrics_collector& collector) {
  std::map<std::string, double> sums;
  for (const auto& family : scattergate::tests::families_of(collector)) {
    if (family.name != "scattergate_commands_total") continue;
    for (const auto& series : family.metric)
      sums[series.label[1].value] += series.counter.value;
  }
  return sums;
}

double sum_of(const std::map<std::string, double>& counts) {
  double sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

/// A worker's part of a command: from its request to its reply.
void count_one(worker_metrics& worker, const std::string& collection) {
  auto ns = worker.known("db", collection);
  if (ns) {
    worker.begin(*ns);
    worker.end(*ns);
  } else {
    ns = worker.admit("db", collection);
  }
  worker.count_command(*ns, command_kind::find, routing_class::unsharded);
}

TEST(evict_quiet, ends_the_series_of_a_quiet_label_and_begins_the_next_at_zero) {
  metrics_collector collector{1};
  worker_metrics& worker = collector.add_worker();
  metrics_collector::clock::time_point now{};
  const auto do_housekeeping = [&](int after) {
    collector.evict_quiet(now += seconds{after}, seconds{10});
    worker.release_leaving();
  };
  count_one(worker, "a");
  collector.count_new_shape("db", "a");
  do_housekeeping(1);
  do_housekeeping(9);
  EXPECT_EQ(exposed(collector)["a"], 1);
  do_housekeeping(1);
  do_housekeeping(1);
  EXPECT_EQ(exposed(collector).count("a"), 0U);
  count_one(worker, "b");
  EXPECT_EQ(exposed(collector), (std::map<std::string, double>{{"b", 1}}));
  for (const auto& family : scattergate::tests::families_of(collector)) {
    EXPECT_NE(family.name, "scattergate_new_shapes_total");
  }
}

TEST(evict_quiet, keeps_a_label_that_only_findings_or_statements_count_under) {
  metrics_collector collector{2};
  worker_metrics& worker = collector.add_worker();
  metrics_collector::clock::time_point now{};
  const namespace_id joined = worker.admit("db", "joined");
  const namespace_id written = worker.admit("db", "written");
  for (int i = 0; i < 100; ++i) {
    worker.count_finding(joined, command_kind::aggregate, routing::reason::missing_key,
                         finding_action::observed);
    worker.count_statements(written, command_kind::bulk_write, routing_class::unsharded, 1);
    collector.evict_quiet(now += seconds{1}, seconds{10});
    worker.release_leaving();
  }
  EXPECT_EQ(worker.known("db", "joined"), joined);
  EXPECT_EQ(worker.known("db", "written"), written);
}

TEST(evict_quiet, keeps_a_label_with_a_command_under_way) {
  metrics_collector collector{1};
  worker_metrics& worker = collector.add_worker();
  metrics_collector::clock::time_point now{};
  count_one(worker, "a");
  const auto ns = worker.known("db", "a");
  ASSERT_TRUE(ns.has_value());
  worker.begin(*ns);
  for (int i = 0; i < 100; ++i) {
    collector.evict_quiet(now += seconds{1}, seconds{10});
    worker.release_leaving();
  }
  worker.end(*ns);
  worker.count_command(*ns, command_kind::find, routing_class::unsharded);
  EXPECT_EQ(exposed(collector)["a"], 2);
}

/// The exposed series and those that were evicted add up to all counts.
TEST(evict_quiet, every_script_adds_up) {
  for (unsigned seed = 1; seed <= scattergate::tests::repetitions(20); ++seed) {
    std::mt19937 random{seed};
    metrics_collector collector{1 + random() % 6};
    std::array<worker_metrics*, 2> workers{&collector.add_worker(), &collector.add_worker()};
    metrics_collector::clock::time_point now{};
    std::map<std::string, double> before;
    double counted = 0;
    double dropped = 0;
    for (int step = 0; step < 500; ++step) {
      worker_metrics& worker = *workers[random() % 2];
      const auto dice = random() % 10;
      if (dice < 5) {
        count_one(worker, "c" + std::to_string(random() % 9));
        ++counted;
      } else if (dice < 8) {
        worker.release_leaving();
      } else {
        collector.evict_quiet(now += seconds{1 + random() % 3}, seconds{3});
        const auto after = exposed(collector);
        for (const auto& [name, count] : before) {
          if (after.count(name) == 0) dropped += count;
        }
      }
      before = exposed(collector);
      EXPECT_EQ(sum_of(before) + dropped, counted) << "seed " << seed << " step " << step;
    }
    EXPECT_GT(dropped, 0) << "seed " << seed;
  }
}

/// Two workers, a scraper and the housekeeping, all at once (ThreadSanitizer looks on).
TEST(evict_quiet, is_sound_while_others_count_and_scrape) {
  metrics_collector collector{4};
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> counted{0};
  std::atomic<unsigned> wave{0};  // of names: the ones before are quiet
  const auto work = [&](unsigned seed) {
    worker_metrics& worker = collector.add_worker();
    std::mt19937 random{seed};
    while (!is_over) {
      counted.fetch_add(1);
      count_one(worker, "c" + std::to_string(wave + random() % 3));
      if (random() % 16 == 0) worker.release_leaving();
    }
  };
  std::thread first{work, 1};
  std::thread second{work, 2};
  for (int i = 0; i < 400; ++i) {
    // Time passes quickly: labels come and go.
    collector.evict_quiet(metrics_collector::clock::time_point{} + seconds{i}, seconds{1});
    const double sum = sum_of(exposed(collector));
    EXPECT_LE(sum, static_cast<double>(counted.load()));
    wave = static_cast<unsigned>(i / 8);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  is_over = true;
  first.join();
  second.join();
  double evicted = 0;
  for (const auto& family : scattergate::tests::families_of(collector)) {
    if (family.name == "scattergate_series_given_back_total") {
      for (const auto& series : family.metric) evicted += series.counter.value;
    }
  }
  EXPECT_GT(evicted, 0);
}

}  // namespace
}  // namespace scattergate::telemetry
