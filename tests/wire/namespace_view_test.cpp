#include "wire/namespace_view.hpp"

#include <gtest/gtest.h>

namespace scattergate::wire {
namespace {

TEST(namespace_view, is_split_at_the_first_dot) {
  EXPECT_EQ(namespace_view::of("shop.orders"), (namespace_view{"shop", "orders"}));
  EXPECT_EQ(namespace_view::of("shop.orders.2024"), (namespace_view{"shop", "orders.2024"}));
  EXPECT_EQ(namespace_view::of("shop."), (namespace_view{"shop", ""}));
  EXPECT_FALSE(namespace_view::of("shop"));
  EXPECT_FALSE(namespace_view::of(""));
}

TEST(namespace_view, is_put_together_again) {
  EXPECT_EQ((namespace_view{"shop", "orders.2024"}.full_name()), "shop.orders.2024");
  EXPECT_EQ((namespace_view{"shop", ""}.full_name()), "shop");
}

TEST(namespace_view, is_possible_without_a_dot_in_the_database_and_without_nul) {
  using namespace std::string_view_literals;
  EXPECT_TRUE((namespace_view{"shop", "orders.2024"}.is_possible()));
  EXPECT_FALSE((namespace_view{"sh.op", "orders"}.is_possible()));
  EXPECT_FALSE((namespace_view{"sh\0p"sv, "orders"}.is_possible()));
  EXPECT_FALSE((namespace_view{"shop", "ord\0rs"sv}.is_possible()));
}

TEST(namespace_view, hashes_by_both_names) {
  const std::size_t hash = seeded_hash(namespace_view{"shop", "orders"});
  EXPECT_EQ(seeded_hash(namespace_view{"shop", "orders"}), hash);
  EXPECT_NE(seeded_hash(namespace_view{"shopo", "rders"}), hash);
}

}  // namespace
}  // namespace scattergate::wire
