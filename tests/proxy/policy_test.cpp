#include "proxy/policy.hpp"

#include <array>

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

  decision decide(config::rule_match match, rule_action action = rule_action::throttle) {
    config::rule rule;
    rule.match = std::move(match);
    rule.action = action;
    const policy rules({rule});
    last_ = rules.decide({verdict, {"shop", "ada"}, "checkout.cpp:7"}, [] { return 0xabcdU; });
    last_.rule = nullptr;  // dies with `rules`
    return last_;
  }
  bool matches(config::rule_match match) {
    return decide(std::move(match)).action == rule_action::throttle;
  }

  std::shared_ptr<const routing::catalog> catalog = small_catalog();
  routing::verdict verdict;
  decision last_;
};

TEST_F(policy_test, observes_every_scatter_by_default) {
  const decision got = policy{}.decide({verdict, {}, {}}, [] { return 0U; });
  EXPECT_TRUE(got.is_finding);
  EXPECT_EQ(got.action, rule_action::observe);
  EXPECT_EQ(got.rule, nullptr);
}

TEST_F(policy_test, flags_nothing_else_by_default) {
  for (const auto routing :
       {routing::routing_class::single_shard, routing::routing_class::multi_shard,
        routing::routing_class::unsharded, routing::routing_class::unknown}) {
    verdict.routing = routing;
    EXPECT_FALSE(policy{}.decide({verdict, {}, {}}, [] { return 0U; }).is_finding);
  }
}

TEST_F(policy_test, flags_what_mongos_certainly_refuses) {
  const auto is_flagged = [&] {
    return policy{}.decide({verdict, {}, {}}, [] { return 0U; }).is_finding;
  };
  verdict.why = routing::reason::none;
  verdict.routing = routing::routing_class::single_shard;
  verdict.refused = routing::refusal::shard_key_not_found;
  EXPECT_FALSE(is_flagged());
  verdict.version_is_stated = true;
  EXPECT_TRUE(is_flagged());
  EXPECT_EQ(routing::cause_of(verdict), routing::cause{routing::reason::refused});
  verdict.command = routing::command_kind::explain;
  EXPECT_FALSE(is_flagged());
  verdict.command = routing::command_kind::aggregate;
  verdict.collection = {};
  EXPECT_FALSE(is_flagged());
  verdict.command = routing::command_kind::bulk_write;
  EXPECT_TRUE(is_flagged());
}

TEST_F(policy_test, prefers_the_scatter_of_a_refused_command) {
  verdict.routing = routing::routing_class::unknown;
  verdict.why = routing::reason::refused;
  verdict.refused = routing::refusal::bad_value;
  verdict.version_is_stated = true;
  std::array<routing::touch, 2> touches{};
  for (routing::touch& each : touches) {
    each.database = "app";
    each.collection = "items";
    each.judged = verdict.judged;
    each.refused = routing::refusal::bad_value;
    each.is_unrouted = true;
  }
  touches[0].routing = routing::routing_class::single_shard;
  touches[1].routing = routing::routing_class::scatter_gather;
  touches[1].why = routing::reason::missing_key;
  verdict.touches = touches;
  const decision got = policy{}.decide({verdict, {}, {}}, [] { return 0U; });
  EXPECT_TRUE(got.is_finding);
  EXPECT_EQ(got.decided_in, &touches[1]);
  verdict.touches = std::span{touches}.first(1);
  EXPECT_EQ(policy{}.decide({verdict, {}, {}}, [] { return 0U; }).decided_in, touches.data());
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
  const decision got = rules.decide({verdict, {"shop", {}}, {}}, [] { return 0U; });
  ASSERT_NE(got.rule, nullptr);
  EXPECT_EQ(got.rule->name, "second");
}

TEST_F(policy_test, hashes_the_shape_only_for_rules_that_ask) {
  config::rule rule;
  rule.match.shape = 1;
  rule.match.app = "other";
  int hashed = 0;
  const policy rules({rule, rule});
  (void)rules.decide({verdict, {"shop", {}}, {}},
                     [&] { return static_cast<unsigned>(++hashed); });
  EXPECT_EQ(hashed, 0);
  (void)rules.decide({verdict, {"other", {}}, {}},
                     [&] { return 2U + static_cast<unsigned>(hashed++); });
  EXPECT_EQ(hashed, 1);
}

TEST_F(policy_test, asks_what_mongodb_calls_the_shape_once_and_only_where_all_else_matches) {
  config::rule rule;
  rule.match.query_shapes = {"A", "B"};
  rule.match.shape = 1;
  int asked = 0;
  const auto decide_for = [&](std::uint64_t shape, const char* query_shape) {
    return policy{{rule, rule}}
        .decide(
            {verdict, {}, {}}, [&] { return shape; },
            [&] { return ++asked, std::string{query_shape}; },
            [](const config::rule&, const routing::touch*) {})
        .rule;
  };
  EXPECT_EQ(decide_for(2, "B"), nullptr);
  EXPECT_EQ(asked, 0);
  EXPECT_NE(decide_for(1, "B"), nullptr);
  EXPECT_EQ(decide_for(1, "C"), nullptr);
  EXPECT_EQ(decide_for(1, ""), nullptr);
  EXPECT_EQ(asked, 3);
}

TEST_F(policy_test, takes_a_find_that_was_not_judged_for_any_that_mongodb_has_a_hash_of) {
  config::rule rule = reject_items();
  rule.match.query_shapes = {"A"};
  const policy rules({rule});
  verdict.why = routing::reason::work_budget;
  EXPECT_NE(rules.for_unjudged({verdict, {}, {}}).decides, nullptr);
  verdict.command = routing::command_kind::aggregate;
  EXPECT_EQ(rules.for_unjudged({verdict, {}, {}}).decides, nullptr);
}

