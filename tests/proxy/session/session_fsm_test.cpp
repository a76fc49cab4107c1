#include "proxy/session/session_fsm.hpp"

#include "tests/proxy/fixture.hpp"
#include "wire/command.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;
using wire::msg_flag::exhaust_allowed;
using wire::msg_flag::more_to_come;

class session_fsm_test : public fsm_fixture {
 protected:
  step ask(const bytes& message) { return next_of(fsm, message); }
  step answer(const bytes& message) { return fsm.next_reply(message, now); }
  double commands(const char* command, const char* routing, const char* collection = "items") {
    return metric("scattergate_commands_total", {{"db", "app"},
                                                 {"collection", collection},
                                                 {"command", command},
                                                 {"routing", routing}});
  }
};

TEST_F(session_fsm_test, asks_for_a_header_then_for_the_whole_message) {
  const bytes message = request(1, targeted_find);
  expect_step(ask({}), verb::need, 16);
  expect_step(ask(bytes(message.begin(), message.begin() + 15)), verb::need, 16);
  expect_step(ask(bytes(message.begin(), message.begin() + 16)), verb::need, message.size());
  expect_step(ask(bytes(message.begin(), message.end() - 1)), verb::need, message.size());
  expect_step(ask(message), verb::forward, message.size());
}

TEST_F(session_fsm_test, takes_one_message_at_a_time_from_several_in_one_read) {
  const bytes first = request(1, targeted_find);
  const bytes second = request(2, scattered_find);
  expect_step(ask(first + second), verb::forward, first.size());
  expect_step(ask(second), verb::forward, second.size());
}

