#include "proxy/throttle/throttle.hpp"

#include <array>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::proxy {
namespace {

using namespace std::chrono_literals;
using entry_result = throttle::entry_result;

config::throttle_limits limits(std::uint32_t rate, std::uint32_t burst) {
  config::throttle_limits made;
  made.rate = rate;
  made.burst = burst;
  return made;
}

struct counting_waker final : throttle::waker {
  void wake() noexcept override { ++times; }
  std::atomic<int> times = 0;
};

/// By a clock that stands still unless it is set.
class throttle_test : public testing::Test {
 protected:
  entry_result enter(throttle& at) { return at.enter(places_.emplace_back(), waker, now); }
  throttle::place& last() { return places_.back(); }

  throttle::clock::time_point now{1h};
  counting_waker waker;

 private:
  std::deque<throttle::place> places_;
};

TEST_F(throttle_test, lets_a_burst_on_and_then_the_rate) {
  auto with = limits(10, 3);
  with.queue = 0;
  throttle at{with, now};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(enter(at), entry_result::admitted);
  EXPECT_EQ(enter(at), entry_result::full);
  now += 99ms;
  EXPECT_EQ(enter(at), entry_result::full);
  now += 1ms;
  EXPECT_EQ(enter(at), entry_result::admitted);
  EXPECT_EQ(enter(at), entry_result::full);
  now += 1h;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(enter(at), entry_result::admitted);
  EXPECT_EQ(enter(at), entry_result::full);
}

TEST_F(throttle_test, lets_those_who_wait_on_in_the_order_in_which_they_came) {
  throttle at{limits(10, 1), now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  std::array<throttle::place, 3> places;
  for (auto& each : places) EXPECT_EQ(at.enter(each, waker, now), entry_result::waits);
  EXPECT_TRUE(places[0].is_first());
  EXPECT_EQ(at.next_look(now), now + 100ms);
  now += 100ms;
  EXPECT_EQ(at.next_look(now), now + 100ms);  // the next one's
  EXPECT_TRUE(places[0].is_admitted());
  EXPECT_TRUE(places[1].is_first());
  EXPECT_FALSE(places[2].is_first() || places[2].is_admitted());
  EXPECT_EQ(waker.times, 2);  // the admitted waiter, and the one that is first now
  // No new command overtakes those that wait.
  now += 99ms;
  EXPECT_EQ(enter(at), entry_result::waits);
  now += 1ms;
  EXPECT_EQ(enter(at), entry_result::waits);
  EXPECT_TRUE(places[1].is_admitted());
}

TEST_F(throttle_test, loses_no_token_however_late_anybody_looks) {
  throttle at{limits(1'000, 1), now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  std::array<throttle::place, 50> places;
  for (auto& each : places) EXPECT_EQ(at.enter(each, waker, now), entry_result::waits);
  now += 49ms;
  EXPECT_EQ(at.next_look(now), now + 1ms);
  EXPECT_TRUE(places[48].is_admitted());
  EXPECT_FALSE(places[49].is_admitted());
}

TEST_F(throttle_test, lets_only_so_many_be_under_way) {
  config::throttle_limits two;
  two.concurrency = 2;
  throttle at{two, now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  EXPECT_EQ(enter(at), entry_result::admitted);
  EXPECT_EQ(enter(at), entry_result::waits);
  EXPECT_EQ(at.next_look(now), std::nullopt);  // only another's end lets it on
  EXPECT_FALSE(last().is_admitted());
  at.release();
  EXPECT_TRUE(last().is_admitted());
  EXPECT_EQ(waker.times, 1);
  EXPECT_EQ(at.under_way(), 2U);
}

TEST_F(throttle_test, needs_both_a_token_and_room) {
  auto with = limits(10, 1);
  with.concurrency = 1;
  throttle at{with, now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  EXPECT_EQ(enter(at), entry_result::waits);
  at.release();
  EXPECT_FALSE(last().is_admitted());
  now += 100ms;
  EXPECT_EQ(at.next_look(now), std::nullopt);
  EXPECT_TRUE(last().is_admitted());
}

TEST_F(throttle_test, turns_away_whom_its_queue_has_no_room_for) {
  auto with = limits(10, 1);
  with.queue = 2;
  throttle at{with, now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  EXPECT_EQ(enter(at), entry_result::waits);
  throttle::place& second = last();
  EXPECT_EQ(enter(at), entry_result::waits);
  EXPECT_EQ(enter(at), entry_result::full);
  EXPECT_FALSE(at.leave(second, now));
  EXPECT_EQ(enter(at), entry_result::waits);
  EXPECT_EQ(at.waiting(), 2U);
}

TEST_F(throttle_test, lets_no_client_shut_others_out_of_its_queue) {
  auto with = limits(10, 1);
  with.queue = 4;
  throttle at{with, now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  std::array<throttle::place, 6> hogs;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(at.enter(hogs[i], waker, now, "hog"), entry_result::waits);
  }
  EXPECT_EQ(at.enter(hogs[4], waker, now, "hog"), entry_result::full);
  throttle::place other;
  const int before = waker.times;
  EXPECT_EQ(at.enter(other, waker, now, "other"), entry_result::waits);
  EXPECT_TRUE(hogs[3].is_displaced());
  EXPECT_EQ(waker.times, before + 1);
  EXPECT_EQ(at.waiting(), 4U);
  EXPECT_FALSE(at.leave(hogs[3], now));
  EXPECT_EQ(at.waiting(), 4U);
  EXPECT_EQ(at.enter(hogs[5], waker, now, "hog"), entry_result::full);
  now += 200ms;
  static_cast<void>(at.next_look(now));
  EXPECT_TRUE(hogs[0].is_admitted());
  EXPECT_TRUE(other.is_admitted());  // though others came before it
  EXPECT_TRUE(hogs[1].is_first());
  EXPECT_FALSE(hogs[1].is_admitted());
}

TEST_F(throttle_test, reports_at_leaving_that_it_was_admitted_before) {
  throttle at{limits(10, 1), now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  throttle::place here;
  EXPECT_EQ(at.enter(here, waker, now), entry_result::waits);
  now += 100ms;
  EXPECT_EQ(enter(at), entry_result::waits);
  EXPECT_TRUE(at.leave(here, now));
  EXPECT_EQ(at.under_way(), 2U);
  at.release();
  EXPECT_EQ(at.under_way(), 1U);
}

TEST_F(throttle_test, keeps_everybodys_place_under_other_limits) {
  throttle at{limits(1, 1), now};
  EXPECT_EQ(enter(at), entry_result::admitted);
  std::array<throttle::place, 3> places;
  for (auto& each : places) EXPECT_EQ(at.enter(each, waker, now), entry_result::waits);
  at.set_limits(limits(100, 2), now);
  EXPECT_FALSE(places[0].is_admitted());  // no new burst
  now += 20ms;
  EXPECT_EQ(at.next_look(now), now + 10ms);
  EXPECT_TRUE(places[1].is_admitted());
  EXPECT_TRUE(places[2].is_first());
  at.admit_all(now);
  EXPECT_TRUE(places[2].is_admitted());
  EXPECT_EQ(enter(at), entry_result::admitted);
}

TEST_F(throttle_test, outlives_a_reload_with_its_rule) {
  config::rule rule;
  rule.name = "slowly";
  rule.action = config::rule_action::throttle;
  rule.throttle = limits(10, 1);
  config::rule other = rule;
  other.name = "another";
  config::rule dry = rule;
  dry.name = "dry";
  dry.dry_run = true;
  throttle_register all;
  const auto before = all.renew(std::vector{rule, other, dry, config::rule{}}, now);
  ASSERT_TRUE(before[0] && before[1]);
  EXPECT_FALSE(before[2] || before[3]);
  EXPECT_EQ(enter(*before[0]), entry_result::admitted);
  EXPECT_EQ(enter(*before[1]), entry_result::admitted);
  throttle::place kept;
  throttle::place freed;
  EXPECT_EQ(before[0]->enter(kept, waker, now), entry_result::waits);
  EXPECT_EQ(before[1]->enter(freed, waker, now), entry_result::waits);
  rule.throttle.rate = 20;
  const auto after = all.renew(std::vector{dry, rule}, now);
  EXPECT_EQ(after[1], before[0]);
  EXPECT_FALSE(kept.is_admitted());
  EXPECT_TRUE(freed.is_admitted());
  now += 50ms;
  EXPECT_EQ(after[1]->next_look(now), std::nullopt);
  EXPECT_TRUE(kept.is_admitted());
}

/// The commands of a crowd that are admitted in ten seconds, and that none overtakes another.
TEST_F(throttle_test, holds_a_crowd_to_the_rate_whatever_its_numbers) {
  std::mt19937 engine{42};
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 50; ++round) {
    auto with = limits(1 + random() % 2'000, 1 + random() % 50);
    with.per = std::array{1s, std::chrono::seconds{1min}}[random() % 2];
    with.queue = 1 + random() % 100;
    throttle at{with, now};
    std::deque<throttle::place> queue;
    std::uint64_t admitted = 0;
    const auto since = now;
    const auto until = now + 10s;
    while (now < until) {
      while (!queue.empty() && queue.front().is_admitted()) {
        queue.pop_front();
        ++admitted;
      }
      for (const auto& each : queue) ASSERT_FALSE(each.is_admitted());
      entry_result got = entry_result::admitted;
      while (got != entry_result::full) {
        got = at.enter(queue.emplace_back(), waker, now);
        admitted += got == entry_result::admitted ? 1 : 0;
        if (got != entry_result::waits) queue.pop_back();
      }
      // Late, but not so late that more tokens come than there are who wait for them.
      const auto token = std::chrono::nanoseconds{with.per} / with.rate;
      const auto late = std::chrono::nanoseconds{random() % (token * with.queue).count()};
      now = at.next_look(now).value_or(now) + late / 2;
    }
    const double rate = with.rate / static_cast<double>(with.per.count());
    const double most = with.burst + rate * std::chrono::duration<double>(now - since).count();
    EXPECT_LE(static_cast<double>(admitted), most) << round;
    EXPECT_GE(static_cast<double>(admitted + with.queue), 0.98 * rate * 10) << round;
    for (auto& each : queue) static_cast<void>(at.leave(each, now));
    EXPECT_EQ(at.waiting(), 0U);
  }
}

// For ThreadSanitizer, and for the sums.
TEST(throttle_threads, share_one_bucket) {
  auto with = limits(100'000, 100);
  with.concurrency = 3;
  with.queue = 10;
  throttle at{with, throttle::clock::now()};
  std::atomic<std::size_t> under_way = 0;
  std::atomic<std::size_t> admitted = 0;
  const auto since = throttle::clock::now();
  const auto work = [&] {
    counting_waker waker;
    throttle::place place;
    for (int i = 0; i < 2'000; ++i) {
      const auto got =
          at.enter(place, waker, throttle::clock::now(), i % 3 == 0 ? "one" : "other");
      if (got == entry_result::full) continue;
      if (got == entry_result::waits) {
        const auto patience = throttle::clock::now() + 50us;
        while (!place.is_admitted() && !place.is_displaced() &&
               throttle::clock::now() < patience) {
          static_cast<void>(at.next_look(throttle::clock::now()));
        }
        if (!at.leave(place, throttle::clock::now())) continue;
      }
      EXPECT_LE(++under_way, 3U);
      ++admitted;
      --under_way;
      at.release();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  }
  EXPECT_EQ(at.under_way(), 0U);
  EXPECT_EQ(at.waiting(), 0U);
  const std::chrono::duration<double> took = throttle::clock::now() - since;
  EXPECT_LE(static_cast<double>(admitted), 100 + 100'000 * took.count());
}

}  // namespace
}  // namespace scattergate::proxy
