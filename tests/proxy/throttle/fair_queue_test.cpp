#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {
namespace {

struct named : fair_queue::waiter {
  char client = 0;
  int number = 0;
};

/// A queue of waiters of clients called by one letter: "a0" is a's first.
struct queue_of_named {
  named* push(char client) {
    named& made = all.emplace_back();
    made.client = client;
    made.number = count[client]++;
    queue.push(made, std::string(1, client));
    return &made;
  }
  std::string pop_all() {
    std::string order;
    while (const auto* next = static_cast<named*>(queue.first())) {
      order += next->client + std::to_string(next->number) + " ";
      queue.pop();
    }
    return order;
  }
  named* displaced_by(char client) const {
    return static_cast<named*>(queue.displaced_by(std::string(1, client)));
  }

  fair_queue queue;
  std::deque<named> all;
  std::map<char, int> count;
};

TEST(fair_queue, lets_clients_take_turns) {
  for (const auto& [arrivals, order] :
       std::vector<std::pair<std::string, std::string>>{{"aaa", "a0 a1 a2 "},
                                                        {"abc", "a0 b0 c0 "},
                                                        {"aaab", "a0 b0 a1 a2 "},
                                                        {"aabbbc", "a0 b0 c0 a1 b1 b2 "},
                                                        {"aaaabcb", "a0 b0 c0 a1 b1 a2 a3 "}}) {
    queue_of_named waiting;
    for (const char each : arrivals) waiting.push(each);
    EXPECT_EQ(waiting.pop_all(), order) << arrivals;
    EXPECT_TRUE(waiting.queue.is_empty());
  }
}

TEST(fair_queue, gives_who_comes_anew_the_last_turn) {
  queue_of_named waiting;
  for (const char each : {'a', 'a', 'b', 'b'}) waiting.push(each);
  waiting.queue.pop();  // a0
  waiting.push('c');
  EXPECT_EQ(waiting.pop_all(), "b0 a1 c0 b1 ");
}

TEST(fair_queue, displaces_the_newest_of_the_client_that_has_most) {
  struct of {
    std::string arrivals;
    char newcomer;
    std::string displaced;  // empty: none
  };
  for (const auto& [arrivals, newcomer, displaced] :
       std::vector<of>{{"", 'a', ""},
                       {"a", 'a', ""},
                       {"a", 'b', ""},  // it would only be the other way round
                       {"aa", 'b', "a1"},
                       {"aaaa", 'a', ""},
                       {"aaabb", 'b', ""},
                       {"aaaabb", 'b', "a3"},
                       {"abbbcc", 'a', "b2"},
                       {"abbbcc", 'd', "b2"},
                       {"abc", 'd', ""}}) {
    queue_of_named waiting;
    for (const char each : arrivals) waiting.push(each);
    const named* got = waiting.displaced_by(newcomer);
    EXPECT_EQ(got != nullptr ? got->client + std::to_string(got->number) : "", displaced)
        << arrivals << " and " << newcomer;
  }
}

TEST(fair_queue, lets_anybody_leave) {
  queue_of_named waiting;
  std::vector<named*> all;
  for (const char each : {'a', 'a', 'b', 'a', 'c'}) all.push_back(waiting.push(each));
  waiting.queue.remove(*all[0]);  // first of all
  waiting.queue.remove(*all[2]);  // the only one of its client
  EXPECT_EQ(waiting.queue.size(), 3U);
  waiting.push('b');
  waiting.queue.remove(*all[3]);  // last of its client
  EXPECT_EQ(waiting.pop_all(), "a1 c0 b1 ");
}

/// Against a queue that is as simple as it is slow.
TEST(fair_queue, is_right_whatever_happens) {
  std::mt19937 engine{7};
  queue_of_named waiting;
  std::vector<std::pair<char, std::deque<named*>>> lines;  // in the order of their turns
  const auto line_of = [&](char client) {
    return std::find_if(lines.begin(), lines.end(),
                        [&](const auto& each) { return each.first == client; });
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto client = static_cast<char>('a' + engine() % 7);
    const auto line = line_of(client);
    if (engine() % 2 == 0) {
      auto* const made = waiting.push(client);
      if (line == lines.end()) {
        lines.emplace_back(client, std::deque{made});
      } else {
        line->second.push_back(made);
      }
    } else if (!lines.empty() && engine() % 2 == 0) {
      ASSERT_EQ(waiting.queue.first(), lines.front().second.front());
      waiting.queue.pop();
      lines.front().second.pop_front();
      std::rotate(lines.begin(), lines.begin() + 1, lines.end());
      if (lines.back().second.empty()) lines.pop_back();
    } else if (line != lines.end()) {
      const auto at =
          line->second.begin() + static_cast<std::ptrdiff_t>(engine() % line->second.size());
      waiting.queue.remove(**at);
      line->second.erase(at);
      if (line->second.empty()) lines.erase(line);
    }
    std::size_t most = 0;
    std::size_t all = 0;
    for (const auto& [name, each] : lines) {
      most = std::max(most, each.size());
      all += each.size();
    }
    ASSERT_EQ(waiting.queue.size(), all);
    const named* const displaced = waiting.displaced_by('z');
    ASSERT_EQ(displaced != nullptr, most > 1);
    if (displaced == nullptr) continue;
    const auto& longest = line_of(displaced->client)->second;
    ASSERT_EQ(longest.size(), most);
    ASSERT_EQ(longest.back(), displaced);
  }
}

}  // namespace
}  // namespace scattergate::proxy
