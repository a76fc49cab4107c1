#include "routing/scratch.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace scattergate::routing {
namespace {

TEST(scratch, lends_aligned_memory_end_to_end) {
  alignas(16) std::array<std::byte, 64> block;
  scratch memory{block};
  const auto byte = memory.allocate<std::byte>(1);
  const auto words = memory.allocate<std::uint64_t>(2);
  EXPECT_EQ(byte.data(), block.data());
  EXPECT_EQ(reinterpret_cast<std::byte*>(words.data()), block.data() + 8);
  EXPECT_EQ(memory.mark(), 24U);
}

TEST(scratch, extends_a_run_for_as_long_as_nothing_else_is_taken) {
  alignas(16) std::array<std::byte, 64> block;
  scratch memory{block};
  (void)memory.allocate<std::byte>(1);
  std::span<std::uint32_t> run;
  ASSERT_TRUE(memory.extend(run));
  const auto* const begin = run.data();
  ASSERT_TRUE(memory.extend(run, 2));
  EXPECT_EQ(run.data(), begin);
  EXPECT_EQ(run.size(), 3U);
  (void)memory.allocate<std::byte>(4);
  EXPECT_FALSE(memory.extend(run));
  EXPECT_EQ(run.size(), 3U);
  EXPECT_TRUE(memory.is_exhausted());
}

TEST(scratch, extends_no_run_beyond_the_block) {
  alignas(16) std::array<std::byte, 16> block;
  scratch memory{block};
  std::span<std::uint64_t> run;
  ASSERT_TRUE(memory.extend(run, 2));
  EXPECT_FALSE(memory.extend(run));
  EXPECT_EQ(run.size(), 2U);
  EXPECT_TRUE(memory.is_exhausted());
}

TEST(scratch, refuses_what_does_not_fit_and_remembers_it) {
  alignas(16) std::array<std::byte, 16> block;
  scratch memory{block};
  EXPECT_EQ(memory.allocate<std::uint64_t>(2).size(), 2U);
  EXPECT_FALSE(memory.is_exhausted());
  EXPECT_TRUE(memory.allocate<std::byte>(1).empty());
  EXPECT_TRUE(memory.is_exhausted());
  memory.reset();
  EXPECT_FALSE(memory.is_exhausted());
  EXPECT_EQ(memory.allocate<std::byte>(16).size(), 16U);
}

TEST(scratch, refuses_sizes_that_overflow) {
  std::array<std::byte, 16> block;
  scratch memory{block};
  EXPECT_TRUE(memory.allocate<std::uint64_t>(std::numeric_limits<std::size_t>::max()).empty());
  EXPECT_TRUE(
      memory.allocate<std::uint64_t>(std::numeric_limits<std::size_t>::max() / 8 + 2).empty());
  EXPECT_EQ(memory.mark(), 0U);
}

TEST(scratch, padding_counts_against_the_room) {
  alignas(16) std::array<std::byte, 16> block;
  scratch memory{block};
  EXPECT_EQ(memory.allocate<std::byte>(1).size(), 1U);
  EXPECT_TRUE(memory.allocate<std::uint64_t>(2).empty());
  EXPECT_EQ(memory.allocate<std::uint64_t>(1).size(), 1U);
}

TEST(scratch, rewinding_frees_what_was_taken_since) {
  std::array<std::byte, 16> block;
  scratch memory{block};
  const auto first = memory.allocate<std::byte>(4);
  const std::size_t mark = memory.mark();
  const auto second = memory.allocate<std::byte>(12);
  memory.rewind(mark);
  EXPECT_EQ(memory.allocate<std::byte>(12).data(), second.data());
  EXPECT_EQ(first.data() + 4, second.data());
}

}  // namespace
}  // namespace scattergate::routing