TEST_F(policy_test, finds_the_reject_rule_of_a_namespace_it_could_not_read) {
  const policy rules({reject_items()});
  verdict.routing = routing::routing_class::unknown;
  verdict.why = routing::reason::unreadable;
  EXPECT_NE(rules.for_unjudged({verdict, {}, {}}).decides, nullptr);
  verdict.collection = "plain";
  EXPECT_EQ(rules.for_unjudged({verdict, {}, {}}).decides, nullptr);
}

/// One of several namespaces, according to `verdict` and its own touches.
class policy_touches_test : public policy_test {
 protected:
  policy_touches_test() {
    verdict.routing = routing::routing_class::scatter_gather;
    verdict.why = routing::reason::foreign_scatter;
    verdict.collection = "plain";
    touched_[0].collection = "plain";
    touched_[1].collection = "items";
    for (routing::touch& one : touched_) one.database = "app";
    touched_[0].routing = routing::routing_class::unsharded;
    touched_[1].routing = routing::routing_class::scatter_gather;
    touched_[1].why = routing::reason::missing_key;
    touched_[1].judged = verdict.judged;
    touched_[1].missing = 1;
    verdict.touches = touched_;
  }

  static config::rule rule(std::string name_space, rule_action action) {
    config::rule made;
    made.name = name_space;
    made.match.name_space = std::move(name_space);
    made.action = action;
    return made;
  }

  [[nodiscard]] decision ask(std::vector<config::rule> rules) {
    rules_ = policy(std::move(rules));
    return rules_.decide({verdict, {}, {}}, [] { return 0U; });
  }

  std::array<routing::touch, 2> touched_;
  policy rules_;
};

TEST_F(policy_touches_test, every_namespace_asks_and_the_strictest_answer_stands) {
  using enum rule_action;
  struct {
    std::vector<config::rule> rules;
    rule_action expected;
    bool is_seen_by_items;
  } const rows[] = {
      {{}, observe, false},
      {{rule("app.items", reject)}, reject, true},
      {{rule("app.plain", reject)}, reject, false},
      {{rule("app.plain", accept), rule("app.items", reject)}, reject, true},
      {{rule("app.plain", accept)}, observe, true},
      {{rule("app.items", accept)}, observe, false},
      {{rule("app.plain", accept), rule("app.items", accept)}, accept, false},
      {{rule("app.*", accept)}, accept, false},
      {{rule("app.plain", accept), rule("app.items", observe)}, observe, true},
      {{reject_items()}, reject, true},
  };
  for (const auto& [rules, expected, is_seen_by_items] : rows) {
    const decision got = ask(rules);
    EXPECT_TRUE(got.is_finding);
    EXPECT_EQ(got.action, expected);
    EXPECT_EQ(got.decided_in == &touched_[1], is_seen_by_items);
  }
}

TEST_F(policy_touches_test, a_scatter_elsewhere_isnt_hidden_by_what_is_asked_by_nature) {
  verdict.why = routing::reason::by_nature;
  EXPECT_EQ(ask({}).decided_in, &touched_[1]);
  EXPECT_EQ(ask({reject_items()}).action, rule_action::reject);
}

TEST_F(policy_touches_test, what_may_touch_more_may_fall_under_every_rule_that_rejects) {
  const auto is_rejected = [&](const config::rule& given) {
    const policy rules({given});
    return rules.for_unjudged({verdict, {"shop", {}}, {}}).decides != nullptr;
  };
  config::rule elsewhere = rule("other.things", rule_action::reject);
  EXPECT_FALSE(is_rejected(elsewhere));
  verdict.may_touch_more = true;
  EXPECT_TRUE(is_rejected(elsewhere));
  elsewhere.match.command = routing::command_kind::count;
  EXPECT_FALSE(is_rejected(elsewhere));
  elsewhere.match.command = verdict.command;
  elsewhere.match.app = "another";
  EXPECT_FALSE(is_rejected(elsewhere));
  EXPECT_FALSE(is_rejected(rule("app.items", rule_action::accept)));
}

TEST_F(policy_touches_test, one_statement_that_wasnt_judged_is_enough) {
  const auto is_rejected = [&] {
    const policy rules({reject_items()});
    return rules.for_unjudged({verdict, {}, {}}).decides != nullptr;
  };
  touched_[1].routing = routing::routing_class::unknown;
  for (const auto why : {routing::reason::unreadable, routing::reason::too_deep}) {
    touched_[1].why = why;
    touched_[1].collection = "items";
    EXPECT_TRUE(is_rejected());
    touched_[1].collection = "others";
    EXPECT_FALSE(is_rejected());
    touched_[1].collection = "";  // which one isn't known
    EXPECT_TRUE(is_rejected());
  }
}

TEST_F(policy_test, takes_the_buckets_of_a_time_series_for_the_series) {
  verdict.collection = "system.buckets.items";
  EXPECT_TRUE(matches({.name_space = "app.items"}));
  EXPECT_TRUE(matches({.name_space = "app.system.buckets.items"}));
  EXPECT_FALSE(matches({.name_space = "app.item"}));
  const policy rules({reject_items()});
  for (const std::string_view name_space : {"app.items", "app.system.buckets.items"}) {
    EXPECT_NE(rules.for_unread({}, &name_space).decides, nullptr);
  }
  for (const std::string_view name_space :
       {"app.item", "app.system.buckets.item", "system.buckets.items", "app"}) {
    EXPECT_EQ(rules.for_unread({}, &name_space).decides, nullptr);
  }
}

}  // namespace
}  // namespace scattergate::proxy
