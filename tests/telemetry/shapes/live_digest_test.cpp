#include "telemetry/shapes/live_digest.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/allocation_counter.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

digest::totals totals_of(const live_digest& digest) {
  digest::totals all;
  digest.read_table([&](const digest::table& table) { all = table.all(); });
  return all;
}

std::size_t rows_of(const live_digest& digest) {
  std::size_t rows = 0;
  digest.read_table([&](const digest::table& table) { rows = table.size(); });
  return rows;
}

TEST(live_digest, has_a_row_for_every_shape_and_counts_the_rest_in_its_totals) {
  live_digest digest{10, tests::plenty()};
  shape_delta rowless = tests::sample_delta(7);
  rowless.details = shared_details(shape_scope::rowless);
  for (const shape_delta& each : {tests::sample_delta(1, 1), tests::sample_delta(2, 2), rowless,
                                  tests::sample_delta(3, 1)}) {
    EXPECT_TRUE(digest.add(each).empty());
  }
  EXPECT_EQ(rows_of(digest), 2U);
  EXPECT_EQ(totals_of(digest).commands, 13U);
  digest.read_table([](const digest::table& table) {
    EXPECT_EQ(table.find(tests::sample_finding(1).row_key())->count, 4U);
  });
}

TEST(live_digest, says_whose_rows_had_to_make_room) {
  live_digest digest{4, tests::plenty()};
  for (std::uint64_t shape = 1; shape <= 4; ++shape) {
    tests::add_to(digest, {tests::sample_delta(shape, shape)});
  }
  EXPECT_EQ(digest.add(tests::sample_delta(9, 5)), std::vector<std::uint64_t>{1});
  EXPECT_EQ(totals_of(digest).commands, 19U);
}

TEST(live_digest, keeps_its_rows_out_of_the_account) {
  memory_budget memory{256UL * 1024};
  {
    live_digest digest{1000, memory};
    std::mt19937 random{7};
    std::uint64_t sent = 0;
    for (int i = 0; i < 2000; ++i) {
      shape_delta delta = tests::sample_delta(1 + random() % 3, random() % 400);
      delta.who.add({"app" + std::to_string(random() % 40), "", "", "", "", delta.count});
      sent += delta.count;
      tests::add_to(digest, {delta});
      ASSERT_LE(memory.used(), memory.limit() * 3 / 4);
    }
    EXPECT_GT(rows_of(digest), 20U);
    EXPECT_LT(rows_of(digest), 400U);
    EXPECT_EQ(totals_of(digest).commands, sent);
  }
  EXPECT_EQ(memory.used(), 0U);
}

TEST(live_digest, counts_in_a_row_that_it_has_where_no_room_is_left) {
  memory_budget memory{64 << 10};
  live_digest digest{1000, memory};
  tests::add_to(digest, {tests::sample_delta(1, 1)});
  for (std::uint64_t shape = 2; shape <= 500; ++shape) {
    tests::add_to(digest, {tests::sample_delta(shape, shape)});
  }
  ASSERT_LT(rows_of(digest), 500U);
  shape_delta more = tests::sample_delta(1, 1);
  more.count = 7;
  for (int i = 0; i < 40; ++i) {
    more.who.add({"app" + std::string(200, 'x') + std::to_string(i), "", "", "", "", 1});
  }
  const std::uint64_t before = totals_of(digest).commands;
  tests::add_to(digest, {more});
  EXPECT_EQ(totals_of(digest).commands, before + 7);
  digest.read_table([](const digest::table& table) {
    const digest::row* const row = table.find(tests::sample_finding(1).row_key());
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->count, 8U);
    EXPECT_GE(row->who.others(), 40U);
  });
}

