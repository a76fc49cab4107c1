#include "net/event_loop.hpp"

#include <array>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "net/transport.hpp"
#include "tests/net/engines.hpp"
#include "tests/net/socket_pair.hpp"

namespace scattergate::net {
namespace {

using readiness = event_loop::readiness;

struct test_watcher final : event_loop::watcher {
  explicit test_watcher(std::function<void(const readiness&)> then)
      : do_then(std::move(then)) {}
  void on_ready(const readiness& now) override {
    ++times;
    last = now;
    if (do_then) do_then(now);
  }
  std::function<void(const readiness&)> do_then;
  int times = 0;
  readiness last;
};

class event_loop_test : public on_each_engine {};
INSTANTIATE_TEST_SUITE_P(, event_loop_test, all_engines(), name_of_engine);

TEST_P(event_loop_test, runs_what_is_posted_in_order_also_from_other_threads) {
  event_loop loop{GetParam()};
  std::vector<int> ran;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) {
      loop.post([&ran, i] { ran.push_back(i); });
    }
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  ASSERT_EQ(ran.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
}

TEST_P(event_loop_test, runs_what_a_task_posts_in_the_next_turn) {
  event_loop loop{GetParam()};
  int depth = 0;
  std::function<void()> again = [&] {
    if (++depth == 100) return loop.stop();
    loop.post(again);
  };
  loop.post(again);
  loop.run();
  EXPECT_EQ(depth, 100);
}

TEST_P(event_loop_test, runs_what_is_due_again_and_again) {
  event_loop loop{GetParam()};
  int often = 0;
  int seldom = 0;
  loop.every(std::chrono::milliseconds{1}, [&] {
    if (++often == 20) loop.stop();
  });
  loop.every(std::chrono::hours{1}, [&] { ++seldom; });
  loop.run();
  EXPECT_EQ(often, 20);
  EXPECT_EQ(seldom, 0);
}

TEST_P(event_loop_test, runs_what_is_asked_for_a_time_once_and_not_before) {
  event_loop loop{GetParam()};
  const auto begun = event_loop::clock::now();
  std::vector<int> order;
  loop.once(begun + std::chrono::milliseconds{20}, [&] {
    order.push_back(2);
    EXPECT_GE(event_loop::clock::now(), begun + std::chrono::milliseconds{20});
    loop.once(begun, [&] { loop.stop(); });  // what is due already runs too
  });
  loop.once(begun + std::chrono::milliseconds{10}, [&] { order.push_back(1); });
  loop.once(begun + std::chrono::hours{1}, [&] { order.push_back(3); });
  loop.run();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

/// Busy connections take turns, and other ready ones are served in between.
TEST_P(event_loop_test, lets_a_turn_do_so_much_and_no_more) {
  constexpr int many = 10;
  constexpr int rounds = 5;
  event_loop loop{GetParam()};
  std::vector<std::unique_ptr<test_watcher>> busy;
  std::vector<int> order;
  int turns = 0;
  for (int i = 0; i < many; ++i) {
    busy.push_back(std::make_unique<test_watcher>([&, i](const readiness&) {
      order.push_back(i);
      loop.meter().charge(work_meter::turn_units);
      if (order.size() == many * rounds) return loop.stop();
      loop.resume_later(*busy[static_cast<std::size_t>(i)]);
    }));
    loop.resume_later(*busy.back());
  }
  std::function<void()> each_turn = [&] {
    ++turns;
    loop.post(each_turn);
  };
  loop.post(each_turn);
  loop.run();
  ASSERT_EQ(order.size(), many * rounds);
  EXPECT_GE(turns, many * rounds - 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(order[i], static_cast<int>(i % many));
  }
}

TEST_P(event_loop_test,
       lets_who_came_too_late_for_a_turn_go_on_before_those_who_have_much_to_do) {
  event_loop loop{GetParam()};
  std::vector<char> order;
  test_watcher heavy{[&](const readiness&) {
    order.push_back('h');
    loop.meter().charge(work_meter::turn_units);
    loop.resume_later(heavy);
    if (order.size() > 10) loop.stop();
  }};
  test_watcher light{[&](const readiness&) {
    order.push_back('l');
    loop.stop();
  }};
  loop.post([&] {
    for (int i = 0; i < 3; ++i) loop.resume_later(heavy);
    loop.resume_soon(light);
  });
  loop.run();
  ASSERT_FALSE(order.empty());
  EXPECT_EQ(order.front(), 'l');
}

TEST_P(event_loop_test, lets_known_peers_go_on_before_strangers) {
  using enum event_loop::priority;
  struct kind {
    std::uint64_t work_of_known;
    std::string_view order;
  };
  for (const auto& [work_of_known, expected] :
       {kind{1, "kkkkssss"}, kind{work_meter::turn_units, "ksksksks"}}) {
    for (const bool is_soon : {false, true}) {
      event_loop loop{GetParam()};
      std::string order;
      const auto note = [&](char who, std::uint64_t work) {
        order.push_back(who);
        loop.meter().charge(work);
        if (order.size() == expected.size()) loop.stop();
      };
      test_watcher stranger_{[&](const readiness&) { note('s', work_meter::turn_units); }};
      test_watcher known_{[&, work = work_of_known](const readiness&) { note('k', work); }};
      for (int i = 0; i < 4; ++i) {
        is_soon ? loop.resume_soon(stranger_, stranger)
                : loop.resume_later(stranger_, stranger);
      }
      for (int i = 0; i < 4; ++i) {
        is_soon ? loop.resume_soon(known_, known) : loop.resume_later(known_, known);
      }
      loop.run();
      EXPECT_EQ(order, expected) << is_soon;
    }
  }
}

TEST_P(event_loop_test, lets_many_who_have_little_to_do_go_on_in_one_turn) {
  event_loop loop{GetParam()};
  int turns = 0;
  constexpr int many = 100;
  std::vector<std::unique_ptr<test_watcher>> some;
  int seen = 0;
  for (int i = 0; i < many; ++i) {
    some.push_back(std::make_unique<test_watcher>([&](const readiness&) {
      loop.meter().charge(work_meter::turn_units / (2 * many));
      if (++seen == many) loop.stop();
    }));
    loop.resume_later(*some.back());
  }
  std::function<void()> each_turn = [&] {
    ++turns;
    loop.post(each_turn);
  };
  loop.post(each_turn);
  loop.run();
  EXPECT_EQ(seen, many);
  EXPECT_LE(turns, 2);
}

TEST_P(event_loop_test, reports_each_change_once) {
  event_loop loop{GetParam()};
  socket_pair pair;
  transport ours{std::move(pair.ours)};
  int turns = 0;
  test_watcher watcher{[&](const readiness& now) {
    if (now.hung_up) return loop.stop();
    if (now.readable)
      pair.theirs.reset();  // what was sent stays unread: it isn't reported again
  }};
  ASSERT_TRUE(loop.watch(ours, watcher));
  loop.every(std::chrono::milliseconds{1}, [&] {
    if (++turns == 5) send_all(pair.theirs.get(), "x");
  });
  loop.run();
  EXPECT_EQ(watcher.times, 3);  // writable; readable; hung up
}

TEST_P(event_loop_test, distinguishes_a_reset_from_an_orderly_end) {
  for (const bool is_reset : {false, true}) {
    event_loop loop{GetParam()};
    socket_pair pair;
    if (is_reset) send_all(pair.ours.get(), "never read");
    transport ours{std::move(pair.ours)};
    readiness last;
    test_watcher watcher{[&](const readiness& now) {
      last = now;
      if (now.hung_up) return loop.stop();
      pair.theirs.reset();
    }};
    ASSERT_TRUE(loop.watch(ours, watcher));
    loop.run();
    EXPECT_EQ(last.failed, is_reset);
  }
}

TEST_P(event_loop_test, reports_nothing_stale_about_what_another_has_closed_in_the_same_turn) {
  event_loop loop{GetParam()};
  socket_pair pairs[2];
  transport sockets[2] = {transport{std::move(pairs[0].ours)},
                          transport{std::move(pairs[1].ours)}};
  test_watcher* watchers[2] = {};
  const auto close_other = [&](int mine) {
    return [&, mine](const readiness&) {
      loop.forget(*watchers[1 - mine]);
      sockets[1 - mine].close();
      loop.stop();
    };
  };
  test_watcher one{close_other(0)};
  test_watcher two{close_other(1)};
  watchers[0] = &one;
  watchers[1] = &two;
  ASSERT_TRUE(loop.watch(sockets[0], one));
  ASSERT_TRUE(loop.watch(sockets[1], two));
  loop.run();  // both are writable at once: the first to be called closes the other
  EXPECT_EQ(one.times + two.times, 1);
}

/// A process that is being started has copies of all descriptors.
TEST_P(event_loop_test, reports_nothing_about_a_closed_socket_of_which_a_copy_is_open) {
  event_loop loop{GetParam()};
  socket_pair pair;
  transport ours{std::move(pair.ours)};
  unique_fd copy;
  int turns = 0;
  test_watcher watcher{[&](const readiness&) {
    if (copy) return;
    copy = unique_fd{::dup(ours.fd())};
    loop.unwatch(ours, watcher);
    ours.close();
    send_all(pair.theirs.get(), "too late");
  }};
  ASSERT_TRUE(loop.watch(ours, watcher));
  loop.every(std::chrono::milliseconds{1}, [&] {
    if (copy && ++turns == 5) loop.stop();
  });
  loop.run();
  EXPECT_EQ(watcher.times, 1);
}

TEST_P(event_loop_test, notifies_the_new_owner_of_a_descriptor_and_not_the_old) {
  event_loop loop{GetParam()};
  socket_pair before;
  const int number = before.ours.get();
  transport first{std::move(before.ours)};
  test_watcher old{nullptr};
  ASSERT_TRUE(loop.watch(first, old));
  first.close();
  transport second;
  test_watcher fresh{[&](const readiness&) { loop.stop(); }};
  loop.every(std::chrono::milliseconds{1}, [&] {
    if (second.is_open()) return;
    socket_pair after;
    for (unique_fd* each : {&after.ours, &after.theirs}) {
      if (each->get() == number) second = transport{std::move(*each)};
    }
    if (second.is_open()) {
      ASSERT_TRUE(loop.watch(second, fresh));
    }
  });
  loop.run();
  EXPECT_GE(fresh.times, 1);
  EXPECT_EQ(old.times, 0);
}

TEST_P(event_loop_test, lets_the_others_have_their_turn_before_who_resumes_later) {
  event_loop loop{GetParam()};
  socket_pair pair;
  transport ours{std::move(pair.ours)};
  std::vector<char> order;
  test_watcher greedy{nullptr};
  test_watcher other{[&](const readiness& now) {
    if (!now.readable) return;
    order.push_back('o');
    loop.stop();
  }};
  greedy.do_then = [&](const readiness&) {
    order.push_back('g');
    if (greedy.times == 1) send_all(pair.theirs.get(), "x");
    loop.resume_later(greedy);
  };
  ASSERT_TRUE(loop.watch(ours, other));
  loop.post([&] { loop.resume_later(greedy); });
  loop.run();
  ASSERT_NE(std::find(order.begin(), order.end(), 'o'), order.end());
  EXPECT_GE(greedy.times, 1);
}

TEST_P(event_loop_test, does_not_resume_what_was_forgotten) {
  event_loop loop{GetParam()};
  test_watcher one{nullptr};
  test_watcher two{nullptr};
  loop.post([&] {
    loop.resume_later(one);
    loop.resume_later(two);
    loop.forget(two);
    loop.stop();
  });
  loop.post([] {});
  loop.run();
  EXPECT_EQ(two.times, 0);
}

TEST_P(event_loop_test, keeps_what_is_retired_until_the_turn_ends) {
  event_loop loop{GetParam()};
  auto kept = std::make_shared<int>(7);
  const std::weak_ptr<int> seen = kept;
  loop.post([&] {
    loop.retire(std::move(kept));
    EXPECT_FALSE(seen.expired());
    loop.post([&] {
      EXPECT_TRUE(seen.expired());
      loop.stop();
    });
  });
  loop.run();
}

/// Connected sockets that are ready in the loop's first turn, on epoll. Each watcher notes the
/// stages it goes through, and defers a write if the loop allows it.
struct watched_batch {
  struct member final : event_loop::watcher {
    explicit member(watched_batch& of) : batch(of) {}
    void read_ahead(const readiness&) override { batch.stages += 'r'; }
    void on_ready(const readiness&) override {
      batch.stages += batch.loop.defer_write(*this) ? 'd' : 'n';
      if (batch.then) batch.then(*this);
      batch.loop.stop();
    }
    void write_deferred() override {
      batch.stages += batch.loop.defer_write(*this) ? 'D' : 'w';
    }
    watched_batch& batch;
    socket_pair pair;
    transport socket{std::move(pair.ours)};
  };

  explicit watched_batch(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      members.push_back(std::make_unique<member>(*this));
      EXPECT_TRUE(loop.watch(members.back()->socket, *members.back()));
    }
  }

  event_loop loop{engine_kind::epoll};
  std::vector<std::unique_ptr<member>> members;
  std::function<void(member&)> then;
  std::string stages;
};

TEST(event_loop_batch_test, reads_ahead_for_all_and_writes_for_all_at_the_end) {
  watched_batch batch{3};
  batch.loop.run();
  EXPECT_EQ(batch.stages, "rrrdddwww");
}

TEST(event_loop_batch_test, defers_nothing_for_one_socket_alone) {
  watched_batch batch{1};
  batch.loop.run();
  EXPECT_EQ(batch.stages, "n");
}

TEST(event_loop_batch_test, limits_a_batch) {
  constexpr std::size_t most = write_batch::watchers;
  watched_batch batch{most + 2};
  batch.loop.run();
  EXPECT_EQ(batch.stages, std::string(most, 'r') + std::string(most, 'd') +
                              std::string(most, 'w') + "rrddww");
}

TEST(event_loop_batch_test, does_not_write_for_who_was_forgotten) {
  watched_batch batch{3};
  batch.then = [&](watched_batch::member&) {
    if (batch.stages == "rrrddd") batch.loop.forget(*batch.members.front());
  };
  batch.loop.run();
  EXPECT_EQ(batch.stages, "rrrdddww");
}

TEST(event_loop_batch_test, writes_at_once_where_a_batch_is_full) {
  watched_batch batch{2};
  batch.then = [&](watched_batch::member& of) {
    if (&of != batch.members.back().get()) return;
    while (batch.loop.defer_write(of)) {
    }
  };
  batch.loop.run();
  EXPECT_EQ(batch.stages, "rrdd" + std::string(2 * write_batch::watchers, 'w'));
}

TEST(event_loop_batch_test, survives_watchers_that_run_out_of_memory) {
  watched_batch batch{3};
  batch.then = [](watched_batch::member&) { throw std::bad_alloc{}; };
  batch.loop.post([&] { batch.loop.stop(); });
  batch.loop.run();
  EXPECT_EQ(batch.stages, "rrrdddwww");
}

TEST_P(event_loop_test, has_no_room_for_what_is_no_descriptor) {
  event_loop loop{GetParam()};
  transport closed;
  test_watcher none{nullptr};
  EXPECT_FALSE(loop.watch(closed, none));
}

}  // namespace
}  // namespace scattergate::net
