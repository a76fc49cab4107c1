#include "proxy/flow_buffer.hpp"
#include "proxy/judging/unpacker.hpp"
#include "tests/proxy/fixture.hpp"
#include "tests/wire/compressors.hpp"
#include "wire/compressed.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;
using wire::compressor;
using wire::msg_flag::exhaust_allowed;
using wire::msg_flag::more_to_come;
using wire_tests::every_compressor;

/// The JSON text of a string that no compressor makes smaller.
std::string noise(std::size_t size) {
  std::string text;
  std::uint64_t state = 1;
  while (text.size() < size) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    text += static_cast<char>('A' + ((state >> 33U) % 26));
    text += static_cast<char>('a' + ((state >> 43U) % 26));
  }
  return text;
}

bytes spoilt(bytes message) {
  message[24] = std::byte{99};  // the compressorId
  return message;
}

class compressed_messages : public fsm_fixture {
 protected:
  step ask(const bytes& message) { return next_of(fsm, message); }
  step answer(const bytes& message) { return fsm.next_reply(message, now); }
  void use_rejecting_the_unread(std::vector<config::rule> rules) {
    auto changed = std::make_shared<settings>();
    changed->catalog = small_catalog();
    changed->rules = policy(std::move(rules));
    changed->reject_uninspected = true;
    inspector.apply_settings(std::move(changed));
  }
  double commands(const char* command, const char* routing, const char* collection = "items") {
    return metric("scattergate_commands_total", {{"db", "app"},
                                                 {"collection", collection},
                                                 {"command", command},
                                                 {"routing", routing}});
  }
  double unread(const char* reason) {
    return metric("scattergate_uninspected_messages_total", {{"reason", reason}});
  }
  double rejected_unread() {
    return metric("scattergate_findings_total", {{"db", "__other__"},
                                                 {"collection", "__other__"},
                                                 {"command", "other"},
                                                 {"reason", "unreadable"},
                                                 {"action", "rejected"}});
  }
};

