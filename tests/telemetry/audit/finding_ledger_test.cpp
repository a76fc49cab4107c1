#include "telemetry/audit/finding_ledger.hpp"

#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;

/// A ledger, and who writes what it owes.
class finding_ledger_test : public ::testing::Test {
 protected:
  finding_ledger make(std::size_t max_shapes) { return {max_shapes, {}, totals_}; }

  static const shape_delta& owed_at(finding_ledger& ledger, std::size_t number) {
    return ledger.at(number)->owed;
  }
  /// As if all lines had been written.
  static void pay(finding_ledger& ledger) {
    for (; ledger.first_due() != nullptr; ledger.pop_due()) ledger.first_due()->owed = {};
    for (std::size_t i = 0; auto* const each = ledger.at(i); ++i) each->owed = {};
  }

  static constexpr std::size_t first_own = 2;  // behind the shared ones

  audit_totals totals_;
};

TEST_F(finding_ledger_test, adds_up_what_workers_hand_over) {
  auto ledger = make(10);
  EXPECT_TRUE(ledger.add(tests::sample_delta(2)));
  EXPECT_FALSE(ledger.add(tests::sample_delta(3)));
  EXPECT_EQ(ledger.size(), first_own + 1);
  const shape_delta& owed = owed_at(ledger, first_own);
  EXPECT_EQ(owed.count, 5U);
  EXPECT_EQ(owed.total, milliseconds{10});
  EXPECT_EQ(owed.longest, milliseconds{2});
  ASSERT_EQ(owed.who.all().size(), 1U);
  EXPECT_EQ(owed.who.all()[0].count, 5U);
}

TEST_F(finding_ledger_test, folds_findings_beyond_the_cap_and_those_folded_before) {
  auto ledger = make(1);
  ledger.add(tests::sample_delta(1, 1));
  ledger.add(tests::sample_delta(2, 2));
  shape_delta folded = tests::sample_delta(4);
  folded.details = shared_details(shape_scope::other);
  ledger.add(folded);
  EXPECT_EQ(totals_.overflow, 6U);
  EXPECT_EQ(owed_at(ledger, 0).count, 6U);
  EXPECT_TRUE(owed_at(ledger, 0).details->is_shared());
}

TEST_F(finding_ledger_test, lets_the_latest_details_stand) {
  auto ledger = make(10);
  ledger.add(tests::sample_delta(1));
  shape_details details = tests::sample_finding();
  details.what.suggestion = "add doc_id to the filter";
  shape_delta renewed = tests::sample_delta(1);
  renewed.details = std::make_shared<const shape_details>(details);
  ledger.add(renewed);
  EXPECT_EQ(owed_at(ledger, first_own).details->what.suggestion, details.what.suggestion);
  renewed = {};
  ledger.add(tests::sample_delta(1));
  EXPECT_EQ(ledger.size(), first_own + 1);
  EXPECT_EQ(owed_at(ledger, first_own).count, 3U);
}

TEST_F(finding_ledger_test, what_is_not_written_waits_with_what_comes_later) {
  auto ledger = make(10);
  ledger.add(tests::sample_delta(1));
  EXPECT_EQ(owed_at(ledger, first_own).count, 1U);
  ledger.add(tests::sample_delta(2));
  EXPECT_EQ(ledger.first_due()->owed.count, 3U);
}

TEST_F(finding_ledger_test, a_first_line_is_due_at_once_and_those_of_evicted_rows) {
  auto ledger = make(10);
  EXPECT_EQ(ledger.first_due(), nullptr);
  EXPECT_TRUE(ledger.add(tests::sample_delta(1, 1)));
  EXPECT_TRUE(ledger.add(tests::sample_delta(1, 2)));
  EXPECT_EQ(ledger.first_due()->owed.details->shape_hash, 1U);
  pay(ledger);
  EXPECT_EQ(ledger.first_due(), nullptr);
  EXPECT_FALSE(ledger.add(tests::sample_delta(4, 1)));
  EXPECT_FALSE(ledger.add(tests::sample_delta(5, 2)));
  EXPECT_FALSE(ledger.make_due(std::vector<std::uint64_t>{3, 4}));
  EXPECT_TRUE(ledger.make_due(std::vector<std::uint64_t>{2, 3}));
  ASSERT_NE(ledger.first_due(), nullptr);
  EXPECT_EQ(ledger.first_due()->owed.count, 5U);
  ledger.pop_due();
  EXPECT_EQ(ledger.first_due(), nullptr);
}

TEST(counts, folds_callers_beyond_the_bound) {
  shape_delta sum;
  for (int i = 0; i < 30; ++i) {
    shape_delta delta;
    delta.count = 2;
    delta.who.add({"app" + std::to_string(i), "", "", "", "", 1});
    delta.who.add_others(1);
    sum.add(delta);
  }
  EXPECT_EQ(sum.count, 60U);
  EXPECT_EQ(sum.who.all().size(), max_callers);
  EXPECT_EQ(sum.who.others(), 30U + 30U - max_callers);
}

TEST_F(finding_ledger_test, keeps_one_account_for_all_that_failed) {
  auto ledger = make(1);
  ledger.add(tests::sample_delta(1, 1));
  shape_delta failed = tests::sample_delta(2);
  failed.details = shared_details(shape_scope::failed);
  ledger.add(failed);
  EXPECT_EQ(totals_.overflow, 0U);
  EXPECT_EQ(owed_at(ledger, 1).count, 2U);
  EXPECT_EQ(ledger.size(), first_own + 1);
}

TEST_F(finding_ledger_test, gives_back_what_is_quiet_and_owes_nothing) {
  using namespace std::chrono_literals;
  auto ledger = make(2);
  ledger.add(tests::sample_delta(1, 1));
  pay(ledger);
  ledger.add(tests::sample_delta(1, 2));
  const finding_ledger::clock::time_point start{};
  ledger.evict_quiet(start, 10s);
  ledger.evict_quiet(start + 9s, 10s);
  EXPECT_EQ(totals_.evicted, 0U);
  // Of the second a line is still owed.
  ledger.evict_quiet(start + 10s, 10s);
  EXPECT_EQ(totals_.evicted, 1U);
  EXPECT_EQ(ledger.size(), first_own + 1);
  // It is where it can be found, and the place is free for another.
  ledger.add(tests::sample_delta(1, 2));
  EXPECT_EQ(owed_at(ledger, first_own).count, 2U);
  ledger.add(tests::sample_delta(1, 3));
  EXPECT_EQ(totals_.overflow, 0U);
  ledger.add(tests::sample_delta(1, 4));
  EXPECT_EQ(totals_.overflow, 1U);
  pay(ledger);
  ledger.evict_quiet(start + 15s, 10s);
  ledger.evict_quiet(start + 25s, 10s);
  EXPECT_EQ(totals_.evicted, 3U);
}

}  // namespace
}  // namespace scattergate::telemetry
