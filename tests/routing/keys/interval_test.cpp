#include "routing/keys/interval.hpp"

#include <bitset>
#include <random>

#include <gtest/gtest.h>

#include "tests/routing/value_support.hpp"
#include "tests/support/allocation_counter.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;

constexpr std::size_t value_count = 8;

/// A small domain: MinKey, six numbers, MaxKey, and the gap after each but the last. Position
/// 2i is value i, position 2i+1 the gap after it.
using model = std::bitset<2 * value_count - 1>;

const std::vector<bytes>& domain() {
  static const std::vector<bytes> values{encoded(R"({"$minKey": 1})"),
                                         encoded("-3"),
                                         encoded("0"),
                                         encoded("1.5"),
                                         encoded("2"),
                                         encoded("1000000"),
                                         encoded(R"("a")"),
                                         encoded(R"({"$maxKey": 1})")};
  return values;
}

/// The contents of an interval, computed position by position.
model model_of(const interval& one) {
  model made;
  for (std::size_t position = 0; position != made.size(); ++position) {
    const bytes& value = domain()[position / 2];
    const int from_low = compare_encoded(value, one.low);
    const int to_high = compare_encoded(value, one.high);
    if (position % 2 == 1) {  // the gap after `value`
      made[position] = from_low >= 0 && to_high < 0;
    } else {
      made[position] = (from_low > 0 || (from_low == 0 && one.includes_low)) &&
                       (to_high < 0 || (to_high == 0 && one.includes_high));
    }
  }
  return made;
}

model model_of(const interval_set& set) {
  model made;
  for (const interval& one : set.intervals()) made |= model_of(one);
  return made;
}

interval random_interval(std::mt19937_64& random) {
  return {domain()[random() % value_count], domain()[random() % value_count], random() % 2 == 0,
          random() % 2 == 0};
}

/// Sorted, disjoint, none empty, none that could be merged with the next.
void expect_canonical(const interval_set& set) {
  model seen;
  std::size_t runs = 0;
  for (const interval& one : set.intervals()) {
    const model held = model_of(one);
    EXPECT_TRUE(held.any());
    EXPECT_TRUE((held & seen).none());
    seen |= held;
  }
  for (std::size_t i = 0; i != seen.size(); ++i) runs += seen[i] && (i == 0 || !seen[i - 1]);
  EXPECT_EQ(set.intervals().size(), runs);
  for (std::size_t i = 1; i < set.intervals().size(); ++i) {
    EXPECT_LE(compare_encoded(set.intervals()[i - 1].high, set.intervals()[i].low), 0);
  }
  EXPECT_EQ(set.is_empty(), seen.none());
  EXPECT_EQ(set.is_full(), seen.all());
}

struct random_set {
  std::vector<interval> given;
  interval_set set;
  model expected;
};

random_set make_random(std::mt19937_64& random) {
  scratch pays{{}};
  random_set made;
  for (std::size_t i = random() % 6; i > 0; --i) made.given.push_back(random_interval(random));
  for (const interval& one : made.given) made.expected |= model_of(one);
  made.set = interval_set::of_many(made.given, pays);
  return made;
}

