#include <chrono>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/cases.hpp"
#include "telemetry/metrics/exposition.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::bench {
namespace {

using routing::command_kind;
using routing::routing_class;
using telemetry::exposition_format;

/// The counts of two workers on this many collections: a series per (db, collection) in each
/// family.
void count(telemetry::metrics_collector& metrics, std::size_t collections) {
  for (int i = 0; i < 2; ++i) {
    telemetry::worker_metrics& worker = metrics.add_worker();
    for (std::size_t each = 0; each < collections; ++each) {
      const std::string name = "collection-" + std::to_string(each);
      const auto ns = worker.admit("application", name);
      worker.count_command(ns, command_kind::insert, routing_class::scatter_gather);
      worker.count_statements(ns, command_kind::insert, routing_class::scatter_gather, 3);
      worker.count_finding(ns, command_kind::insert, routing::reason::missing_key,
                           telemetry::finding_action::observed);
      worker.observe_fanout(ns, 3);
      if (i == 0) metrics.count_new_shape("application", name);
    }
  }
}

void run_scrape(benchmark::State& state, exposition_format format) {
  const auto collections = static_cast<std::size_t>(state.range(0));
  telemetry::metrics_collector metrics{collections};
  count(metrics, collections);
  const telemetry::exposition all{metrics};
  std::size_t bytes = 0;
  for (auto _ : state) bytes = all.text(format).size();
  state.counters["KiB"] = static_cast<double>(bytes) / 1024;
}

}  // namespace

void register_scrape_cases() {
  const auto with_sizes = [](benchmark::internal::Benchmark* of) {
    for (const int collections : {200, 2'000, 12'000, 20'000}) of->Arg(collections);
    of->Unit(benchmark::kMillisecond);
  };
  with_sizes(benchmark::RegisterBenchmark("scrape/text", run_scrape, exposition_format::text));
  with_sizes(benchmark::RegisterBenchmark("scrape/openmetrics", run_scrape,
                                          exposition_format::openmetrics));
}

}  // namespace scattergate::bench
