#include "digest/sketches/salt.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

TEST(salt, hashes_as_the_paper_on_siphash_says) {
  // Appendix A, and vectors.h of the reference implementation: key 00..0f, input 00..(n-1).
  const salt key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::vector<std::byte> input;
  const auto hash = [&](std::size_t size) {
    input.clear();
    for (std::size_t i = 0; i < size; ++i) input.push_back(static_cast<std::byte>(i));
    return salted_hash(input, key);
  };
  EXPECT_EQ(hash(0), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(hash(1), 0x74f839c593dc67fdU);
  EXPECT_EQ(hash(8), 0x93f5f5799a932462U);
  EXPECT_EQ(hash(15), 0xa129ca6149be45e5U);
}

TEST(salt, is_read_as_it_is_written) {
  const salt drawn = salt::random();
  EXPECT_EQ(drawn.text().size(), 32U);
  EXPECT_EQ(salt::from(drawn.text()), drawn);
  EXPECT_EQ(salt::from(drawn.text() + "\n"), drawn);
  EXPECT_FALSE(salt::random() == drawn);
}

TEST(salt, is_read_from_nothing_else) {
  const std::string good = salt{1, 2}.text();
  for (const std::string& text :
       {std::string{}, good.substr(1), good + "0", good + "\n\n", " " + good.substr(1),
        "0x" + good.substr(2), "G" + good.substr(1), "A" + good.substr(1)}) {
    EXPECT_FALSE(salt::from(text)) << text;
  }
}

TEST(salt, has_an_id_that_distinguishes_it_from_others) {
  const salt one{1, 2};
  EXPECT_EQ(one.id(), (salt{1, 2}.id()));
  EXPECT_NE(one.id(), (salt{2, 1}.id()));
  EXPECT_NE(one.id(), one.first);
}

TEST(salt, pairs_of_hashes_depend_on_both_and_on_their_order) {
  EXPECT_NE(paired_hash(1, 2), paired_hash(2, 1));
  EXPECT_NE(paired_hash(1, 2), paired_hash(1, 3));
  EXPECT_NE(paired_hash(0, 0), paired_hash(0, 1));
}

}  // namespace
}  // namespace scattergate::digest
