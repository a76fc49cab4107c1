#include "tests/support/rule_walks.hpp"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "sim/targeting/targeting.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "tests/support/guard.hpp"

/// A rule that rejects the scatters of db.orders can't be bypassed by any form of the
/// command. The simulator's own targeting decides what a scatter is.
namespace scattergate::tests {
namespace {

constexpr std::uint32_t walks = 4000;
constexpr std::uint32_t filters = 4000;

/// SCATTERGATE_SEED begins elsewhere, to look for more or to repeat a failure.
std::uint32_t first_seed() {
  const char* given = std::getenv("SCATTERGATE_SEED");
  return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : 1;
}

std::vector<std::uint8_t> decisions(std::uint32_t seed) {
  std::mt19937 random{seed};
  std::vector<std::uint8_t> made(300);
  for (std::uint8_t& each : made) each = static_cast<std::uint8_t>(random());
  return made;
}

/// db.orders, as the simulator has it.
class simulated_orders {
 public:
  simulated_orders() : key_(sim::document{{"tenant", 1}}), chunks_(key_, 0) {
    for (int i = 0; i + 1 < orders_shards; ++i) {
      const sim::array at{sim::value{10 * i}};
      (void)chunks_.split(at);
      chunks_.move(at, static_cast<sim::shard_index>(i + 1));
    }
  }

  /// The number of shards that a filter needs; all if it is too deep for a server to read.
  [[nodiscard]] std::size_t shards_of(const wire_tests::bytes& filter) const {
    try {
      const sim::document content = sim::decode(wire_tests::view(filter));
      return sim::target_of(sim::read_filter(content, {}), key_, chunks_).shards.size();
    } catch (const sim::command_failure&) {
      return orders_shards;
    }
  }

 private:
  sim::shard_key key_;
  sim::chunk_map chunks_;
};

TEST(rule_walks, are_rejected_every_one) {
  guard rule;
  const simulated_orders orders;
  for (std::uint32_t i = 0; i < walks; ++i) {
    const std::uint32_t seed = first_seed() + i;
    const rule_walk walk = make_rule_walk(decisions(seed));
    for (const auto& filter : walk.filters) {
      ASSERT_EQ(orders.shards_of(filter), orders_shards) << "seed " << seed;
    }
    ASSERT_TRUE(rule.rejects(walk.message)) << "seed " << seed;
  }
}

TEST(rule_walks, what_the_simulator_asks_all_shards_for_is_rejected) {
  guard rule;
  const simulated_orders orders;
  std::size_t scattered = 0;
  for (std::uint32_t i = 0; i < filters; ++i) {
    const std::uint32_t seed = first_seed() + i;
    const auto from = decisions(seed);
    choices how{from};
    const auto filter = make_filter(how);
    const auto body = wire_tests::document(wire_tests::string_field("find", "orders"),
                                           wire_tests::field(0x03, "filter", filter),
                                           wire_tests::string_field("$db", "db"));
    const bool is_rejected =
        rule.rejects(wire_tests::op_msg_bytes(0, wire_tests::body_section(body)));
    const bool is_scatter = orders.shards_of(filter) == orders_shards;
    scattered += is_scatter ? 1 : 0;
    ASSERT_EQ(is_rejected, is_scatter) << "seed " << seed;
  }
  EXPECT_GT(scattered, filters / 10);
  EXPECT_LT(scattered, filters - filters / 10);
}

/// Each update names its shard, and there is more than judging may cost: it is unknown what the
/// last ones do.
wire_tests::bytes more_than_is_judged(std::string_view collection) {
  using namespace wire_tests;
  using wire_tests::bytes;
  const bytes filter = document(int32_field("tenant", 5));
  const bytes update = document(field(0x03, "$set", document(int32_field("x", 1))));
  const bytes one = document(field(0x03, "q", filter), field(0x03, "u", update));
  bytes all;
  constexpr std::size_t count = 200'000;
  all.reserve(count * one.size());
  for (std::size_t i = 0; i != count; ++i) all.insert(all.end(), one.begin(), one.end());
  const bytes body = document(string_field("update", collection), string_field("$db", "db"));
  return op_msg_bytes(0, joined(body_section(body), sequence_section("updates", all)));
}

TEST(rule_walks, what_wears_judging_out_is_rejected_where_a_rule_could_match) {
  guard rule;  // on_uninspected: forward
  EXPECT_TRUE(rule.rejects(more_than_is_judged("orders")));
  EXPECT_FALSE(rule.rejects(more_than_is_judged("lines")));
}

}  // namespace
}  // namespace scattergate::tests