TEST_F(session_fsm_test, reports_what_judging_took) {
  (void)ask(request(1, scattered_find));
  const auto one = meter.done();
  EXPECT_GT(one, 0U);
  std::string many = R"({"find":"items","filter":{"x":{"$in":[0)";
  for (int i = 0; i < 5'000; ++i) many += "," + std::to_string(i);
  (void)answer(reply(1));
  (void)ask(request(2, many + R"(]}},"$db":"app"})"));
  EXPECT_GT(meter.done(), 100 * one);
}

TEST_F(session_fsm_test, counts_a_command_when_its_reply_ends) {
  (void)ask(request(1, targeted_find));
  EXPECT_EQ(commands("find", "single_shard"), 0);
  const bytes whole = reply(1);
  expect_step(answer(bytes(whole.begin(), whole.begin() + 20)), verb::forward, 20);
  EXPECT_EQ(commands("find", "single_shard"), 0);
  expect_step(answer(bytes(whole.begin() + 20, whole.end())), verb::forward, whole.size() - 20);
  EXPECT_EQ(commands("find", "single_shard"), 1);
}

TEST_F(session_fsm_test, counts_a_command_whose_reply_never_comes) {
  (void)ask(request(1, scattered_find));
  fsm.end(now);
  EXPECT_EQ(commands("find", "scatter_gather"), 1);
  EXPECT_EQ(metric("scattergate_findings_total", {{"db", "app"},
                                                  {"collection", "items"},
                                                  {"command", "find"},
                                                  {"reason", "missing_key"},
                                                  {"action", "observed"}}),
            1);
}

TEST_F(session_fsm_test, counts_a_write_without_reply_at_once) {
  const bytes message =
      request(1, R"({"insert":"items","documents":[{"tenant":1}],"$db":"app"})", more_to_come);
  expect_step(ask(message), verb::forward, message.size());
  EXPECT_EQ(commands("insert", "single_shard"), 1);
  EXPECT_FALSE(fsm.has_injection());
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(session_fsm_test, names_an_unlisted_namespace_only_after_a_good_reply) {
  const bytes unknown = request(1, R"({"find":"plain","$db":"app"})");
  (void)ask(unknown);
  (void)answer(reply(1, R"({"ok":0,"code":13})"));
  EXPECT_EQ(commands("find", "unsharded", "plain"), 0);
  EXPECT_EQ(metric("scattergate_commands_total", {{"db", "__failed__"},
                                                  {"collection", "__failed__"},
                                                  {"command", "find"},
                                                  {"routing", "unsharded"}}),
            1);
  (void)ask(unknown);
  (void)answer(reply(1));
  EXPECT_EQ(commands("find", "unsharded", "plain"), 1);
}

TEST_F(session_fsm_test, gives_a_stranger_no_name_for_what_proves_nothing) {
  (void)ask(request(1, R"({"ping":1,"$db":"made-up"})"));
  (void)answer(reply(1));
  EXPECT_EQ(metric("scattergate_commands_total", {{"db", "made-up"},
                                                  {"collection", ""},
                                                  {"command", "ping"},
                                                  {"routing", "not_routed"}}),
            0);
  EXPECT_TRUE(client.is_stranger());
  (void)ask(request(2, R"({"find":"plain","$db":"app"})"));
  (void)answer(reply(2));
  EXPECT_FALSE(client.is_stranger());
  (void)ask(request(3, R"({"findAndModify":"other","remove":true,"$db":"app"})"));
  (void)answer(reply(3, R"({"ok":0,"code":61})"));
  EXPECT_EQ(commands("findAndModify", "unsharded", "other"), 1);
}

TEST_F(session_fsm_test, forgets_a_cursor_only_on_mongoss_word) {
  cursors.remember(77, {}, 1);
  const bytes kill =
      request(1, R"({"killCursors":"items","cursors":[{"$numberLong":"77"}],"$db":"app"})");
  (void)ask(kill);
  (void)answer(reply(1, R"({"ok":0,"code":13})"));
  EXPECT_TRUE(cursors.find(77));
  (void)ask(kill);
  (void)answer(reply(1));
  EXPECT_FALSE(cursors.find(77));
}

TEST_F(session_fsm_test, closes_on_broken_framing_and_counts_it) {
  for (const std::int32_t length : {-1, 0, 15, 48'000'001}) {
    bytes message = request(1, targeted_find);
    std::memcpy(message.data(), &length, sizeof length);
    session_fsm fresh{inspector, {client, cursors, share}};
    const step got = fresh.next_request(message, now);
    EXPECT_EQ(got.what, verb::close);
    EXPECT_EQ(got.reason, telemetry::close_reason::wire_error);
  }
  EXPECT_EQ(metric("scattergate_wire_errors_total", {{"reason", "bad_length"}}), 4);
}

TEST_F(session_fsm_test, closes_on_a_stranger_but_forwards_what_a_friend_says) {
  bytes strange = request(1, targeted_find);
  const std::int32_t opcode = 0x20544547;  // "GET "
  std::memcpy(strange.data() + 12, &opcode, sizeof opcode);
  {
    session_fsm fresh{inspector, {client, cursors, share}};
    EXPECT_EQ(fresh.next_request(strange, now).what, verb::close);
  }
  EXPECT_EQ(metric("scattergate_wire_errors_total", {{"reason", "unknown_opcode"}}), 1);
  (void)ask(request(1, targeted_find));
  expect_step(ask(strange), verb::forward, strange.size());
  EXPECT_EQ(metric("scattergate_uninspected_messages_total", {{"reason", "unexpected_opcode"}}),
            1);
}

TEST_F(session_fsm_test, forwards_what_it_cannot_read) {
  bytes message = request(1, targeted_find);
  message[20] = std::byte{7};  // the section kind
  expect_step(ask(message), verb::forward, message.size());
  EXPECT_EQ(metric("scattergate_uninspected_messages_total", {{"reason", "unknown_section"}}),
            1);
  EXPECT_FALSE(fsm.is_idle(0));  // mongos will answer
  (void)answer(reply(1));
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(session_fsm_test, says_by_its_opcode_why_a_message_has_no_command) {
  constexpr std::pair<wire::opcode, std::string_view> cases[] = {
      {wire::opcode::insert, "legacy_opcode"}, {wire::opcode::reply, "unexpected_opcode"}};
  for (const auto& [opcode, reason] : cases) {
    bytes message = request(1, targeted_find);
    std::memcpy(message.data() + 12, &opcode, sizeof opcode);
    expect_step(ask(message), verb::forward, message.size());
    EXPECT_EQ(
        metric("scattergate_uninspected_messages_total", {{"reason", std::string{reason}}}), 1)
        << reason;
  }
}

TEST_F(session_fsm_test, passes_a_message_unread_that_cannot_be_held) {
  const bytes message = request(1, targeted_find);
  const bytes start(message.begin(), message.begin() + 30);
  expect_step(ask(start), verb::need, message.size());
  fsm.refuse_to_hold();
  expect_step(ask(start), verb::forward, 30);
  EXPECT_FALSE(fsm.is_between_requests(0));
  expect_step(ask({}), verb::need, 1);
  const bytes rest(message.begin() + 30, message.end());
  expect_step(ask(rest + request(2, targeted_find)), verb::forward, rest.size());
  EXPECT_TRUE(fsm.is_between_requests(0));
  EXPECT_EQ(metric("scattergate_uninspected_messages_total", {{"reason", "too_large"}}), 1);
}

TEST_F(session_fsm_test, rejects_in_the_clients_own_framing_and_names_the_field) {
  use({reject_items()});
  const bytes message = request(41, scattered_find);
  expect_step(ask(message), verb::drop, message.size());
  ASSERT_TRUE(fsm.has_injection());
  const step injected = answer({});
  ASSERT_EQ(injected.what, verb::inject);
  const auto header = wire::parse_header(injected.injected().first<16>());
  ASSERT_TRUE(header);
  EXPECT_EQ(header->response_to, 41);
  const auto parsed = wire::parse_op_msg(*header, injected.injected());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(wire::find_field(parsed->body, "code")->as_int64(), 411);
  EXPECT_EQ(wire::find_field(parsed->body, "codeName")->as_string(), "QueryRejectedBySettings");
  const std::string text{wire::find_field(parsed->body, "errmsg")->as_string()};
  EXPECT_NE(text.find("tenant"), std::string::npos) << text;
  EXPECT_NE(text.find("no-scatter"), std::string::npos) << text;
  EXPECT_EQ(text.find("scattergate: "), 0U) << text;
  EXPECT_FALSE(wire::find_field(parsed->body, "errorLabels"));
  EXPECT_EQ(commands("find", "scatter_gather"), 1);
}

TEST_F(session_fsm_test, answers_a_rejected_command_in_its_turn_between_replies) {
  use({reject_items()});
  (void)ask(request(1, targeted_find));
  EXPECT_EQ(ask(request(2, scattered_find)).what, verb::drop);
  (void)ask(request(3, targeted_find));
  EXPECT_FALSE(fsm.has_injection());
  const bytes first = reply(1);
  const bytes third = reply(3);
  expect_step(answer(bytes(first.begin(), first.begin() + 25)), verb::forward, 25);
  EXPECT_FALSE(fsm.has_injection());  // never inside a reply
  expect_step(answer(bytes(first.begin() + 25, first.end()) + third), verb::forward,
              first.size() - 25);
  EXPECT_EQ(answer(third).what, verb::inject);
  expect_step(answer(third), verb::forward, third.size());
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(session_fsm_test, drops_a_rejected_write_without_a_reply) {
  use({reject_items()});
  const bytes message = request(
      1, R"({"delete":"items","deletes":[{"q":{},"limit":0}],"$db":"app"})", more_to_come);
  expect_step(ask(message), verb::drop, message.size());
  EXPECT_FALSE(fsm.has_injection());
  EXPECT_EQ(metrics.rejected_without_reply.get(), 1U);
  EXPECT_EQ(commands("delete", "scatter_gather"), 1);
}

TEST_F(session_fsm_test, counts_what_a_dry_run_would_have_done_and_lets_it_pass) {
  config::rule dry = reject_items();
  dry.dry_run = true;
  use({dry});
  for (int i = 1; i <= 3; ++i) {
    const bytes find = request(i, R"({"find":"items","filter":{"x":1},"$db":"app"})");
    expect_step(next_of(fsm, find), step::verb::forward, find.size());
    expect_step(fsm.next_reply(reply(i), now), step::verb::forward, reply(i).size());
  }
  const auto found = [&](const char* action) {
    return metric("scattergate_findings_total", {{"db", "app"},
                                                 {"collection", "items"},
                                                 {"command", "find"},
                                                 {"reason", "missing_key"},
                                                 {"action", action}});
  };
  EXPECT_EQ(found("would_reject"), 3);
  EXPECT_EQ(found("observed"), 3);
  EXPECT_EQ(metric("scattergate_rule_hits_total",
                   {{"rule", "no-scatter"}, {"action", "would_reject"}}),
            3);
}

TEST_F(session_fsm_test, lets_an_accept_end_with_its_day_while_running) {
  using namespace std::chrono_literals;
  config::rule accept = reject_items();
  accept.action = config::rule_action::accept;
  accept.until = 2027y / 1 / 31;
  use({accept});
  inspector.set_day(2027y / 1 / 31);
  const auto ask = [&](int id) {
    const bytes find = request(id, R"({"find":"items","filter":{"x":1},"$db":"app"})");
    expect_step(next_of(fsm, find), step::verb::forward, find.size());
    expect_step(fsm.next_reply(reply(id), now), step::verb::forward, reply(id).size());
  };
  const auto hits = [&](const char* action) {
    return metric("scattergate_rule_hits_total", {{"rule", "no-scatter"}, {"action", action}});
  };
  ask(1);
  ask(2);  // as the one before
  EXPECT_EQ(hits("accepted"), 2);
  inspector.set_day(2027y / 2 / 1);
  ask(3);
  ask(4);
  EXPECT_EQ(hits("accepted"), 2);
  EXPECT_EQ(hits("expired"), 2);
}

TEST_F(session_fsm_test, follows_an_exhaust_chain_by_the_replies_own_ids) {
  (void)ask(request(1, R"({"hello":1,"maxAwaitTimeMS":10000,"$db":"admin"})", exhaust_allowed));
  (void)answer(reply(1, R"({"ok":1})", more_to_come, 500));
  EXPECT_FALSE(fsm.has_injection());
  (void)answer(reply(500, R"({"ok":1})", more_to_come, 501));
  (void)answer(reply(501, R"({"ok":1})", 0, 502));
  EXPECT_EQ(metrics.replies_unmatched.get(), 0U);
  EXPECT_EQ(metric("scattergate_commands_total", {{"db", "admin"},
                                                  {"collection", ""},
                                                  {"command", "hello"},
                                                  {"routing", "not_routed"}}),
            1);
  (void)ask(request(2, targeted_find));
  (void)answer(reply(2));
  EXPECT_EQ(commands("find", "single_shard"), 1);
}

TEST_F(session_fsm_test, forwards_a_reply_that_no_one_asked_for) {
  (void)ask(request(1, targeted_find));
  const bytes stray = reply(99);
  expect_step(answer(stray), verb::forward, stray.size());
  EXPECT_EQ(metrics.replies_unmatched.get(), 1U);
  (void)answer(reply(1));
  EXPECT_EQ(commands("find", "single_shard"), 1);
}

TEST_F(session_fsm_test, gives_a_getmore_the_class_of_the_command_that_opened_its_cursor) {
  (void)ask(request(1, scattered_find));
  (void)answer(reply(1, R"({"cursor":{"firstBatch":[{"a":1}],"id":{"$numberLong":"77"},
                            "ns":"app.items"},"ok":1})"));
  const auto more = R"({"getMore":{"$numberLong":"77"},"collection":"items","$db":"app"})";
  (void)ask(request(2, more));
  (void)answer(reply(2, R"({"cursor":{"nextBatch":[],"id":{"$numberLong":"0"},
                            "ns":"app.items"},"ok":1})"));
  EXPECT_EQ(commands("getMore", "scatter_gather"), 1);
  (void)ask(request(3, more));  // exhausted: forgotten
  (void)answer(reply(3, R"({"ok":0,"code":43})"));
  EXPECT_EQ(commands("getMore", "unknown"), 1);
  EXPECT_EQ(cursors.size(), 0U);
}

TEST_F(session_fsm_test, stops_reading_at_the_bound_on_pending_requests) {
  for (std::size_t i = 0; i < pending_queue::max_pending; ++i) {
    ASSERT_EQ(ask(request(static_cast<std::int32_t>(i), targeted_find)).what, verb::forward);
  }
  EXPECT_FALSE(fsm.may_request());
  EXPECT_EQ(ask(request(9999, targeted_find)).what, verb::wait);
  (void)answer(reply(0));
  EXPECT_EQ(ask(request(9999, targeted_find)).what, verb::forward);
}

TEST_F(session_fsm_test, relays_without_reading_when_inspection_is_off) {
  use({reject_items()}, false);
  const bytes message = request(1, scattered_find);
  expect_step(ask(bytes(message.begin(), message.begin() + 20)), verb::forward, 20);
  expect_step(ask(bytes(message.begin() + 20, message.end())), verb::forward,
              message.size() - 20);
  (void)answer(reply(1));
  EXPECT_EQ(commands("find", "scatter_gather"), 0);
  EXPECT_EQ(metrics.replies_unmatched.get(), 0U);
}

TEST_F(session_fsm_test, no_one_waits_for_the_reply_to_a_monitors_hello) {
  constexpr std::uint32_t exhaust_allowed = 1U << 16;
  const bytes hello = request(
      2, R"({"hello":1,"topologyVersion":{"counter":{"$numberLong":"0"}},"$db":"admin"})",
      exhaust_allowed);
  for (const bool is_inspecting : {true, false}) {
    use({}, is_inspecting);
    session_fsm fresh{inspector, {client, cursors, share}};
    const auto send = [&](const bytes& message) { (void)fresh.next_request(message, now); };
    send(request(1, R"({"ping":1,"$db":"admin"})"));
    EXPECT_TRUE(fresh.awaits_reply_since());
    (void)fresh.next_reply(reply(1), now);
    send(hello);
    EXPECT_FALSE(fresh.awaits_reply_since()) << is_inspecting;
    fresh.end(now);
  }
}

TEST_F(session_fsm_test, takes_no_message_for_tls_because_of_its_length) {
  const std::string padding(790 - request(1, R"({"hello":1,"pad":"","$db":"admin"})").size(),
                            'x');
  const bytes message = request(1, R"({"hello":1,"pad":")" + padding + R"(","$db":"admin"})");
  ASSERT_EQ(message[0], std::byte{0x16});
  ASSERT_EQ(message[1], std::byte{0x03});
  expect_step(ask(message), verb::forward, message.size());
}

TEST_F(session_fsm_test, names_a_tls_hello_where_a_message_should_be) {
  bytes hello(64, std::byte{0x5a});
  hello[0] = std::byte{0x16};
  hello[1] = std::byte{0x03};
  for (const int length_byte : {0, 1, 2, 64}) {
    session_fsm fresh{inspector, {client, cursors, share}};
    hello[2] = std::byte{1};
    hello[3] = std::byte(length_byte);
    EXPECT_EQ(fresh.next_request(hello, now).what, verb::close);
  }
  EXPECT_EQ(metric("scattergate_wire_errors_total", {{"reason", "tls_hello"}}), 4);
}

TEST_F(session_fsm_test, is_not_idle_while_a_reply_is_due_though_inspection_is_off) {
  use({}, false);
  const bytes asked = request(1, targeted_find);
  expect_step(ask(bytes(asked.begin(), asked.begin() + 16)), verb::need, 20);
  (void)ask(asked);
  EXPECT_FALSE(fsm.is_idle(0));
  (void)answer(reply(1));
  EXPECT_TRUE(fsm.is_idle(0));
  (void)ask(request(2, targeted_find, more_to_come));
  EXPECT_TRUE(fsm.is_idle(0));
  bytes packed = request(3, targeted_find);
  const auto op = wire::opcode::compressed;
  std::memcpy(packed.data() + 12, &op, sizeof op);
  (void)ask(packed);
  EXPECT_FALSE(fsm.is_idle(0));
  (void)answer(reply(3));
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(session_fsm_test, takes_a_chain_of_replies_for_idle_while_inspection_is_off) {
  use({}, false);
  (void)ask(request(1, R"({"hello":1,"maxAwaitTimeMS":10000,"$db":"admin"})", exhaust_allowed));
  EXPECT_FALSE(fsm.is_idle(0));
  (void)answer(reply(1, R"({"ok":1})", more_to_come, 500));
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(session_fsm_test, knows_whether_a_message_that_cannot_be_held_awaits_a_reply) {
  const bytes message = request(1, targeted_find);
  expect_step(ask(bytes(message.begin(), message.begin() + 16)), verb::need, message.size());
  fsm.refuse_to_hold();
  expect_step(ask(bytes(message.begin(), message.begin() + 16)), verb::need, 20);
  (void)ask(message);
  EXPECT_FALSE(fsm.is_idle(0));
}

TEST_F(session_fsm_test, gives_the_same_counts_however_the_bytes_are_cut) {
  const bytes asked =
      request(1, targeted_find) + request(2, scattered_find) + request(3, targeted_find);
  const bytes answered = reply(1) + reply(2, R"({"ok":0,"code":50})") + reply(3);
  const auto feed = [&](const bytes& all, std::size_t piece, auto next) {
    std::size_t consumed = 0;
    std::size_t arrived = 0;
    while (consumed < all.size()) {
      const step got = next(std::span(all).subspan(consumed, arrived - consumed));
      if (got.what == verb::need) {
        ASSERT_LT(arrived, all.size());
        arrived = std::min(all.size(), arrived + piece);
      } else {
        ASSERT_EQ(got.what, verb::forward);
        consumed += got.bytes;
      }
    }
  };
  int rounds = 0;
  for (std::size_t piece = 1; piece < asked.size(); piece += 7, ++rounds) {
    feed(asked, piece, [&](auto unread) { return fsm.next_request(unread, now); });
    feed(answered, piece, [&](auto unread) { return fsm.next_reply(unread, now); });
    EXPECT_TRUE(fsm.is_idle(0));
  }
  EXPECT_EQ(commands("find", "single_shard"), 2 * rounds);
  EXPECT_EQ(commands("find", "scatter_gather"), rounds);
}

}  // namespace
}  // namespace scattergate::proxy
