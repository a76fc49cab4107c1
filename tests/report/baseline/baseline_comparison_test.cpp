#include "report/baseline/baseline_comparison.hpp"

#include <gtest/gtest.h>

#include "digest/finding.hpp"
#include "text/time_text.hpp"

namespace scattergate::report {
namespace {

using routing::reason;
using routing::routing_class;
using std::chrono::year;

constexpr text::day today = year{2027} / 1 / 15;

digest::row shape(std::uint64_t hash, std::string command = "find",
                  routing_class routing = routing_class::scatter_gather,
                  reason why = reason::missing_key) {
  digest::row made;
  made.database = "shop";
  made.collection = "orders";
  made.command = std::move(command);
  made.shape_hash = hash;
  made.what.routing = routing;
  made.what.why = why;
  made.what.shape_json = "{}";
  made.count = 1;
  return made;
}

config::accepted_shape accepted(std::uint64_t hash, std::optional<text::day> until = {}) {
  config::accepted_shape made;
  made.shape_hash = hash;
  made.name_space = "shop.orders";
  made.command = "find";
  made.reason = "missing_key";
  made.shape = "{}";
  made.why = "rare";
  made.by = "dba";
  made.until = until;
  made.since = year{2026} / 1 / 1;
  return made;
}

TEST(finding, is_what_asks_every_shard_for_lack_of_the_key) {
  EXPECT_TRUE(is_finding(shape(1)));
  EXPECT_TRUE(is_finding(shape(1, "aggregate")));
  EXPECT_FALSE(is_finding(shape(1, "find", routing_class::multi_shard, reason::range)));
  EXPECT_FALSE(is_finding(shape(1, "find", routing_class::unknown, reason::unreadable)));
  EXPECT_FALSE(
      is_finding(shape(1, "createIndexes", routing_class::scatter_gather, reason::by_nature)));
  EXPECT_FALSE(is_finding(shape(1, "getMore")));
  EXPECT_FALSE(is_finding(shape(1, "explain")));
}

TEST(finding, is_what_mongos_or_a_shard_refuses) {
  digest::row one = shape(1, "update", routing_class::single_shard, reason::refused);
  EXPECT_TRUE(is_finding(one));
  one.command = "explain";
  EXPECT_FALSE(is_finding(one));
  one.command = "renameCollection";
  EXPECT_FALSE(is_finding(one));
  one.command = "createIndexes";
  one.what.why = routing::lint_kind::unique_index_without_key;
  EXPECT_TRUE(is_finding(one));
  one.command = "update";
  one.what.why = routing::lint_kind::shard_key_update;
  EXPECT_TRUE(is_finding(one));
  one.what.why = routing::lint_kind::logical_shard_fanout;
  EXPECT_FALSE(is_finding(one));
}

TEST(baseline_comparison, distinguishes_new_known_expired_and_absent) {
  digest::table seen{100};
  for (const std::uint64_t hash : {1, 2, 3, 4}) seen.add(shape(hash));
  seen.add(shape(5, "find", routing_class::single_shard, reason::none));
  const config::baseline before{{accepted(2), accepted(3, year{2027} / 1 / 14),
                                 accepted(4, today), accepted(5), accepted(9)}};
  const baseline_comparison compared{before, seen, today};
  EXPECT_EQ(compared.state_of(shape(1)), baseline_state::is_new);
  EXPECT_EQ(compared.state_of(shape(2)), baseline_state::accepted);
  EXPECT_EQ(compared.state_of(shape(3)), baseline_state::expired);
  EXPECT_EQ(compared.state_of(shape(4)), baseline_state::accepted) << "the last day counts in";
  EXPECT_EQ(compared.count(baseline_state::is_new), 1U);
  EXPECT_EQ(compared.count(baseline_state::accepted), 2U);
  EXPECT_EQ(compared.count(baseline_state::expired), 1U);
  ASSERT_EQ(compared.absent().size(), 2U) << "what doesn't scatter any more is absent, too";
  EXPECT_EQ(compared.absent()[0]->shape_hash, 5U);
  EXPECT_EQ(compared.absent()[1]->shape_hash, 9U);
}

TEST(baseline_comparison, fails_as_was_asked_for) {
  struct row {
    std::vector<config::accepted_shape> before;
    fail_on when;
    bool fails;
  };
  const row rows[] = {
      {{}, fail_on::new_findings, true},
      {{}, fail_on::any, true},
      {{}, fail_on::never, false},
      {{accepted(1)}, fail_on::new_findings, false},
      {{accepted(1)}, fail_on::any, true},
      {{accepted(1)}, fail_on::never, false},
      {{accepted(1, year{2026} / 12 / 31)}, fail_on::new_findings, true},
  };
  digest::table seen{100};
  seen.add(shape(1));
  for (const row& one : rows) {
    const config::baseline before{one.before};
    EXPECT_EQ((baseline_comparison{before, seen, today}.fails(one.when)), one.fails);
  }
  const digest::table nothing{100};
  const config::baseline before{{accepted(1)}};
  EXPECT_FALSE((baseline_comparison{before, nothing, today}.fails(fail_on::any)));
}

TEST(baseline_comparison, renews_a_baseline_and_keeps_what_people_wrote) {
  digest::table seen{100};
  seen.add(shape(1));
  seen.add(shape(2));
  seen.add(shape(3, "find", routing_class::multi_shard, reason::range));
  const config::baseline before{{accepted(2, year{2027} / 6 / 1), accepted(9)}};
  const auto after = renewed(before, seen, today);
  ASSERT_EQ(after.accepted.size(), 2U);
  for (const auto& one : after.accepted) {
    EXPECT_EQ(one.why, one.shape_hash == 2 ? "rare" : "");
    EXPECT_EQ(one.since, one.shape_hash == 2 ? year{2026} / 1 / 1 : today);
    EXPECT_EQ(one.until.has_value(), one.shape_hash == 2);
    EXPECT_EQ(one.reason, "missing_key");
  }
  EXPECT_EQ(renewed(after, seen, year{2028} / 1 / 1), after)
      << "renewing again changes nothing";
}

TEST(baseline_comparison, reports_what_is_absent_as_a_shape) {
  config::accepted_shape one = accepted(7);
  one.shape = R"({ "filter" : {} })";
  EXPECT_EQ(row_of(one).what.shape_json, R"({"filter":{}})");
  EXPECT_EQ(row_of(one).name_space(), "shop.orders");
  EXPECT_EQ(label(row_of(one).what.why), "missing_key");
  one.shape = "{ not json";
  EXPECT_EQ(row_of(one).what.shape_json, "");
}

}  // namespace
}  // namespace scattergate::report
