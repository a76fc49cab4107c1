// A session_fsm whose rules throttle requests: which ones wait, continue and are answered.

#include "tests/proxy/fixture.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {
namespace {

using namespace std::chrono_literals;
using verb = step::verb;

constexpr std::uint32_t no_reply = 2;  // moreToCome

config::rule throttle_items() {
  config::rule rule = reject_items();
  rule.name = "slowly";
  rule.action = config::rule_action::throttle;
  rule.why = "it's dear";
  rule.throttle = {.rate = 10, .burst = 1, .queue = 1, .wait = 500ms};
  return rule;
}

bytes scatter(std::int32_t id, std::uint32_t flags = 0) {
  return request(id, scattered_find, flags);
}
bytes targeted(std::int32_t id) {
  return request(id, targeted_find);
}

class throttled_requests : public fsm_fixture {
 protected:
  throttled_requests() { use({throttle_items()}); }

  /// Has a scatter pass and its reply come.
  void take_the_token(std::int32_t id = 99) {
    expect_step(next_of(fsm, scatter(id)), verb::forward, scatter(id).size());
    expect_step(fsm.next_reply(reply(id), now), verb::forward, reply(id).size());
  }
  [[nodiscard]] throttle& slowly() { return *throttles.renew(rules_, now)[0]; }
  double hits(const char* action) {
    return metric("scattergate_rule_hits_total", {{"rule", "slowly"}, {"action", action}});
  }
  double findings(const char* action) {
    return metric("scattergate_findings_total", {{"db", "app"},
                                                 {"collection", "items"},
                                                 {"command", "find"},
                                                 {"reason", "missing_key"},
                                                 {"action", action}});
  }

 private:
  std::vector<config::rule> rules_{throttle_items()};
};

TEST_F(throttled_requests, go_on_at_once_while_there_are_tokens) {
  take_the_token();
  EXPECT_EQ(findings("throttled"), 1);
  EXPECT_EQ(hits("throttled"), 1);
  EXPECT_EQ(hits("refused"), 0);
  EXPECT_EQ(slowly().under_way(), 0U);
}

TEST_F(throttled_requests, leave_all_others_alone) {
  take_the_token();
  for (int id = 1; id < 20; ++id) {
    expect_step(next_of(fsm, targeted(id)), verb::forward, targeted(id).size());
    expect_step(fsm.next_reply(reply(id), now), verb::forward, reply(id).size());
  }
}

TEST_F(throttled_requests, wait_for_a_token_and_hold_up_what_comes_behind_them) {
  take_the_token();
  const bytes both = scatter(1) + targeted(2);
  EXPECT_EQ(next_of(fsm, both).what, verb::hold);
  EXPECT_TRUE(fsm.is_held());
  EXPECT_FALSE(fsm.may_request());
  EXPECT_FALSE(fsm.is_idle(both.size()));
  EXPECT_EQ(fsm.next_request(both, now).what, verb::wait);
  EXPECT_EQ(fsm.held_until(now), now + 100ms);
  now += 100ms;
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(both, now), verb::forward, scatter(1).size());
  EXPECT_FALSE(fsm.is_held());
  expect_step(next_of(fsm, targeted(2)), verb::forward, targeted(2).size());
}

TEST_F(throttled_requests, dont_hold_up_the_replies_that_are_owed) {
  expect_step(next_of(fsm, targeted(1)), verb::forward, targeted(1).size());
  EXPECT_EQ(next_of(fsm, scatter(2)).what, verb::wait);
  expect_step(fsm.next_reply(reply(1), now), verb::forward, reply(1).size());
}

// mongos looks at no request before it has answered the one before, so a command that waits for
// that would keep its slot without being under way.
TEST_F(throttled_requests, take_no_slot_before_earlier_requests_are_answered) {
  auto one = throttle_items();
  one.throttle = {.concurrency = 1, .queue = 1, .wait = 500ms};
  use({one});
  const auto under_way = [&] { return throttles.renew(std::vector{one}, now)[0]->under_way(); };
  const bytes answered = reply(1, R"({"ok":1,"x":"a reply in two parts"})");
  expect_step(next_of(fsm, targeted(1)), verb::forward, targeted(1).size());
  expect_step(next_of(fsm, scatter(2)), verb::wait, 0);
  EXPECT_FALSE(fsm.is_held());
  EXPECT_FALSE(fsm.may_request());
  expect_step(fsm.next_reply(std::span{answered}.first(30), now), verb::forward, 30);
  EXPECT_FALSE(fsm.may_request());
  EXPECT_EQ(under_way(), 0U);
  expect_step(fsm.next_reply(std::span{answered}.subspan(30), now), verb::forward,
              answered.size() - 30);
  EXPECT_TRUE(fsm.may_request());
  fsm.note_unsent_replies(true);  // the client doesn't read
  EXPECT_FALSE(fsm.may_request());
  expect_step(next_of(fsm, scatter(2)), verb::wait, 0);
  fsm.note_unsent_replies(false);
  EXPECT_TRUE(fsm.may_request());
  expect_step(next_of(fsm, scatter(2)), verb::forward, scatter(2).size());
  EXPECT_EQ(under_way(), 1U);
}