TEST(live_digest, counts_in_a_minute_what_came_in_it_however_late_it_is_read) {
  live_digest digest{10, tests::plenty()};
  const digest::wall_time noon{std::chrono::hours{491'000}};
  tests::add_to(digest, {tests::sample_delta(1, 1)}, noon);
  tests::add_to(digest, {tests::sample_delta(1, 1)}, noon + std::chrono::seconds{5});
  const auto minutes_ago = [&](std::chrono::minutes after) {
    std::uint64_t at = 0;
    digest.read_view(
        [&](const live_digest::view& all) {
          const auto& steps = all.past.ranked().at(0)->steps->by_minute;
          const auto minute = std::chrono::floor<std::chrono::minutes>(noon.time_since_epoch());
          at = steps[static_cast<std::size_t>(minute.count()) % steps.size()]
                    [static_cast<std::size_t>(routing::routing_class::scatter_gather)];
        },
        noon + after);
    return at;
  };
  EXPECT_EQ(minutes_ago(std::chrono::minutes{3}), 2U);
}

TEST(live_digest, has_a_history_of_its_shapes_in_the_steps_of_the_collections) {
  using std::chrono::minutes;
  live_digest digest{2, tests::plenty()};
  const digest::wall_time noon{std::chrono::hours{491'000}};
  tests::add_to(digest, {tests::sample_delta(3, 1)}, noon);
  tests::add_to(digest, {tests::sample_delta(4, 1)}, noon + minutes{2});
  digest.read_view(
      [](const live_digest::view& all) {
        EXPECT_EQ(all.shapes_past.minute(), all.past.minute());
        const auto shapes = all.shapes_past.ranked();
        ASSERT_EQ(shapes.size(), 1U);
        const auto& steps = shapes[0].steps->by_minute;
        EXPECT_EQ(shapes[0].of->shape_hash, 1U);
        EXPECT_EQ(steps[all.past.minute() % steps.size()], 0U);
        EXPECT_EQ(steps[(all.past.minute() - 1) % steps.size()], 4U);
        EXPECT_EQ(steps[(all.past.minute() - 3) % steps.size()], 3U);
      },
      noon + minutes{3});
}

TEST(live_digest, forgets_the_history_of_rows_that_had_to_make_room) {
  live_digest digest{4, tests::plenty()};
  for (std::uint64_t shape = 1; shape <= 5; ++shape) {
    tests::add_to(digest, {tests::sample_delta(shape, shape)});
  }
  digest.read_view([](const live_digest::view& all) {
    for (const auto& each : all.shapes_past.ranked()) {
      EXPECT_EQ(all.shapes.find(each.of->key()), each.of);
    }
    EXPECT_EQ(all.shapes_past.ranked().size(), all.shapes.size());
  });
}

TEST(live_digest, goes_on_with_what_an_earlier_one_counted) {
  digest::table earlier{10};
  auto& row = earlier.row_of(tests::sample_finding(1).row_key()).of;
  digest::counts before;
  before.count = 5;
  earlier.count(row, before);
  earlier.count_rowless(before);
  live_digest digest{10, tests::plenty()};
  tests::add_to(digest, {tests::sample_delta(1, 1)});
  digest.add(earlier);
  EXPECT_EQ(rows_of(digest), 1U);
  EXPECT_EQ(totals_of(digest).commands, 11U);
  digest.read_table(
      [](const digest::table& table) { EXPECT_EQ(table.ranked().at(0)->count, 6U); });
}

TEST(live_digest, says_how_much_an_earlier_one_had_lost) {
  digest::table earlier{2};
  for (std::uint64_t hash = 1; hash <= 3; ++hash) {
    digest::counts before;
    before.count = 5;
    earlier.count(earlier.row_of(tests::sample_finding(hash).row_key()).of, before);
  }
  ASSERT_EQ(earlier.evicted_rows(), 1U);
  live_digest digest{10, tests::plenty()};
  digest.add(earlier);
  digest.read_table([](const digest::table& table) {
    EXPECT_EQ(table.evicted_rows(), 1U);
    EXPECT_EQ(table.error_bound(), 5U);
  });
}

TEST(live_digest, says_how_much_of_an_earlier_one_found_no_room) {
  digest::table earlier{100};
  for (std::uint64_t hash = 1; hash <= 100; ++hash) {
    digest::counts before;
    before.count = hash;
    earlier.count(earlier.row_of(tests::sample_finding(hash).row_key()).of, before);
  }
  memory_budget memory{64 << 10};
  live_digest digest{100, memory};
  digest.add(earlier);
  digest.read_table([](const digest::table& table) {
    EXPECT_LT(table.size(), 100U);
    EXPECT_EQ(table.size() + table.evicted_rows(), 100U);
    EXPECT_GE(table.error_bound(), 1U);
    EXPECT_EQ(table.all().commands, 5050U);
  });
}

/// A command seen this long after noon, with the action `action`.
shape_delta delta_at(std::chrono::minutes after,
                     finding_action action = finding_action::observed) {
  shape_details details = tests::sample_finding(1);
  details.action = action;
  shape_delta delta = tests::sample_delta(1, 1);
  delta.details = std::make_shared<const shape_details>(details);
  delta.first_seen = delta.last_seen = digest::wall_time{std::chrono::hours{491'000}} + after;
  return delta;
}

/// The row_marks of the only row, at this time after noon.
struct row_marks {
  shape_marks marks;
  bool is_resolved;
};
row_marks marks_at(live_digest& digest, std::chrono::minutes after) {
  row_marks found{};
  const auto now = digest::wall_time{std::chrono::hours{491'000}} + after;
  digest.read_view(
      [&](const live_digest::view& all) {
        const digest::row& row = *all.shapes.ranked().at(0);
        const shape_marks* const marks = all.marks_of(row);
        if (marks != nullptr) found.marks = *marks;
        found.is_resolved = is_resolved(row, marks, all.now, all.resolved_after);
      },
      now);
  return found;
}

TEST(live_digest, says_that_findings_are_resolved_and_that_they_are_back_again) {
  using std::chrono::minutes;
  live_digest digest{10, tests::plenty(), std::chrono::hours{1}};
  tests::add_to(digest, {delta_at(minutes{0}), delta_at(minutes{59})});
  EXPECT_FALSE(marks_at(digest, minutes{118}).is_resolved);
  EXPECT_FALSE(marks_at(digest, minutes{118}).marks.regressed_at);
  EXPECT_TRUE(marks_at(digest, minutes{119}).is_resolved);
  tests::add_to(digest, {delta_at(minutes{200})});
  EXPECT_FALSE(marks_at(digest, minutes{201}).is_resolved);
  EXPECT_EQ(marks_at(digest, minutes{201}).marks.regressed_at,
            delta_at(minutes{200}).first_seen);
}

TEST(live_digest, takes_accepted_findings_for_no_regression) {
  using std::chrono::minutes;
  live_digest digest{10, tests::plenty(), std::chrono::hours{1}};
  tests::add_to(digest,
                {delta_at(minutes{0}), delta_at(minutes{200}, finding_action::accepted)});
  const row_marks now = marks_at(digest, minutes{201});
  EXPECT_FALSE(now.marks.regressed_at);
  EXPECT_TRUE(now.is_resolved);
  EXPECT_EQ(now.marks.actions[static_cast<std::size_t>(finding_action::observed)], 1U);
  EXPECT_EQ(now.marks.actions[static_cast<std::size_t>(finding_action::accepted)], 1U);
}

TEST(live_digest, remembers_regressions_of_what_an_earlier_process_saw) {
  using std::chrono::minutes;
  digest::table earlier{10};
  auto& row = earlier.row_of(tests::sample_finding(1).row_key()).of;
  row.replace_if_worse(tests::sample_finding(1).what);
  earlier.count(row, delta_at(minutes{0}));
  live_digest digest{10, tests::plenty(), std::chrono::hours{1}};
  digest.add(earlier);
  EXPECT_TRUE(marks_at(digest, minutes{61}).is_resolved);
  tests::add_to(digest, {delta_at(minutes{100})});
  EXPECT_TRUE(marks_at(digest, minutes{100}).marks.regressed_at);
}

TEST(live_digest, takes_over_all_of_an_earlier_one_once_whichever_allocation_fails) {
  const auto earlier = [] {
    digest::table made{10};
    for (std::uint64_t hash = 1; hash <= 3; ++hash) {
      const shape_details details = tests::sample_finding(hash);
      auto& row = made.row_of(details.row_key()).of;
      row.replace_if_worse(details.what);
      digest::counts before;
      before.count = hash;
      before.times.add(std::chrono::milliseconds{hash});
      before.who.add({"app", "", "", "", "", hash});
      made.count(row, before);
      made.count_rowless(before);
    }
    return made;
  };
  const auto rows_in = [](const live_digest& digest) {
    std::map<std::uint64_t, digest::row> rows;
    digest.read_table([&](const digest::table& table) {
      for (const digest::row* one : table.ranked()) rows.emplace(one->shape_hash, *one);
    });
    return rows;
  };
  memory_budget whole{1 << 20};
  live_digest expected{10, whole};
  digest::table all = earlier();
  expected.add(all);
  EXPECT_EQ(all.size(), 0U);
  bool has_struck = true;
  for (std::size_t granted = 0; has_struck; ++granted) {
    memory_budget memory{1 << 20};
    {
      live_digest digest{10, memory};
      digest::table from = earlier();
      bool has_thrown = false;
      {
        const scattergate::tests::allocation_failure failure{granted};
        try {
          digest.add(from);
        } catch (const std::bad_alloc&) {
          has_thrown = true;
        }
        has_struck = failure.has_struck();
      }
      ASSERT_EQ(has_thrown, has_struck);
      digest.add(from);
      EXPECT_EQ(rows_in(digest), rows_in(expected)) << granted;
      EXPECT_EQ(totals_of(digest), totals_of(expected)) << granted;
      EXPECT_EQ(memory.used(), whole.used()) << granted;
    }
    EXPECT_EQ(memory.used(), 0U) << granted;
  }
}

TEST(live_digest, counts_what_has_no_row_for_no_collection) {
  live_digest digest{10, tests::plenty()};
  shape_delta failed = tests::sample_delta(7);
  failed.details = shared_details(shape_scope::failed);
  shape_delta own = tests::sample_delta(2);
  own.first_seen = own.last_seen = std::chrono::system_clock::now();
  tests::add_to(digest, {own, failed});
  digest.read_view([](const live_digest::view& all) {
    ASSERT_EQ(all.collections.ranked().size(), 1U);
    EXPECT_EQ(all.collections.ranked()[0]->counts.of[command_counts::findings], 2U);
    EXPECT_EQ(all.collections.others().counts.of[command_counts::findings], 7U);
    EXPECT_EQ(all.past.ranked().size(), 1U);
  });
}

}  // namespace
}  // namespace scattergate::telemetry
