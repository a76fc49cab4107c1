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
constexpr refresh_requests awaited{.awaited = true};

/// A pacer on a clock of its own, past its first load.
class refresh_pacer_test : public testing::Test {
 protected:
  refresh_pacer_test() { step(nothing, load_result::changed); }

  /// Goes to the next load, which ends as given and takes the time `took`.
  trigger step(const refresh_requests& requests, load_result result = load_result::unchanged,
               clock::duration took = 0s) {
    const auto turn = pacer.next(requests);
    now = std::max(now, turn.at) + took;
    pacer.ended(turn.why, result, now, took);
    return turn.why;
  }

  /// The loads within a time in which a wish never ends.
  std::size_t loads_within(clock::duration time, const refresh_requests& requests,
                           clock::duration took = 0s) {
    std::size_t loads = 0;
    for (const auto end = now + time; pacer.next(requests).at < end; ++loads) {
      step(requests, load_result::unchanged, took);
    }
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

TEST_F(refresh_pacer_test, bounds_the_share_of_time_that_endless_ddl_causes) {
  EXPECT_LE(loads_within(60s, ddl), 601U);
  EXPECT_LE(loads_within(60s, ddl, 50ms), 110U);
  EXPECT_LE(loads_within(60s, ddl, 10s), 5U);
  step(ddl, load_result::changed, 10ms);
  EXPECT_LE(pacer.next(ddl).at, now + 100ms) << "as quick as before";
}

TEST_F(refresh_pacer_test, loads_at_once_for_a_command_that_waits) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(pacer.next(awaited).at, now);
    EXPECT_EQ(step(awaited), trigger::command);
  }
  step(awaited, load_result::unreachable);
  EXPECT_GT(pacer.next(awaited).at, now + 300ms) << "but less often while loads fail";
  EXPECT_LE(pacer.next(awaited).at, now + 500ms);
}

TEST_F(refresh_pacer_test, reads_the_chunks_too_if_there_was_ddl_as_well) {
  step(ddl);
  EXPECT_EQ(pacer.next({.ddl = true, .name_space = true}).why, trigger::ddl);
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
  EXPECT_EQ(pacer.depth_of(trigger::command), load_depth::chunks);
  int thorough = 0;
  for (int i = 0; i < 20; ++i) {
    thorough += pacer.depth_of(trigger::timer) == load_depth::thorough ? 1 : 0;
  }
  EXPECT_EQ(thorough, 2);
}

/// A pacer whose loads are due as soon as anything is wished for.
refresh_pacer idle_pacer() {
  refresh_pacer pacer{1h, clock::now(), 1};
  pacer.ended(trigger::start, load_result::changed, clock::now() - 1s, 0s);
  return pacer;
}

metadata_change change_of(const char* database, const char* collection) {
  metadata_change made;
  made.database = database;
  made.collection = collection;
  return made;
}

TEST(catalog_notes, wake_who_waits_with_the_reason) {
  catalog_notes notes;
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::name_space);
  notes.note_change(change_of("d", "c"));
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::ddl);
  notes.force();
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::signal);
}

TEST(catalog_notes, ask_about_a_namespace_only_once) {
  catalog_notes notes;
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::name_space);
  notes.settle();
  notes.note_unknown("d", "a");
  notes.note_change(change_of("d", "c"));
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::ddl);
  notes.note_unknown("d", "b");
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::name_space);
}

TEST(catalog_notes, ask_again_where_the_load_failed) {
  catalog_notes notes;
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::name_space);
  notes.note_unknown("d", "a");
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::name_space);
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
  notes.note_change(change_of("d", "c"));
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::ddl);
  notes.note_unknown("d", "0");
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::name_space);
}

TEST(catalog_notes, number_the_loads_and_say_from_which_on_a_change_is_known) {
  catalog_notes notes;
  std::uint64_t seen = 0;
  EXPECT_EQ(notes.changes(), 0U);
  notes.note_change(change_of("d", "a"));
  EXPECT_EQ(notes.request_load({}), 1U);
  const auto first = notes.await(idle_pacer());
  EXPECT_EQ(first.number, 1U);
  EXPECT_TRUE(first.focus.has({"d", "a"}));
  EXPECT_FALSE(first.focus.has({"d", "b"}));
  // The first load has begun already, and may have missed this.
  notes.note_change(change_of("d", "b"));
  EXPECT_EQ(notes.request_load({}), 2U);
  EXPECT_EQ(notes.changes(), 2U);
  const auto changes = notes.changes_since(seen);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].known_from, 1U);
  EXPECT_EQ(changes[1].known_from, 2U);
  EXPECT_EQ(seen, 2U);
  EXPECT_TRUE(notes.changes_since(seen).empty());
  const auto second = notes.await(idle_pacer());
  EXPECT_EQ(second.number, 2U);
  EXPECT_FALSE(second.focus.has({"d", "a"}));
}

TEST(catalog_notes, take_too_many_changes_for_one_of_everything) {
  catalog_notes notes;
  for (int i = 0; i < 65; ++i) notes.note_change(change_of("d", std::to_string(i).c_str()));
  std::uint64_t seen = 0;
  const auto changes = notes.changes_since(seen);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].database, "");
  EXPECT_EQ(changes[0].known_from, 1U);
  EXPECT_EQ(seen, 65U);
}

TEST(catalog_notes, load_again_while_a_change_goes_on) {
  catalog_notes notes;
  auto change = change_of("d", "a");
  change.goes_on = true;
  notes.note_change(change);
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::ddl);
  EXPECT_EQ(notes.await(idle_pacer()).why, trigger::ddl);  // after 2 s, not after an hour
}

TEST(load_focus, has_the_namespaces_that_were_added) {
  load_focus focus;
  EXPECT_TRUE(focus.is_empty());
  focus.add({"d", "a"});
  focus.add({"whole", ""});
  EXPECT_FALSE(focus.is_empty());
  EXPECT_TRUE(focus.has({"d", "a"}));
  EXPECT_FALSE(focus.has({"d", "b"}));
  EXPECT_TRUE(focus.has({"whole", "b"}));
  EXPECT_TRUE(focus.has_database("d"));
  EXPECT_FALSE(focus.has_database("a"));
  load_focus other;
  other.add({"e", "x"});
  other.add(focus);
  EXPECT_TRUE(other.has({"e", "x"}) && other.has({"d", "a"}));
  EXPECT_FALSE(other.is_all());
  focus.add(wire::namespace_view{});
  EXPECT_TRUE(focus.is_all() && focus.has({"f", "y"}) && focus.has_database("f"));
  other.add(focus);
  EXPECT_TRUE(other.is_all());
}

TEST(load_focus, has_everything_if_there_are_too_many) {
  load_focus focus;
  for (int i = 0; i < 2'000; ++i) focus.add({"d", std::to_string(i)});
  EXPECT_TRUE(focus.is_all());
}

TEST(catalog_notes, end_the_wait_when_stopped) {
  catalog_notes notes;
  notes.stop();
  static_cast<void>(notes.await(idle_pacer()));
  EXPECT_TRUE(notes.is_stopped());
}

}  // namespace
}  // namespace scattergate::config
