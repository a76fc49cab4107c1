#include "proxy/flow_buffer.hpp"

#include <algorithm>
#include <list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace scattergate::proxy {
namespace {

class flow_buffer_test : public testing::Test {
 protected:
  void receive(std::string_view text) {
    const auto from = std::as_bytes(std::span{text});
    ASSERT_GE(buffer.room().size(), from.size());
    std::copy(from.begin(), from.end(), buffer.room().begin());
    buffer.received(from.size());
  }
  static std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  telemetry::memory_budget budget{200'000};
  telemetry::memory_share share{budget};
  block_pool pool;
  flow_buffer buffer{pool, share};
};

TEST_F(flow_buffer_test, holds_nothing_until_room_is_made) {
  EXPECT_TRUE(buffer.room().empty());
  EXPECT_TRUE(buffer.unread().empty());
  ASSERT_TRUE(buffer.make_room(16));
  EXPECT_EQ(buffer.room().size(), block_pool::block_bytes);
  buffer.release_if_empty();
  EXPECT_TRUE(buffer.room().empty());
}

TEST_F(flow_buffer_test, keeps_approved_and_unread_bytes_apart) {
  ASSERT_TRUE(buffer.make_room(16));
  receive("headbodytail");
  buffer.approve(4);
  EXPECT_EQ(text(buffer.approved()), "head");
  EXPECT_EQ(text(buffer.unread()), "bodytail");
  buffer.sent(4);
  buffer.drop(4);
  EXPECT_EQ(text(buffer.unread()), "tail");
  ASSERT_TRUE(buffer.make_room(16));
  EXPECT_EQ(text(buffer.unread()), "tail");
  buffer.release_if_empty();
  EXPECT_EQ(text(buffer.unread()), "tail");
}

TEST_F(flow_buffer_test, grows_out_of_the_budget_with_what_has_come) {
  std::string sent;
  while (sent.size() < 90'000) {
    ASSERT_TRUE(buffer.make_room(90'000));
    const std::string piece(std::min<std::size_t>(buffer.room().size(), 10'000), 'x');
    receive(piece);
    sent += piece;
    EXPECT_LE(budget.used(), 2 * std::max(block_pool::block_bytes, sent.size()));
  }
  EXPECT_EQ(text(buffer.unread()), sent);
  EXPECT_EQ(budget.used(), 90'000U);
  buffer.drop(90'000);
  buffer.release_if_empty();
  EXPECT_EQ(budget.used(), 0U);
}

TEST_F(flow_buffer_test, keeps_what_it_has_when_the_budget_refuses) {
  ASSERT_TRUE(budget.reserve(180'000));
  ASSERT_TRUE(buffer.make_room(16));
  receive(std::string(block_pool::block_bytes, 'x'));
  EXPECT_FALSE(buffer.make_room(40'000));
  EXPECT_EQ(text(buffer.unread()), std::string(block_pool::block_bytes, 'x'));
  EXPECT_EQ(budget.used(), 180'000U);
}

/// All of a worker's own blocks lent out.
class exhausted_pool_test : public flow_buffer_test {
 protected:
  exhausted_pool_test() {
    for (std::size_t i = 0; i < block_pool::own_blocks; ++i) {
      others.emplace_back(pool, other_share);
      EXPECT_TRUE(others.back().make_room(1));
    }
    EXPECT_EQ(budget.used(), 0U);
  }
  telemetry::memory_share other_share{budget};
  std::list<flow_buffer> others;
};

TEST_F(exhausted_pool_test, lends_out_of_the_borrower_s_share) {
  ASSERT_TRUE(buffer.make_room(16));
  EXPECT_EQ(buffer.room().size(), block_pool::block_bytes);
  EXPECT_EQ(share.bytes(), block_pool::block_bytes);
  receive(std::string(block_pool::block_bytes, 'x'));
  ASSERT_TRUE(buffer.make_room(80'000));
  EXPECT_EQ(share.bytes(), 80'000U);
  EXPECT_EQ(text(buffer.unread()), std::string(block_pool::block_bytes, 'x'));
  buffer.drop(block_pool::block_bytes);
  buffer.release_if_empty();
  EXPECT_EQ(budget.used(), 0U);
}

TEST_F(exhausted_pool_test, lends_a_small_block_where_the_budget_has_no_room) {
  ASSERT_TRUE(budget.reserve(budget.limit()));
  ASSERT_TRUE(buffer.make_room(16));
  EXPECT_EQ(buffer.room().size(), block_pool::small_bytes);
  receive(std::string(block_pool::small_bytes, 'x'));
  EXPECT_FALSE(buffer.make_room(80'000));
  EXPECT_EQ(text(buffer.unread()), std::string(block_pool::small_bytes, 'x'));
  budget.release(budget.limit());
  ASSERT_TRUE(buffer.make_room(80'000)) << "a whole one, now that there is room";
  EXPECT_EQ(text(buffer.unread()), std::string(block_pool::small_bytes, 'x'));
  EXPECT_EQ(buffer.room().size(), block_pool::block_bytes - block_pool::small_bytes);
}

TEST_F(exhausted_pool_test, takes_its_own_blocks_back_for_the_next) {
  others.clear();
  ASSERT_TRUE(buffer.make_room(16));
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace scattergate::proxy
