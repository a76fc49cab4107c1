#include "telemetry/state/fleet_ledger.hpp"

#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class fleet_ledger_test : public ::testing::Test {
 protected:
  fleet_ledger_test() {
    ledger_.restore(std::nullopt);
    ledger_.set_server_time(digest::wall_time{std::chrono::seconds{1'790'000'000}});
    ledger_.confirm();
  }

  void count(std::uint64_t commands) {
    const auto delta = tests::sample_delta(commands);
    counted_.make_room_for(delta);
    counted_.count(delta);
  }
  /// The contents of the state file after it was written.
  fleet::stored_ledger save(fleet_ledger::clock::duration later = {}) {
    const std::string text = ledger_.text(counted_, fleet_ledger::clock::now() + later);
    ledger_.note_saved();
    return *fleet::read_stored_ledger(text);
  }
  static std::uint64_t commands_in(const std::string& stored) {
    return stored.empty() ? 0 : digest::read_stored(stored, 100).rows.all().commands;
  }

  unflushed_digest counted_{100, tests::plenty()};
  fleet_ledger ledger_{{seconds{60}, 4, 100}};
};

TEST_F(fleet_ledger_test, freezes_what_was_counted_and_keeps_it_until_it_is_acknowledged) {
  count(5);
  const auto first = save();
  ASSERT_TRUE(first.frozen);
  EXPECT_EQ(first.frozen->number, 1U);
  EXPECT_EQ(first.frozen->logical_shards, 4U);
  EXPECT_EQ(commands_in(first.frozen->rows), 5U);
  EXPECT_EQ(commands_in(first.rest), 0U);
  count(3);
  const auto second = save(hours{1});
  EXPECT_EQ(second.frozen, first.frozen);
  EXPECT_EQ(commands_in(second.rest), 3U);
  EXPECT_EQ(ledger_.snapshot().waiting, 8U);
  ledger_.acknowledge(1);
  EXPECT_EQ(ledger_.snapshot().waiting, 3U);
  const auto third = save(hours{2});
  ASSERT_TRUE(third.frozen);
  EXPECT_EQ(third.frozen->number, 2U);
  EXPECT_NE(third.frozen->id, first.frozen->id);
  EXPECT_EQ(commands_in(third.frozen->rows), 3U);
  EXPECT_EQ(third.acknowledged, 1U);
}

TEST_F(fleet_ledger_test, shows_a_delta_only_once_the_file_has_it) {
  EXPECT_TRUE(ledger_.snapshot().uuid.empty());
  count(1);
  const std::string unsaved = ledger_.text(counted_);
  EXPECT_EQ(ledger_.snapshot().frozen, nullptr);
  EXPECT_TRUE(ledger_.snapshot().uuid.empty());
  ledger_.note_saved();
  ASSERT_NE(ledger_.snapshot().frozen, nullptr);
  EXPECT_FALSE(ledger_.snapshot().uuid.empty());
}

TEST_F(fleet_ledger_test, dates_a_delta_by_the_servers_clock) {
  const auto now = fleet_ledger::clock::now();
  ledger_.set_server_time(digest::wall_time{std::chrono::seconds{1'000}}, now);
  count(1);
  const auto saved = *fleet::read_stored_ledger(ledger_.text(counted_, now + seconds{7}));
  ASSERT_TRUE(saved.frozen);
  EXPECT_EQ(saved.frozen->at, digest::wall_time{seconds{1'007}});
  EXPECT_EQ(saved.frozen->expires_at, digest::wall_time{seconds{1'007} + hours{24 * 30}});
}

TEST_F(fleet_ledger_test, freezes_once_an_interval_unless_it_hurries) {
  count(1);
  ASSERT_TRUE(save().frozen);
  ledger_.acknowledge(1);
  count(2);
  EXPECT_FALSE(save(seconds{47}).frozen);
  EXPECT_EQ(commands_in(save().rest), 2U);
  ledger_.freeze_at_every_save();
  EXPECT_TRUE(save().frozen);
}

/// So that a file that is written nine tenths of an interval later needs no other write.
TEST_F(fleet_ledger_test, freezes_at_a_write_shortly_before_the_end_of_the_interval) {
  count(1);
  const auto begin = fleet_ledger::clock::now();
  ASSERT_TRUE(save().frozen);
  EXPECT_LE(ledger_.freezes_at() - begin, seconds{61});
  ledger_.acknowledge(1);
  count(2);
  EXPECT_TRUE(save(seconds{53}).frozen);
}

TEST_F(fleet_ledger_test, goes_on_where_the_file_ended_once_the_database_was_asked) {
  count(4);
  const auto before = save();
  fleet_ledger after{{seconds{60}, 4, 100}};
  after.restore(before);
  count(2);
  const auto saved = *fleet::read_stored_ledger(after.text(counted_));
  after.note_saved();
  EXPECT_EQ(saved.uuid, before.uuid);
  EXPECT_EQ(saved.frozen, before.frozen);
  EXPECT_EQ(commands_in(saved.rest), 2U);
  EXPECT_FALSE(after.snapshot().is_confirmed);
  after.acknowledge(1);
  EXPECT_FALSE(
      fleet::read_stored_ledger(after.text(counted_, fleet_ledger::clock::now()))->frozen);
  after.confirm();
  EXPECT_TRUE(fleet::read_stored_ledger(after.text(counted_))->frozen);
}

TEST_F(fleet_ledger_test, lets_a_delta_of_an_earlier_version_expire_by_retain) {
  constexpr hours retain{24 * 7};
  count(4);
  auto before = save();
  before.frozen->expires_at = {};
  fleet_ledger after{{seconds{60}, 4, 100, retain}};
  after.restore(before);
  const auto saved = *fleet::read_stored_ledger(after.text(counted_));
  EXPECT_EQ(saved.frozen->expires_at, before.frozen->at + retain);
}

TEST_F(fleet_ledger_test, of_an_old_copy_begins_anew_with_what_this_process_counts) {
  count(4);
  auto copy = save();
  copy.rest = copy.frozen->rows;
  fleet_ledger after{{seconds{60}, 4, 100}};
  after.restore(copy);
  count(2);
  EXPECT_EQ(after.start_new_ledger(), 8U);
  const auto saved = *fleet::read_stored_ledger(after.text(counted_));
  EXPECT_NE(saved.uuid, copy.uuid);
  ASSERT_TRUE(saved.frozen);
  EXPECT_EQ(saved.frozen->number, 1U);
  EXPECT_EQ(commands_in(saved.frozen->rows), 2U);
}

TEST_F(fleet_ledger_test, calls_when_there_is_something_new_to_flush) {
  int calls = 0;
  ledger_.on_ready([&] { ++calls; });
  save();
  EXPECT_EQ(calls, 1);  // its uuid
  save();
  EXPECT_EQ(calls, 1);
  count(1);
  save();
  EXPECT_EQ(calls, 2);
  save();
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace scattergate::telemetry
