#include "telemetry/state/state_keeper.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "config/options/options.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class state_keeper_test : public ::testing::Test {
 protected:
  state_keeper::settings settings(milliseconds interval = hours{1}) const {
    return {folder_.file("state"), interval, 100};
  }
  /// The counts of one run of a daemon.
  void live(std::uint64_t commands) {
    live_digest digest{100, tests::plenty()};
    state_keeper keeper{settings(), digest, failures_};
    tests::add_to(digest, {tests::sample_delta(commands)});
  }
  static std::uint64_t commands_in(const live_digest& digest) {
    std::uint64_t commands = 0;
    digest.read_table([&](const digest::table& table) { commands = table.all().commands; });
    return commands;
  }

  tests::temporary_folder folder_;
  std::atomic<std::uint64_t> failures_{0};
};

TEST_F(state_keeper_test, a_restart_forgets_nothing) {
  live(3);
  live(4);
  live_digest digest{100, tests::plenty()};
  const state_keeper keeper{settings(), digest, failures_};
  EXPECT_EQ(commands_in(digest), 7U);
}

TEST_F(state_keeper_test, writes_now_and_then) {
  live_digest digest{100, tests::plenty()};
  tests::add_to(digest, {tests::sample_delta(5)});
  const state_keeper keeper{settings(milliseconds{10}), digest, failures_};
  EXPECT_TRUE(tests::eventually(
      [&] { return state_file{folder_.file("state")}.read(10).rows.all().commands == 5; }));
}

TEST_F(state_keeper_test, what_is_damaged_costs_only_itself) {
  std::ofstream{folder_.file("state")} << "spoilt";
  live(2);
  live_digest digest{100, tests::plenty()};
  const state_keeper keeper{settings(), digest, failures_};
  EXPECT_EQ(commands_in(digest), 2U);
}

TEST_F(state_keeper_test, damage_is_a_condition_over_restarts_until_it_is_acknowledged) {
  std::ofstream{folder_.file("state")} << "spoilt";
  condition_board board;
  auto configured = settings(milliseconds{10});
  configured.conditions = &board;
  const auto is_active = [&] {
    return board.active_kinds().test(static_cast<std::size_t>(condition_kind::state_damaged));
  };
  std::string aside;
  for (int start = 0; start < 2; ++start) {
    live_digest digest{100, tests::plenty()};
    const state_keeper keeper{configured, digest, failures_};
    EXPECT_TRUE(tests::eventually(is_active));
    const auto listed = board.snapshot();
    const auto damaged =
        std::ranges::find(listed, condition_kind::state_damaged, &condition::kind);
    ASSERT_NE(damaged, listed.end());
    const std::string detail = damaged->detail;
    aside = detail.substr(detail.find(folder_.file("state.corrupt-")));
    board.clear(condition_kind::state_damaged, configured.file);
  }
  live_digest digest{100, tests::plenty()};
  const state_keeper keeper{configured, digest, failures_};
  EXPECT_TRUE(tests::eventually(is_active));
  std::filesystem::remove(aside);
  EXPECT_TRUE(tests::eventually([&] { return !is_active(); }));
}

TEST_F(state_keeper_test, a_successor_takes_the_file_when_the_predecessor_is_done) {
  live_digest before{100, tests::plenty()};
  live_digest after{100, tests::plenty()};
  state_keeper predecessor{settings(), before, failures_};
  auto patient = settings();
  patient.patience = hours{1};
  state_keeper successor{patient, after, failures_};
  tests::add_to(after, {tests::sample_delta(1)});
  tests::add_to(before, {tests::sample_delta(10)});
  predecessor.close();
  EXPECT_TRUE(tests::eventually([&] { return commands_in(after) == 11; }));
  successor.close();
  EXPECT_EQ(state_file{folder_.file("state")}.read(10).rows.all().commands, 11U);
  EXPECT_EQ(failures_, 0U);
}

TEST_F(state_keeper_test, a_successors_successor_waits_for_both) {
  live_digest first_counts{100, tests::plenty()};
  live_digest second_counts{100, tests::plenty()};
  live_digest third_counts{100, tests::plenty()};
  state_keeper first{settings(), first_counts, failures_};
  auto patient = settings();
  patient.patience = hours{1};
  state_keeper second{patient, second_counts, failures_};
  tests::add_to(first_counts, {tests::sample_delta(100)});
  tests::add_to(second_counts, {tests::sample_delta(10)});
  first.close();
  // The second hasn't noticed yet that the lock is free.
  state_keeper third{patient, third_counts, failures_};
  tests::add_to(third_counts, {tests::sample_delta(1)});
  EXPECT_TRUE(tests::eventually([&] { return commands_in(second_counts) == 110; }));
  second.close();
  EXPECT_TRUE(tests::eventually([&] { return commands_in(third_counts) == 111; }));
  third.close();
  EXPECT_EQ(state_file{folder_.file("state")}.read(10).rows.all().commands, 111U);
}

TEST_F(state_keeper_test, a_link_leads_to_a_file_that_somebody_has) {
  live(3);
  std::filesystem::create_symlink(folder_.file("state"), folder_.file("link"));
  live_digest before{100, tests::plenty()};
  live_digest after{100, tests::plenty()};
  state_keeper predecessor{settings(), before, failures_};
  state_keeper successor{{folder_.file("link"), hours{1}, 100}, after, failures_};
  EXPECT_EQ(commands_in(after), 0U);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("link.lock")));
  predecessor.close();
  EXPECT_TRUE(tests::eventually([&] { return commands_in(after) == 3; }));
}

