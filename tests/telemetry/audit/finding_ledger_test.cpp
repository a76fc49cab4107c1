#include "telemetry/audit/finding_ledger.hpp"

#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

TEST(finding_ledger, adds_up_what_workers_hand_over) {
  finding_ledger ledger{10};
  ledger.add(tests::sample_delta(2));
  const auto& account = ledger.add(tests::sample_delta(3));
  EXPECT_EQ(ledger.accounts().size(), 3U);
  EXPECT_EQ(account.outstanding.count, 5U);
  EXPECT_EQ(account.outstanding.total, std::chrono::milliseconds{10});
  EXPECT_EQ(account.outstanding.longest, std::chrono::milliseconds{2});
  ASSERT_EQ(account.outstanding.who.all().size(), 1U);
  EXPECT_EQ(account.outstanding.who.all()[0].count, 5U);
}

TEST(finding_ledger, folds_findings_beyond_the_cap_and_those_folded_before) {
  finding_ledger ledger{1};
  ledger.add(tests::sample_delta(1, 1));
  ledger.add(tests::sample_delta(2, 2));
  shape_delta folded = tests::sample_delta(4);
  folded.details = shared_details(shape_scope::other);
  const auto& other = ledger.add(folded);
  EXPECT_TRUE(ledger.is_other(other));
  EXPECT_EQ(other.outstanding.count, 6U);
  EXPECT_TRUE(other.outstanding.details->is_shared());
}

TEST(finding_ledger, lets_the_latest_details_stand) {
  finding_ledger ledger{10};
  ledger.add(tests::sample_delta(1));
  shape_details details = tests::sample_finding();
  details.what.suggestion = "add doc_id to the filter";
  shape_delta renewed = tests::sample_delta(1);
  renewed.details = std::make_shared<const shape_details>(details);
  EXPECT_EQ(ledger.add(renewed).outstanding.details->what.suggestion, details.what.suggestion);
  renewed = {};
  const auto& account = ledger.add(tests::sample_delta(1));
  EXPECT_EQ(ledger.accounts().size(), 3U);
  EXPECT_EQ(account.outstanding.count, 3U);
}

TEST(finding_ledger, folds_callers_beyond_the_bound) {
  shape_delta sum;
  for (int i = 0; i < 20; ++i) {
    shape_delta delta;
    delta.count = 2;
    delta.who.add({"app" + std::to_string(i), "", "", "", "", 1});
    delta.who.add_others(1);
    sum.add(delta);
  }
  EXPECT_EQ(sum.count, 40U);
  EXPECT_EQ(sum.who.all().size(), max_callers);
  EXPECT_EQ(sum.who.others(), 20U + 20U - max_callers);
}

TEST(finding_ledger, keeps_one_account_for_all_that_failed) {
  finding_ledger ledger{1};
  ledger.add(tests::sample_delta(1, 1));
  shape_delta failed = tests::sample_delta(2);
  failed.details = shared_details(shape_scope::failed);
  const auto& account = ledger.add(failed);
  EXPECT_FALSE(ledger.is_other(account));
  EXPECT_EQ(account.outstanding.count, 2U);
  EXPECT_EQ(ledger.accounts().size(), 3U);
}

TEST(finding_ledger, gives_back_what_is_quiet_and_owes_nothing) {
  using namespace std::chrono_literals;
  finding_ledger ledger{2};
  ledger.add(tests::sample_delta(1, 1));
  ledger.add(tests::sample_delta(1, 2));
  const auto pay = [&ledger](std::size_t i) {
    ledger.accounts()[i]->outstanding.count = 0;
    ledger.accounts()[i]->has_line = true;
  };
  const finding_ledger::clock::time_point start{};
  EXPECT_TRUE(ledger.give_back_quiet(start, 10s).empty());
  pay(2);
  EXPECT_TRUE(ledger.give_back_quiet(start + 9s, 10s).empty());
  // Of the second a line is still owed.
  const auto first = ledger.give_back_quiet(start + 10s, 10s);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0]->shape_hash, 1U);
  EXPECT_EQ(ledger.accounts().size(), 3U);
  // It is where it can be found, and the place is free for another.
  EXPECT_EQ(ledger.add(tests::sample_delta(1, 2)).outstanding.count, 2U);
  EXPECT_FALSE(ledger.is_other(ledger.add(tests::sample_delta(1, 3))));
  EXPECT_TRUE(ledger.is_other(ledger.add(tests::sample_delta(1, 4))));
  pay(2);
  EXPECT_TRUE(ledger.give_back_quiet(start + 15s, 10s).empty());
  EXPECT_EQ(ledger.give_back_quiet(start + 25s, 10s).size(), 1U);
}

}  // namespace
}  // namespace scattergate::telemetry
