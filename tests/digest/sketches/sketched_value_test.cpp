#include "digest/sketches/sketched_value.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "routing/keys/key_encoding.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::digest {
namespace {

class sketched_values : public testing::Test {
 protected:
  std::optional<sketched_value> of(const std::string& json, const salt& by = some_salt) {
    const tests::json_document document{R"({"a":)" + json + "}"};
    return sketched(1, document.first(), by, memory_);
  }

 private:
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch memory_{block_};
};

TEST_F(sketched_values, are_equal_where_MongoDB_compares_them_as_equal) {
  const std::vector<std::vector<std::string>> equal{
      {"1", R"({"$numberLong":"1"})", "1.0", R"({"$numberDecimal":"1.00"})"},
      {"0", "-0.0", R"({"$numberDecimal":"0E+3"})"},
      {R"({"$numberLong":"9007199254740993"})", R"({"$numberDecimal":"9007199254740993"})"},
      {R"("x")", R"({"$symbol":"x"})"},
      {"true"},
      {"null"},
      {R"({"x":1})", R"({"x":1.0})"},
      {R"({"$oid":"0123456789abcdef01234567"})"}};
  std::vector<std::uint64_t> seen;
  for (const auto& group : equal) {
    const auto first = of(group.front());
    ASSERT_TRUE(first);
    for (const std::string& each : group) EXPECT_EQ(of(each)->hash, first->hash) << each;
    for (const std::uint64_t other : seen) EXPECT_NE(first->hash, other) << group.front();
    seen.push_back(first->hash);
  }
}

TEST_F(sketched_values, are_hashed_as_they_are_encoded) {
  for (const std::string json :
       {"0",
        "-1",
        "2147483647",
        R"({"$numberLong":"9007199254740992"})",
        R"({"$numberLong":"-9007199254740992"})",
        R"({"$numberLong":"9007199254740993"})",
        R"({"$numberLong":"-9223372036854775808"})",
        "1.5",
        R"("")",
        R"("a")",
        R"("abcdefg")",
        R"("abcdefghijklmno")",
        R"("a\u0000b")",
        R"("0123456789012345678901234567890123456789012345678901234567890123")",
        R"("01234567890123456789012345678901234567890123456789012345678901234")",
        R"({"$oid":"0123456789abcdef01234567"})",
        "true",
        "null",
        R"({"x":[1,"y"]})",
        R"({"$date":{"$numberLong":"1795323081203"}})"}) {
    const tests::json_document document{R"({"a":)" + json + "}"};
    std::vector<std::byte> encoded;
    ASSERT_TRUE(routing::append_encoded(encoded, document.first()));
    EXPECT_EQ(of(json)->hash, salted_hash(encoded, some_salt)) << json;
    encoded.resize(std::max<std::size_t>(encoded.size(), 16));
    const auto whole = std::span{std::as_const(encoded)};
    EXPECT_EQ(of(json)->head.first, routing::head_of(whole.first(8))) << json;
    EXPECT_EQ(of(json)->head.second, routing::head_of(whole.subspan(8, 8))) << json;
  }
}

TEST_F(sketched_values, depend_on_the_salt) {
  EXPECT_NE(of("1")->hash, of("1", salt{5, 6})->hash);
}

TEST_F(sketched_values, sort_as_MongoDB_sorts) {
  const std::vector<std::string> sorted{"null",
                                        "-5",
                                        "1",
                                        "1.5",
                                        "2",
                                        R"("a")",
                                        R"("abcdefghijklm")",
                                        R"("abcdefghijkln")",
                                        R"({"$oid":"0123456789abcdef01234567"})",
                                        R"({"$oid":"0123456789abcdef01234568"})"};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    EXPECT_LT(of(sorted[i - 1])->head, of(sorted[i])->head) << sorted[i];
  }
}

TEST_F(sketched_values, are_none_of_arrays_and_long_or_broken_ones) {
  EXPECT_FALSE(of("[1]"));
  EXPECT_TRUE(of("\"" + std::string(900, 'x') + "\""));
  EXPECT_FALSE(of("\"" + std::string(1'100, 'x') + "\""));
  std::vector<std::byte> block(4'096);
  routing::scratch memory{block};
  const std::array<std::byte, 3> broken{};
  EXPECT_FALSE(sketched(1, {"a", wire::bson_type::object_id, broken}, some_salt, memory));
  EXPECT_EQ(memory.mark(), 0U);
}

constexpr std::uint64_t many = 20'000;

template <typename ValueAt>
double measured(ValueAt at) {
  value_order of;
  for (std::uint64_t i = 0; i < many; ++i) of.add({at(i), 0}, true);
  const auto result = of.measured();
  EXPECT_TRUE(result && result->is_of_inserts && result->values == many);
  return result ? result->correlation : 0;
}

TEST(value_order, is_one_for_values_that_grow_and_minus_one_for_those_that_shrink) {
  EXPECT_DOUBLE_EQ(measured([](std::uint64_t i) { return i; }), 1);
  EXPECT_DOUBLE_EQ(measured([](std::uint64_t i) { return many - i; }), -1);
  EXPECT_GT(measured([](std::uint64_t i) { return i / 1'000; }), 0.97) << "days";
  std::mt19937_64 random{1};
  EXPECT_GT(measured([&](std::uint64_t i) { return i + random() % 500; }), 0.97)
      << "clocks that differ";
}

TEST(value_order, is_near_zero_for_values_without_order) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random{seed};
    EXPECT_LT(std::abs(measured([&](std::uint64_t) { return random(); })), 0.6);
    EXPECT_LT(std::abs(measured([&](std::uint64_t) { return random() % 3; })), 0.6);
  }
  EXPECT_EQ(measured([](std::uint64_t) { return std::uint64_t{7}; }), 0);
}

TEST(value_order, compares_sixteen_bytes) {
  value_order of;
  for (std::uint64_t i = 0; i < many; ++i) of.add({5, i}, false);
  EXPECT_DOUBLE_EQ(of.measured()->correlation, 1);
}

TEST(value_order, is_that_of_new_documents_if_there_are_any) {
  value_order of;
  for (std::uint64_t i = 0; i < 100; ++i) of.add({100 - i, 0}, false);
  EXPECT_DOUBLE_EQ(of.measured()->correlation, -1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    of.add({i, 0}, true);
    of.add({1'000 - i, 0}, false);
  }
  EXPECT_DOUBLE_EQ(of.measured()->correlation, 1);
  EXPECT_TRUE(of.measured()->is_of_inserts);
  EXPECT_EQ(of.measured()->values, 100U);
}

TEST(value_order, is_unknown_for_few_values) {
  value_order of;
  for (std::uint64_t i = 0; i + 1 < value_order::least_values; ++i) of.add({i, 0}, true);
  EXPECT_FALSE(of.measured());
  of.add({100, 0}, true);
  EXPECT_TRUE(of.measured());
}

TEST(value_order, of_a_sum_is_the_mean_by_values) {
  value_order of;
  for (std::uint64_t i = 0; i < 100; ++i) of.add({i, 0}, true);
  of.add({300, 0, true});
  EXPECT_DOUBLE_EQ(of.measured()->correlation, 0.25);
  of.add({400, -1, true});
  EXPECT_DOUBLE_EQ(of.measured()->correlation, (100 - 400) / 800.0);
  of.add({1'000'000, 1, false});
  EXPECT_EQ(of.measured()->values, 800U) << "queries don't count beside inserts";
}

}  // namespace
}  // namespace scattergate::digest
