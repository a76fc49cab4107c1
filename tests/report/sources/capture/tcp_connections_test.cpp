#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "report/sources/capture/capture.hpp"
#include "tests/support/json_document.hpp"
#include "wire/header.hpp"

namespace scattergate::report {
namespace {

using bytes = std::vector<std::byte>;

class kept final : public observer {
 public:
  void on_command(const observation& seen) override {
    ++commands;
    answered += seen.duration ? 1 : 0;
  }
  void on_digest(const digest::table&) override {}
  void on_row(const digest::row&) override {}
  void on_skipped(skip_reason why) override { ++skipped[why]; }

  int commands = 0;
  int answered = 0;
  std::map<skip_reason, int> skipped;
};

bytes op_msg(std::int32_t id, std::int32_t response_to, const std::string& json) {
  const tests::json_document document{json};
  const auto body = document.view().bytes();
  bytes made(21 + body.size());
  std::copy(body.begin(), body.end(), made.begin() + 21);
  wire::serialize_header(
      {static_cast<std::int32_t>(made.size()), id, response_to, wire::opcode::msg},
      std::span<std::byte, 16>{made.data(), 16});
  return made;
}

bytes find_of(std::size_t size, std::int32_t id = 1) {
  return op_msg(id, 0,
                R"({"find":"c","filter":{"a":")" + std::string(size, 'x') + R"("},"$db":"d"})");
}

class tcp_connections_test : public testing::Test {
 protected:
  /// The client's port identifies the connection.
  static tcp_packet packet(std::uint16_t port, std::span<const std::byte> content,
                           std::uint32_t number) {
    tcp_packet made;
    made.from.port = port;
    made.to.port = 27'017;
    made.to.address[0] = std::byte{1};
    made.number = number;
    made.bytes = content;
    return made;
  }
  static tcp_packet reply(tcp_packet of, std::span<const std::byte> content) {
    std::swap(of.from, of.to);
    of.number = 7;
    of.bytes = content;
    return of;
  }
  void receive(const tcp_packet& one) {
    at += std::chrono::milliseconds{1};
    open.receive(one, at);
    most_held = std::max(most_held, open.held_bytes());
    most_open = std::max(most_open, open.size());
  }

