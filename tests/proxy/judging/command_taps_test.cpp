#include "proxy/judging/command_taps.hpp"

#include "tests/proxy/fixture.hpp"
#include "tests/support/allocation_counter.hpp"

namespace scattergate::proxy {
namespace {

using std::chrono::milliseconds;

class tapped_commands : public fsm_fixture {
 protected:
  tapped_commands()
      : fsm_fixture({.samples = config::sample_content::values,
                     .self_check = true,
                     .interval = milliseconds{1000}}) {}

  void find(int tenant) {
    send(R"({"find":"items","filter":{"tenant":)" + std::to_string(tenant) +
         R"(},"$db":"app"})");
  }
  void send(const std::string& json) {
    (void)fsm.next_request(request(++id_, json), now);
    (void)fsm.next_reply(reply(id_), now);
  }

  [[nodiscard]] std::vector<telemetry::tapped_command> taken() {
    std::vector<telemetry::tapped_command> all;
    taps.live.drain_into(all);
    return all;
  }

 private:
  std::int32_t id_ = 0;
};

TEST_F(tapped_commands, are_copied_when_they_are_like_others_before_them) {
  constexpr int before = 10;
  for (int i = 0; i < before; ++i) find(i);
  (void)taps.checks->wait_for_command({});
  now += milliseconds{60'000};
  // Once it is due, the choice is random.
  constexpr int many = 100'000;
  int sent = 0;
  bool is_copied = false;
  for (; sent < many && !is_copied; ++sent) {
    now += std::chrono::microseconds{7};
    find(sent);
    is_copied = taps.checks->wait_for_command({}).has_value();
  }
  EXPECT_TRUE(is_copied);
  EXPECT_EQ(metric("scattergate_commands_total", {{"db", "app"},
                                                  {"collection", "items"},
                                                  {"command", "find"},
                                                  {"routing", "single_shard"}}),
            before + sent);
}

TEST_F(tapped_commands, reach_the_tap_only_while_somebody_listens) {
  find(1);
  EXPECT_TRUE(taken().empty());
  taps.live.listen(telemetry::tap_interest::in(routing::routing_class::single_shard, false));
  EXPECT_TRUE(taken().empty());
  find(2);
  send(R"({"find":"items","filter":{"other":1},"$db":"app"})");
  const auto received = taken();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].name_space(), "app.items");
  EXPECT_EQ(received[0].routing, routing::routing_class::single_shard);
  EXPECT_EQ(received[0].end, telemetry::tapped_end::ok);
  EXPECT_FALSE(received[0].action);
  taps.live.end();
  find(3);
  EXPECT_TRUE(taken().empty());
  EXPECT_EQ(taps.live.dropped(), 0U);
}

TEST_F(tapped_commands, have_their_trace_whether_they_were_judged_or_known) {
  for (int i = 0; i < 10; ++i) find(i);
  taps.live.listen(telemetry::tap_interest::in(routing::routing_class::single_shard, false));
  for (int i = 0; i < 3; ++i) {
    send(R"({"find":"items","filter":{"tenant":1},"comment":
             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","$db":"app"})");
  }
  const auto received = taken();
  ASSERT_EQ(received.size(), 3U);
  for (const auto& one : received) {
    EXPECT_EQ(wire::trace_id_text(one.trace), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(one.details->what.shape_json.find("4bf9"), std::string::npos);
  }
}

TEST_F(tapped_commands, that_a_rule_rejects_say_so) {
  use({reject_items()});
  find(1);  // a stranger's would be sent without its rule
  taps.live.listen(telemetry::tap_interest::in(routing::routing_class::scatter_gather, true));
  send(R"({"find":"items","filter":{"other":"planted"},"$db":"app"})");
  const auto received = taken();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].action, telemetry::finding_action::rejected);
  EXPECT_EQ(received[0].end, telemetry::tapped_end::rejected);
  EXPECT_EQ(received[0].details->rule, "no-scatter");
}

TEST_F(tapped_commands, cost_no_heap_of_those_that_are_known) {
  for (int i = 0; i < 10; ++i) find(i);
  taps.live.listen(telemetry::tap_interest::in(routing::routing_class::single_shard, false));
  find(10);  // creates what is created only once
  const std::string json = R"({"find":"items","filter":{"tenant":1},"$db":"app"})";
  const bytes asked = request(700, json);
  const bytes answer = reply(700);
  const tests::allocation_counter counted;
  (void)fsm.next_request(asked, now);
  (void)fsm.next_reply(answer, now);
  EXPECT_EQ(counted.count(), 0U);
  EXPECT_EQ(taken().size(), 2U);
}

}  // namespace
}  // namespace scattergate::proxy
