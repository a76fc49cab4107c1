#include <array>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/cases.hpp"
#include "bench/requests.hpp"
#include "wire/compressed.hpp"
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

/// The reply to a find with `documents` small results, wrapped so that it parses like any other
/// message.
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
    // As a pointer, because newer releases of benchmark deprecate a const reference.
    auto* facts = &scanner.facts();
    benchmark::DoNotOptimize(facts);
  }
  if (scanner.facts().cursor_id != 77 || !scanner.facts().ok) {
    failed = true;
    state.SkipWithError("not read as expected");
  }
}

/// From OP_COMPRESSED to the message that parse_command reads.
void run_unpack(benchmark::State& state, wire::compressor by, bool& failed) {
  const requests all = find_by_key("ranged");
  std::vector<std::vector<std::byte>> packed;
  for (const request& each : all) packed.push_back(wire::compress(each.message(), by));
  wire::decompressor unpacker;
  std::vector<std::byte> scratch(4096);
  std::size_t next = 0;
  for (auto _ : state) {
    const std::span<const std::byte> message{packed[next]};
    const auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
    const auto parsed = wire::parse_op_compressed(*header, message);
    const auto unpacked = unpacker.unpack(*parsed, scratch);
    if (!unpacked || unpacked->size() != all[next].message().size()) {
      failed = true;
      return state.SkipWithError("not unpacked as expected");
    }
    next = next + 1 == all.size() ? 0 : next + 1;
  }
}

}  // namespace

void register_wire_cases(bool& failed) {
  benchmark::RegisterBenchmark("parse_command/find", run_parse, [] {
    return find_by_key("ranged");
  })->ComputeStatistics("min", least);
  benchmark::RegisterBenchmark("parse_command/insert_100", run_parse, insert_100)
      ->ComputeStatistics("min", least);
  for (const auto by :
       {wire::compressor::snappy, wire::compressor::zlib, wire::compressor::zstd}) {
    const std::string name = "unpack/" + std::string{wire::name_of(by)};
    benchmark::RegisterBenchmark(name.c_str(), [&failed, by](benchmark::State& state) {
      run_unpack(state, by, failed);
    })->ComputeStatistics("min", least);
  }
  benchmark::RegisterBenchmark("reply_scan",
                               [&](benchmark::State& state) { run_reply_scan(state, failed); })
      ->Arg(1)
      ->Arg(100)
      ->ComputeStatistics("min", least);
}

}  // namespace scattergate::bench
