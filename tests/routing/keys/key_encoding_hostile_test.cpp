#include <gtest/gtest.h>

#include "routing/keys/key_encoding.hpp"
#include "tests/routing/value_support.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;
using wire::bson_type;

bytes raw(std::initializer_list<int> values) {
  bytes made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

/// Nested this number of levels deep: {"v": [[...]]}.
std::string nested(std::size_t levels) {
  return "{\"v\": " + std::string(levels, '[') + std::string(levels, ']') + "}";
}

TEST(key_encoding, broken_values_have_no_encoding) {
  const std::pair<bson_type, bytes> cases[] = {
      {bson_type::int32, raw({1, 0, 0})},
      {bson_type::int64, raw({1, 0, 0, 0})},
      {bson_type::float64, {}},
      {bson_type::decimal128, raw({1, 2, 3, 4, 5, 6, 7, 8})},
      {bson_type::string, {}},
      {bson_type::string, raw({1, 0, 0, 0})},
      {bson_type::string, raw({2, 0, 0, 0, 0})},  // longer than it is
      {bson_type::string, raw({0, 0, 0, 0, 0})},  // no room for its NUL
      {bson_type::string, raw({255, 255, 255, 255, 0})},
      {bson_type::string, raw({2, 0, 0, 0, 'a', 'b'})},  // no NUL
      {bson_type::document, raw({4, 0, 0, 0})},
      {bson_type::document, raw({6, 0, 0, 0, 0})},
      {bson_type::document, raw({7, 0, 0, 0, 0x42, 0, 0})},  // a type that isn't
      {bson_type::array, raw({8, 0, 0, 0, 0x10, 0, 1, 0})},  // an int32 cut short
      {bson_type::binary, raw({0, 0, 0, 0})},
      {bson_type::binary, raw({9, 0, 0, 0, 0, 1})},
      {bson_type::object_id, raw({1, 2, 3})},
      {bson_type::boolean, {}},
      {bson_type::date, raw({1, 2, 3})},
      {bson_type::timestamp, raw({1, 2, 3})},
      {bson_type::regex, raw({'a', 0})},
      {bson_type::regex, raw({'a', 0, 'i', 0, 'x'})},
      {bson_type::regex, raw({'a', 0, 'i', 0, 0})},
      {bson_type::regex, {}},
      {bson_type::code, raw({9, 0, 0, 0, 0})},
      {bson_type::code_with_scope, raw({8, 0, 0, 0, 0, 0, 0, 0})},
      {bson_type::code_with_scope, raw({14, 0, 0, 0, 9, 0, 0, 0, 0, 5, 0, 0, 0, 0})},
      {bson_type::code_with_scope, raw({14, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0})},
  };
  for (std::size_t i = 0; i != std::size(cases); ++i) {
    owned_scratch<> room;
    const wire::element broken{"v", cases[i].first, cases[i].second};
    EXPECT_TRUE(encode(broken, room.memory).empty()) << "case " << i;
    EXPECT_EQ(room.memory.mark(), 0U) << "case " << i;
    EXPECT_FALSE(room.memory.is_exhausted()) << "case " << i;
    bytes appended = raw({7});
    EXPECT_FALSE(append_encoded(appended, broken)) << "case " << i;
    EXPECT_EQ(appended, raw({7})) << "case " << i;
  }
}

TEST(key_encoding, goes_as_deep_as_the_inspection_does_and_no_deeper) {
  owned_scratch<> room;
  const tests::json_document deepest{nested(wire::limits::inspect_depth)};
  EXPECT_FALSE(encode(deepest.first(), room.memory).empty());
  const tests::json_document too_deep{nested(wire::limits::inspect_depth + 1)};
  EXPECT_TRUE(encode(too_deep.first(), room.memory).empty());
  EXPECT_FALSE(room.memory.is_exhausted());
}

TEST(key_encoding, a_scratch_of_any_size_gives_the_whole_encoding_or_none_and_nothing_is_lost) {
  const tests::json_document document{
      R"({"v": {"a": "b\u0000c", "d": [1, {"$numberDecimal": "0.1"}], "e": {"$code": "f", "$scope": {"g": null}}}})"};
  owned_scratch<> ample;
  const bytes_view whole = encode(document.first(), ample.memory);
  ASSERT_FALSE(whole.empty());
  for (std::size_t size = 0; size != whole.size() + 1; ++size) {
    bytes block(size);
    scratch memory{block};
    const bytes_view got = encode(document.first(), memory);
    const bool fits = size == whole.size();
    EXPECT_EQ(hex(got), fits ? hex(whole) : "") << size;
    EXPECT_EQ(memory.is_exhausted(), !fits) << size;
    EXPECT_EQ(memory.mark(), got.size()) << size;
  }
}

}  // namespace
}  // namespace scattergate::routing
