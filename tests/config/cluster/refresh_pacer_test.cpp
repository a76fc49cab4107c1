#include "config/cluster/refresh_pacer.hpp"

#include <gtest/gtest.h>

#include "config/cluster/catalog_notes.hpp"

namespace scattergate::config {
namespace {

using namespace std::chrono_literals;
using clock = refresh_pacer::clock;
using trigger = load_trigger;

constexpr refresh_requests nothing{};
constexpr refresh_requests ddl{.ddl = true};
constexpr refresh_requests unknown{.name_space = true};

/// A pacer on a clock of its own, past its first load.
class refresh_pacer_test : public testing::Test {
 protected:
  refresh_pacer_test() { step(nothing, load_result::changed); }

  /// Goes to the next load, which ends as given.
  trigger step(const refresh_requests& requests, load_result result = load_result::unchanged) {
    const auto turn = pacer.next(requests);
    now = std::max(now, turn.at);
    pacer.ended(turn.why, result, now);
    return turn.why;
  }

  /// The loads within a time in which a wish never ends.
  std::size_t loads_within(clock::duration time, const refresh_requests& requests) {
    std::size_t loads = 0;
    for (const auto end = now + time; pacer.next(requests).at < end; ++loads) step(requests);
    return loads;
  }

  clock::time_point now{};
  refresh_pacer pacer{30s, now, 7};
};

TEST(refresh_pacer, begins_soon_and_not_all_at_the_same_time) {
  const clock::time_point start{};
  clock::time_point earliest = start + 1h;
  clock::time_point latest = start;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto turn = refresh_pacer{30s, start, seed}.next(nothing);
    EXPECT_EQ(turn.why, trigger::start);
    earliest = std::min(earliest, turn.at);
    latest = std::max(latest, turn.at);
  }
  EXPECT_LT(earliest, start + 50ms);
  EXPECT_GT(latest, start + 400ms);
  EXPECT_LE(latest, start + 500ms);
}

TEST_F(refresh_pacer_test, loads_about_once_per_interval) {
  EXPECT_EQ(pacer.next(nothing).why, trigger::timer);
  EXPECT_GE(pacer.next(nothing).at, now + 27s);
  EXPECT_LE(pacer.next(nothing).at, now + 33s);
  const auto loads = loads_within(3000s, nothing);
  EXPECT_GE(loads, 90U);
  EXPECT_LE(loads, 111U);
}

TEST_F(refresh_pacer_test, loads_at_once_after_ddl_and_an_unknown_namespace) {
  EXPECT_LE(pacer.next(ddl).at, now);
  EXPECT_EQ(pacer.next(ddl).why, trigger::ddl);
  EXPECT_LE(pacer.next(unknown).at, now);
  EXPECT_EQ(pacer.next(unknown).why, trigger::name_space);
}

TEST_F(refresh_pacer_test, bounds_what_endless_ddl_causes) {
  EXPECT_LE(loads_within(60s, ddl), 20U);
}

TEST_F(refresh_pacer_test, bounds_what_endless_unknown_namespaces_cause) {
  EXPECT_LE(loads_within(60s, unknown), 9U);
  EXPECT_LE(loads_within(600s, unknown), 45U);
}

TEST_F(refresh_pacer_test, takes_old_contradictions_for_no_news) {
  for (int i = 0; i < 10; ++i) step(unknown, load_result::inconsistent);
  EXPECT_GE(pacer.next(unknown).at, now + 20s);
}

TEST_F(refresh_pacer_test, is_as_quick_as_before_when_all_was_quiet_for_a_while) {
  loads_within(600s, ddl);
  for (int i = 0; i < 3; ++i) step(nothing);
  step(ddl);
  EXPECT_LE(pacer.next(ddl).at, now + 250ms);
  loads_within(600s, unknown);
  for (int i = 0; i < 4; ++i) step(nothing);
  step(unknown);
  EXPECT_LE(pacer.next(unknown).at, now + 1500ms);
}

TEST_F(refresh_pacer_test, stays_quick_while_unknown_namespaces_turn_out_to_be_new) {
  for (int i = 0; i < 10; ++i) {
    step(unknown, load_result::changed);
    EXPECT_LE(pacer.next(unknown).at, now + 1500ms);
  }
}

TEST_F(refresh_pacer_test, tries_again_after_failures_ever_later_up_to_the_interval) {
  step(nothing, load_result::unreachable);
  EXPECT_EQ(pacer.next(nothing).why, trigger::retry);
  EXPECT_LE(pacer.next(nothing).at, now + 625ms);
  EXPECT_EQ(pacer.next(ddl).at, pacer.next(nothing).at) << "requests wait";
  for (int i = 0; i < 40; ++i) step(unknown, load_result::unreachable);
  EXPECT_GE(pacer.next(nothing).at, now + 22s);
  EXPECT_LE(pacer.next(nothing).at, now + 38s);
  EXPECT_EQ(step(nothing, load_result::changed), trigger::retry);
  EXPECT_EQ(pacer.next(nothing).why, trigger::timer);
}

TEST_F(refresh_pacer_test, obeys_a_signal_whatever_else) {
  step(nothing, load_result::unreachable);
  const auto turn = pacer.next({.forced = true});
  EXPECT_EQ(turn.why, trigger::signal);
  EXPECT_LE(turn.at, now);
}

TEST_F(refresh_pacer_test, reads_as_deep_as_the_reason_asks_for) {
  EXPECT_EQ(pacer.depth_of(trigger::start), load_depth::thorough);
  EXPECT_EQ(pacer.depth_of(trigger::signal), load_depth::everything);
  EXPECT_EQ(pacer.depth_of(trigger::name_space), load_depth::collections);
  EXPECT_EQ(pacer.depth_of(trigger::ddl), load_depth::chunks);
  int thorough = 0;
  for (int i = 0; i < 20; ++i) {
    thorough += pacer.depth_of(trigger::timer) == load_depth::thorough ? 1 : 0;
  }
  EXPECT_EQ(thorough, 2);
}

/// A pacer whose loads are due as soon as anything is wished for.
refresh_pacer idle_pacer() {
  refresh_pacer pacer{1h, clock::now(), 1};
  pacer.ended(trigger::start, load_result::changed, clock::now() - 1s);
  return pacer;
}

TEST(catalog_notes, wake_who_waits_with_the_reason) {
  catalog_notes notes;
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()), trigger::name_space);
  notes.note_ddl();
  EXPECT_EQ(notes.await(idle_pacer()), trigger::ddl);
  notes.force();
  EXPECT_EQ(notes.await(idle_pacer()), trigger::signal);
}

