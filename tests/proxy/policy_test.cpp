#include "proxy/policy.hpp"

#include "tests/proxy/fixture.hpp"

namespace scattergate::proxy {
namespace {

using config::rule_action;

/// A scatter on app.items that misses `tenant`.
class policy_test : public testing::Test {
 protected:
  policy_test() {
    verdict.command = routing::command_kind::find;
    verdict.routing = routing::routing_class::scatter_gather;
    verdict.why = routing::reason::missing_key;
    verdict.database = "app";
    verdict.collection = "items";
    verdict.judged = catalog->find("app", "items");
    verdict.missing = 1;
  }

  decision decide(config::rule_match match, rule_action action = rule_action::accept) {
    config::rule rule;
    rule.match = std::move(match);
    rule.action = action;
    const policy rules({rule});
    last_ = rules.decide({verdict, "shop", "ada", "checkout.cpp:7"}, [] { return 0xabcdU; });
    last_.rule = nullptr;  // dies with `rules`
    return last_;
  }
  bool matches(config::rule_match match) {
    return decide(std::move(match)).action == rule_action::accept;
  }

  std::shared_ptr<const routing::catalog> catalog = small_catalog();
  routing::verdict verdict;
  decision last_;
};

TEST_F(policy_test, observes_every_scatter_by_default) {
  const decision got = policy{}.decide({verdict, {}, {}, {}}, [] { return 0U; });
  EXPECT_TRUE(got.is_finding);
  EXPECT_EQ(got.action, rule_action::observe);
  EXPECT_EQ(got.rule, nullptr);
}

TEST_F(policy_test, flags_nothing_else_by_default) {
  for (const auto routing :
       {routing::routing_class::single_shard, routing::routing_class::multi_shard,
        routing::routing_class::unsharded, routing::routing_class::unknown}) {
    verdict.routing = routing;
    EXPECT_FALSE(policy{}.decide({verdict, {}, {}, {}}, [] { return 0U; }).is_finding);
  }
}

TEST_F(policy_test, never_flags_what_goes_to_all_shards_by_nature_or_follows_a_cursor) {
  verdict.why = routing::reason::by_nature;
  EXPECT_FALSE(decide({}).is_finding);
  verdict.why = routing::reason::missing_key;
  verdict.command = routing::command_kind::get_more;
  EXPECT_FALSE(decide({}).is_finding);
}

TEST_F(policy_test, matches_by_every_field_that_a_rule_gives) {
  EXPECT_TRUE(matches({}));
  EXPECT_TRUE(matches({.name_space = "app.items"}));
  EXPECT_TRUE(matches({.name_space = "app.*"}));
  EXPECT_FALSE(matches({.name_space = "app.item"}));
  EXPECT_TRUE(matches({.command = routing::command_kind::find}));
  EXPECT_FALSE(matches({.command = routing::command_kind::count}));
  EXPECT_TRUE(matches({.routing = routing::routing_class::scatter_gather}));
  EXPECT_FALSE(matches({.routing = routing::routing_class::multi_shard}));
  EXPECT_TRUE(matches({.missing = {"tenant"}}));
  EXPECT_FALSE(matches({.missing = {"tenant", "_id"}}));
  EXPECT_FALSE(matches({.missing = {"_id"}}));
  EXPECT_TRUE(matches({.shape = 0xabcd}));
  EXPECT_FALSE(matches({.shape = 0xabce}));
  EXPECT_TRUE(matches({.app = "shop"}));
  EXPECT_FALSE(matches({.app = "sho"}));
  EXPECT_TRUE(matches({.user = "ada"}));
  EXPECT_FALSE(matches({.user = "eve"}));
  EXPECT_TRUE(matches({.comment = "checkout*"}));
  EXPECT_FALSE(matches({.comment = "cart*"}));
  EXPECT_FALSE(matches({.name_space = "app.items", .app = "other"}));
}

TEST_F(policy_test, lets_the_first_rule_that_matches_decide) {
  config::rule first;
  first.name = "first";
  first.match.app = "other";
  first.action = rule_action::reject;
  config::rule second;
  second.name = "second";
  second.action = rule_action::accept;
  config::rule third;
  third.name = "third";
  third.action = rule_action::reject;
  const policy rules({first, second, third});
  const decision got = rules.decide({verdict, "shop", {}, {}}, [] { return 0U; });
  ASSERT_NE(got.rule, nullptr);
  EXPECT_EQ(got.rule->name, "second");
}

TEST_F(policy_test, hashes_the_shape_only_for_rules_that_ask) {
  config::rule rule;
  rule.match.shape = 1;
  rule.match.app = "other";
  int hashed = 0;
  const policy rules({rule, rule});
  (void)rules.decide({verdict, "shop", {}, {}},
                     [&] { return static_cast<unsigned>(++hashed); });
  EXPECT_EQ(hashed, 0);
  (void)rules.decide({verdict, "other", {}, {}},
                     [&] { return 2U + static_cast<unsigned>(hashed++); });
  EXPECT_EQ(hashed, 1);
}

TEST_F(policy_test, finds_the_reject_rule_of_a_namespace_it_could_not_read) {
  const policy rules({reject_items()});
  EXPECT_NE(rules.reject_rule_for(verdict), nullptr);
  verdict.collection = "plain";
  EXPECT_EQ(rules.reject_rule_for(verdict), nullptr);
}

}  // namespace
}  // namespace scattergate::proxy
