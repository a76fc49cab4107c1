#include "report/verify/comparison.hpp"

#include <gtest/gtest.h>

namespace scattergate::report {
namespace {

using routing::bounds_kind;
using routing::routing_class;
using names = std::vector<std::string>;
using plan_kind = explain_plan::kind;

own_verdict verdict(routing_class routing, bounds_kind bounds,
                    std::optional<names> fanout = std::nullopt) {
  own_verdict made;
  made.routing = routing;
  made.bounds = bounds;
  made.fanout = std::move(fanout);
  return made;
}

explain_plan asks(names shards) {
  explain_plan made;
  made.is = plan_kind::shards;
  made.shards = std::move(shards);
  return made;
}

explain_plan other(plan_kind is) {
  explain_plan made;
  made.is = is;
  return made;
}

const own_verdict scatter = verdict(routing_class::scatter_gather, bounds_kind::full);
const own_verdict narrowed = verdict(routing_class::multi_shard, bounds_kind::narrowed);
const own_verdict point = verdict(routing_class::single_shard, bounds_kind::point);
const own_verdict unsharded = verdict(routing_class::unsharded, bounds_kind::none);

outcome of(const own_verdict& ours, const explain_plan& plan,
           const std::optional<names>& owners = std::nullopt) {
  return compare(ours, plan, owners).is;
}

TEST(comparison, a_known_fan_out_must_be_the_plans_shards_exactly) {
  own_verdict ours = scatter;
  ours.fanout = names{"a", "b"};
  EXPECT_EQ(of(ours, asks({"a", "b"})), outcome::agreed);
  EXPECT_EQ(compare(ours, asks({"a", "b", "c"}), {}).why, "mongos also asks c");
  EXPECT_EQ(compare(ours, asks({"b"}), {}).why, "mongos doesn't ask a");
  EXPECT_EQ(compare(ours, asks({"b", "c"}), {}).why, "mongos also asks c, but not a");
}

TEST(comparison, a_scatter_over_chunks_of_one_shard_asks_that_one) {
  own_verdict ours = scatter;
  ours.fanout = names{"a"};
  EXPECT_EQ(of(ours, asks({"a"})), outcome::agreed);
  EXPECT_EQ(of(ours, other(plan_kind::one_shard)), outcome::agreed);
}

TEST(comparison, of_a_plan_that_was_cut_short_only_what_is_too_much_counts) {
  own_verdict ours = scatter;
  ours.fanout = names{"a", "b"};
  explain_plan cut = asks({"a"});
  cut.is_complete = false;
  EXPECT_EQ(of(ours, cut), outcome::agreed);
  cut.shards = {"z"};
  EXPECT_EQ(of(ours, cut), outcome::disagreed);
}

TEST(comparison, without_chunks_a_point_goes_to_one_shard) {
  EXPECT_EQ(of(point, asks({"b"})), outcome::agreed);
  EXPECT_EQ(of(point, asks({"a", "b"})), outcome::disagreed);
}

TEST(comparison, without_chunks_a_scatter_asks_all_that_own_any) {
  EXPECT_TRUE(needs_owners(scatter));
  EXPECT_EQ(of(scatter, asks({"a", "b"}), names{"a", "b"}), outcome::agreed);
  EXPECT_EQ(of(scatter, asks({"a"}), names{"a", "b"}), outcome::disagreed);
}

TEST(comparison, without_chunks_narrowed_bounds_may_ask_any_of_the_owners) {
  EXPECT_EQ(of(narrowed, asks({"a"}), names{"a", "b"}), outcome::agreed);
  EXPECT_EQ(of(narrowed, asks({"a", "b"}), names{"a", "b"}), outcome::agreed);
  EXPECT_EQ(of(narrowed, asks({"c"}), names{"a", "b"}), outcome::failed);
}

TEST(comparison, without_chunks_a_complement_may_leave_an_owner_out) {
  own_verdict ours = scatter;
  ours.why = routing::reason::negation;
  EXPECT_EQ(of(ours, asks({"a"}), names{"a", "b"}), outcome::agreed);
}

TEST(comparison, an_unsharded_collection_is_on_one_shard_or_nowhere) {
  EXPECT_EQ(of(unsharded, asks({"a"})), outcome::agreed);
  EXPECT_EQ(of(unsharded, other(plan_kind::one_shard)), outcome::agreed);
  EXPECT_EQ(of(unsharded, other(plan_kind::no_shard)), outcome::agreed);
  EXPECT_EQ(of(unsharded, asks({"a", "b"})), outcome::disagreed);
}

TEST(comparison, a_sharded_collection_that_mongos_does_not_know_is_a_disagreement) {
  EXPECT_EQ(of(point, other(plan_kind::no_shard)), outcome::disagreed);
  EXPECT_EQ(of(scatter, other(plan_kind::one_shard)), outcome::disagreed);
}

TEST(comparison, both_may_refuse_a_command_and_we_may_not_refuse_alone) {
  own_verdict ours = scatter;
  ours.refused = routing::refusal::shard_key_not_found;
  explain_plan error = other(plan_kind::refused);
  error.code = 61;
  EXPECT_EQ(of(ours, error), outcome::agreed);
  EXPECT_EQ(compare(ours, asks({"a"}), {}).why,
            "mongos plans it, but doesn't reply ShardKeyNotFound");
  EXPECT_EQ(of(scatter, error), outcome::failed);
  EXPECT_EQ(of(scatter, other(plan_kind::no_plan)), outcome::failed);
}

TEST(comparison, says_what_there_is_nothing_to_compare_of) {
  EXPECT_EQ(why_incomparable(scatter), "");
  EXPECT_NE(why_incomparable(verdict(routing_class::unknown, bounds_kind::none)), "");
  EXPECT_NE(why_incomparable(verdict(routing_class::not_routed, bounds_kind::none)), "");
  own_verdict by_nature = scatter;
  by_nature.why = routing::reason::by_nature;
  EXPECT_NE(why_incomparable(by_nature), "");
}

}  // namespace
}  // namespace scattergate::report
