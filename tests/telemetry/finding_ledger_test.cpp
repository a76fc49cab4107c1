#include "telemetry/finding_ledger.hpp"

#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

TEST(finding_ledger, adds_up_what_workers_hand_over) {
  finding_ledger ledger{10};
  ledger.add(tests::sample_delta(2));
  const auto& account = ledger.add(tests::sample_delta(3));
  EXPECT_EQ(ledger.accounts().size(), 2U);
  EXPECT_EQ(account.outstanding.count, 5U);
  EXPECT_EQ(account.outstanding.total, std::chrono::milliseconds{10});
  EXPECT_EQ(account.outstanding.longest, std::chrono::milliseconds{2});
  ASSERT_EQ(account.outstanding.callers.size(), 1U);
  EXPECT_EQ(account.outstanding.callers[0].count, 5U);
}

TEST(finding_ledger, folds_findings_beyond_the_cap_and_those_folded_before) {
  finding_ledger ledger{1};
  ledger.add(tests::sample_delta(1, 1));
  ledger.add(tests::sample_delta(2, 2));
  finding_delta folded = tests::sample_delta(4);
  folded.details = other_finding();
  const auto& other = ledger.add(folded);
  EXPECT_TRUE(ledger.is_other(other));
  EXPECT_EQ(other.outstanding.count, 6U);
  EXPECT_TRUE(other.outstanding.details->is_other);
}

TEST(finding_ledger, lets_the_latest_details_stand) {
  finding_ledger ledger{10};
  ledger.add(tests::sample_delta(1));
  finding_details details = tests::sample_finding();
  details.suggestion = "add doc_id to the filter";
  finding_delta renewed = tests::sample_delta(1);
  renewed.details = std::make_shared<const finding_details>(details);
  EXPECT_EQ(ledger.add(renewed).outstanding.details->suggestion, details.suggestion);
  renewed = {};
  const auto& account = ledger.add(tests::sample_delta(1));
  EXPECT_EQ(ledger.accounts().size(), 2U);
  EXPECT_EQ(account.outstanding.count, 3U);
}

TEST(finding_ledger, folds_callers_beyond_the_bound) {
  finding_delta sum;
  for (int i = 0; i < 20; ++i) {
    finding_delta delta;
    delta.count = 2;
    delta.callers = {{"app" + std::to_string(i), "", "", "", "", 1}};
    delta.other_callers = 1;
    merge(sum, delta);
  }
  EXPECT_EQ(sum.count, 40U);
  EXPECT_EQ(sum.callers.size(), max_callers);
  EXPECT_EQ(sum.other_callers, 20U + 20U - max_callers);
}

TEST(finding_ledger, compacts_without_losing_a_command) {
  std::vector<finding_delta> deltas;
  for (std::uint64_t i = 0; i < 100; ++i) deltas.push_back(tests::sample_delta(1 + i, i % 7));
  const auto compact = compacted(std::move(deltas), 4);
  EXPECT_EQ(compact.size(), 5U);
  std::uint64_t commands = 0;
  for (const finding_delta& delta : compact) commands += delta.count;
  EXPECT_EQ(commands, 5050U);
}

}  // namespace
}  // namespace scattergate::telemetry