TEST_F(compressed_messages, are_judged_like_plain_ones_and_go_on_as_they_came) {
  int id = 0;
  for (const compressor by : every_compressor) {
    for (const std::string_view json : {targeted_find, scattered_find}) {
      const bytes message = wire::compress(request(++id, json), by);
      expect_step(ask(bytes(message.begin(), message.begin() + 20)), verb::need,
                  message.size());
      expect_step(ask(message), verb::forward, message.size());
      const bytes answered = wire::compress(reply(id), by);
      expect_step(answer(answered), verb::forward, answered.size());
    }
  }
  EXPECT_EQ(commands("find", "single_shard"), 4);
  EXPECT_EQ(commands("find", "scatter_gather"), 4);
  EXPECT_EQ(metrics.replies_unmatched.get(), 0U);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(compressed_messages, are_rejected_with_a_plain_error) {
  use({reject_items()});
  const bytes message = wire::compress(request(41, scattered_find), compressor::snappy);
  expect_step(ask(message), verb::drop, message.size());
  const step injected = answer({});
  ASSERT_EQ(injected.what, verb::inject);
  const auto header = wire::parse_header(injected.injected().first<16>());
  ASSERT_TRUE(header);
  EXPECT_EQ(header->op, wire::opcode::msg);
  EXPECT_EQ(header->response_to, 41);
  EXPECT_EQ(commands("find", "scatter_gather"), 1);
}

TEST_F(compressed_messages, may_be_writes_without_reply) {
  const bytes message = wire::compress(
      request(1, R"({"insert":"items","documents":[{"tenant":1}],"$db":"app"})", more_to_come),
      compressor::zlib);
  expect_step(ask(message), verb::forward, message.size());
  EXPECT_EQ(commands("insert", "single_shard"), 1);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(compressed_messages, describe_cursors_and_success_as_plain_replies_do) {
  (void)ask(wire::compress(request(1, R"({"find":"plain","$db":"app"})"), compressor::zstd));
  const bytes answered = wire::compress(
      reply(1, R"({"cursor":{"firstBatch":[],"id":{"$numberLong":"77"},"ns":"a.b"},"ok":1})"),
      compressor::zstd);
  expect_step(answer(bytes(answered.begin(), answered.begin() + 30)), verb::need,
              answered.size());
  EXPECT_FALSE(fsm.is_idle(0));
  expect_step(answer(answered), verb::forward, answered.size());
  EXPECT_EQ(commands("find", "unsharded", "plain"), 1);
  EXPECT_TRUE(cursors.find(77));
}

TEST_F(compressed_messages, that_fail_give_their_namespace_no_label) {
  (void)ask(wire::compress(request(1, R"({"find":"plain","$db":"app"})"), compressor::zlib));
  (void)answer(wire::compress(reply(1, R"({"ok":0,"code":13})"), compressor::zlib));
  EXPECT_EQ(commands("find", "unsharded", "plain"), 0);
}

TEST_F(compressed_messages, stream_through_where_they_are_large) {
  client.note_success();  // a reply that can't be read doesn't say so
  const std::string json = R"({"cursor":{"firstBatch":[")" + noise(100'000) +
                           R"("],"id":{"$numberLong":"77"},"ns":"a.b"},"ok":1})";
  (void)ask(wire::compress(request(1, R"({"find":"plain","$db":"app"})"), compressor::snappy));
  const bytes answered = wire::compress(reply(1, json), compressor::snappy);
  ASSERT_GT(answered.size(), block_pool::block_bytes);
  expect_step(answer(bytes(answered.begin(), answered.begin() + 30)), verb::forward, 30);
  expect_step(answer(bytes(answered.begin() + 30, answered.end())), verb::forward,
              answered.size() - 30);
  EXPECT_EQ(commands("find", "unsharded", "plain"), 1);
  EXPECT_FALSE(cursors.find(77));
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(compressed_messages, larger_than_the_workers_block_are_unpacked_within_the_budget) {
  const std::string json = R"({"find":"items","filter":{"x":1},"comment":")" +
                           std::string(200'000, 'c') + R"(","$db":"app"})";
  const bytes message = wire::compress(request(1, json), compressor::zstd);
  expect_step(ask(message), verb::forward, message.size());
  EXPECT_EQ(memory.used(), 0U);
  (void)answer(reply(1));
  EXPECT_EQ(commands("find", "scatter_gather"), 1);
  ASSERT_TRUE(memory.reserve(64UL * 1024 * 1024));
  (void)ask(message);
  EXPECT_EQ(unread("too_large"), 1);
}

/// The loop does other work between the pieces; the message is still judged, with rules that
/// reject, too.
TEST_F(compressed_messages, that_are_large_are_unpacked_piece_by_piece) {
  const std::string json = R"({"find":"items","filter":{"x":1},"comment":")" +
                           noise(5'000'000) + R"(","$db":"app"})";
  int id = 0;
  for (const bool rejects : {false, true}) {
    if (rejects) use_rejecting_the_unread({reject_items()});
    for (const compressor by : every_compressor) {
      const bytes message = wire::compress(request(++id, json), by);
      expect_step(fsm.next_request(message, now), verb::await, 0);
      int pieces = 1;
      for (; !fsm.awaited().advance(lent); ++pieces) EXPECT_GT(memory.used(), 5'000'000U);
      EXPECT_GE(pieces, 2) << name_of(by);
      expect_step(fsm.on_awaited(message, now), verb::await, 0);
      ASSERT_TRUE(fsm.awaited().advance(lent));
      const step next = fsm.on_awaited(message, now);
      expect_step(next, rejects ? verb::drop : verb::forward, message.size());
      EXPECT_EQ(memory.used(), 0U);
      rejects ? (void)answer({}) : (void)answer(reply(id));
      EXPECT_EQ(commands("find", "scatter_gather"), id) << name_of(by);
    }
  }
}

