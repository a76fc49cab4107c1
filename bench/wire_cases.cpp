#include <array>

#include <benchmark/benchmark.h>

#include "bench/cases.hpp"
#include "bench/requests.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::bench {
namespace {

void run_parse(benchmark::State& state, requests (*make)()) {
  const requests all = make();
  std::size_t next = 0;
  for (auto _ : state) {
    const request& each = all[next];
    benchmark::DoNotOptimize(wire::parse_command(each.header(), each.message()));
    next = next + 1 == all.size() ? 0 : next + 1;
  }
}

/// The reply to a find that found `documents` small ones, in an envelope that reads like any
/// other message.
request reply_with(std::size_t documents) {
  std::string batch;
  for (std::size_t i = 0; i != documents; ++i) {
    if (i != 0) batch += ", ";
    batch +=
        R"({"_id": {"$oid": "64b0c0ffee00000000000001"}, "name": "a name of some length"})";
  }
  return request{R"("cursor": {"firstBatch": [)" + batch +
                 R"(], "id": {"$numberLong": "77"}, "ns": "bench.ranged"}, "ok": 1.0)"};
}

void run_reply_scan(benchmark::State& state, bool& failed) {
  const request reply = reply_with(static_cast<std::size_t>(state.range(0)));
  const auto payload = reply.message().subspan(wire::limits::header_bytes);
  wire::reply_scanner scanner;
  for (auto _ : state) {
    scanner.begin(reply.header());
    scanner.feed(payload);
    benchmark::DoNotOptimize(scanner.facts());
  }
  if (scanner.facts().cursor_id != 77 || !scanner.facts().ok) {
    failed = true;
    state.SkipWithError("not read as expected");
  }
}

}  // namespace

void register_wire_cases(bool& failed) {
  benchmark::RegisterBenchmark("parse_command/find", run_parse, [] {
    return find_by_key("ranged");
  })->ComputeStatistics("min", least);
  benchmark::RegisterBenchmark("parse_command/insert_100", run_parse, insert_100)
      ->ComputeStatistics("min", least);
  benchmark::RegisterBenchmark("reply_scan",
                               [&](benchmark::State& state) { run_reply_scan(state, failed); })
      ->Arg(1)
      ->Arg(100)
      ->ComputeStatistics("min", least);
}

}  // namespace scattergate::bench
