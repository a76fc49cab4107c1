#include "wire/seeded_hash.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::wire {
namespace {

TEST(seeded_hash, is_the_same_for_the_same_under_one_key) {
  const std::string a = "shop.orders";
  const std::string b = "shop." + std::string{"orders"};
  EXPECT_EQ(seeded_hash(a), seeded_hash(b));
  EXPECT_EQ(seeded_hash(a), seeded_text_hash{}(b));
  EXPECT_EQ(seeded_hash(7, 8), seeded_hash(7, 8));
}

TEST(seeded_hash, is_another_under_another_key) {
  std::set<std::uint64_t> texts;
  std::set<std::uint64_t> numbers;
  constexpr int keys = 100;
  for (int i = 0; i < keys; ++i) {
    const hash_key key = hash_key::random();
    texts.insert(seeded_hash("orders", 0, key));
    numbers.insert(seeded_hash(1, 2, key));
  }
  EXPECT_EQ(texts.size(), keys);
  EXPECT_EQ(numbers.size(), keys);
}

/// Every length, and every byte of each: none is passed over, and none takes another's place.
TEST(seeded_hash, depends_on_every_byte_and_on_the_length) {
  std::set<std::uint64_t> seen;
  std::size_t texts = 0;
  for (std::size_t size = 0; size <= 70; ++size) {
    std::string text(size, '\0');
    seen.insert(seeded_hash(text));
    ++texts;
    for (std::size_t at = 0; at < size; ++at) {
      for (const char other : {'\1', 'a', '\x80'}) {
        text[at] = other;
        seen.insert(seeded_hash(text));
        ++texts;
      }
      text[at] = '\0';
    }
  }
  EXPECT_EQ(seen.size(), texts);
}

TEST(seeded_hash, depends_on_what_stands_before_and_on_the_order) {
  EXPECT_NE(seeded_hash("orders", 1), seeded_hash("orders", 2));
  EXPECT_NE(seeded_hash("a", seeded_hash("bc")), seeded_hash("ab", seeded_hash("c")));
  EXPECT_NE(seeded_hash("a", seeded_hash("b")), seeded_hash("b", seeded_hash("a")));
  EXPECT_NE(seeded_hash(1, 2), seeded_hash(2, 1));
}

/// Names as a program makes them, and numbers that count upwards, fall into few buckets twice.
TEST(seeded_hash, spreads_what_is_much_alike) {
  constexpr std::size_t many = 4096;
  std::vector<int> of_texts(many);
  std::vector<int> of_numbers(many);
  for (std::size_t i = 0; i < 8 * many; ++i) {
    ++of_texts[seeded_hash("tenant_" + std::to_string(i)) % many];
    ++of_numbers[seeded_hash(i, 0) % many];
  }
  // Of 8 on average, more than 40 in one is a matter of some 10^-14.
  for (const int count : of_texts) EXPECT_LE(count, 40);
  for (const int count : of_numbers) EXPECT_LE(count, 40);
}

}  // namespace
}  // namespace scattergate::wire
