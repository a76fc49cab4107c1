#include "proxy/judging/verdict_memo.hpp"

#include <cstring>

#include "routing/classify.hpp"
#include "routing/pattern/pattern.hpp"
#include "tests/proxy/fixture.hpp"

namespace scattergate::proxy {
namespace {

/// Commands that differ in the name of a field, and what each is like.
class kinds {
 public:
  static bytes message(std::uint32_t number, std::string_view value = "1") {
    return request(1, R"({"find":"items","filter":{"f)" + std::to_string(number) +
                          "\":" + std::string{value} + R"(},"$db":"app"})");
  }

  /// The same with telemetry before the command.
  static bytes traced(std::uint32_t number, std::string_view traceparent) {
    const bytes plain = message(number);
    const bytes telemetry =
        request(1, R"({"otel":{"traceparent":")" + std::string{traceparent} + "\"}}");
    constexpr std::ptrdiff_t sections_at = wire::limits::op_msg_head_bytes;
    bytes made(plain.begin(), plain.begin() + sections_at);
    made.push_back(wire::section_kind::telemetry);
    made.insert(made.end(), telemetry.begin() + sections_at + 1, telemetry.end());
    made.insert(made.end(), plain.begin() + sections_at, plain.end());
    return made;
  }

  void keep(verdict_memo& memo, std::uint32_t number) { keep(memo, number, message(number)); }

  void keep(verdict_memo& memo, std::uint32_t number, const bytes& made) {
    const auto parsed = wire::parse_op_msg({}, made).value();
    const auto verdict =
        routing::classify(wire::command_of(parsed).value(), *entries_, memory_);
    routing::pattern like;
    ASSERT_TRUE(routing::write_pattern(parsed, made, verdict, *entries_, like));
    verdict_memo::entry known;
    known.what.fanout = number;
    memo.keep(made, like, std::move(known));
  }

 private:
  std::shared_ptr<const routing::catalog> entries_ = small_catalog();
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch memory_{block_};
};

TEST(verdict_memo, finds_what_was_kept_of_messages_alike) {
  verdict_memo memo;
  kinds all;
  EXPECT_EQ(memo.find(kinds::message(1)), nullptr);
  for (std::uint32_t i = 0; i < 10; ++i) all.keep(memo, i);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto* found = memo.find(kinds::message(i, "77"));
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(found->what.fanout, i);
    EXPECT_EQ(memo.find(kinds::message(i, R"("text")")), nullptr) << i;
  }
  EXPECT_EQ(memo.find(kinds::message(10)), nullptr);
  EXPECT_EQ(memo.find({}), nullptr);
}

TEST(verdict_memo, finds_messages_with_telemetry_whatever_it_says) {
  verdict_memo memo;
  kinds all;
  for (std::uint32_t i = 0; i < 10; ++i) all.keep(memo, i, kinds::traced(i, "one"));
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto* found = memo.find(kinds::traced(i, "another trace"));
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(found->what.fanout, i);
    EXPECT_EQ(memo.find(kinds::message(i)), nullptr) << i;
  }
  bytes hostile = kinds::traced(1, "one");
  for (const std::uint32_t length : {0U, 4U, 60U, 0xFFFFFFFFU}) {
    std::memcpy(hostile.data() + wire::limits::op_msg_head_bytes + 1, &length, sizeof length);
    EXPECT_EQ(memo.find(hostile), nullptr) << length;
    (void)memo.accepts(hostile);
  }
}

/// The number of these kinds that are found again, each as it was stored.
std::size_t held_of(const verdict_memo& memo, std::uint32_t kinds_kept) {
  std::size_t held = 0;
  for (std::uint32_t i = 0; i < kinds_kept; ++i) {
    const auto* found = memo.find(kinds::message(i, "77"));
    if (found == nullptr) continue;
    ++held;
    EXPECT_EQ(found->what.fanout, i);
  }
  return held;
}

/// Keeps kinds as they come, in several rounds, as an application sends them.
std::size_t kept_in_rounds(verdict_memo& memo, kinds& all, std::uint32_t many, int rounds) {
  std::size_t accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t i = 0; i < many; ++i) {
      const bytes made = kinds::message(i);
      if (memo.find(made) != nullptr || !memo.accepts(made)) continue;
      ++accepted;
      all.keep(memo, i);
    }
  }
  return accepted;
}

