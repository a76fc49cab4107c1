// Messages that can't be read, before rules that reject or throttle.

#include <map>
#include <string>
#include <vector>

#include "tests/proxy/fixture.hpp"
#include "tests/wire/messages.hpp"
#include "wire/compressed.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;
using wire::compressor;

bytes with_byte(bytes message, std::size_t at, int value) {
  message[at] = static_cast<std::byte>(value);
  return message;
}

bytes with_opcode(bytes message, std::size_t at, wire::opcode op) {
  wire::store_little(message.data() + at, static_cast<std::int32_t>(op));
  return message;
}

/// A message of an opCode before OP_MSG: an int32, the namespace, and no documents.
bytes legacy(wire::opcode op, std::string_view name_space) {
  bytes message(wire::limits::header_bytes + sizeof(std::int32_t));
  append(message, name_space.data(), name_space.size());
  message.push_back(std::byte{0});
  wire::serialize_header({static_cast<std::int32_t>(message.size()), 7, 0, op},
                         std::span{message}.first<wire::limits::header_bytes>());
  return message;
}

struct unreadable {
  const char* reason;
  bytes message;
};

/// One message for each way in which a sender makes a request unreadable, all of them with
/// id 7.
std::vector<unreadable> every_unreadable() {
  constexpr std::size_t flags_at = 16;
  constexpr std::size_t kind_at = 20;
  constexpr std::size_t original_at = 16;
  const bytes plain = request(7, scattered_find);
  const bytes packed = wire::compress(plain, compressor::zlib);
  bytes cut = packed;
  cut.resize(cut.size() - 9);
  wire::store_little(cut.data(), static_cast<std::int32_t>(cut.size()));
  return {
      {"unknown_flags", with_byte(plain, flags_at, 4)},
      {"unknown_section", with_byte(plain, kind_at, 7)},
      {"body_count", with_byte(plain, kind_at, 1)},
      {"bad_bson", with_byte(plain, kind_at + 1 + sizeof(std::int32_t), 0x42)},
      {"bad_bson", with_byte(plain, kind_at + 1, 4)},
      {"empty_command", request(7, "{}")},
      {"duplicate_field", request(7, R"({"find":"items","filter":{"tenant":1},)"
                                     R"("filter":{"x":1},"$db":"app"})")},
      {"compressed", with_opcode(packed, original_at, wire::opcode::compressed)},
      {"unexpected_opcode", with_opcode(packed, original_at, wire::opcode{4711})},
      {"unknown_compressor", with_byte(packed, 24, 99)},
      {"bad_compression", with_byte(packed, 20, 0)},
      {"bad_compression", cut},
  };
}

class unreadable_messages : public fsm_fixture {
 protected:
  step ask(const bytes& message) { return next_of(fsm, message); }
  step answer(const bytes& message) { return fsm.next_reply(message, now); }
  double found(const char* action) {
    return metric("scattergate_findings_total", {{"db", "__other__"},
                                                 {"collection", "__other__"},
                                                 {"command", "other"},
                                                 {"reason", "unreadable"},
                                                 {"action", action}});
  }
  double uninspected(const char* reason) {
    return metric("scattergate_uninspected_messages_total", {{"reason", reason}});
  }
};

config::rule throttle_items() {
  config::rule rule = reject_items();
  rule.action = config::rule_action::throttle;
  rule.throttle.concurrency = 1;
  return rule;
}

TEST_F(unreadable_messages, count_as_matched_by_a_rule_that_rejects) {
  use({reject_items()});
  double rejected = 0;
  for (const auto& [reason, message] : every_unreadable()) {
    const double before = uninspected(reason);
    expect_step(ask(message), verb::drop, message.size());
    const step injected = answer({});
    ASSERT_EQ(injected.what, verb::inject) << reason;
    EXPECT_EQ(wire::parse_header(injected.injected().first<16>())->response_to, 7) << reason;
    EXPECT_EQ(uninspected(reason), before + 1) << reason;
    EXPECT_EQ(found("rejected"), ++rejected) << reason;
  }
}

bytes op_query(std::string_view json) {
  const tests::json_document document{json};
  const auto body = document.view().bytes();
  return wire_tests::op_query_bytes("app.$cmd", bytes(body.begin(), body.end()));
}

/// mongos would run another command than the one that is judged.
TEST_F(unreadable_messages, with_hidden_arguments_are_rejected_without_a_rule) {
  const bytes plain =
      op_query(R"({"aggregate":"items","cursor":{},"$queryOptions":{"pipeline":[]}})");
  double expected = 0;
  for (const bool inspect : {true, false}) {
    use({}, inspect);
    for (const bytes& whole : {plain, wire::compress(plain, compressor::zlib),
                               wire::compress(plain, compressor::none)}) {
      session_fsm each{inspector, {client, cursors, share}};
      expect_step(next_of(each, whole), verb::drop, whole.size());
      const step injected = each.next_reply({}, now);
      ASSERT_EQ(injected.what, verb::inject);
      EXPECT_EQ(wire::parse_header(injected.injected().first<16>())->op, wire::opcode::reply);
      EXPECT_EQ(uninspected("hidden_arguments"), ++expected);
    }
    EXPECT_EQ(found("rejected"), 3) << "off: not a finding";
  }
}