TEST_F(state_keeper_test, a_file_that_cannot_be_written_is_counted) {
  live_digest digest{100, tests::plenty()};
  state_keeper keeper{{folder_.file("no/such/state"), milliseconds{10}, 10}, digest, failures_};
  EXPECT_TRUE(tests::eventually([&] { return failures_ >= 2; }));
}

TEST_F(state_keeper_test, an_unwritable_file_is_reported_at_the_start) {
  condition_board board;
  live_digest digest{100, tests::plenty()};
  const state_keeper keeper{
      {folder_.file("no/such/state"), hours{1}, 10, &board}, digest, failures_};
  EXPECT_TRUE(tests::eventually([&] { return !board.snapshot().empty(); }));
}

TEST_F(state_keeper_test, a_locked_file_is_reported_at_the_start_and_taken_over) {
  condition_board board;
  live_digest before{100, tests::plenty()};
  live_digest after{100, tests::plenty()};
  state_keeper first{settings(), before, failures_};
  tests::add_to(before, {tests::sample_delta(10)});
  tests::add_to(after, {tests::sample_delta(1)});
  auto with = settings();
  with.conditions = &board;
  state_keeper second{with, after, failures_};
  ASSERT_TRUE(tests::eventually([&] { return board.snapshot().size() == 1; }));
  EXPECT_EQ(board.snapshot()[0].kind, condition_kind::state_failing);
  EXPECT_EQ(board.snapshot()[0].detail, "State not saved: another process holds the lock");
  EXPECT_EQ(failures_, 1U);
  first.close();
  EXPECT_TRUE(tests::eventually([&] { return !board.snapshot()[0].active; }));
  EXPECT_EQ(state_file{folder_.file("state")}.read(10).rows.all().commands, 11U);
}

TEST_F(state_keeper_test, a_predecessor_has_time_to_drain) {
  condition_board board;
  fleet_ledger ledger{{}};
  config::options options;
  options.state.file = folder_.file("state");
  EXPECT_EQ(state_settings_of(options, board, false, ledger).patience, milliseconds{0});
  const auto patient = state_settings_of(options, board, true, ledger);
  EXPECT_GT(patient.patience, options.drain_grace);
  live_digest before{100, tests::plenty()};
  live_digest after{100, tests::plenty()};
  const state_keeper predecessor{settings(), before, failures_};
  state_keeper successor{patient, after, failures_};
  EXPECT_TRUE(board.snapshot().empty());
  successor.close();
  EXPECT_TRUE(board.snapshot().empty());
  EXPECT_EQ(failures_, 0U);
}

TEST_F(state_keeper_test, each_write_has_what_was_outstanding_when_it_began) {
  live_digest digest{100, tests::plenty()};
  state_keeper keeper{settings(milliseconds{10}), digest, failures_};
  std::atomic<std::uint64_t> collected{0};
  std::atomic<std::uint64_t> missing{0};
  keeper.collect_by([&](sink::clock::time_point) {
    // The previous write has ended.
    if (state_file{folder_.file("state")}.read(10).rows.all().commands < collected) ++missing;
    tests::add_to(digest, {tests::sample_delta(1)});
    ++collected;
    return true;
  });
  EXPECT_TRUE(tests::eventually([&] { return collected >= 5; }));
  keeper.collect_by({});
  EXPECT_EQ(missing, 0U);
}

TEST_F(state_keeper_test, a_write_that_comes_too_late_is_a_condition) {
  condition_board board;
  live_digest digest{100, tests::plenty()};
  auto with = settings(milliseconds{10});
  with.conditions = &board;
  state_keeper keeper{with, digest, failures_};
  keeper.collect_by([](sink::clock::time_point) {
    std::this_thread::sleep_for(milliseconds{20});
    return true;
  });
  ASSERT_TRUE(tests::eventually([&] { return !board.snapshot().empty(); }));
  EXPECT_EQ(board.snapshot()[0].kind, condition_kind::state_late);
  EXPECT_TRUE(board.snapshot()[0].detail.starts_with("counts waited "));
  keeper.close();
  EXPECT_EQ(failures_, 0U);
}

TEST_F(state_keeper_test, writes_when_a_delta_waits_to_be_frozen) {
  live_digest digest{100, tests::plenty()};
  fleet_ledger ledger{{.interval = milliseconds{200}}};
  auto with = settings(milliseconds{2'000});
  with.ledger = &ledger;
  const state_keeper keeper{with, digest, failures_};
  ledger.confirm();
  // The first is frozen by the second write at the latest, and the others sooner than the next.
  std::uint64_t flushed = 0;
  EXPECT_TRUE(tests::eventually([&] {
    if (ledger.snapshot().frozen == nullptr) {
      tests::add_to(digest, {tests::sample_delta(1)});
    } else {
      ledger.acknowledge(++flushed);
    }
    return flushed >= 7;
  }));
}

TEST_F(state_keeper_test, without_a_file_nothing_is_kept) {
  live_digest digest{100, tests::plenty()};
  state_keeper keeper{{}, digest, failures_};
  keeper.close();
  EXPECT_EQ(failures_, 0U);
}

}  // namespace
}  // namespace scattergate::telemetry
