#include "telemetry/fleet/fleet_sink.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "fleet/flush.hpp"
#include "fleet/reading.hpp"
#include "tests/fleet/simulated_server.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using standing = fleet::lease::standing;

constexpr fleet::reading_bounds all{.sidecars = 100,
                                    .documents = 1'000,
                                    .read_bytes = std::size_t{16} << 20,
                                    .kept_bytes = std::size_t{16} << 20};

/// The sink of a daemon named web-7, whose state file is what save() writes, and a clock for
/// leases that only these tests advance.
class fleet_sink_test : public ::testing::Test {
 protected:
  fleet_sink_test() {
    std::ofstream{folder_.file("uri")} << server_.uri();
    ledger_.restore(std::nullopt);
    sink_ = std::make_unique<fleet_sink>(
        settings(), ledger_,
        fleet_counts{flushes_, failures_, flushed_at_, fresh_at_, waiting_, dropped_}, [this] {
          now_ = now_.load() + pause_.load();
          return fleet::sidecar_facts{};
        });
  }

  fleet_sink::settings settings() {
    fleet_sink::settings made{.name = "web-7",
                              .uri_file = folder_.file("uri"),
                              .database = "fleet",
                              .interval = milliseconds{10},
                              .conditions = &board_};
    made.on_name = [this](bool is_held) {
      is_held_ = is_held;
      ++looks_;
    };
    made.lease_clock = [this] { return sink::clock::time_point{now_.load()}; };
    return made;
  }

  void count(std::uint64_t commands) {
    const auto delta = tests::sample_delta(commands);
    counted_.make_room_for(delta);
    counted_.count(delta);
  }
  void save() {
    (void)ledger_.text(counted_);
    ledger_.note_saved();
  }
  /// Saves now and then, as the state file's keeper does.
  bool saves_until(const std::function<bool()>& is_so) {
    return tests::eventually([&] {
      save();
      return is_so();
    });
  }
  /// The sink has looked at its lease a few times since now.
  void await_looks() {
    const int before = looks_;
    ASSERT_TRUE(tests::eventually([&] { return looks_ > before + 3; }));
  }
  std::uint64_t stored_commands() {
    return fleet::read_digest(*server_.open(), 100, all).value().rows.all().commands;
  }
  bool is_name_taken() {
    for (const condition& one : board_.snapshot()) {
      if (one.kind == condition_kind::fleet_name_taken) return one.active;
    }
    return false;
  }

  scattergate::tests::simulated_server server_;
  tests::temporary_folder folder_;
  condition_board board_;
  unflushed_digest counted_{100, tests::plenty()};
  fleet_ledger ledger_{{milliseconds{10}, 4, 100}};
  std::atomic<std::uint64_t> flushes_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::int64_t> flushed_at_{0};
  std::atomic<std::chrono::steady_clock::time_point> fresh_at_{};
  std::atomic<std::uint64_t> waiting_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<sink::clock::duration> now_{};
  std::atomic<sink::clock::duration> pause_{};  // each time after the lease was renewed
  std::atomic<bool> is_held_{false};
  std::atomic<int> looks_{0};
  std::unique_ptr<fleet_sink> sink_;
};