TEST_F(throttled_requests, that_end_before_earlier_requests_are_answered_leave_nothing_behind) {
  expect_step(next_of(fsm, targeted(1)), verb::forward, targeted(1).size());
  expect_step(next_of(fsm, scatter(2)), verb::wait, 0);
  fsm.end(now);
  EXPECT_EQ(findings("throttled"), 1);
  EXPECT_EQ(slowly().under_way(), 0U);
  EXPECT_EQ(slowly().waiting(), 0U);
  EXPECT_EQ(metric("scattergate_throttle_waiting"), 0);
}

// A legacy OP_GET_MORE (2005) may be throttled unread: by its header alone it would keep its
// slot for as long as the client takes to send the rest.
TEST_F(throttled_requests, take_no_slot_before_they_have_come_as_a_whole) {
  auto one = throttle_items();
  one.throttle = {.concurrency = 1, .queue = 1, .wait = 500ms};
  const auto under_way = [&] { return throttles.renew(std::vector{one}, now)[0]->under_way(); };
  bytes message(wire::limits::header_bytes + 4);
  append(message, "app.items", 10);
  message.resize(message.size() + 12);
  wire::serialize_header(
      {static_cast<std::int32_t>(message.size()), 8, 0, wire::opcode::get_more},
      std::span<std::byte, wire::limits::header_bytes>{message.data(),
                                                       wire::limits::header_bytes});
  use({one}, true, true);
  expect_step(next_of(fsm, std::span{message}.first(30)), verb::need, message.size());
  EXPECT_EQ(under_way(), 0U);
  expect_step(next_of(fsm, message), verb::forward, message.size());
  EXPECT_EQ(under_way(), 1U);
  fsm.end(now);

  telemetry::memory_share other_share{memory};
  client_identity other_client{"10.0.0.8"};
  session_fsm other{inspector, {other_client, cursors, other_share}};
  expect_step(next_of(other, std::span{message}.first(30)), verb::need, message.size());
  other.refuse_to_hold();  // there is no room for the rest
  expect_step(next_of(other, std::span{message}.first(30)), verb::drop, 30);
  EXPECT_EQ(under_way(), 0U);
}

/// The fields of our answer.
struct answer {
  double ok = 1;
  std::int64_t code = 0;
  std::string code_name;
  std::string message;
  std::vector<std::string> labels;
};

answer read_answer(std::span<const std::byte> message) {
  const auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
  const auto parsed = wire::parse_op_msg(*header, message);
  answer read;
  read.ok = wire::find_field(parsed->body, "ok")->is_truthy() ? 1 : 0;
  read.code = *wire::find_field(parsed->body, "code")->as_int64();
  read.code_name = wire::find_field(parsed->body, "codeName")->as_string();
  read.message = wire::find_field(parsed->body, "errmsg")->as_string();
  if (const auto labels = wire::find_field(parsed->body, "errorLabels")) {
    wire::document_reader reader{*labels->as_array()};
    for (wire::element each; reader.next(each);) read.labels.emplace_back(each.as_string());
  }
  return read;
}

TEST_F(throttled_requests, are_answered_when_their_time_is_over_so_that_drivers_back_off) {
  auto slow = throttle_items();
  slow.throttle.per = 1min;
  use({slow});
  take_the_token();
  const bytes find = scatter(7);
  EXPECT_EQ(next_of(fsm, find).what, verb::hold);
  now += 499ms;
  EXPECT_EQ(fsm.held_until(now), now + 1ms);
  now += 1ms;
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(find, now), verb::drop, find.size());
  ASSERT_TRUE(fsm.has_injection());
  const step injected = fsm.next_reply({}, now);
  ASSERT_EQ(injected.what, verb::inject);
  const answer got = read_answer(injected.injected());
  EXPECT_EQ(got.ok, 0);
  EXPECT_EQ(got.code, 462);
  EXPECT_EQ(got.code_name, "IngressRequestRateLimitExceeded");
  EXPECT_EQ(got.labels, (std::vector<std::string>{"SystemOverloadedError", "RetryableError"}));
  EXPECT_NE(got.message.find("rule 'slowly'"), std::string::npos) << got.message;
  EXPECT_NE(got.message.find("it's dear"), std::string::npos) << got.message;
  EXPECT_EQ(hits("throttled"), 2);
  EXPECT_EQ(hits("refused"), 1);
  EXPECT_EQ(findings("throttled"), 2);
}

