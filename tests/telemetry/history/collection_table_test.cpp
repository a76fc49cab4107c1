#include "telemetry/history/collection_table.hpp"

#include <gtest/gtest.h>

#include "tests/telemetry/history/history_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using tests::noon;
using tests::scattered;

digest::counts scatters(std::uint64_t count, collection_table::wall_time at = noon) {
  digest::counts made;
  digest::sighting seen;
  seen.count = count;
  seen.fanout = 3;
  seen.first = seen.last = at;
  made.count_in(seen, routing::routing_class::scatter_gather);
  return made;
}

TEST(collection_table, counts_accepted_ones_and_get_mores_apart) {
  collection_table table;
  table.count("shop", "orders", counted_as::finding, scatters(2), noon);
  table.count("shop", "orders", counted_as::ordinary, scatters(3), noon);
  table.count("shop", "orders", counted_as::accepted, scatters(5), noon);
  table.count("shop", "orders", counted_as::get_more, scatters(7), noon);
  const command_counts& counts = table.ranked().at(0)->counts;
  EXPECT_EQ(counts.of[scattered], 5U);
  EXPECT_EQ(counts.of[command_counts::findings], 2U);
  EXPECT_EQ(counts.of[command_counts::accepted], 5U);
  EXPECT_EQ(counts.of[command_counts::get_more], 7U);
  EXPECT_EQ(counts.commands(), 17U);
  EXPECT_EQ(counts.of[command_counts::wasted], 34U);
  EXPECT_EQ(table.all().counts, counts);
}

TEST(collection_table, counts_refused_ones_as_findings_and_apart) {
  collection_table table;
  table.count("shop", "orders", counted_as::finding, scatters(2), noon);
  table.count("shop", "orders", counted_as::finding, scatters(5), noon, {4, 4});
  const command_counts& counts = table.ranked().at(0)->counts;
  EXPECT_EQ(counts.of[command_counts::findings], 7U);
  EXPECT_EQ(counts.of[command_counts::refused], 4U);
  EXPECT_EQ(counts.of[command_counts::scattering], 3U);
  EXPECT_EQ(counts.commands(), 7U);
}

TEST(collection_table, distinguishes_the_last_minute) {
  collection_table table;
  table.count("shop", "orders", counted_as::ordinary, scatters(2), noon);
  table.count("shop", "orders", counted_as::ordinary, scatters(3), noon + seconds{50});
  const recent_counts& recent = table.all().recent;
  EXPECT_EQ(recent.sum(noon + seconds{50}).commands(), 5U);
  EXPECT_EQ(recent.sum(noon + seconds{62}).commands(), 3U);
  EXPECT_EQ(recent.sum(noon + seconds{200}).commands(), 0U);
  EXPECT_EQ(recent_counts::seconds(noon + seconds{4}, noon), 4U);
  EXPECT_EQ(recent_counts::seconds(noon + seconds{200}, noon), 55U);
}

TEST(collection_table, counts_those_beyond_its_bound_as_one) {
  collection_table table;
  for (std::size_t i = 0; i < collection_table::most + 5; ++i) {
    table.count("shop", "c" + std::to_string(i), counted_as::ordinary, scatters(1), noon);
  }
  table.count_elsewhere(counted_as::finding, scatters(2), noon);
  EXPECT_EQ(table.ranked().size(), collection_table::most);
  EXPECT_EQ(table.others().counts.commands(), 7U);
  EXPECT_EQ(table.all().counts.commands(), collection_table::most + 7);
}

TEST(collection_table, gives_up_what_was_quiet_for_a_day_and_loses_no_count) {
  collection_table table;
  history past;
  table.count("shop", "orders", counted_as::ordinary, scatters(2), noon);
  table.sample(noon, past);
  table.sample(noon + hours{25}, past);
  EXPECT_TRUE(table.ranked().empty());
  EXPECT_EQ(table.others().counts.commands(), 2U);
  EXPECT_EQ(past.others().by_ten, history::series{}.by_ten);  // it was added once
}

TEST(collection_table, adds_each_command_to_the_history_once) {
  collection_table table;
  history past;
  table.count("shop", "orders", counted_as::ordinary, scatters(2), noon);
  table.sample(noon, past);
  table.sample(noon, past);
  table.count("shop", "orders", counted_as::ordinary, scatters(1), noon);
  table.sample(noon, past);
  const auto& step = past.ranked().at(0)->steps->by_minute.at(past.minute() % 60);
  EXPECT_EQ(step[scattered], 3U);
}

TEST(command_counts, know_no_waste_where_no_fan_out_is_known) {
  using enum routing::routing_class;
  const struct {
    std::optional<std::uint64_t> waste;
    std::vector<std::pair<routing::routing_class, std::optional<std::uint32_t>>> commands;
  } rows[] = {
      {0, {}},
      {0, {{not_routed, std::nullopt}, {unsharded, std::nullopt}}},
      {std::nullopt, {{not_routed, std::nullopt}}},
      {std::nullopt, {{scatter_gather, std::nullopt}}},
      {std::nullopt, {{unknown, std::nullopt}, {unsharded, std::nullopt}}},
      {std::nullopt, {{single_shard, std::nullopt}}},
      {0, {{single_shard, 1}}},
      {2, {{scatter_gather, 3}, {scatter_gather, std::nullopt}}},
  };
  for (const auto& row : rows) {
    collection_table table;
    for (const auto& [routing, fanout] : row.commands) {
      digest::sighting seen;
      seen.fanout = fanout;
      digest::counts one;
      one.count_in(seen, routing);
      table.count("shop", "orders", counted_as::ordinary, one, noon);
    }
    EXPECT_EQ(table.all().counts.known_waste(), row.waste) << row.commands.size();
    EXPECT_EQ(table.all().recent.sum(noon).known_waste(), row.waste) << row.commands.size();
  }
}

TEST(collection_table, ranks_those_that_waste_most_first) {
  collection_table table;
  table.count("shop", "a", counted_as::ordinary, scatters(1), noon);
  table.count("shop", "b", counted_as::ordinary, scatters(9), noon);
  EXPECT_EQ(table.ranked().at(0)->name, "b");
}

}  // namespace
}  // namespace scattergate::telemetry