TEST_F(compressed_messages, that_are_large_and_damaged_pass_unread_after_as_many_pieces) {
  const std::string json = R"({"find":"items","comment":")" + noise(3'000'000) + R"("})";
  for (const compressor by : {compressor::snappy, compressor::zlib, compressor::zstd}) {
    bytes message = wire::compress(request(1, json), by);
    message[message.size() - 1] ^= std::byte{0xff};
    message[message.size() - 2] ^= std::byte{0xff};
    message.erase(message.end() - 100, message.end());
    wire::store_little(message.data(), static_cast<std::int32_t>(message.size()));
    expect_step(ask(message), verb::forward, message.size());
    EXPECT_EQ(memory.used(), 0U);
  }
  EXPECT_EQ(unread("bad_compression"), 3);
}

/// A kilobyte may claim any size: a message that isn't read, here for lack of memory, passes
/// unread, and is rejected where a rule might have matched it.
TEST_F(compressed_messages, that_are_large_are_rejected_unread_where_there_is_no_memory) {
  use_rejecting_the_unread({reject_items()});
  const std::string json = R"({"find":"plain","comment":")" + noise(2'000'000) + R"("})";
  const bytes message = wire::compress(request(1, json), compressor::snappy);
  ASSERT_TRUE(memory.reserve(63UL * 1024 * 1024));
  expect_step(ask(message), verb::drop, message.size());
  EXPECT_EQ(unread("too_large"), 1);
  memory.release(63UL * 1024 * 1024);
}

