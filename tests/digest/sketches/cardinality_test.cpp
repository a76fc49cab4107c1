#include <cmath>

#include <gtest/gtest.h>

#include "digest/sketches/collection_sketches.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"

namespace scattergate::digest {
namespace {

TEST(cardinality, estimates_within_its_error_from_one_to_millions) {
  const double standard_error = 1.04 / std::sqrt(static_cast<double>(cardinality::size));
  for (const std::uint64_t count :
       {1U, 2U, 10U, 100U, 1'000U, 5'000U, 12'000U, 100'000U, 2'000'000U}) {
    // The error varies with the salt; its mean square over salts is the standard error's.
    double squares = 0;
    constexpr int salts = 8;
    for (std::uint64_t s = 0; s < salts; ++s) {
      cardinality of;
      for (std::uint64_t i = 0; i < count; ++i) of.add(hash_of(i, {s, count}));
      const double error = of.estimate() / static_cast<double>(count) - 1;
      EXPECT_LT(std::abs(error), 4 * standard_error) << count;
      squares += error * error;
    }
    EXPECT_LT(std::sqrt(squares / salts), 2 * standard_error) << count;
  }
  EXPECT_EQ(cardinality{}.estimate(), 0);
}

TEST(cardinality, counts_a_value_once_however_often_it_comes) {
  cardinality once;
  cardinality often;
  for (std::uint64_t i = 0; i < 3'000; ++i) once.add(hash_of(i));
  for (int n = 0; n < 5; ++n) {
    for (std::uint64_t i = 0; i < 3'000; ++i) often.add(hash_of(i));
  }
  EXPECT_EQ(once, often);
}

TEST(cardinality, of_a_sum_is_that_of_both_streams) {
  cardinality one;
  cardinality other;
  cardinality both;
  for (std::uint64_t i = 0; i < 9'000; ++i) {
    if (i < 6'000) one.add(hash_of(i));
    if (i >= 3'000) other.add(hash_of(i));
    both.add(hash_of(i));
  }
  one.add(other);
  EXPECT_EQ(one, both);
}

TEST(cardinality, takes_any_hash) {
  cardinality of;
  for (const std::uint64_t hash : {std::uint64_t{0}, ~std::uint64_t{0}}) of.add(hash);
  EXPECT_GT(of.estimate(), 1);
  EXPECT_EQ(cardinality::from(of.text()), of);
}

TEST(cardinality, is_read_as_it_is_written_and_from_nothing_else) {
  cardinality of;
  for (const std::uint64_t i : zipf(2'000, 500, 1)) of.add(hash_of(i));
  const std::string text = of.text();
  EXPECT_EQ(cardinality::from(text), of);
  EXPECT_FALSE(cardinality::from(text.substr(1)));
  EXPECT_FALSE(cardinality::from(text + "A"));
  for (const char wrong : {'!', '_', '-', '\0', '\xff'}) {
    EXPECT_FALSE(cardinality::from(text.substr(1) + wrong)) << wrong;
  }
}

}  // namespace
}  // namespace scattergate::digest