  kept heard;
  tcp_connections open{heard};
  digest::wall_time at{};
  std::size_t most_held = 0;
  std::size_t most_open = 0;
};

TEST_F(tcp_connections_test, read_a_reply_behind_the_request_that_lies_behind_a_gap) {
  const bytes lost = find_of(500);
  const bytes request = find_of(10, 2);
  const bytes answer = op_msg(3, 2, R"({"ok":1})");
  const bytes before = find_of(10);
  receive(packet(1'000, before, 1));
  const auto request_at = static_cast<std::uint32_t>(1 + before.size() + lost.size());
  receive(packet(1'000, request, request_at));
  EXPECT_EQ(heard.commands, 0);
  tcp_packet answered = reply(packet(1'000, {}, 0), answer);
  answered.acknowledged = request_at + static_cast<std::uint32_t>(request.size());
  receive(answered);
  EXPECT_EQ(heard.answered, 1);
  open.finish();
  EXPECT_EQ(heard.commands, 2);  // the first one's reply never came
  EXPECT_EQ(open.counts().missing, lost.size());
  EXPECT_EQ(open.counts().seen, before.size() + request.size() + answer.size());
}

/// Requests and replies in turn, each in a packet of its own that acknowledges the one before;
/// some packets are missing.
TEST_F(tcp_connections_test, lose_the_commands_that_lay_in_lost_packets_and_no_other) {
  int requests = 0;
  int answered = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random{seed};
    const auto port = static_cast<std::uint16_t>(1'000 + seed);
    std::uint32_t asked_to = 1;
    std::uint32_t answered_to = 1;
    for (std::int32_t i = 1; i <= 30; ++i) {
      const bytes request = find_of(random() % 300, i);
      const bytes answer = op_msg(100 + i, i, R"({"ok":1})");
      tcp_packet asking = packet(port, request, asked_to);
      asking.acknowledged = answered_to;
      asked_to += static_cast<std::uint32_t>(request.size());
      tcp_packet answering = reply(asking, answer);
      answering.number = answered_to;
      answering.acknowledged = asked_to;
      answered_to += static_cast<std::uint32_t>(answer.size());
      const bool is_asked = random() % 20 != 0;
      const bool is_answered = random() % 20 != 0;
      if (is_asked) receive(asking);
      if (is_answered) receive(answering);
      requests += is_asked;
      answered += is_asked && is_answered;
    }
  }
  open.finish();
  EXPECT_EQ(heard.commands, requests);
  EXPECT_EQ(heard.answered, answered);
}

TEST_F(tcp_connections_test, match_replies_and_end_with_both_sides) {
  const bytes request = find_of(10);
  const bytes answer = op_msg(2, 1, R"({"ok":1})");
  tcp_packet asked = packet(40'000, request, 1);
  tcp_packet answered = reply(asked, answer);
  receive(asked);
  asked.ends = answered.ends = true;
  receive(answered);
  EXPECT_EQ(open.size(), 1U);
  asked.bytes = {};
  receive(asked);
  EXPECT_EQ(open.size(), 0U);
  receive(asked);  // the last acknowledgement makes no connection
  EXPECT_EQ(open.size(), 0U);
  EXPECT_EQ(heard.answered, 1);
  EXPECT_EQ(heard.commands, 1);
}

TEST_F(tcp_connections_test, keep_a_connection_where_one_side_ends_twice) {
  const bytes request = find_of(10);
  tcp_packet asked = packet(40'000, request, 1);
  asked.ends = true;
  receive(asked);
  receive(asked);
  EXPECT_EQ(open.size(), 1U);
}

TEST_F(tcp_connections_test, are_bounded_whoever_begins_them) {
  tcp_packet one;
  one.begins = true;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    one.from.address[0] = static_cast<std::byte>(i);
    one.from.address[1] = static_cast<std::byte>(i >> 8U);
    one.from.address[2] = static_cast<std::byte>(i >> 16U);
    receive(one);
  }
  EXPECT_EQ(most_open, tcp_connections::most);
}

TEST_F(tcp_connections_test, give_up_the_one_that_was_silent_for_longest) {
  const bytes request = find_of(10);
  const bytes answer = op_msg(2, 1, R"({"ok":1})");
  receive(packet(1'000, request, 1));
  for (std::uint32_t i = 0; i < tcp_connections::most; ++i) {
    tcp_packet other = packet(2'000, request, 1);
    other.from.address[1] = static_cast<std::byte>(i);
    other.from.address[2] = static_cast<std::byte>(i >> 8U);
    receive(other);
    if (i == 5'000) receive(packet(1'000, request, 1));  // seen before: not silent
  }
  EXPECT_EQ(open.size(), tcp_connections::most);
  EXPECT_EQ(heard.commands, 1);  // without a reply
  receive(reply(packet(1'000, {}, 0), answer));
  EXPECT_EQ(heard.answered, 1);
}

TEST_F(tcp_connections_test, hold_little_of_requests_that_nothing_answers) {
  for (int i = 0; i < 2'000; ++i) {
    const bytes request = find_of(100'000, i);
    const auto before = static_cast<std::size_t>(i / 50) * request.size();
    receive(packet(static_cast<std::uint16_t>(1'000 + i % 50), request,
                   1 + static_cast<std::uint32_t>(before)));
  }
  EXPECT_LE(most_held, tcp_connections::most_held_bytes);
  EXPECT_GT(most_held, tcp_connections::most_held_bytes / 2);
  open.finish();
  EXPECT_EQ(heard.commands, 2'000);
  EXPECT_EQ(open.held_bytes(), 0U);
}

TEST_F(tcp_connections_test, can_hold_one_message_of_the_largest_size) {
  bytes whole(wire::limits::max_message_bytes);
  wire::serialize_header({static_cast<std::int32_t>(whole.size()), 1, 5, wire::opcode::msg},
                         std::span<std::byte, 16>{whole.data(), 16});
  tcp_packet first = packet(1'000, {}, 0xFFFFFFFF);
  first.begins = true;
  receive(first);
  constexpr std::size_t segment = 60'000;
  for (std::size_t from = 0; from < whole.size(); from += segment) {
    const std::size_t size = std::min(segment, whole.size() - from);
    receive(
        packet(1'000, std::span{whole}.subspan(from, size), static_cast<std::uint32_t>(from)));
  }
  EXPECT_EQ(heard.skipped[skip_reason::lost], 0);
  EXPECT_LE(most_held, tcp_connections::most_held_by_one);
}

TEST_F(tcp_connections_test, hold_little_behind_gaps) {
  const bytes one_byte(1);
  for (std::uint32_t i = 0; i < 400'000; ++i) {
    receive(
        packet(static_cast<std::uint16_t>(1 + i % 1'000), one_byte, 1'000 + 2 * (i / 1'000)));
  }
  EXPECT_LE(most_held, tcp_connections::most_held_bytes);
  open.finish();
  EXPECT_GT(heard.skipped[skip_reason::lost], 0);
}

}  // namespace
}  // namespace scattergate::report