TEST_F(compressed_messages, follow_an_exhaust_chain) {
  (void)ask(wire::compress(
      request(1, R"({"getMore":{"$numberLong":"5"},"collection":"items","$db":"app"})",
              exhaust_allowed),
      compressor::snappy));
  (void)answer(wire::compress(reply(1, R"({"ok":1})", more_to_come, 500), compressor::snappy));
  (void)answer(wire::compress(reply(500, R"({"ok":1})", 0, 501), compressor::snappy));
  EXPECT_EQ(metrics.replies_unmatched.get(), 0U);
  EXPECT_EQ(commands("getMore", "unknown"), 1);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(compressed_messages, keep_an_exhaust_chain_whole_through_replies_too_large_to_read) {
  const std::string large = R"({"ok":1,"x":")" + noise(100'000) + R"("})";
  (void)ask(request(1, R"({"getMore":{"$numberLong":"5"},"collection":"items","$db":"app"})",
                    exhaust_allowed));
  (void)answer(wire::compress(reply(1, large, more_to_come, 500), compressor::snappy));
  (void)answer(wire::compress(reply(500, large, more_to_come, 501), compressor::snappy));
  (void)answer(wire::compress(reply(501, large, 0, 502), compressor::snappy));
  EXPECT_TRUE(fsm.is_idle(0));
  EXPECT_EQ(metrics.replies_unmatched.get(), 0U);
  EXPECT_EQ(commands("getMore", "unknown"), 1);
  (void)ask(request(2, targeted_find));
  (void)answer(reply(2));
  EXPECT_EQ(commands("find", "single_shard"), 1);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(compressed_messages, that_cannot_be_unpacked_pass_and_are_counted) {
  bytes lying = wire::compress(request(1, targeted_find), compressor::zlib);
  lying[20] ^= std::byte{1};  // the claimed size
  expect_step(ask(lying), verb::forward, lying.size());
  EXPECT_EQ(unread("bad_compression"), 1);
  bytes nested = wire::compress(request(1, targeted_find), compressor::zlib);
  const auto opcode = wire::opcode::compressed;
  std::memcpy(nested.data() + 16, &opcode, sizeof opcode);
  expect_step(ask(nested), verb::forward, nested.size());
  EXPECT_EQ(unread("compressed"), 1);
}

TEST_F(compressed_messages, without_a_known_end_wait_for_their_reply_but_hold_up_no_one) {
  (void)ask(spoilt(wire::compress(request(1, targeted_find), compressor::zlib)));
  use({reject_items()});
  EXPECT_FALSE(fsm.is_idle(0));  // mongos may answer
  EXPECT_EQ(ask(request(2, scattered_find)).what, verb::drop);
  EXPECT_TRUE(fsm.has_injection());  // or may not
  EXPECT_EQ(answer({}).what, verb::inject);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(compressed_messages, that_are_never_answered_do_not_fill_the_queue_for_good) {
  for (std::int32_t id = 0; id < 3000; ++id) {
    const bytes message = spoilt(wire::compress(request(id, targeted_find), compressor::none));
    ASSERT_EQ(ask(message).what, verb::forward) << id;
  }
  (void)ask(request(5000, targeted_find));
  (void)answer(reply(5000));
  EXPECT_EQ(commands("find", "single_shard"), 1);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(compressed_messages, cannot_hide_from_a_reject_rule) {
  use_rejecting_the_unread({reject_items()});
  const bytes message = spoilt(wire::compress(request(9, scattered_find), compressor::zstd));
  expect_step(ask(message), verb::drop, message.size());
  const step injected = answer({});
  ASSERT_EQ(injected.what, verb::inject);
  EXPECT_EQ(wire::parse_header(injected.injected().first<16>())->response_to, 9);
  EXPECT_EQ(rejected_unread(), 1);
  EXPECT_EQ(unread("unknown_compressor"), 1);
}

TEST_F(compressed_messages, are_not_the_only_ones_that_cannot_hide) {
  use_rejecting_the_unread({reject_items()});
  bytes strange = request(1, scattered_find);
  strange[20] = std::byte{7};  // the section kind
  expect_step(ask(strange), verb::drop, strange.size());
  EXPECT_EQ(answer({}).what, verb::inject);
  bytes without_reply = request(2, scattered_find, more_to_come);
  without_reply[20] = std::byte{7};
  expect_step(ask(without_reply), verb::drop, without_reply.size());
  EXPECT_FALSE(fsm.has_injection());
  EXPECT_EQ(metrics.rejected_without_reply.get(), 1U);
  EXPECT_EQ(rejected_unread(), 2);
}

TEST_F(compressed_messages, too_large_to_hold_are_dropped_to_their_end_under_a_reject_rule) {
  use_rejecting_the_unread({reject_items()});
  const bytes message = request(1, scattered_find);
  const bytes start(message.begin(), message.begin() + 30);
  expect_step(ask(start), verb::need, message.size());
  fsm.refuse_to_hold();
  expect_step(ask(start), verb::drop, 30);
  const bytes rest(message.begin() + 30, message.end());
  const bytes next = request(2, targeted_find);
  expect_step(ask(rest + next), verb::drop, rest.size());
  expect_step(ask(next), verb::forward, next.size());
  EXPECT_EQ(answer({}).what, verb::inject);
}

TEST_F(compressed_messages, pass_unread_where_no_reject_rule_can_mean_their_sender) {
  config::rule of_another = reject_items();
  of_another.match.app = "another";
  config::rule observing = reject_items();
  observing.action = config::rule_action::observe;
  use_rejecting_the_unread({observing, of_another});
  const bytes message = spoilt(wire::compress(request(1, scattered_find), compressor::zstd));
  expect_step(ask(message), verb::forward, message.size());
  EXPECT_EQ(rejected_unread(), 0);
}

TEST(an_unpacker, gives_the_memory_of_large_messages_back) {
  telemetry::memory_budget budget{1'000'000};
  telemetry::memory_share share{budget};
  unpacker unpack;
  const std::string json = R"({"x":")" + std::string(300'000, 'x') + R"("})";
  const bytes original = request(1, json);
  const bytes packed = wire::compress(original, compressor::snappy);
  const auto header = *wire::parse_header(std::span{packed}.first<16>());
  {
    const auto unpacked = unpack.unpack(header, packed, share);
    ASSERT_TRUE(unpacked);
    EXPECT_EQ(bytes(unpacked->bytes.begin(), unpacked->bytes.end()), original);
    EXPECT_EQ(unpacked->header.op, wire::opcode::msg);
    EXPECT_EQ(budget.used(), original.size());
  }
  EXPECT_EQ(budget.used(), 0U);
  ASSERT_TRUE(budget.reserve(800'000));
  EXPECT_EQ(unpack.unpack(header, packed, share).error(), wire::wire_errc::too_large);
  EXPECT_EQ(budget.used(), 800'000U);
}

}  // namespace
}  // namespace scattergate::proxy