TEST_F(throttled_requests, are_answered_at_once_where_the_queue_is_full) {
  take_the_token();
  telemetry::memory_share other_share{memory};
  client_identity other_client{"10.0.0.8"};
  session_fsm other{inspector, {other_client, cursors, other_share}};
  EXPECT_EQ(next_of(other, scatter(1)).what, verb::hold);
  expect_step(next_of(fsm, scatter(2)), verb::drop, scatter(2).size());
  EXPECT_TRUE(fsm.has_injection());
  // The first request in the queue continues first, on any connection.
  EXPECT_EQ(fsm.next_reply({}, now).what, verb::inject);
  now += 50ms;
  EXPECT_EQ(next_of(fsm, scatter(3)).what, verb::drop);
  now += 50ms;
  EXPECT_EQ(other.held_until(now), std::nullopt);
  expect_step(other.on_held(scatter(1), now), verb::forward, scatter(1).size());
  other.end(now);
}

TEST_F(throttled_requests,
       are_answered_as_if_the_queue_were_full_where_another_took_their_place) {
  auto two = throttle_items();
  two.throttle.queue = 2;
  use({two});
  take_the_token();
  telemetry::memory_share shares[] = {telemetry::memory_share{memory},
                                      telemetry::memory_share{memory}};
  client_identity other_client{"10.0.0.8"};
  session_fsm first{inspector, {client, cursors, shares[0]}};
  session_fsm other{inspector, {other_client, cursors, shares[1]}};
  EXPECT_EQ(next_of(first, scatter(1)).what, verb::hold);
  EXPECT_EQ(next_of(fsm, scatter(2)).what, verb::hold);
  EXPECT_EQ(next_of(other, scatter(3)).what, verb::hold);
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(scatter(2), now), verb::drop, scatter(2).size());
  ASSERT_TRUE(fsm.has_injection());
  const answer got = read_answer(fsm.next_reply({}, now).injected());
  EXPECT_EQ(got.code, 462);
  EXPECT_NE(got.message.find("queue is full"), std::string::npos) << got.message;
  EXPECT_EQ(metric("scattergate_throttle_waiting"), 2);
  first.end(now);
  other.end(now);
}

TEST_F(throttled_requests, are_refused_in_their_turn) {
  auto none = throttle_items();
  none.throttle.queue = 0;
  use({none});
  take_the_token();
  expect_step(next_of(fsm, targeted(1)), verb::forward, targeted(1).size());
  expect_step(next_of(fsm, scatter(2)), verb::wait, 0);
  EXPECT_FALSE(fsm.has_injection());
  expect_step(fsm.next_reply(reply(1), now), verb::forward, reply(1).size());
  expect_step(next_of(fsm, scatter(2)), verb::drop, scatter(2).size());
  EXPECT_TRUE(fsm.has_injection());
}

TEST_F(throttled_requests, leave_the_queue_with_their_connection) {
  take_the_token();
  {
    telemetry::memory_share other_share{memory};
    client_identity other_client{"10.0.0.8"};
    session_fsm other{inspector, {other_client, cursors, other_share}};
    EXPECT_EQ(next_of(other, scatter(1)).what, verb::hold);
    EXPECT_EQ(slowly().waiting(), 1U);
    EXPECT_EQ(metric("scattergate_throttle_waiting"), 1);
    other.end(now);
    EXPECT_EQ(slowly().waiting(), 0U);
    EXPECT_EQ(metric("scattergate_throttle_waiting"), 0);
    EXPECT_EQ(next_of(other, scatter(1)).what, verb::hold);
  }
  EXPECT_EQ(slowly().waiting(), 0U);
  EXPECT_EQ(next_of(fsm, scatter(2)).what, verb::hold);
  now += 100ms;
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(scatter(2), now), verb::forward, scatter(2).size());
  EXPECT_EQ(metric("scattergate_throttle_waiting"), 0);
}

