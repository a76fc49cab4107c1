#include "routing/shard_set.hpp"

#include <array>

#include <gtest/gtest.h>

namespace scattergate::routing {
namespace {

TEST(shard_set, holds_what_was_inserted_and_nothing_else) {
  std::array<std::uint64_t, 2> words{};
  shard_set set{words};
  for (const std::size_t shard : {0U, 63U, 64U, 127U, 64U}) set.insert(shard);
  EXPECT_EQ(set.size(), 4U);
  for (std::size_t shard = 0; shard != 128; ++shard) {
    EXPECT_EQ(set.contains(shard), shard == 0 || shard == 63 || shard == 64 || shard == 127)
        << shard;
  }
  set.clear();
  EXPECT_EQ(set.size(), 0U);
}

TEST(shard_set, unites_with_words_of_any_length) {
  std::array<std::uint64_t, 2> words{1, 0};
  shard_set set{words};
  set.unite(std::array<std::uint64_t, 1>{6});
  EXPECT_EQ(words, (std::array<std::uint64_t, 2>{7, 0}));
  set.unite(std::array<std::uint64_t, 3>{0, 8, 1});
  EXPECT_EQ(words, (std::array<std::uint64_t, 2>{7, 8}));
  set.unite({});
  EXPECT_EQ(set.size(), 4U);
}

TEST(shard_set, without_words_is_empty) {
  EXPECT_EQ(shard_set{}.size(), 0U);
}

}  // namespace
}  // namespace scattergate::routing
