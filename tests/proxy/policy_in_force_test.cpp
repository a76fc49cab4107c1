// The rules of a policy in force: by the day, by the client's address, by fan-out, and dry
// runs.

#include <optional>
#include <random>

#include "proxy/policy.hpp"
#include "tests/proxy/fixture.hpp"
#include "text/time_text.hpp"

namespace scattergate::proxy {
namespace {

using config::rule_action;
using namespace std::chrono_literals;

constexpr text::day today = 2027y / 1 / 31;
constexpr text::day tomorrow = 2027y / 2 / 1;

/// A scatter on app.items, of a client at 10.1.2.3.
class policy_in_force_test : public testing::Test {
 protected:
  policy_in_force_test() {
    verdict.command = routing::command_kind::find;
    verdict.routing = routing::routing_class::scatter_gather;
    verdict.why = routing::reason::missing_key;
    verdict.database = "app";
    verdict.collection = "items";
  }

  static config::rule rule(const char* name, rule_action action) {
    config::rule made;
    made.name = name;
    made.action = action;
    return made;
  }

  decision decide(std::vector<config::rule> rules, text::day on = today) {
    rules_ = policy(std::move(rules));
    dry_runs.clear();
    return rules_.decide(
        {verdict, {"shop", "ada", remote ? &*remote : nullptr, on}, {}}, [] { return 0U; },
        [] { return std::string{}; },
        [&](const config::rule& one, const routing::touch*) { dry_runs.push_back(one.name); });
  }

  void reaches(std::size_t shards) {
    verdict.fanout.emplace(std::span{words_});
    words_[0] = 0;
    for (std::size_t i = 0; i < shards; ++i) verdict.fanout->insert(i);
  }

  routing::verdict verdict;
  std::optional<net::ip_address> remote = net::parse_ip_address("10.1.2.3");
  std::vector<std::string> dry_runs;

