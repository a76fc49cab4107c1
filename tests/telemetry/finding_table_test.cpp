#include "telemetry/finding_table.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/allocation_counter.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr caller_view yorkie{"yorkie", "go", "app", "10.0.0.1:4711", "housekeeping"};

finding_table::ticket begin(finding_table& table, std::uint64_t shape_hash,
                            const caller_view& caller = yorkie) {
  const finding_details details = tests::sample_finding(shape_hash);
  if (table.contains(key_of(details))) return table.begin(key_of(details), caller);
  return table.begin_new(details, caller);
}

bool count_one(finding_table& table, std::uint64_t shape_hash,
               const caller_view& caller = yorkie) {
  return table.complete(begin(table, shape_hash, caller), milliseconds{1});
}

std::uint64_t callers_sum(const finding_delta& delta) {
  std::uint64_t sum = delta.other_callers;
  for (const caller_count& caller : delta.callers) sum += caller.count;
  return sum;
}

TEST(finding_table, hands_over_what_was_completed) {
  finding_table table{10};
  EXPECT_TRUE(table.complete(begin(table, 1), milliseconds{3}));
  EXPECT_FALSE(table.complete(begin(table, 1), milliseconds{5}));
  const auto deltas = table.take();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].count, 2U);
  EXPECT_EQ(deltas[0].longest, milliseconds{5});
  EXPECT_EQ(deltas[0].total, milliseconds{8});
  EXPECT_EQ(deltas[0].details->collection, "clients");
  ASSERT_EQ(deltas[0].callers.size(), 1U);
  EXPECT_EQ(deltas[0].callers[0].app_name, "yorkie");
  EXPECT_EQ(deltas[0].callers[0].comment, "housekeeping");
  EXPECT_EQ(deltas[0].callers[0].count, 2U);
  EXPECT_TRUE(table.take().empty());
}

TEST(finding_table, says_once_that_a_finding_is_the_first_of_its_key) {
  finding_table table{10};
  EXPECT_TRUE(count_one(table, 1));
  EXPECT_EQ(table.take().size(), 1U);
  EXPECT_FALSE(count_one(table, 1));
  EXPECT_TRUE(count_one(table, 2));
}

TEST(finding_table, tells_apart_every_part_of_the_key) {
  std::vector<finding_details> findings(8, tests::sample_finding());
  findings[1].database = "other";
  findings[2].collection = "documents";
  findings[3].command = routing::command_kind::count;
  findings[4].shape_hash = 7;
  findings[5].why = routing::reason::negation;
  findings[6].action = finding_action::accepted;
  findings[7].rule = "housekeeping";
  finding_table table{10};
  for (const finding_details& each : findings) {
    EXPECT_FALSE(table.contains(key_of(each)));
    EXPECT_TRUE(table.complete(table.begin_new(each, yorkie), nanoseconds{1}));
    EXPECT_TRUE(table.contains(key_of(each)));
  }
  EXPECT_EQ(table.take().size(), findings.size());
}

TEST(finding_table, a_finding_under_way_is_not_counted_yet) {
  finding_table table{10};
  const auto ticket = begin(table, 1);
  EXPECT_TRUE(table.take().empty());
  EXPECT_TRUE(table.complete(ticket, milliseconds{1}));
  EXPECT_EQ(table.take().at(0).count, 1U);
}

TEST(finding_table, keeps_the_caller_of_a_finding_under_way_through_a_hand_over) {
  finding_table table{10};
  const auto slow = begin(table, 1, {"slow", "", "", "", ""});
  EXPECT_TRUE(count_one(table, 1));
  EXPECT_EQ(table.take().size(), 1U);
  for (int i = 0; i < 40; ++i) {
    const std::string name = "app" + std::to_string(i);
    EXPECT_FALSE(count_one(table, 1, {name, "", "", "", ""}));
  }
  EXPECT_FALSE(table.complete(slow, milliseconds{9}));
  const auto deltas = table.take();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].count, 41U);
  EXPECT_EQ(deltas[0].callers.size(), max_callers);
  EXPECT_EQ(deltas[0].other_callers, 41U - max_callers);
  EXPECT_EQ(deltas[0].callers[0].app_name, "slow");
}

