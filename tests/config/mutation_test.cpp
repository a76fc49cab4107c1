#include <random>

#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

constexpr std::string_view options_text = R"(listeners:
  - listen: 127.0.0.1:27117
    upstream: [mongos1:27017, "[::1]:27018"]
    tls: off
    upstream_tls: {server_name: mongos1}
    proxy_protocol: v2
workers: {threads: 2}
rules:
  - name: a
    match: {namespace: "db.*", command: find, missing: [a, b], shape: 00000000000000ff}
    action: accept
    why: 'quoted'
audit: {file: "-", interval: 60s}
limits: {idle: 1h, message_size: 1MiB, memory: 512MiB}
handover: {socket: /run/handover.sock}
)";

constexpr std::string_view catalog_text = R"(version: "8.0"
collections:
  - namespace: a.b
    shardKey: {p: 1, _id: hashed}
    collation: {locale: en}
    chunks:
      - {min: {p: {$minKey: 1}, _id: {$minKey: 1}}, max: {p: {$date: "2024-01-01T00:00:00Z"}, _id: {$numberLong: "5"}}, shard: s0}
      - {min: {p: {$date: "2024-01-01T00:00:00Z"}, _id: {$numberLong: "5"}}, max: {p: {$maxKey: 1}, _id: {$maxKey: 1}}, shard: s1}
  - {namespace: a.v, viewOn: b, pipeline: [{$match: {x: {$binary: {base64: AQID, subType: "00"}}}}]}
)";

// Overwrites, removes, repeats or cuts a few bytes.
std::string mutated(std::string_view from, std::mt19937& random) {
  constexpr std::string_view bytes = "{}[]:,-&*!|>'\"%@`#?\n\t \\$01e.\xff\x80~";
  std::string text{from};
  for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text[at] = bytes[random() % bytes.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      default:
        text.insert(at, 1, bytes[random() % bytes.size()]);
    }
    if (text.empty()) return text;
  }
  return text;
}

TEST(spoilt_files, are_either_good_or_refused_where_they_are_bad) {
  const test::temporary_folder folder;
  std::mt19937 random{7};
  std::size_t refused = 0;
  for (int i = 0; i < 2'000; ++i) {
    flags given;
    given.config_file = folder.write("s.yaml", mutated(options_text, random));
    const auto loaded = load_options(given, {}, purpose::run);
    for (const text::problem& one : loaded.problems) {
      EXPECT_TRUE(one.where.starts_with(*given.config_file) || one.where == "--upstream")
          << to_string(one);
    }
    refused += loaded.problems.empty() ? 0 : 1;
  }
  for (int i = 0; i < 2'000; ++i) {
    const std::string file = folder.write("c.yaml", mutated(catalog_text, random));
    const auto loaded = load_catalog(file);
    EXPECT_EQ(loaded.value == nullptr, !loaded.problems.empty());
    for (const text::problem& one : loaded.problems) {
      EXPECT_TRUE(one.where.starts_with(file + ":")) << to_string(one);
    }
    refused += loaded.problems.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 1'000U);
  EXPECT_LT(refused, 4'000U);
}

}  // namespace
}  // namespace scattergate::config
