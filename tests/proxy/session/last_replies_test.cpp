// Earlier requests are answered first when a connection ends whose client can't continue.

#include "proxy/session/session_fsm.hpp"
#include "tests/proxy/fixture.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::close_reason;
using verb = step::verb;

class last_replies_test : public fsm_fixture {
 protected:
  static bytes garbage() { return bytes(40, std::byte{0xff}); }

  step ask(const bytes& message) { return next_of(fsm, message); }
  step answer(const bytes& message) { return fsm.next_reply(message, now); }
  double wire_errors(const char* reason) {
    return metric("scattergate_wire_errors_total", {{"reason", reason}});
  }
  /// The client's end of the connection can't go on, and waits.
  void expect_waiting(const bytes& unread) {
    if (!unread.empty()) expect_step(ask(unread), verb::drop, unread.size());
    EXPECT_EQ(ask({}).what, verb::wait);
    EXPECT_FALSE(fsm.may_request());
  }
  void expect_closing(close_reason why) {
    EXPECT_TRUE(fsm.may_request());
    const step last = ask({});
    EXPECT_EQ(last.what, verb::close);
    EXPECT_EQ(last.reason, why);
  }
};

TEST_F(last_replies_test,
       garbage_ends_the_connection_once_the_requests_before_it_are_answered) {
  (void)ask(request(1, targeted_find));
  (void)ask(request(2, targeted_find));
  expect_waiting(garbage());
  EXPECT_EQ(wire_errors("bad_length"), 1);
  const bytes first = reply(1);
  expect_step(answer(first), verb::forward, first.size());
  EXPECT_EQ(ask({}).what, verb::wait);
  const bytes second = reply(2);
  expect_step(answer(bytes(second.begin(), second.end() - 1)), verb::forward,
              second.size() - 1);
  EXPECT_FALSE(fsm.may_request()) << "in the midst of a reply";
  (void)answer(bytes(second.end() - 1, second.end()));
  expect_closing(close_reason::wire_error);
  EXPECT_EQ(wire_errors("bad_length"), 1) << "counted once";
}

TEST_F(last_replies_test, garbage_with_nothing_before_it_ends_the_connection_at_once) {
  (void)ask(request(1, targeted_find));
  (void)answer(reply(1));
  EXPECT_EQ(ask(garbage()).what, verb::close);
}

TEST_F(last_replies_test, what_comes_after_garbage_is_no_request) {
  (void)ask(request(1, targeted_find));
  expect_waiting(garbage());
  expect_waiting(request(2, targeted_find));
  EXPECT_EQ(fsm.requests_seen(), 1U);
}

TEST_F(last_replies_test, a_rejection_is_sent_before_the_end) {
  use({reject_items()});
  (void)ask(request(1, targeted_find));
  (void)ask(request(2, scattered_find));
  expect_waiting(garbage());
  (void)answer(reply(1));
  EXPECT_FALSE(fsm.may_request());
  ASSERT_TRUE(fsm.has_injection());
  EXPECT_EQ(answer({}).what, verb::inject);
  expect_closing(close_reason::wire_error);
}

TEST_F(last_replies_test, a_message_beyond_the_limit_lets_those_before_it_be_answered) {
  auto small = std::make_shared<settings>();
  small->catalog = small_catalog();
  small->limits.message_bytes = 1'000;
  inspector.apply_settings(std::move(small));
  (void)ask(request(1, targeted_find));
  expect_waiting(request(2, R"({"ping":1,"pad":")" + std::string(2'000, 'x') + R"("})"));
  (void)answer(reply(1));
  expect_closing(close_reason::limit);
}

TEST_F(last_replies_test, what_may_be_x509_lets_the_requests_before_it_be_answered) {
  session_fsm guarded{inspector, {client, cursors, share, true}};
  (void)guarded.next_request(request(1, targeted_find), now);
  bytes unclear = request(2, targeted_find);
  unclear[20] = std::byte{7};  // no kind of section
  EXPECT_EQ(guarded.next_request(unclear, now).what, verb::drop);
  EXPECT_EQ(guarded.next_request({}, now).what, verb::wait);
  (void)guarded.next_reply(reply(1), now);
  const step last = guarded.next_request({}, now);
  EXPECT_EQ(last.what, verb::close);
  EXPECT_EQ(last.reason, close_reason::x509);
  EXPECT_EQ(metrics.x509_closed.get(), 1U);
}

TEST_F(last_replies_test, half_a_request_is_not_waited_for) {
  use({}, false);
  (void)ask(request(1, targeted_find));
  const bytes half = request(2, targeted_find);
  (void)ask(bytes(half.begin(), half.begin() + 30));
  fsm.finish(close_reason::client_error, now);
  EXPECT_EQ(ask({}).what, verb::wait);
  (void)answer(reply(1));
  expect_closing(close_reason::client_error);
}

TEST_F(last_replies_test, a_chain_of_replies_is_not_waited_for_to_its_end) {
  (void)ask(request(1, R"({"hello":1,"$db":"admin"})", wire::msg_flag::exhaust_allowed));
  (void)answer(reply(1, R"({"ok":1})", wire::msg_flag::more_to_come));
  EXPECT_EQ(ask(garbage()).what, verb::close);
}

TEST_F(last_replies_test, reports_since_when_it_waits) {
  EXPECT_FALSE(fsm.finishing_since());
  EXPECT_EQ(fsm.reason_or(close_reason::idle), close_reason::idle);
  (void)ask(request(1, targeted_find));
  now += std::chrono::seconds{5};
  (void)ask(garbage());
  const auto then = now;
  now += std::chrono::seconds{5};
  (void)ask(garbage());
  EXPECT_EQ(fsm.finishing_since(), then);
  EXPECT_EQ(fsm.reason_or(close_reason::idle), close_reason::wire_error);
}

}  // namespace
}  // namespace scattergate::proxy
