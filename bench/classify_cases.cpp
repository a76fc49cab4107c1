#include <benchmark/benchmark.h>

#include "bench/cases.hpp"
#include "bench/catalogs.hpp"
#include "bench/requests.hpp"
#include "routing/classify.hpp"
#include "routing/pattern/pattern.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::bench {
namespace {

using routing::routing_class;

/// A kind of request to measure, and the verdict that its requests must have.
struct classify_case {
  const char* name;
  requests (*make)();
  routing_class expected;
  const routing::catalog& (*entries)() = common_catalog;
};

template <std::size_t Chunks>
const routing::catalog& with_chunks() {
  return large_catalog(Chunks);
}
template <std::size_t Collections>
const routing::catalog& with_collections() {
  return wide_catalog(Collections);
}
requests one_of_many() {
  return find_by_key("ranged");
}

const classify_case classify_cases[] = {
    {"find_ranged", [] { return find_by_key("ranged"); }, routing_class::single_shard},
    {"find_hashed", [] { return find_by_key("hashed"); }, routing_class::single_shard},
    {"yorkie_documents_page", documents_page, routing_class::single_shard},
    {"yorkie_changes", changes_range, routing_class::single_shard},
    {"yorkie_active_clients", find_active_clients, routing_class::scatter_gather},
    {"insert_100", insert_100, routing_class::multi_shard},
    {"update_100", update_100, routing_class::single_shard},
    {"aggregate_lookup", aggregate_lookup, routing_class::multi_shard},
    {"in_1000_ranged", [] { return find_in("ranged"); }, routing_class::multi_shard},
    {"in_1000_hashed", [] { return find_in("hashed"); }, routing_class::multi_shard},
    {"chunks_1_point", large_point, routing_class::single_shard, with_chunks<1>},
    {"chunks_1000_point", large_point, routing_class::single_shard, with_chunks<1'000>},
    {"chunks_100000_point", large_point, routing_class::single_shard, with_chunks<100'000>},
    {"chunks_100000_range", large_range, routing_class::multi_shard, with_chunks<100'000>},
    {"collections_10", one_of_many, routing_class::single_shard, with_collections<10>},
    {"collections_1000", one_of_many, routing_class::single_shard, with_collections<1'000>},
    {"collections_12000", one_of_many, routing_class::single_shard, with_collections<12'000>},
};

/// Runs `work` on the next command in each iteration.
template <typename Work>
void run_each(benchmark::State& state, const requests& all, Work work) {
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(work(all[next].command()));
    next = next + 1 == all.size() ? 0 : next + 1;
  }
}

void run_classify(benchmark::State& state, const classify_case& each, bool& failed) {
  const requests all = each.make();
  const routing::catalog& entries = each.entries();
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  const routing::verdict first = routing::classify(all.front().command(), entries, memory);
  if (first.routing != each.expected || first.widened) {
    failed = true;
    return state.SkipWithError("not judged as expected");
  }
  run_each(state, all, [&](const wire::command& command) {
    auto work = wire::work_budget::for_message(command.size_bytes());
    return routing::classify(command, entries, memory, work);
  });
}

void run_shape_hash(benchmark::State& state, requests (*make)()) {
  const requests all = make();
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  run_each(state, all,
           [&](const wire::command& command) { return routing::shape_hash(command, memory); });
}

/// The memo's match, which replaces judging if a similar message was judged before.
void run_matches(benchmark::State& state, requests (*make)(), bool& failed) {
  const requests all = make();
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  const request& first = all.front();
  const auto verdict = routing::classify(first.command(), common_catalog(), memory);
  const auto parsed = wire::parse_op_msg(first.header(), first.message());
  routing::pattern like;
  bool matches = parsed && routing::write_pattern(*parsed, first.message(), verdict,
                                                  common_catalog(), like);
  std::size_t next = 0;
  for (auto _ : state) {
    matches &= like.matches(all[next].message());
    next = next + 1 == all.size() ? 0 : next + 1;
  }
  if (!matches) {
    failed = true;
    state.SkipWithError("not alike");
  }
}

}  // namespace

void register_classify_cases(bool& failed) {
  for (const classify_case& each : classify_cases) {
    const std::string name = std::string{"classify/"} + each.name;
    benchmark::RegisterBenchmark(name.c_str(), [&](benchmark::State& state) {
      run_classify(state, each, failed);
    })->ComputeStatistics("min", least);
  }
  benchmark::RegisterBenchmark("pattern/find_hashed", [&](benchmark::State& state) {
    run_matches(
        state, [] { return find_by_key("hashed"); }, failed);
  })->ComputeStatistics("min", least);
  benchmark::RegisterBenchmark("pattern/yorkie_changes", [&](benchmark::State& state) {
    run_matches(state, changes_range, failed);
  })->ComputeStatistics("min", least);
  benchmark::RegisterBenchmark("shape_hash/yorkie_documents_page", run_shape_hash,
                               documents_page)
      ->ComputeStatistics("min", least);
  benchmark::RegisterBenchmark("shape_hash/yorkie_active_clients", run_shape_hash,
                               find_active_clients)
      ->ComputeStatistics("min", least);
}

}  // namespace scattergate::bench