 private:
  std::array<std::uint64_t, 1> words_{};
  policy rules_;
};

TEST_F(policy_in_force_test, a_network_takes_those_who_are_in_it) {
  config::rule inside = rule("inside", rule_action::accept);
  inside.match.remote = {*net::network::parse("192.168.0.0/16"),
                         *net::network::parse("10.0.0.0/8")};
  EXPECT_EQ(decide({inside}).action, rule_action::accept);
  remote = net::parse_ip_address("11.1.2.3");
  EXPECT_EQ(decide({inside}).action, rule_action::observe);
  remote.reset();  // a Unix socket
  EXPECT_EQ(decide({inside}).action, rule_action::observe);
  inside.match.remote = {*net::network::parse("0.0.0.0/0"), *net::network::parse("::/0")};
  EXPECT_EQ(decide({inside}).action, rule_action::observe);
}

TEST_F(policy_in_force_test, a_comparison_takes_a_fan_out_that_is_known) {
  config::rule wide = rule("wide", rule_action::reject);
  wide.match.fanout.value = config::parse_fanout(">=4");
  EXPECT_EQ(decide({wide}).action, rule_action::observe);
  reaches(3);
  EXPECT_EQ(decide({wide}).action, rule_action::observe);
  reaches(4);
  EXPECT_EQ(decide({wide}).action, rule_action::reject);
}

TEST_F(policy_in_force_test, an_accept_that_has_expired_alarms_under_its_name) {
  config::rule accept = rule("until the release", rule_action::accept);
  accept.until = today;
  EXPECT_EQ(decide({accept}).action, rule_action::accept);
  const decision later = decide({accept}, tomorrow);
  EXPECT_TRUE(later.is_finding);
  EXPECT_TRUE(later.has_expired);
  EXPECT_EQ(later.action, rule_action::observe);
  ASSERT_NE(later.rule, nullptr);
  EXPECT_EQ(later.rule->name, "until the release");
}

TEST_F(policy_in_force_test, what_an_expired_accept_took_is_for_the_rules_behind_it) {
  config::rule expired = rule("expired", rule_action::accept);
  expired.until = today;
  struct {
    rule_action behind;
    bool has_expired;
  } const rows[] = {
      {rule_action::observe, true}, {rule_action::accept, false}, {rule_action::reject, false}};
  for (const auto& [behind, has_expired] : rows) {
    const decision got = decide({expired, rule("behind", behind)}, tomorrow);
    EXPECT_EQ(got.action, behind);
    EXPECT_EQ(got.has_expired, has_expired);
    ASSERT_NE(got.rule, nullptr);
    EXPECT_EQ(got.rule->name, has_expired ? "expired" : "behind");
  }
  // A command that would never have raised an alarm doesn't raise one again.
  verdict.routing = routing::routing_class::multi_shard;
  EXPECT_FALSE(decide({expired}, tomorrow).is_finding);
}

TEST_F(policy_in_force_test, other_rules_end_with_their_day) {
  config::rule reject = reject_items();
  reject.until = today;
  EXPECT_EQ(decide({reject}).action, rule_action::reject);
  EXPECT_EQ(decide({reject}, tomorrow).rule, nullptr);
  const policy rules({reject});
  verdict.routing = routing::routing_class::unknown;
  verdict.why = routing::reason::too_deep;
  const std::string_view items = "app.items";
  const auto rejects = [&](text::day on) {
    const sender from{{}, {}, nullptr, on};
    return rules.for_unjudged({verdict, from, {}}).decides != nullptr &&
           rules.for_unread(from).decides != nullptr &&
           rules.for_unread(from, &items).decides != nullptr;
  };
  EXPECT_TRUE(rejects(today));
  EXPECT_FALSE(rejects(tomorrow));
  EXPECT_TRUE(rules.differs_between(today, tomorrow));
  EXPECT_FALSE(rules.differs_between(tomorrow, 2027y / 2 / 2));
}

TEST_F(policy_in_force_test, a_dry_run_is_reported_and_the_next_rule_decides) {
  config::rule dry = rule("dry", rule_action::reject);
  dry.dry_run = true;
  EXPECT_EQ(decide({dry}).action, rule_action::observe);
  EXPECT_EQ(dry_runs, std::vector<std::string>{"dry"});
  EXPECT_EQ(decide({dry, rule("next", rule_action::accept)}).action, rule_action::accept);
  EXPECT_EQ(dry_runs, std::vector<std::string>{"dry"});
  EXPECT_EQ(decide({rule("before", rule_action::accept), dry}).action, rule_action::accept);
  EXPECT_TRUE(dry_runs.empty());
  dry.until = today;
  EXPECT_EQ(decide({dry}, tomorrow).action, rule_action::observe);
  EXPECT_TRUE(dry_runs.empty());
}

TEST_F(policy_in_force_test, a_dry_run_never_rejects_what_cannot_be_judged) {
  config::rule dry = reject_items();
  dry.dry_run = true;
  const policy rules({dry});
  EXPECT_FALSE(rules.has_blocking_rules());
  verdict.routing = routing::routing_class::unknown;
  verdict.why = routing::reason::too_deep;
  EXPECT_EQ(rules.for_unjudged({verdict, {}, {}}).decides, nullptr);
  EXPECT_NE(rules.for_unjudged({verdict, {}, {}}).dry_run, nullptr);
  const std::string_view items = "app.items";
  EXPECT_EQ(rules.for_unread({}).decides, nullptr);
  EXPECT_EQ(rules.for_unread({}, &items).decides, nullptr);
  EXPECT_NE(rules.for_unread({}).dry_run, nullptr);
  EXPECT_NE(rules.for_unread({}, &items).dry_run, nullptr);
}

TEST(reason_to_accept, is_what_stands_behind_the_directive) {
  struct row {
    const char* comment;
    const char* why;
  };
  const row rows[] = {
      {"scattergate:accept the nightly export", "the nightly export"},
      {"export.go:7 scattergate:accept  reads all  ", "reads all"},
      {"/*scattergate:accept why*/", "why*/"},
      {"scattergate:accept", ""},
      {"scattergate:accept ", ""},
      {"scattergate:accepted why", ""},
      {"scattergate:accept:why", ""},
      {"noscattergate:accept why", ""},
      {"Scattergate:accept why", ""},
      {"", ""},
  };
  for (const row& one : rows) EXPECT_EQ(reason_to_accept(one.comment), one.why) << one.comment;
}

TEST_F(policy_in_force_test, a_comment_accepts_what_is_observed_where_it_may_and_nothing_else) {
  constexpr std::string_view comment = "scattergate:accept nightly";
  config::rule expired = rule("expired", rule_action::accept);
  expired.until = today;
  struct {
    std::vector<config::rule> rules;
    rule_action expected;
    bool is_by_comment;
  } const rows[] = {
      {{}, rule_action::accept, true},
      {{rule("observe", rule_action::observe)}, rule_action::accept, true},
      {{rule("accept", rule_action::accept)}, rule_action::accept, false},
      {{rule("throttle", rule_action::throttle)}, rule_action::throttle, false},
      {{rule("reject", rule_action::reject)}, rule_action::reject, false},
      {{expired}, rule_action::observe, false},
  };
  for (const auto& [rules, expected, is_by_comment] : rows) {
    const policy allowed(rules, {"db.*", "app.*"});
    const sender from{{}, {}, nullptr, tomorrow};
    const auto no_shape = [] { return 0U; };
    const decision got = allowed.decide({verdict, from, comment}, no_shape);
    EXPECT_EQ(got.action, expected);
    EXPECT_EQ(got.accepted_because, is_by_comment ? "nightly" : "");
    const policy elsewhere(rules, {"other.*"});
    const decision not_here = elsewhere.decide({verdict, from, comment}, no_shape);
    EXPECT_TRUE(not_here.accepted_because.empty());
    const decision without = policy(rules).decide({verdict, from, comment}, no_shape);
    EXPECT_TRUE(without.accepted_because.empty());
  }
  EXPECT_TRUE(policy({}, {"a.*"}).reads_comments());
  EXPECT_FALSE(policy({}, {}).reads_comments());
}

TEST_F(policy_in_force_test, a_comment_accepts_only_where_all_that_scatters_may_be) {
  std::array<routing::touch, 1> joined;
  joined[0].database = "app";
  joined[0].collection = "others";
  joined[0].routing = routing::routing_class::scatter_gather;
  joined[0].why = routing::reason::missing_key;
  verdict.touches = joined;
  const auto action_with = [&](std::vector<std::string> accepting) {
    const policy rules({}, std::move(accepting));
    return rules.decide({verdict, {}, "scattergate:accept why"}, [] { return 0U; }).action;
  };
  EXPECT_EQ(action_with({"app.items"}), rule_action::observe);
  EXPECT_EQ(action_with({"app.*"}), rule_action::accept);
}

/// Random rules of every kind and random commands, decided as documented.
class policy_property_test : public policy_in_force_test {
 protected:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  config::rule random_rule(std::size_t number) {
    config::rule made;
    made.name = std::to_string(number);
    made.action = static_cast<rule_action>(below(4));
    if (below(3) == 0) made.until = below(2) == 0 ? today : tomorrow;
    made.dry_run = below(4) == 0;
    if (below(3) == 0) made.match.app = below(2) == 0 ? "shop" : "other";
    if (below(3) == 0) made.match.name_space = below(2) == 0 ? "app.*" : "b*.items";
    if (below(3) == 0)
      made.match.fanout.value = config::parse_fanout(below(2) == 0 ? ">2" : "<=2");
    if (below(3) == 0) {
      made.match.remote = {*net::network::parse(below(2) == 0 ? "10.0.0.0/8" : "10.1.2.3")};
    }
    return made;
  }