TEST(interval_set, agrees_with_a_model_that_counts_every_position) {
  constexpr std::uint64_t seed = 6;
  std::mt19937_64 random{seed};
  owned_scratch<> room;
  for (int round = 0; round != 20'000; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    room.memory.reset();
    const random_set left = make_random(random);
    const random_set right = make_random(random);
    const interval_set common = left.set.intersected(right.set, room.memory);
    const interval_set rest = left.set.complement(room.memory);
    EXPECT_EQ(model_of(left.set), left.expected);
    EXPECT_EQ(model_of(common), left.expected & right.expected);
    EXPECT_EQ(model_of(rest), ~left.expected);
    for (const interval_set& one : {left.set, common, rest}) expect_canonical(one);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(interval_set, knows_points) {
  owned_scratch<> room;
  const auto one = interval_set::point(domain()[1], room.memory);
  const auto range = interval_set::of({domain()[1], domain()[3]}, room.memory);
  EXPECT_TRUE(one.is_all_points());
  std::vector<interval> both{{domain()[1], domain()[1]}, {domain()[2], domain()[2]}};
  EXPECT_TRUE(interval_set::of_many(both, room.memory).is_all_points());
  EXPECT_FALSE(range.is_all_points());
  EXPECT_FALSE(interval_set{}.is_all_points());
  EXPECT_FALSE(interval_set::full().is_all_points());
}

TEST(interval_set, an_inverted_or_open_point_interval_is_empty) {
  owned_scratch<> room;
  EXPECT_TRUE(interval_set::of({domain()[3], domain()[1]}, room.memory).is_empty());
  EXPECT_TRUE(
      interval_set::of({domain()[1], domain()[1], true, false}, room.memory).is_empty());
  EXPECT_TRUE(
      interval_set::of({domain()[1], domain()[1], false, true}, room.memory).is_empty());
}

TEST(interval_set, brackets_hold_their_type_alone) {
  owned_scratch<> room;
  const std::pair<std::string_view, canonical_type> samples[] = {
      {R"({"$minKey": 1})", canonical_type::min_key},
      {R"({"$undefined": true})", canonical_type::undefined},
      {"null", canonical_type::null},
      {R"({"$numberDouble": "NaN"})", canonical_type::number},
      {R"({"$numberDecimal": "Infinity"})", canonical_type::number},
      {R"("")", canonical_type::string},
      {R"("\uffff")", canonical_type::string},
      {"{}", canonical_type::object},
      {"[]", canonical_type::array},
      {R"({"$binary": {"base64": "", "subType": "00"}})", canonical_type::binary},
      {R"({"$oid": "ffffffffffffffffffffffff"})", canonical_type::object_id},
      {"false", canonical_type::boolean},
      {R"({"$date": {"$numberLong": "-1"}})", canonical_type::date},
      {R"({"$timestamp": {"t": 0, "i": 0}})", canonical_type::timestamp},
      {R"({"$regularExpression": {"pattern": "", "options": ""}})", canonical_type::regex},
      {R"({"$code": ""})", canonical_type::code},
      {R"({"$code": "", "$scope": {}})", canonical_type::code_with_scope},
      {R"({"$maxKey": 1})", canonical_type::max_key},
  };
  for (const auto& [json, own] : samples) {
    const bytes value = encoded(json);
    const auto point = interval_set::point(value, room.memory);
    for (const auto& [other, type] : samples) {
      const auto bracket = interval_set::bracket(type, room.memory);
      EXPECT_EQ(bracket.intersected(point, room.memory).is_empty(), type != own)
          << json << " and the type of " << other;
    }
  }
}

TEST(interval_set, what_could_not_be_encoded_widens_to_everything) {
  owned_scratch<> room;
  EXPECT_TRUE(interval_set::point({}, room.memory).is_full());
  EXPECT_TRUE(interval_set::of({domain()[1], {}}, room.memory).is_full());
  std::vector<interval> many{{domain()[1], domain()[2]}, {{}, domain()[3]}};
  EXPECT_TRUE(interval_set::of_many(many, room.memory).is_full());
}

TEST(interval_set, an_exhausted_scratch_widens_to_everything) {
  owned_scratch<> room;
  const auto one = interval_set::point(domain()[1], room.memory);
  const auto two = interval_set::of({domain()[1], domain()[3]}, room.memory);
  scratch none{{}};
  EXPECT_TRUE(interval_set::point(domain()[1], none).is_full());
  EXPECT_TRUE(interval_set::bracket(canonical_type::date, none).is_full());
  // Either of them is wider than what they have in common.
  EXPECT_FALSE(one.intersected(two, none).intersected(one, room.memory).is_empty());
  EXPECT_TRUE(one.complement(none).is_full());
  EXPECT_TRUE(none.is_exhausted());
}

TEST(interval_set, takes_nothing_from_the_heap) {
  owned_scratch<> room;
  std::vector<interval> many;
  for (std::size_t i = value_count; i-- > 0;) many.push_back({domain()[i], domain()[i]});
  const tests::allocation_counter allocations;
  const auto points = interval_set::of_many(many, room.memory);
  const auto rest = points.complement(room.memory);
  EXPECT_TRUE(rest.complement(room.memory).is_all_points());
  EXPECT_TRUE(points.intersected(rest, room.memory).is_empty());
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace
}  // namespace scattergate::routing
