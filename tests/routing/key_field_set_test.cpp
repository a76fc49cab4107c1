#include "routing/key_field_set.hpp"

#include <gtest/gtest.h>

namespace scattergate::routing {
namespace {

TEST(key_field_set, holds_what_was_inserted_and_not_erased) {
  key_field_set set;
  EXPECT_TRUE(set.is_empty());
  for (const std::size_t field : {0U, 5U, 63U}) set.insert(field);
  set.erase(5);
  for (std::size_t field = 0; field != 64; ++field) {
    EXPECT_EQ(set.contains(field), field == 0 || field == 63) << field;
  }
}

TEST(key_field_set, knows_the_first_fields_up_to_all_there_may_be) {
  EXPECT_TRUE(key_field_set::first(0).is_empty());
  EXPECT_EQ(key_field_set::first(3).bits(), 0b111U);
  EXPECT_EQ(key_field_set::first(64), key_field_set::every());
}

TEST(key_field_set, unites_intersects_and_leaves_out) {
  key_field_set set{0b0110};
  set.unite(key_field_set{0b1000});
  EXPECT_EQ(set, key_field_set{0b1110});
  set.intersect(key_field_set{0b1011});
  EXPECT_EQ(set, key_field_set{0b1010});
  EXPECT_EQ(set.without(key_field_set{0b0010}), key_field_set{0b1000});
}

}  // namespace
}  // namespace scattergate::routing