TEST(finding_table, gives_idle_slots_to_new_callers_after_a_hand_over) {
  finding_table table{10};
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < max_callers; ++i) {
      const std::string name = std::to_string(round) + "-" + std::to_string(i);
      count_one(table, 1, {name, "", "", "", ""});
    }
    const auto deltas = table.take();
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_EQ(deltas[0].other_callers, 0U);
    EXPECT_EQ(deltas[0].callers.size(), max_callers);
  }
}

TEST(finding_table, cuts_what_callers_say) {
  finding_table table{10};
  const std::string endless(100'000, 'x');
  count_one(table, 1, {endless, endless, endless, endless, endless});
  count_one(table, 1, {endless + "y", endless, endless, endless, endless});
  const auto deltas = table.take();
  ASSERT_EQ(deltas.at(0).callers.size(), 1U);
  EXPECT_EQ(deltas[0].callers[0].comment.size(), 256U);
  EXPECT_EQ(deltas[0].callers[0].app_name.size(), max_caller_text);
  EXPECT_EQ(deltas[0].callers[0].count, 2U);
}

TEST(finding_table, folds_findings_beyond_the_cap) {
  finding_table table{2};
  for (std::uint64_t shape = 1; shape <= 5; ++shape) count_one(table, shape);
  count_one(table, 1);
  EXPECT_EQ(table.overflow_count(), 3U);
  const auto deltas = table.take();
  ASSERT_EQ(deltas.size(), 3U);
  std::uint64_t folded = 0;
  for (const finding_delta& delta : deltas) {
    if (delta.details->is_other) folded += delta.count;
  }
  EXPECT_EQ(folded, 3U);
}

TEST(finding_table, when_full_takes_any_key_without_details) {
  finding_table table{1};
  count_one(table, 1);
  const finding_details unknown = tests::sample_finding(99);
  EXPECT_TRUE(table.contains(key_of(unknown)));
  EXPECT_TRUE(table.complete(table.begin(key_of(unknown), yorkie), milliseconds{1}));
  EXPECT_EQ(table.overflow_count(), 1U);
}

TEST(finding_table, wants_details_anew_after_a_reload) {
  finding_table table{1};
  const auto under_way = begin(table, 1);
  EXPECT_TRUE(count_one(table, 1));
  table.renew_details();
  finding_details renewed = tests::sample_finding(1);
  renewed.shard_key_json = R"({"doc_id":"hashed"})";
  const finding_key key = key_of(renewed);
  EXPECT_FALSE(table.contains(key));
  EXPECT_FALSE(table.complete(table.begin_new(renewed, yorkie), milliseconds{1}));
  EXPECT_TRUE(table.contains(key));
  EXPECT_FALSE(table.complete(under_way, milliseconds{1}));
  const auto deltas = table.take();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].count, 3U);
  EXPECT_EQ(deltas[0].details->shard_key_json, renewed.shard_key_json);
}

TEST(finding_table, counts_known_findings_of_known_callers_without_allocating) {
  finding_table table{10};
  const finding_details details = tests::sample_finding();
  count_one(table, details.shape_hash);
  const auto handed_over = table.take();
  const scattergate::tests::allocation_counter allocations;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(table.contains(key_of(details)));
    EXPECT_FALSE(table.complete(table.begin(key_of(details), yorkie), milliseconds{1}));
  }
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(handed_over.size(), 1U);
}

TEST(finding_table, every_script_adds_up) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random{seed};
    finding_table table{1 + random() % 8};
    std::vector<finding_table::ticket> under_way;
    std::uint64_t completed = 0;
    std::uint64_t handed_over = 0;
    const auto take = [&] {
      for (const finding_delta& delta : table.take()) {
        EXPECT_EQ(callers_sum(delta), delta.count);
        EXPECT_GE(delta.total, delta.longest);
        handed_over += delta.count;
      }
    };
    const auto complete = [&](std::size_t i) {
      static_cast<void>(table.complete(under_way[i], nanoseconds{random() % 1000}));
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
      ++completed;
    };
    for (int step = 0; step < 400; ++step) {
      const auto dice = random() % 10;
      if (dice < 5) {
        const std::string app = "app" + std::to_string(random() % 30);
        under_way.push_back(begin(table, random() % 12, {app, "go", "", "", ""}));
      } else if (dice < 9 && !under_way.empty()) {
        complete(random() % under_way.size());
      } else {
        take();
      }
    }
    while (!under_way.empty()) complete(0);
    take();
    EXPECT_EQ(handed_over, completed) << "seed " << seed;
  }
}

}  // namespace
}  // namespace scattergate::telemetry
