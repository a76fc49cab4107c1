#include "telemetry/admin/shared_answers.hpp"

#include <functional>
#include <list>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t answer_bytes = 100;
constexpr std::size_t most_held = 150;

class shared_answers_test : public ::testing::Test {
 protected:
  /// One who asks, and holds the answer until it is cut.
  struct asker {
    admin_guests::handle as;
    shared_reply got;
    bool is_done = false;
  };

  shared_answers_test() {
    for (const std::string path : {"/api/v1/a", "/api/v1/b", "/api/v1/c", "/api/v1/d"}) {
      pages_.show(path, "text/plain", [this, path] {
        steps_ += path.back();
        return std::string(answer_bytes, 'x');
      });
    }
  }

  asker& ask(const std::string& peer, const std::string& target,
             http::verb method = http::verb::get) {
    asker& one = askers_.emplace_back();
    one.as = guests_.add(peer, [this, &one, target] {
      cut_.push_back(peer_and(target));
      one.got.reset();
    });
    requests_.emplace_back(method, target, 11);
    asio::co_spawn(
        context_,
        [](shared_answers& from, const request_parser::value_type& request,
           asker& to) -> asio::awaitable<void> {
          co_await from.make(request, to.as, to.got);
          if (to.as->is_closed) to.got.reset();
          to.is_done = true;
        }(answers_, requests_.back(), one),
        asio::detached);
    return one;
  }
  static std::string peer_and(const std::string& target) {
    return target.substr(target.rfind('/') + 1);
  }

  std::string steps_;  // the last letter of each answer that is made
  std::vector<std::string> cut_;
  metrics_collector metrics_{10};
  health health_;
  admin_pages pages_{metrics_, health_, true};
  admin_guests guests_{64};
  asio::io_context context_;
  shared_answers answers_{context_, pages_, guests_, most_held};
  std::list<request_parser::value_type> requests_;
  std::list<asker> askers_;
};

TEST_F(shared_answers_test, makes_one_answer_for_all_who_ask_the_same) {
  const asker& first = ask("x", "/api/v1/a?1");
  const asker& second = ask("y", "/api/v1/a?2");
  context_.run();
  EXPECT_EQ(steps_, "a");
  ASSERT_NE(first.got, nullptr);
  EXPECT_EQ(first.got, second.got);
}

TEST_F(shared_answers_test, others_go_on_between_two_answers) {
  for (const char* path : {"/api/v1/a", "/api/v1/b"}) ask("x", path, http::verb::head);
  std::function<void()> go_on = [&] {
    if (steps_.empty() || steps_.back() != '.') steps_ += '.';
    if (steps_.find('b') == steps_.npos) asio::post(context_, go_on);
  };
  context_.poll_one();
  context_.poll_one();
  asio::post(context_, go_on);
  context_.run();
  EXPECT_THAT(steps_, ::testing::EndsWith("a.b."));
}

TEST_F(shared_answers_test, peers_take_turns) {
  for (const char* path : {"/api/v1/a", "/api/v1/b", "/api/v1/c"}) ask("x", path);
  ask("y", "/api/v1/d");
  std::list<asker*> readers;
  for (asker& each : askers_) readers.push_back(&each);
  std::function<void()> read = [&] {
    for (asker* each : readers) {
      if (!each->is_done) continue;
      each->got.reset();
      guests_.reply_sent(each->as);
    }
    std::erase_if(readers, [](const asker* each) { return each->is_done; });
    if (!readers.empty()) asio::post(context_, read);
  };
  asio::post(context_, read);
  context_.run();
  EXPECT_EQ(steps_, "adbc");
  EXPECT_THAT(cut_, IsEmpty());
}

TEST_F(shared_answers_test, metrics_come_first_but_not_twice_in_a_row) {
  pages_.show("/api/v1/a", "text/plain", [this] {
    steps_ += 'a';
    return std::string{};
  });
  const asker& page = ask("x", "/api/v1/a");
  requests_.back().set(http::field::accept, "text/plain");
  const asker& metrics = ask("x", "/metrics");
  const asker& more_metrics = ask("x", "/metrics");
  requests_.back().set(http::field::accept_encoding, "gzip");
  while (!page.is_done) {
    ASSERT_FALSE(metrics.is_done && more_metrics.is_done);
    context_.run_one();
  }
  EXPECT_TRUE(metrics.is_done || more_metrics.is_done);
  EXPECT_FALSE(metrics.is_done && more_metrics.is_done);
}

TEST_F(shared_answers_test, cuts_the_slowest_readers_before_it_makes_another) {
  ask("x", "/api/v1/a");
  ask("y", "/api/v1/b");
  ask("z", "/api/v1/c");
  context_.run();
  EXPECT_EQ(steps_, "abc");
  EXPECT_THAT(cut_, ElementsAre("a"));  // a and b are more than may be held
}

TEST_F(shared_answers_test, an_answer_that_several_are_sent_counts_once) {
  for (int i = 0; i < 5; ++i) ask("x", "/api/v1/a");
  ask("y", "/api/v1/b");
  context_.run();
  EXPECT_EQ(steps_, "ab");
  EXPECT_THAT(cut_, IsEmpty());
}

TEST_F(shared_answers_test, makes_nothing_for_those_who_have_been_cut) {
  const asker& first = ask("x", "/api/v1/a");
  context_.poll_one();
  EXPECT_TRUE(guests_.make_room());
  ask("y", "/api/v1/b");
  context_.run();
  EXPECT_EQ(steps_, "b");
  EXPECT_TRUE(first.is_done);
  EXPECT_EQ(first.got, nullptr);
}

}  // namespace
}  // namespace scattergate::telemetry
