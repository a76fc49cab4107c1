#include "digest/sketch/value_hash.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"

namespace scattergate::digest {
namespace {

const salt fixed{{1, 2}};

std::optional<std::uint64_t> hash(std::string_view value) {
  const tests::json_document document{"{\"v\":" + std::string{value} + "}"};
  return hash_of(document.first(), fixed);
}

order_key order(std::string_view value) {
  const tests::json_document document{"{\"v\":" + std::string{value} + "}"};
  return order_of(document.first());
}

TEST(value_hash, is_the_same_for_equal_numbers) {
  const auto five = hash(R"({"$numberInt":"5"})");
  ASSERT_TRUE(five);
  EXPECT_EQ(hash(R"({"$numberLong":"5"})"), five);
  EXPECT_EQ(hash(R"({"$numberDouble":"5.0"})"), five);
  EXPECT_EQ(hash(R"({"$numberDouble":"-0.0"})"), hash(R"({"$numberInt":"0"})"));
  EXPECT_NE(hash(R"({"$numberDouble":"5.5"})"), five);
  EXPECT_NE(hash(R"("5")"), five);
}

TEST(value_hash, tells_types_and_lengths_apart) {
  const std::vector<std::string> all = {"null",
                                        "true",
                                        "false",
                                        "\"\"",
                                        "\"a\"",
                                        "\"ab\"",
                                        "{}",
                                        R"({"a":1})",
                                        R"({"$oid":"000000000000000000000001"})",
                                        R"({"$date":{"$numberLong":"5"}})",
                                        R"({"$numberInt":"5"})",
                                        R"({"$numberDecimal":"5"})",
                                        R"({"$timestamp":{"t":0,"i":5}})",
                                        R"({"$binary":{"base64":"AAAA","subType":"00"}})",
                                        R"({"$binary":{"base64":"AAAA","subType":"05"}})",
                                        R"({"$minKey":1})",
                                        R"({"$maxKey":1})"};
  for (std::size_t i = 0; i != all.size(); ++i) {
    ASSERT_TRUE(hash(all[i])) << all[i];
    for (std::size_t j = 0; j != i; ++j)
      EXPECT_NE(hash(all[i]), hash(all[j])) << all[i] << all[j];
  }
}

TEST(value_hash, leaves_out_what_no_shard_key_holds) {
  for (const auto* const value : {"[1]", R"({"$undefined":true})",
                                  R"({"$regularExpression":{"pattern":"a","options":""}})"}) {
    EXPECT_FALSE(hash(value)) << value;
  }
}

TEST(value_hash, of_a_long_value_both_ends_and_the_length_count) {
  std::string text(100'000, 'a');
  const auto quoted = [](const std::string& of) { return '"' + of + '"'; };
  const auto known = hash(quoted(text));
  std::string other = text;
  other.front() = 'b';
  EXPECT_NE(hash(quoted(other)), known);
  other = text;
  other.back() = 'b';
  EXPECT_NE(hash(quoted(other)), known);
  EXPECT_NE(hash(quoted(text + 'a')), known);
}

TEST(value_hash, a_missing_field_is_null) {
  EXPECT_EQ(hash("null"), hash_of_missing(fixed));
  EXPECT_EQ(hash_of(wire::element{}, fixed), hash_of_missing(fixed));
}

TEST(order_key, is_mongodbs_order) {
  const std::vector<std::string> ascending = {
      "null",
      R"({"$numberDouble":"-1e300"})",
      R"({"$numberInt":"-1"})",
      R"({"$numberLong":"0"})",
      R"({"$numberDouble":"0.5"})",
      R"({"$numberInt":"7"})",
      "\"\"",
      "\"2026-11-25T04:30:00\"",
      "\"2026-11-25T04:30:01\"",
      R"({"$oid":"5f0000000000000000000001"})",
      R"({"$oid":"5f0000000000000000000002"})",
      "false",
      "true",
      R"({"$date":{"$numberLong":"-5"}})",
      R"({"$date":{"$numberLong":"5"}})",
      R"({"$timestamp":{"t":1,"i":1}})",
      R"({"$timestamp":{"t":1,"i":2}})",
  };
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(order(ascending[i - 1]), order(ascending[i])) << ascending[i];
  }
}

}  // namespace
}  // namespace scattergate::digest
