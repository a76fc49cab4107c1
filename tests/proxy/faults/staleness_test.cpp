#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/faults/daemon_checks.hpp"

namespace scattergate::proxy {
namespace {

using std::chrono::seconds;
using telemetry::condition_kind;
using ::testing::StartsWith;

config::rule rule_of(std::string name, config::rule_action action, bool asks_catalog) {
  config::rule made;
  made.name = std::move(name);
  made.action = action;
  if (asks_catalog) {
    made.match.routing = config::routing_condition{routing::routing_class::scatter_gather};
  }
  return made;
}

class staleness_test : public testing::Test {
 protected:
  /// The detail of the only condition, if it is active.
  std::string detail() const {
    const auto all = board_.snapshot();
    return all.size() == 1 && all[0].active ? all[0].detail : std::string{};
  }

  telemetry::condition_board board_;
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
};

TEST_F(staleness_test, a_catalog_is_stale_by_its_age_alone) {
  using enum config::rule_action;
  const policy rules{{rule_of("scatters", reject, true), rule_of("all", reject, false),
                      rule_of("seen", observe, true), rule_of("slow", throttle, true)},
                     {}};
  config::catalog_facts facts;
  facts.refresh_ms = 30'000;
  const auto look = [&](seconds later) {
    check_catalog_age(facts, rules, now_ + later, board_);
    return facts.is_stale.load();
  };
  facts.fresh_at = now_;
  EXPECT_FALSE(look(seconds{1'000}));  // a file
  facts.is_live = true;
  EXPECT_FALSE(look(seconds{150}));
  EXPECT_TRUE(look(seconds{151}));
  EXPECT_EQ(detail(), "never read; rules that reject or throttle by it: scatters, slow");
  EXPECT_EQ(board_.snapshot()[0].kind, condition_kind::catalog_stale);
  facts.note_success();
  EXPECT_FALSE(look(seconds{1}));
  EXPECT_EQ(detail(), "");
  EXPECT_TRUE(look(seconds{200}));
  EXPECT_THAT(detail(), StartsWith("last read 20"));
  EXPECT_TRUE(look(seconds{900}));
  EXPECT_EQ(board_.snapshot()[0].count, 1U);  // one occurrence, however long
}

TEST_F(staleness_test, a_rejection_by_a_stale_catalog_says_so) {
  using enum config::rule_action;
  settings used;
  const auto facts = std::make_shared<config::catalog_facts>();
  EXPECT_EQ(used.catalog_caveat(rule_of("scatters", reject, true)), "");
  used.catalog_facts = facts;
  EXPECT_EQ(used.catalog_caveat(rule_of("scatters", reject, true)), "");
  facts->is_stale = true;
  EXPECT_EQ(used.catalog_caveat(rule_of("scatters", reject, true)),
            "; scattergate's catalog is out of date (never read)");
  EXPECT_EQ(used.catalog_caveat(rule_of("all", reject, false)), "");
}

TEST_F(staleness_test, a_fleet_is_stale_by_its_age_alone) {
  telemetry::daemon_facts facts;
  const auto look = [&](seconds later) {
    check_fleet_age(facts, "scattergate", now_ + later, board_);
    return detail();
  };
  EXPECT_EQ(look(seconds{1'000}), "");  // no fleet
  facts.fleet_interval_ms = 60'000;
  EXPECT_EQ(look(seconds{1'000}), "");  // the state file isn't saved yet
  facts.fleet_fresh_at = now_;
  EXPECT_EQ(look(seconds{300}), "");
  EXPECT_EQ(look(seconds{301}), "never acknowledged");
  facts.fleet_flushed_at = 1'800'000'000;
  EXPECT_THAT(look(seconds{301}), StartsWith("last acknowledged 2027-01-15T"));
  facts.fleet_fresh_at = now_ + seconds{301};
  EXPECT_EQ(look(seconds{302}), "");
}

TEST_F(staleness_test, inspection_that_is_off_names_the_rules_without_effect) {
  using enum config::rule_action;
  settings used;
  check_inspection(used, board_);
  EXPECT_TRUE(board_.snapshot().empty());
  used.inspect = false;
  std::vector<config::rule> rules;
  for (const char* name : {"a", "b", "c", "d", "e"})
    rules.push_back(rule_of(name, reject, false));
  used.rules = policy{std::move(rules), {}};
  check_inspection(used, board_);
  EXPECT_EQ(detail(), "rules that would reject or throttle don't apply: a, b, c and 2 more");
  used.inspect = true;
  check_inspection(used, board_);
  EXPECT_EQ(detail(), "");
}

}  // namespace
}  // namespace scattergate::proxy