TEST(catalog_notes, ask_about_a_namespace_only_once) {
  catalog_notes notes;
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()), trigger::name_space);
  notes.settle();
  notes.note_unknown("d", "a");
  notes.note_ddl();
  EXPECT_EQ(notes.await(idle_pacer()), trigger::ddl);
  notes.note_unknown("d", "b");
  EXPECT_EQ(notes.await(idle_pacer()), trigger::name_space);
}

TEST(catalog_notes, ask_again_where_the_load_failed) {
  catalog_notes notes;
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()), trigger::name_space);
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()), trigger::name_space);
}

TEST(catalog_notes, forget_the_oldest_of_too_many) {
  catalog_notes notes;
  const auto ask = [&](int from, int to) {
    for (int i = from; i < to; ++i) notes.note_unknown("d", std::to_string(i));
    static_cast<void>(notes.await(idle_pacer()));
    notes.settle();
  };
  for (int i = 0; i < 20'000; i += 1'000) ask(i, i + 1'000);
  notes.note_unknown("d", "19999");
  notes.note_ddl();
  EXPECT_EQ(notes.await(idle_pacer()), trigger::ddl);
  notes.note_unknown("d", "0");
  EXPECT_EQ(notes.await(idle_pacer()), trigger::name_space);
}

TEST(catalog_notes, end_the_wait_when_stopped) {
  catalog_notes notes;
  notes.stop();
  static_cast<void>(notes.await(idle_pacer()));
  EXPECT_TRUE(notes.is_stopped());
}

}  // namespace
}  // namespace scattergate::config
