#include <gtest/gtest.h>

#include "proxy/upstream/upstream_watch.hpp"

namespace scattergate::proxy {
namespace {

using namespace std::chrono_literals;

TEST(silence, needs_a_client_that_waits_and_no_success_for_as_long) {
  const struct {
    const char* what;
    std::uint64_t clients;
    std::int64_t longest;
    std::int64_t served_at;  // of the worker that served last; now is 100'000
    std::chrono::milliseconds no_reply;
    bool is_silent;
    bool is_proof;
  } rows[] = {
      {"no client waits", 0, 0, 1, 10s, false, false},
      {"waits too short", 3, 9'999, 1, 10s, false, false},
      {"a command has succeeded", 3, 60'000, 90'001, 10s, false, false},
      {"several wait", 3, 10'000, 90'000, 10s, true, true},
      {"one waits", 1, 60'000, 90'000, 10s, true, false},
      {"inspection is off", 3, 60'000, 0, 10s, true, false},
      {"never", 3, 60'000, 1, 0s, false, false},
  };
  for (const auto& row : rows) {
    telemetry::listener_facts facts;
    telemetry::reply_waits& idle = facts.waits.emplace_back();
    idle.served_at_millis = std::min<std::int64_t>(row.served_at, 5);
    telemetry::reply_waits& busy = facts.waits.emplace_back();
    busy.clients = row.clients;
    busy.longest_millis = row.longest;
    busy.served_at_millis = row.served_at;
    const auto found =
        silence_of(facts, std::chrono::steady_clock::time_point{100s}, row.no_reply);
    EXPECT_EQ(found.has_value(), row.is_silent) << row.what;
    EXPECT_EQ(found && found->is_proof, row.is_proof) << row.what;
  }
}

}  // namespace
}  // namespace scattergate::proxy
