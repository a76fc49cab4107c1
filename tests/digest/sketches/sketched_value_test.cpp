#include "digest/sketches/sketched_value.hpp"

#include <algorithm>
#include <array>
#include <memory>
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

}  // namespace
}  // namespace scattergate::digest