  /// One condition after the other, each in its own words.
  bool takes(const config::rule_match& match, std::optional<std::size_t> shards,
             unsigned last) {
    if (match.app == "other" || match.name_space == "b*.items") return false;
    const auto& fanout = match.fanout.value;
    if (fanout && !shards) return false;
    if (fanout && fanout->least == 3 && *shards <= 2) return false;
    if (fanout && fanout->most == 2 && *shards > 2) return false;
    if (!match.remote.is_given()) return true;
    const bool is_one = match.remote.value[0] == *net::network::parse("10.1.2.3");
    return remote.has_value() && (!is_one || last == 3);
  }

 private:
  std::mt19937 random_{20270131};
};

TEST_F(policy_property_test, decides_as_the_documentation_says) {
  std::size_t decided = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<config::rule> rules;
    for (std::size_t i = 0; i < below(6); ++i) rules.push_back(random_rule(i));
    const auto last = static_cast<unsigned>(3 + below(2));
    remote.reset();
    if (below(4) != 0) remote = net::parse_ip_address("10.1.2." + std::to_string(last));
    std::optional<std::size_t> shards;
    verdict.fanout.reset();
    if (below(4) != 0) reaches(*(shards = 1 + below(4)));
    const text::day on = std::array{today, tomorrow, text::day{2027y / 2 / 2}}[below(3)];

    std::string by;
    std::string expired;
    std::vector<std::string> dry;
    for (const config::rule& one : rules) {
      const bool is_over = one.until && *one.until < on;
      if (!takes(one.match, shards, last)) continue;
      if (is_over && one.action == rule_action::accept && !one.dry_run && expired.empty()) {
        expired = one.name;
      }
      if (is_over) continue;
      if (one.dry_run) {
        dry.push_back(one.name);
        continue;
      }
      by = one.name;
      break;
    }
    const rule_action action = by.empty() ? rule_action::observe : rules[std::stoul(by)].action;
    const bool has_expired = action == rule_action::observe && !expired.empty();
    const decision got = decide(rules, on);
    ASSERT_EQ(got.action, action) << round;
    ASSERT_EQ(got.has_expired, has_expired) << round;
    ASSERT_EQ(got.rule == nullptr ? "" : got.rule->name, has_expired ? expired : by) << round;
    ASSERT_EQ(dry_runs, dry) << round;
    decided += by.empty() ? 0 : 1;
  }
  EXPECT_GT(decided, 2'000U);
}

TEST_F(policy_in_force_test, an_accept_ends_the_search_and_makes_no_finding) {
  const config::rule all = rule("all", rule_action::accept);
  const std::vector<config::rule> rules = {all, rule("never asked", rule_action::reject)};
  EXPECT_TRUE(decide(rules).is_finding);
  for (const auto routing :
       {routing::routing_class::single_shard, routing::routing_class::multi_shard,
        routing::routing_class::unsharded, routing::routing_class::unknown}) {
    verdict.routing = routing;
    const decision got = decide(rules);
    EXPECT_FALSE(got.is_finding);
    EXPECT_EQ(got.rule, nullptr);
    config::rule dry = all;
    dry.dry_run = true;
    EXPECT_EQ(decide({dry, rule("asked", rule_action::reject)}).action, rule_action::reject);
    EXPECT_TRUE(dry_runs.empty()) << "it would accept nothing";
  }
}

TEST_F(policy_in_force_test, knows_the_namespaces_that_rules_name_exactly) {
  config::rule exact = rule("exact", rule_action::reject);
  exact.match.name_space = "app.items";
  config::rule glob = rule("glob", rule_action::reject);
  glob.match.name_space = "shop.*";
  const policy rules({glob, exact, rule("any", rule_action::observe)});
  EXPECT_TRUE(rules.names({"app", "items"}));
  EXPECT_FALSE(rules.names({"app", "item"}));
  EXPECT_FALSE(rules.names({"shop", "*"}));
  EXPECT_FALSE(rules.names({"shop", "orders"}));
  EXPECT_FALSE(rules.names({std::string(300, 'x'), std::string(300, 'y')}));
  EXPECT_FALSE(policy{}.names({"app", "items"}));
}

}  // namespace
}  // namespace scattergate::proxy