TEST_F(fleet_sink_test, takes_a_name_over_a_minute_after_its_holder_was_last_heard_of) {
  const auto database = server_.open();
  fleet::lease holder{{"web-7", "another", "a"}, hours{1}};
  ASSERT_EQ(holder.renew(*database, {}).value(), standing::held);
  count(3);
  save();
  sink_->start();
  ASSERT_TRUE(tests::eventually([&] { return is_name_taken(); }));
  now_ = milliseconds{59'999};
  await_looks();
  EXPECT_FALSE(is_held_);
  save();
  EXPECT_EQ(stored_commands(), 0U);
  now_ = milliseconds{60'000};
  EXPECT_TRUE(saves_until([&] { return flushes_ == 1; }));
  EXPECT_TRUE(is_held_);
  EXPECT_FALSE(is_name_taken());
  EXPECT_EQ(stored_commands(), 3U);
  EXPECT_EQ(holder.renew(*database, {}).value(), standing::held_by_another);
}

TEST_F(fleet_sink_test, leaves_a_name_to_a_holder_that_renews_it) {
  const auto database = server_.open();
  fleet::lease holder{{"web-7", "another", "a"}, hours{1}};
  save();
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(holder.renew(*database, {}).value(), standing::held);
    if (i == 0) sink_->start();
    await_looks();
    EXPECT_FALSE(is_held_);
    now_ = now_.load() + seconds{40};
  }
  EXPECT_EQ(fleet::read_status(*database, all).value().sidecars.at(0).name_holder,
            "sidecar another");
  EXPECT_GT(failures_, 0U);
}

TEST_F(fleet_sink_test, flushes_nothing_after_a_pause_in_which_its_lease_ended) {
  save();
  sink_->start();
  ASSERT_TRUE(tests::eventually([&] { return is_held_.load(); }));
  pause_ = seconds{180};
  await_looks();
  count(3);
  ASSERT_TRUE(saves_until([&] { return failures_ >= 1; }));
  EXPECT_EQ(stored_commands(), 0U);
  pause_ = seconds{0};
  EXPECT_TRUE(saves_until([&] { return flushes_ == 1; }));
  EXPECT_EQ(stored_commands(), 3U);
}

/// A stored digest of commands of this age.
std::string stored_counts(std::uint64_t commands, sink::clock::duration ago) {
  digest::table counts{10};
  digest::totals sums;
  sums.commands = commands;
  sums.from = sums.to = std::chrono::system_clock::now() - ago;
  counts.count_rowless(sums);
  return digest::stored_text(counts);
}

TEST_F(fleet_sink_test, drops_a_delta_older_than_retain_and_goes_on) {
  const hours age{24 * 31};
  const auto at = std::chrono::system_clock::now() - age;
  ledger_.restore(fleet::stored_ledger{
      "6f0e-uuid", 4,
      fleet::frozen_delta{5, "id", 4, at, at + hours{24 * 30}, stored_counts(7, age), 7},
      stored_counts(8, hours{1})});
  save();
  sink_->start();
  count(2);
  EXPECT_TRUE(saves_until([&] { return flushes_ == 1; }));
  EXPECT_EQ(dropped_, 7U);
  EXPECT_EQ(stored_commands(), 10U);
  EXPECT_EQ(fleet::read_status(*server_.open(), all).value().sidecars.at(0).flushes, 6U);
}

TEST_F(fleet_sink_test, drops_an_old_rest_if_the_database_has_forgotten_the_sidecar) {
  ledger_.restore(
      fleet::stored_ledger{"6f0e-uuid", 4, std::nullopt, stored_counts(8, hours{24 * 31})});
  save();
  sink_->start();
  count(2);
  EXPECT_TRUE(saves_until([&] { return flushes_ == 1; }));
  EXPECT_EQ(dropped_, 8U);
  EXPECT_EQ(stored_commands(), 2U);
}

TEST_F(fleet_sink_test, flushes_a_rest_that_was_counted_by_a_clock_that_is_behind) {
  fleet::stored_ledger found{"6f0e-uuid", 4, std::nullopt, stored_counts(8, hours{24 * 31})};
  found.rest_at = std::chrono::system_clock::now() - hours{1};
  ledger_.restore(found);
  save();
  sink_->start();
  EXPECT_TRUE(saves_until([&] { return flushes_ == 1; }));
  EXPECT_EQ(dropped_, 0U);
  EXPECT_EQ(stored_commands(), 8U);
}

TEST_F(fleet_sink_test, flushes_a_rest_of_any_age_if_the_database_knows_the_last_flush) {
  const auto now = std::chrono::system_clock::now();
  const auto before =
      fleet::frozen_delta{4, "id", 4, now, now + hours{24}, stored_counts(5, {}), 5};
  const auto database = server_.open();
  ASSERT_TRUE(fleet::write_facts(*database, "6f0e-uuid", "token", {}));
  ASSERT_TRUE(fleet::flush(*database, {"6f0e-uuid", "token"}, before, now));
  ledger_.restore(
      fleet::stored_ledger{"6f0e-uuid", 4, std::nullopt, stored_counts(8, hours{24 * 31})});
  save();
  sink_->start();
  EXPECT_TRUE(saves_until([&] { return flushes_ == 1; }));
  EXPECT_EQ(dropped_, 0U);
  EXPECT_EQ(stored_commands(), 13U);
}

}  // namespace
}  // namespace scattergate::telemetry