TEST_F(unreadable_messages, that_are_an_op_query_are_rejected_if_they_cannot_be_searched) {
  const bytes plain = op_query(R"({"isMaster":1})");
  bytes cut = wire::compress(plain, compressor::zlib);
  cut.resize(cut.size() - 9);
  wire::store_little(cut.data(), static_cast<std::int32_t>(cut.size()));
  bytes large = plain;
  large.resize(1000);
  wire::store_little(large.data(), std::int32_t{100'000});
  for (const bool inspect : {true, false}) {
    use({}, inspect);
    expect_step(next_of(fsm, plain), verb::forward, plain.size());
    session_fsm broken{inspector, {client, cursors, share}};
    expect_step(next_of(broken, cut), verb::drop, cut.size());
    EXPECT_EQ(broken.next_reply({}, now).what, verb::inject);
    session_fsm unheld{inspector, {client, cursors, share}};
    expect_step(unheld.next_request(large, now), verb::need, 100'000);
    unheld.refuse_to_hold();
    expect_step(unheld.next_request(large, now), verb::drop, large.size());
    (void)fsm.next_reply(reply(7), now);
  }
}

TEST_F(unreadable_messages, count_as_matched_by_a_rule_that_throttles) {
  use({throttle_items()});
  for (const auto& [reason, message] : every_unreadable()) {
    session_fsm first{inspector, {client, cursors, share}};
    expect_step(next_of(first, message), verb::forward, message.size());
    // It has the only slot.
    session_fsm second{inspector, {client, cursors, share}};
    EXPECT_EQ(next_of(second, request(8, scattered_find)).what, verb::hold) << reason;
    (void)first.next_reply(reply(7), now);
  }
  EXPECT_EQ(found("throttled"), static_cast<double>(every_unreadable().size()));
}

TEST_F(unreadable_messages, are_reported_by_a_dry_run_and_pass) {
  config::rule dry = reject_items();
  dry.dry_run = true;
  use({dry});
  for (const auto& [reason, message] : every_unreadable()) {
    expect_step(ask(message), verb::forward, message.size());
    (void)answer(reply(7));
  }
  EXPECT_EQ(found("would_reject"), static_cast<double>(every_unreadable().size()));
}

TEST_F(unreadable_messages, pass_without_such_a_rule_and_leave_one_finding_for_each_cause) {
  config::rule of_another = reject_items();
  of_another.match.app = "another";
  config::rule observing = reject_items();
  observing.action = config::rule_action::observe;
  use({observing, of_another});
  for (int again = 0; again != 2; ++again) {
    for (const auto& [reason, message] : every_unreadable()) {
      expect_step(ask(message), verb::forward, message.size());
      (void)answer(reply(7, R"({"ok":0,"code":9})"));
    }
  }
  EXPECT_EQ(found("observed"), static_cast<double>(2 * every_unreadable().size()));
  EXPECT_EQ(found("rejected"), 0);
  // The first of each has been handed to the audit log at once.
  std::map<std::string, std::uint64_t> seen;
  for (const auto& delta : shapes.drain_counts(100)) {
    if (delta.details->is_shared() || !delta.details->is_finding()) continue;
    EXPECT_TRUE(seen.emplace(delta.details->what.shape_json, delta.count).second);
  }
  const std::map<std::string, std::uint64_t> expected{
      {R"({"unreadable":"unknown_flags"})", 1},
      {R"({"unreadable":"unknown_section"})", 1},
      {R"({"unreadable":"body_count"})", 1},
      {R"({"unreadable":"bad_bson"})", 3},
      {R"({"unreadable":"empty_command"})", 1},
      {R"({"unreadable":"duplicate_field"})", 1},
      {R"({"unreadable":"compressed"})", 1},
      {R"({"unreadable":"unexpected_opcode"})", 1},
      {R"({"unreadable":"unknown_compressor"})", 1},
      {R"({"unreadable":"bad_compression"})", 3},
  };
  EXPECT_EQ(seen, expected);
}

/// Honest clients must not be rejected when memory is full.
TEST_F(unreadable_messages, for_which_there_is_no_memory_pass_rules) {
  use({reject_items()});
  const bytes message = request(1, scattered_find);
  const bytes start(message.begin(), message.begin() + 30);
  expect_step(ask(start), verb::need, message.size());
  fsm.refuse_to_hold();
  expect_step(ask(start), verb::forward, 30);
  EXPECT_EQ(uninspected("too_large"), 1);
  EXPECT_EQ(found("rejected"), 0);
}

TEST_F(unreadable_messages, that_name_their_namespace_fall_under_its_rules_alone) {
  use({reject_items()});
  using enum wire::opcode;
  double dropped = 0;
  for (const bool is_packed : {false, true}) {
    for (const auto op : {insert, update, delete_}) {
      for (const auto& [name_space, is_dropped] : {std::pair{"app.items", true},
                                                   {"app.system.buckets.items", true},
                                                   {"app.plain", false}}) {
        bytes message = legacy(op, name_space);
        if (is_packed) message = wire::compress(message, compressor::snappy);
        expect_step(ask(message), is_dropped ? verb::drop : verb::forward, message.size());
        EXPECT_EQ(found("rejected"), dropped += is_dropped ? 1 : 0);
      }
    }
  }
}

}  // namespace
}  // namespace scattergate::proxy