TEST_F(throttled_requests, without_a_reply_wait_too_and_are_dropped_when_refused) {
  take_the_token();
  EXPECT_EQ(next_of(fsm, scatter(1, no_reply)).what, verb::hold);
  now += 100ms;
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(scatter(1, no_reply), now), verb::forward,
              scatter(1, no_reply).size());
  EXPECT_EQ(slowly().under_way(), 0U);
  EXPECT_EQ(next_of(fsm, scatter(2, no_reply)).what, verb::hold);
  now += 50ms;
  fsm.end(now);
  auto none = throttle_items();
  none.throttle.queue = 0;
  use({none});
  expect_step(next_of(fsm, scatter(3, no_reply)), verb::drop, scatter(3, no_reply).size());
  EXPECT_FALSE(fsm.has_injection());
  EXPECT_EQ(metric("scattergate_rejected_without_reply_total"), 1);
}

TEST_F(throttled_requests, give_their_slot_back_when_the_reply_begins_or_the_connection_ends) {
  auto one = throttle_items();
  one.throttle = {.concurrency = 1, .queue = 1, .wait = 500ms};
  use({one});
  const auto under_way = [&] { return throttles.renew(std::vector{one}, now)[0]->under_way(); };
  take_the_token();
  EXPECT_EQ(under_way(), 0U);
  telemetry::memory_share other_share{memory};
  client_identity other_client{"10.0.0.8"};
  session_fsm other{inspector, {other_client, cursors, other_share}};
  expect_step(next_of(other, scatter(1)), verb::forward, scatter(1).size());
  EXPECT_EQ(under_way(), 1U);
  EXPECT_EQ(next_of(fsm, scatter(2)).what, verb::hold);
  EXPECT_EQ(fsm.held_until(now), now + 500ms);
  other.end(now);
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(scatter(2), now), verb::forward, scatter(2).size());
  EXPECT_EQ(under_way(), 1U);
  // Whether or not the client reads it to its end.
  const bytes answered = reply(2);
  const auto begin = wire::limits::header_bytes;
  expect_step(fsm.next_reply(std::span{answered}.first(begin), now), verb::forward, begin);
  EXPECT_EQ(under_way(), 0U);
}

TEST_F(throttled_requests, wait_in_a_transaction_as_elsewhere) {
  const bytes in_transaction = request(
      5, R"({"find":"items","filter":{"x":1},"$db":"app","autocommit":false,"txnNumber":1})");
  take_the_token();
  EXPECT_EQ(next_of(fsm, in_transaction).what, verb::hold);
}

TEST_F(throttled_requests, dont_hold_up_what_follows_a_cursor) {
  take_the_token();
  for (const char* json : {R"({"getMore":7,"collection":"items","$db":"app"})",
                           R"({"killCursors":"items","cursors":[7],"$db":"app"})"}) {
    const bytes message = request(3, json);
    expect_step(next_of(fsm, message), verb::forward, message.size());
  }
}

TEST_F(throttled_requests, that_are_large_wait_before_any_byte_of_them_passes) {
  take_the_token();
  const std::string text(100'000, 'x');
  const bytes large =
      request(4, R"({"find":"items","filter":{"x":")" + text + R"("},"$db":"app"})");
  expect_step(fsm.next_request(std::span{large}.first(1'000), now), verb::need, large.size());
  EXPECT_EQ(next_of(fsm, large).what, verb::hold);
  now += 100ms;
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(large, now), verb::forward, large.size());
}

TEST_F(throttled_requests, include_what_is_made_not_to_be_judged) {
  take_the_token();
  std::string deep = R"({"x":1})";
  for (int i = 0; i < 90; ++i) deep = R"({"$and":[)" + deep + "]}";
  const bytes message = request(6, R"({"find":"items","filter":)" + deep + R"(,"$db":"app"})");
  EXPECT_EQ(next_of(fsm, message).what, verb::hold);
}

TEST_F(throttled_requests, that_wait_go_on_when_their_rule_is_gone) {
  take_the_token();
  EXPECT_EQ(next_of(fsm, scatter(1)).what, verb::hold);
  use({});
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(scatter(1), now), verb::forward, scatter(1).size());
}

TEST_F(throttled_requests, of_a_dry_run_are_counted_and_pass) {
  auto dry = throttle_items();
  dry.dry_run = true;
  use({dry});
  for (int id = 1; id < 10; ++id) take_the_token(id);
  EXPECT_EQ(hits("would_throttle"), 9);
  EXPECT_EQ(findings("would_throttle"), 9);
  EXPECT_EQ(findings("observed"), 9);
}

}  // namespace
}  // namespace scattergate::proxy
