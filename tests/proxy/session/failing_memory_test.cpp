// An allocation that fails ends one connection: every allocation that a connection's messages
// cause is made to fail in turn.

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "proxy/session/session_fsm.hpp"
#include "tests/proxy/fixture.hpp"
#include "tests/support/allocation_counter.hpp"

namespace scattergate::proxy {
namespace {

using tests::allocation_failure;
using verb = step::verb;

/// A connection's messages: each request, and mongos's reply if the request reaches it.
struct exchange {
  bytes asked;
  bytes answered;
};

std::vector<exchange> conversation() {
  const auto ok = [](std::int32_t id) { return reply(id); };
  const std::string large(80'000, 'x');
  return {
      {request(1, R"({"hello":1,"client":{"application":{"name":"a rather long name of it"},)"
                  R"("driver":{"name":"a driver's own name","version":"12.34.56-78901"}},)"
                  R"("$db":"admin"})"),
       ok(1)},
      {request(2, R"({"find":"items","filter":{"tenant":1},"$db":"app"})"), ok(2)},
      {request(3, R"({"find":"items","filter":{"x":1},"comment":"a comment that is long",)"
                  R"("$db":"app"})"),
       reply(3, R"({"ok":1,"cursor":{"id":{"$numberLong":"77"},"ns":"app.items",)"
                R"("firstBatch":[]}})")},
      {request(4, R"({"getMore":{"$numberLong":"77"},"collection":"items","$db":"app"})"),
       reply(4, R"({"ok":1,"cursor":{"id":{"$numberLong":"0"},"ns":"app.items",)"
                R"("nextBatch":[]}})")},
      {request(5, R"({"delete":"items","deletes":[{"q":{"y":1},"limit":0}],"$db":"app"})"), {}},
      {request(6, R"({"find":"a_collection_without_a_label","$db":"a_database_of_its_own"})"),
       ok(6)},
      {request(7, R"({"insert":"items","documents":[{"tenant":1,"pad":")" + large +
                      R"("}],"$db":"app"})"),
       ok(7)},
      {request(8, R"({"insert":"items","documents":[{"tenant":1}],"$db":"app"})",
               wire::msg_flag::more_to_come),
       {}},
      {request(9, R"({"aggregate":"items","pipeline":[{"$match":{"z":{"$gt":1}}}],)"
                  R"("cursor":{},"$db":"app"})"),
       ok(9)},
  };
}

/// A worker's parts, and what two of its connections see.
struct world : tests::inspector_parts {
  world() {
    auto made = std::make_shared<settings>();
    made->catalog = small_catalog();
    made->rules = policy({observe_items()});
    label_all(*made->catalog);
    inspector.apply_settings(std::move(made));
  }
  static config::rule observe_items() {
    config::rule rule = reject_items();
    rule.action = config::rule_action::observe;
    return rule;
  }

  cursor_table cursors;
};

/// One connection of a world, driven as a session does.
class connection {
 public:
  explicit connection(world& of)
      : share_(of.memory), fsm_(of.inspector, {who_, of.cursors, share_}) {}

  /// Throws std::bad_alloc, as the fsm does.
  void carry(const exchange& each) {
    client_sends(each.asked);
    take_injections();
    if (!each.answered.empty()) mongos_sends(each.answered);
  }
  void end() noexcept { fsm_.end({}); }

  bytes to_mongos;
  bytes to_client;

 private:
  /// In pieces, as a large message comes.
  void client_sends(const bytes& sent) {
    std::size_t come = std::min<std::size_t>(sent.size(), 700);
    for (std::size_t done = 0; done < sent.size();) {
      const auto unread = std::span{sent}.subspan(done, come - done);
      step next = fsm_.next_request(unread, {});
      while (next.what == verb::await) {
        while (!fsm_.awaited().advance(lent())) {
        }
        next = fsm_.on_awaited(unread, {});
      }
      if (next.what == verb::need) {
        ASSERT_LT(come, sent.size());
        come = std::min(come + 30'000, sent.size());
        continue;
      }
      ASSERT_TRUE(next.what == verb::forward || next.what == verb::drop) << next.what;
      if (next.what == verb::forward) {
        const allocation_pause unharmed;
        to_mongos.insert(to_mongos.end(), sent.begin() + static_cast<std::ptrdiff_t>(done),
                         sent.begin() + static_cast<std::ptrdiff_t>(done + next.bytes));
      }
      done += next.bytes;
    }
  }
  void take_injections() {
    while (fsm_.has_injection()) {
      const step next = fsm_.next_reply({}, {});
      ASSERT_EQ(next.what, verb::inject);
    }
  }
  void mongos_sends(const bytes& sent) {
    for (std::size_t done = 0; done < sent.size();) {
      const step next = fsm_.next_reply(std::span{sent}.subspan(done), {});
      ASSERT_EQ(next.what, verb::forward);
      done += next.bytes;
    }
    const allocation_pause unharmed;
    to_client.insert(to_client.end(), sent.begin(), sent.end());
  }

  using allocation_pause = tests::allocation_grant;
  static judging_memory& lent() {
    const allocation_pause unharmed;
    static judging_memory memory;
    return memory;
  }
  client_identity who_{"10.0.0.7"};
  telemetry::memory_share share_;
  session_fsm fsm_;
};

bytes all_asked(const std::vector<exchange>& talk) {
  bytes all;
  for (const exchange& each : talk) all.insert(all.end(), each.asked.begin(), each.asked.end());
  return all;
}

/// Carries the conversation while the allocation after `granted` ones fails; whether one did.
bool carry_with_failure(world& in, const std::vector<exchange>& talk, std::size_t granted,
                        bool for_good) {
  connection hit{in};
  bool has_struck = false;
  {
    const allocation_failure failing{granted, for_good ? std::numeric_limits<int>::max() : 1};
    try {
      for (const exchange& each : talk) hit.carry(each);
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(failing.has_struck());
    }
    hit.end();
    has_struck = failing.has_struck();
  }
  const bytes asked = all_asked(talk);
  EXPECT_LE(hit.to_mongos.size(), asked.size());
  EXPECT_TRUE(std::equal(hit.to_mongos.begin(), hit.to_mongos.end(), asked.begin()));
  return has_struck;
}

class failing_memory_test : public testing::TestWithParam<bool> {};

TEST_P(failing_memory_test, ends_the_connection_that_it_strikes_and_no_other) {
  const std::vector<exchange> talk = conversation();
  std::size_t failed = 0;
  for (bool has_struck = true; has_struck; ++failed) {
    SCOPED_TRACE("after " + std::to_string(failed) + " allocations");
    world in;
    has_struck = carry_with_failure(in, talk, failed, GetParam());
    EXPECT_EQ(in.memory.used(), 0U);
    connection other{in};
    for (const exchange& each : talk) other.carry(each);
    other.end();
    in.inspector.accounting().flush_shapes();
    EXPECT_EQ(other.to_mongos, all_asked(talk));
    ASSERT_LT(failed, 5'000U);
    if (HasFailure()) break;
  }
  EXPECT_GT(failed, 30U) << "or the conversation no longer allocates";
}

INSTANTIATE_TEST_SUITE_P(once_and_for_good, failing_memory_test, testing::Bool());

}  // namespace
}  // namespace scattergate::proxy
