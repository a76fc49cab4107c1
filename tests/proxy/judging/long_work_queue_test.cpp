#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/judging/long_work.hpp"

namespace scattergate::proxy {
namespace {

using namespace std::chrono_literals;

/// Clients called by a letter: capitals are known, the others strangers.
struct turns {
  void ask(char who) { queue.push(who, tickets[who], who >= 'a'); }
  char serve(std::chrono::nanoseconds took) {
    const char who = queue.pop();
    queue.end_turn(tickets[who], took);
    return who;
  }

  long_work_queue<char> queue;
  std::map<char, long_work_ticket> tickets;
};

TEST(long_work_queue, serves_known_clients_first_and_each_in_order_of_arrival) {
  for (const auto& [arrivals, order] :
       std::vector<std::pair<std::string, std::string>>{{"a", "a"},
                                                        {"abc", "abc"},
                                                        {"abA", "Aab"},
                                                        {"aBbA", "BAab"},
                                                        {"abABCDEFGHI", "ABCDEFGaHIb"}}) {
    turns all;
    for (const char who : arrivals) all.ask(who);
    std::string got;
    while (!all.queue.is_empty()) got += all.serve(1ms);
    EXPECT_EQ(got, order);
  }
}

TEST(long_work_queue, serves_first_who_has_used_least) {
  turns all;
  std::map<char, std::chrono::nanoseconds> used;
  const std::map<char, std::chrono::nanoseconds> turn{{'a', 40ms}, {'b', 10ms}, {'c', 1ms}};
  for (const auto& [who, took] : turn) all.ask(who);
  for (int i = 0; i < 5'000; ++i) {
    const char who = all.queue.pop();
    used[who] += turn.at(who);
    all.queue.end_turn(all.tickets[who], turn.at(who));
    all.ask(who);
  }
  EXPECT_LE(used['a'] - used['c'], 41ms);
  EXPECT_LE(used['a'] - used['b'], 50ms);
}

TEST(long_work_queue, lets_who_comes_seldom_pass_a_crowd_that_never_ends) {
  turns all;
  for (char who = 'a'; who < 'z'; ++who) all.ask(who);
  for (int i = 0; i < 1'000; ++i) {
    const char who = all.serve(20ms);
    all.ask(who);
  }
  all.ask('z');
  // At most those come before it that have used as little.
  int before = 0;
  for (char who = all.serve(20ms); who != 'z'; who = all.serve(20ms)) {
    all.ask(who);
    ++before;
  }
  EXPECT_LE(before, 1);
}

TEST(long_work_queue, owes_nothing_to_who_has_rested) {
  turns all;
  for (int i = 0; i < 100; ++i) {
    all.ask('a');
    EXPECT_EQ(all.serve(1s), 'a');
  }
  all.ask('b');  // for the first time, next to one that has been idle for long
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(all.serve(1s), 'b');
    all.ask('b');
  }
  all.ask('a');
  EXPECT_EQ(all.serve(1s), 'a');
  EXPECT_EQ(all.serve(1s), 'b');
}

TEST(long_work_queue, keeps_one_turn_in_eight_for_strangers) {
  turns all;
  for (const char who : {'A', 'B', 'C', 'x'}) all.ask(who);
  int of_strangers = 0;
  for (int i = 0; i < 800; ++i) {
    const char who = all.serve(1ms);
    of_strangers += who == 'x' ? 1 : 0;
    all.ask(who);
  }
  EXPECT_EQ(of_strangers, 100);
}

TEST(long_work_queue, keeps_its_order_for_who_becomes_known) {
  turns all;
  for (int i = 0; i < 100; ++i) {
    all.ask('x');
    EXPECT_EQ(all.serve(1s), 'x');
  }
  all.tickets['X'] = all.tickets['x'];
  all.ask('X');
  all.ask('A');
  EXPECT_EQ(all.serve(1s), 'A');
  all.ask('A');
  EXPECT_EQ(all.serve(1s), 'X');
}

TEST(long_work_queue, forgets_who_is_gone) {
  turns all;
  for (const char who : {'a', 'A', 'b', 'B'}) all.ask(who);
  all.queue.erase_if([](char who) { return who == 'A' || who == 'b'; });
  EXPECT_EQ(all.serve(1ms), 'B');
  EXPECT_EQ(all.serve(1ms), 'a');
  EXPECT_TRUE(all.queue.is_empty());
}

}  // namespace
}  // namespace scattergate::proxy