TEST(verdict_memo, holds_a_thousand_kinds_of_one_command) {
  for (const std::uint32_t many : {4U, 5U, 100U, 1'000U}) {
    verdict_memo memo;
    kinds all;
    (void)kept_in_rounds(memo, all, many, 2);
    EXPECT_EQ(held_of(memo, many), many);
  }
}

TEST(verdict_memo, holds_nearly_all_of_ten_thousand_kinds_of_one_command) {
  verdict_memo memo;
  kinds all;
  constexpr std::uint32_t many = 10'000;
  (void)kept_in_rounds(memo, all, many, 2);
  EXPECT_GT(held_of(memo, many), many * 9 / 10);
}

TEST(verdict_memo, holds_no_more_than_it_has_room_for) {
  verdict_memo memo;
  kinds all;
  constexpr std::uint32_t many = 40'000;
  constexpr std::size_t room = verdict_memo::ways * verdict_memo::outlines;
  const std::size_t accepted = kept_in_rounds(memo, all, many, 1);
  EXPECT_LT(accepted, room + many / 8);
  const std::size_t held = held_of(memo, many);
  EXPECT_LE(held, room);
  EXPECT_GT(held, room * 9 / 10);
}

TEST(verdict_memo, forgets_all_when_cleared) {
  verdict_memo memo;
  kinds all;
  all.keep(memo, 1);
  memo.clear();
  EXPECT_EQ(memo.find(kinds::message(1)), nullptr);
}

class recalled_verdicts : public fsm_fixture {
 protected:
  void send(std::string_view json) {
    ++id_;
    (void)fsm.next_request(request(id_, json), now);
    (void)fsm.next_reply(reply(id_), now);
  }
  double commands(const char* command, const char* routing) {
    return metric(
        "scattergate_commands_total",
        {{"db", "app"}, {"collection", "items"}, {"command", command}, {"routing", routing}});
  }
  double findings_of(const char* action) {
    return metric("scattergate_findings_total", {{"db", "app"},
                                                 {"collection", "items"},
                                                 {"command", "find"},
                                                 {"reason", "missing_key"},
                                                 {"action", action}});
  }

 private:
  std::int32_t id_ = 0;
};

TEST_F(recalled_verdicts, count_and_find_as_judged_ones_do) {
  for (const char* value : {"1", "2", "3"}) {
    const std::string number{value};
    send(R"({"find":"items","filter":{"tenant":)" + number + R"(},"$db":"app"})");
    send(R"({"find":"items","filter":{"x":)" + number + R"(},"$db":"app"})");
  }
  EXPECT_EQ(commands("find", "single_shard"), 3);
  EXPECT_EQ(commands("find", "scatter_gather"), 3);
  EXPECT_EQ(findings_of("observed"), 3);
  const auto deltas = shapes.drain_counts(100);
  std::uint64_t counted = 0;
  for (const auto& delta : deltas) {
    counted += delta.count;
    ASSERT_EQ(delta.who.all().size(), 1U);
    EXPECT_EQ(delta.who.all().front().remote, "10.0.0.7");
  }
  EXPECT_EQ(counted, 5U);  // the first finding is handed over at once
}

TEST_F(recalled_verdicts, of_findings_with_a_comment_keep_who_made_it) {
  for (const char* comment : {"one", "two"}) {
    send(R"({"find":"items","filter":{"x":1},"comment":")" + std::string{comment} +
         R"(","$db":"app"})");
  }
  std::vector<std::string> comments;
  for (const auto& delta : shapes.drain_counts(100)) {
    for (const auto& caller : delta.who.all()) comments.push_back(caller.comment);
  }
  // The first one was handed over at once.
  EXPECT_EQ(comments, std::vector<std::string>{"two"});
}

TEST_F(recalled_verdicts, end_with_the_rules_they_were_made_under) {
  send(scattered_find);
  send(scattered_find);
  EXPECT_EQ(findings_of("observed"), 2);
  use({reject_items()});
  for (int i = 0; i < 2; ++i) {
    const step next = fsm.next_request(request(70 + i, scattered_find), now);
    EXPECT_EQ(next.what, step::verb::drop);
    (void)fsm.next_reply({}, now);
  }
  EXPECT_EQ(findings_of("rejected"), 2);
  EXPECT_EQ(findings_of("observed"), 2);
}

TEST_F(recalled_verdicts, are_not_used_where_a_rule_asks_who_sends) {
  config::rule mine = reject_items();
  mine.match.comment = "nightly*";
  use({mine});
  send(R"({"find":"items","filter":{"x":1},"comment":"x","$db":"app"})");
  const step next = fsm.next_request(
      request(9, R"({"find":"items","filter":{"x":1},"comment":"nightly 1","$db":"app"})"),
      now);
  EXPECT_EQ(next.what, step::verb::drop);
}

}  // namespace
}  // namespace scattergate::proxy
