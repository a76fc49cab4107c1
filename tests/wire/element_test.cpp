#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"
#include "wire/bson.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

using limits_of_int64 = std::numeric_limits<std::int64_t>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bytes decimal(std::uint64_t high, std::uint64_t low) {
  return joined(little(low), little(high));
}

TEST(element, as_int64_reads_whole_numbers_only) {
  struct {
    bson_type type;
    bytes value;
    std::optional<std::int64_t> expected;
  } const cases[] = {
      {bson_type::int32, little(std::int32_t{-7}), -7},
      {bson_type::int64, little(limits_of_int64::min()), limits_of_int64::min()},
      {bson_type::float64, little(2.0), 2},
      {bson_type::float64, little(-0.0), 0},
      {bson_type::float64, little(-0x1p63), limits_of_int64::min()},
      {bson_type::float64, little(0x1p63), std::nullopt},
      {bson_type::float64, little(1.5), std::nullopt},
      {bson_type::float64, little(infinity), std::nullopt},
      {bson_type::float64, little(-infinity), std::nullopt},
      {bson_type::float64, little(not_a_number), std::nullopt},
      {bson_type::decimal128, decimal(0x3040ULL << 48U, 1), std::nullopt},
      {bson_type::boolean, little(std::int8_t{1}), std::nullopt},
      {bson_type::string, string_value("1"), std::nullopt},
      {bson_type::null, {}, std::nullopt},
      {bson_type::int32, little(std::int8_t{1}), std::nullopt},  // cut short
      {bson_type::int64, little(std::int32_t{1}), std::nullopt},
      {bson_type::float64, {}, std::nullopt},
  };
  for (std::size_t i = 0; i != std::size(cases); ++i) {
    const element found{"a", cases[i].type, cases[i].value};
    EXPECT_EQ(found.as_int64(), cases[i].expected) << "case " << i;
  }
}

TEST(element, is_truthy_as_mongodb_reads_a_flag) {
  struct {
    bson_type type;
    bytes value;
    bool expected;
  } const cases[] = {
      {bson_type::boolean, little(std::int8_t{1}), true},
      {bson_type::boolean, little(std::int8_t{0}), false},
      {bson_type::int32, little(std::int32_t{-1}), true},
      {bson_type::int32, little(std::int32_t{0}), false},
      {bson_type::int64, little(std::int64_t{1} << 40U), true},
      {bson_type::int64, little(std::int64_t{0}), false},
      {bson_type::float64, little(0.1), true},
      {bson_type::float64, little(-0.0), false},
      {bson_type::float64, little(not_a_number), true},
      {bson_type::decimal128, decimal(0x3040ULL << 48U, 1), true},
      {bson_type::decimal128, decimal((0x3040ULL << 48U) | 1U, 0), true},
      {bson_type::decimal128, decimal(0x3040ULL << 48U, 0), false},
      {bson_type::decimal128, decimal(0xb040ULL << 48U, 0), false},  // -0
      {bson_type::decimal128, decimal(0x7800ULL << 48U, 0), true},   // infinity
      {bson_type::decimal128, decimal(0x7c00ULL << 48U, 0), true},   // NaN
      {bson_type::decimal128, decimal(0x6c10ULL << 48U, 1), false},  // above 34 digits
      {bson_type::string, string_value("false"), true},
      {bson_type::document, document(), true},
      {bson_type::null, {}, false},
      {bson_type::boolean, {}, false},  // cut short
      {bson_type::int32, little(std::int8_t{1}), false},
      {bson_type::decimal128, little(std::int64_t{1}), false},
  };
  for (std::size_t i = 0; i != std::size(cases); ++i) {
    const element found{"a", cases[i].type, cases[i].value};
    EXPECT_EQ(found.is_truthy(), cases[i].expected) << "case " << i;
  }
}

TEST(element, as_string_reads_strings_symbols_and_code) {
  const bytes value = string_value("text");
  for (const auto type : {bson_type::string, bson_type::symbol, bson_type::code}) {
    EXPECT_EQ((element{"a", type, value}.as_string()), "text");
  }
  EXPECT_EQ((element{"a", bson_type::binary, value}.as_string()), "");
  EXPECT_EQ((element{"a", bson_type::document, value}.as_string()), "");
}

TEST(element, as_string_never_reads_beyond_its_value) {
  const bytes cases[] = {
      {},
      little(std::int8_t{1}),
      little(std::int32_t{1}),
      joined(little(std::int32_t{0}), bytes(1)),
      joined(little(std::int32_t{-1}), bytes(1)),
      joined(little(std::int32_t{3}), bytes(2)),
  };
  for (const bytes& value : cases) {
    EXPECT_EQ((element{"a", bson_type::string, value}.as_string()), "") << value.size();
  }
}

TEST(element, as_container_is_for_documents_and_arrays_that_are_whole) {
  const bytes inner = document(int32_field("x", 1));
  for (const auto type : {bson_type::document, bson_type::array}) {
    const auto found = element{"a", type, inner}.as_container();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size_bytes(), inner.size());
    EXPECT_FALSE((element{"a", type, std::span{inner}.first(inner.size() - 1)}.as_container()));
    EXPECT_FALSE((element{"a", type, {}}.as_container()));
  }
  EXPECT_FALSE((element{"a", bson_type::code_with_scope, inner}.as_container()));
}

TEST(element, says_which_container_it_is) {
  const bytes inner = document(int32_field("x", 1));
  const element embedded{"a", bson_type::document, inner};
  const element array{"a", bson_type::array, inner};
  EXPECT_TRUE(embedded.as_document());
  EXPECT_FALSE(array.as_document());
  EXPECT_FALSE(embedded.as_array());
  EXPECT_TRUE(array.as_array());
  EXPECT_TRUE(embedded.as_container());
  EXPECT_TRUE(array.as_container());
  const element text{"a", bson_type::string, inner};
  EXPECT_FALSE(text.as_document() || text.as_array() || text.as_container());
  const std::span broken = std::span{inner}.first(inner.size() - 1);
  EXPECT_FALSE((element{"a", bson_type::document, broken}.as_document()));
  EXPECT_FALSE((element{"a", bson_type::array, broken}.as_array()));
}

TEST(element, knows_the_kind_of_its_type) {
  for (const auto type :
       {bson_type::int32, bson_type::int64, bson_type::float64, bson_type::decimal128}) {
    EXPECT_TRUE((element{"a", type, {}}.is_number()));
  }
  EXPECT_FALSE((element{"a", bson_type::boolean, {}}.is_number()));
  EXPECT_FALSE((element{"a", bson_type::date, {}}.is_number()));
  EXPECT_EQ(element{}.type(), bson_type::null);
  EXPECT_EQ(element{}.key(), "");
}

}  // namespace
}  // namespace scattergate::wire
