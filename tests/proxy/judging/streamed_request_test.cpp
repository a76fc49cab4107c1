#include "proxy/judging/streamed_request.hpp"

#include <algorithm>
#include <optional>

#include "tests/proxy/fixture.hpp"
#include "wire/endian.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;

/// An update of 40 KB by this filter.
bytes large_update(std::int32_t id, const std::string& filter, std::uint32_t flags = 0) {
  return request(id,
                 R"({"update":"items","updates":[{"q":)" + filter + R"(,"u":{"$set":{"a":")" +
                     std::string(80'000, 'x') + R"("}},"multi":true}],"$db":"app"})",
                 flags);
}

bytes with_checksum(bytes message) {
  message.resize(message.size() + 4);
  wire::store_little(message.data(), static_cast<std::int32_t>(message.size()));
  wire::store_little(message.data() + message.size() - 4, wire::checksum_of(message));
  return message;
}

class streamed_request_test : public fsm_fixture {
 protected:
  /// Gives the fsm the message in pieces, each of which it passes on at once.
  void pass(const bytes& message, std::size_t piece) {
    for (std::span<const std::byte> rest = message; !rest.empty();) {
      const auto next = rest.first(std::min(piece, rest.size()));
      expect_step(fsm.next_request(next, now), verb::forward, next.size());
      rest = rest.subspan(next.size());
    }
  }
  void shard_items_on(const char* field) {
    auto changed = std::make_shared<settings>();
    changed->catalog = small_catalog(field);
    inspector.apply_settings(std::move(changed));
  }
  double commands(const char* routing, const char* command = "update") {
    return metric(
        "scattergate_commands_total",
        {{"db", "app"}, {"collection", "items"}, {"command", command}, {"routing", routing}});
  }
  double uninspected(const char* reason) {
    return metric("scattergate_uninspected_messages_total", {{"reason", reason}});
  }
};

