#include "telemetry/samples/check_queue.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;
using scattergate::tests::json_document;
using std::chrono::milliseconds;

routing::verdict verdict_of(command_kind kind, routing_class routing) {
  routing::verdict made;
  made.command = kind;
  made.routing = routing;
  return made;
}

void offer(check_queue& at, std::string_view json) {
  const json_document body{json};
  at.offer(*wire::command_of(body.view()));
}

TEST(check_queue, requests_finds_on_sharded_collections_once_an_interval) {
  check_queue queue{milliseconds{1000}};
  check_queue::clock::time_point now{};
  const auto find = verdict_of(command_kind::find, routing_class::scatter_gather);
  EXPECT_FALSE(queue.choose(verdict_of(command_kind::count, routing_class::single_shard), now));
  EXPECT_FALSE(queue.choose(verdict_of(command_kind::find, routing_class::unsharded), now));
  EXPECT_FALSE(queue.choose(verdict_of(command_kind::find, routing_class::unknown), now));
  int chosen = 0;
  for (int i = 0; i < 100'000; ++i, now += milliseconds{1}) {
    chosen += queue.choose(find, now) ? 1 : 0;
  }
  EXPECT_LE(chosen, 100);  // in a hundred seconds
  EXPECT_GE(chosen, 80);
}

TEST(check_queue, without_an_interval_it_requests_nothing) {
  check_queue queue{milliseconds{0}};
  EXPECT_FALSE(queue.choose(verdict_of(command_kind::find, routing_class::single_shard),
                            check_queue::clock::now()));
}

TEST(check_queue, gives_what_was_left_and_counts_what_found_no_room) {
  check_queue queue{milliseconds{1}};
  offer(queue, R"({"find": "c", "$db": "d"})");
  offer(queue, R"({"find": "e", "$db": "d"})");
  offer(queue,
        R"({"find": "c", "filter": {"a": ")" + std::string(20'000, 'x') + R"("}, "$db": "d"})");
  EXPECT_EQ(queue.facts().busy, 1U);
  EXPECT_EQ(queue.facts().too_large, 1U);
  EXPECT_TRUE(queue.wait_for_command(milliseconds{0}));
  EXPECT_FALSE(queue.wait_for_command(milliseconds{0}));
}

TEST(check_queue, who_waits_is_woken_by_the_end) {
  check_queue queue{milliseconds{1}};
  std::thread waiting{
      [&queue] { EXPECT_FALSE(queue.wait_for_command(std::chrono::hours{1})); }};
  queue.stop();
  waiting.join();
  EXPECT_TRUE(queue.is_stopped());
}

}  // namespace
}  // namespace scattergate::telemetry