TEST_F(streamed_request_test, passes_while_it_comes_in_and_is_judged_at_its_end) {
  for (const std::size_t piece : {512U, 7'000U}) {
    pass(large_update(1, R"({"tenant":1})"), piece);
    EXPECT_FALSE(fsm.is_idle(0)) << "its reply is expected";
    (void)fsm.next_reply(reply(1), now);
    pass(large_update(2, R"({"x":1})"), piece);
    (void)fsm.next_reply(reply(2), now);
  }
  EXPECT_EQ(commands("single_shard") + commands("multi_shard"), 2);
  EXPECT_EQ(commands("scatter_gather"), 2);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(streamed_request_test, is_counted_at_its_end_where_no_reply_follows) {
  pass(large_update(1, R"({"x":1})", wire::msg_flag::more_to_come), 4'000);
  EXPECT_EQ(commands("scatter_gather"), 1);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(streamed_request_test, compares_its_checksum) {
  bytes message = with_checksum(large_update(1, "{}", wire::msg_flag::checksum_present));
  pass(message, message.size() - 2);
  EXPECT_EQ(metric("scattergate_checksums_verified_total"), 1);
  message[30'000] ^= std::byte{1};
  pass(message, 600);
  EXPECT_EQ(metric("scattergate_checksums_verified_total"), 2);
  EXPECT_EQ(metric("scattergate_checksum_failures_total"), 1);
  EXPECT_EQ(uninspected("bad_bson"), 0);
}

TEST_F(streamed_request_test, passes_uninspected_where_it_breaks_off) {
  bytes message = large_update(1, "{}");
  message[message.size() - 14] = std::byte{0x42};  // the type of $db
  pass(message, 1'000);
  EXPECT_EQ(uninspected("bad_bson"), 1);
  (void)fsm.next_reply(reply(1), now);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(streamed_request_test, is_held_where_a_rule_may_reject_it) {
  use({reject_items()});
  const bytes message = large_update(1, "{}");
  const bytes start{message.begin(), message.begin() + 1'000};
  expect_step(fsm.next_request(start, now), verb::need, message.size());
  EXPECT_EQ(next_of(fsm, message).what, verb::drop);
}

TEST_F(streamed_request_test, is_judged_by_the_catalog_under_which_it_began) {
  const std::string with_a_bad_key =
      R"({"insert":"items","documents":[{"tenant":[1],"other":2,"pad":")" +
      std::string(80'000, 'x') + R"("}],"$db":"app"})";
  const bytes message = request(1, with_a_bad_key);
  const auto half = message.begin() + 20'000;
  pass({message.begin(), half}, 20'000);
  shard_items_on("other");
  pass({half, message.end()}, 50'000);
  (void)fsm.next_reply(reply(1), now);
  EXPECT_EQ(commands("unknown", "insert"), 1);
  pass(request(2, with_a_bad_key), 50'000);
  (void)fsm.next_reply(reply(2), now);
  EXPECT_EQ(commands("single_shard", "insert"), 1);
}

TEST_F(streamed_request_test, passes_uncounted_where_there_is_no_memory_for_it) {
  ASSERT_TRUE(memory.reserve(memory.limit()));
  pass(large_update(1, "{}", wire::msg_flag::more_to_come), 4'000);
  EXPECT_EQ(uninspected("too_large"), 1);
  EXPECT_TRUE(fsm.is_idle(0)) << "no reply will come";
  pass(large_update(2, "{}"), 4'000);
  EXPECT_FALSE(fsm.is_idle(0));
  (void)fsm.next_reply(reply(2), now);
  EXPECT_TRUE(fsm.is_idle(0));
  memory.release(memory.limit());
}

TEST_F(streamed_request_test, gives_its_memory_back_where_the_connection_ends_first) {
  {
    session_fsm other{inspector, {client, cursors, share}};
    const bytes message = large_update(1, "{}");
    (void)other.next_request(std::span{message}.first(20'000), now);
    EXPECT_GT(memory.used(), 0U);
    other.end(now);
  }
  EXPECT_EQ(memory.used(), 0U);
}

/// What a request takes of a budget at its end, fed in pieces of `piece`; nothing where it
/// can't be judged.
std::optional<std::size_t> memory_taken(const bytes& message, std::string_view command,
                                        std::size_t piece, telemetry::memory_share& share) {
  const auto header =
      *wire::parse_header(std::span{message}.first<wire::limits::header_bytes>());
  streamed_request request{header, message, command, std::make_shared<settings>(), share};
  for (std::span<const std::byte> rest = message; !rest.empty();) {
    const auto next = rest.first(std::min(piece, rest.size()));
    request.feed(next);
    rest = rest.subspan(next.size());
  }
  if (request.digest().is_whole()) return share.bytes();
  EXPECT_EQ(request.digest().error(), wire::wire_errc::too_large);
  EXPECT_EQ(share.bytes(), 0U);
  return std::nullopt;
}

TEST(streamed_request, takes_memory_for_what_it_keeps_and_gives_it_back) {
  const bytes message = large_update(1, "{}");
  telemetry::memory_budget budget{1'000'000};
  telemetry::memory_share share{budget};
  const auto for_an_update = memory_taken(message, "update", 100, share);
  ASSERT_TRUE(for_an_update);
  EXPECT_LT(*for_an_update, 2'000U);
  EXPECT_EQ(budget.used(), 0U);
  const auto for_a_filter = memory_taken(message, "find", 100, share);
  ASSERT_TRUE(for_a_filter);
  EXPECT_EQ(*for_a_filter, message.size() + wire::message_digest::slack_bytes);
  EXPECT_EQ(budget.used(), 0U);
}

TEST(streamed_request, is_kept_where_it_just_fits_and_not_where_it_doesn_t) {
  const bytes message = large_update(1, "{}");
  const std::size_t needed = message.size() + wire::message_digest::slack_bytes;
  telemetry::memory_budget enough{2 * needed};  // of which a share may be half
  telemetry::memory_share share{enough};
  EXPECT_TRUE(memory_taken(message, "find", 7'000, share));
  telemetry::memory_budget too_little{2 * needed - 1};
  telemetry::memory_share less{too_little};
  EXPECT_FALSE(memory_taken(message, "find", 7'000, less));
}

}  // namespace
}  // namespace scattergate::proxy
