#include "routing/keys/key_encoding.hpp"

#include <gtest/gtest.h>

#include "tests/routing/value_support.hpp"
#include "tests/support/allocation_counter.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;

/// Each is less than the next (mongo: BSON comparison order, and within each type the rules of
/// BSONElement::compareElements).
const std::vector<std::string_view> ascending = {
    R"({"$minKey": 1})",
    R"({"$undefined": true})",
    R"(null)",
    R"({"$numberDouble": "NaN"})",
    R"({"$numberDouble": "-Infinity"})",
    R"(-1)",
    R"(0)",
    R"({"$numberDecimal": "0.1"})",
    R"(1)",
    R"({"$numberDouble": "Infinity"})",
    R"("")",
    R"("\u0000")",
    R"("\u0000\u0000")",
    R"("\u0000a")",
    R"("\u0001")",
    R"("A")",
    R"({"$symbol": "a"})",
    R"("a\u0000")",
    R"("a\u0000b")",
    R"("a\u0001")",
    R"("aa")",
    R"("b")",
    R"("é")",
    R"({})",
    R"({"a": {"$minKey": 1}})",
    R"({"a": null})",
    R"({"a": 1})",
    R"({"a": 1, "b": 1})",
    R"({"a": 2})",
    R"({"aa": 1})",  // the type before the name, the name before the value
    R"({"b": 0})",
    R"({"a": "x"})",
    R"({"a": {}})",
    R"({"a": {"a": 1}})",
    R"({"a": {"a": 1}, "b": 1})",
    R"({"a": []})",
    R"({"a": {"$maxKey": 1}})",
    R"([])",
    R"([{"$minKey": 1}])",
    R"([{"$undefined": true}])",
    R"([1])",
    R"([1, 1])",
    R"([1, "a"])",
    R"([2])",
    R"([[]])",
    R"([[1]])",
    R"({"$binary": {"base64": "", "subType": "00"}})",
    R"({"$binary": {"base64": "", "subType": "05"}})",
    R"({"$binary": {"base64": "AA==", "subType": "00"}})",
    R"({"$binary": {"base64": "/w==", "subType": "00"}})",
    R"({"$binary": {"base64": "AA==", "subType": "05"}})",
    R"({"$binary": {"base64": "AAA=", "subType": "00"}})",
    R"({"$oid": "000000000000000000000000"})",
    R"({"$oid": "000000000000000000000001"})",
    R"({"$oid": "010000000000000000000000"})",
    R"(false)",
    R"(true)",
    R"({"$date": {"$numberLong": "-1"}})",
    R"({"$date": {"$numberLong": "0"}})",
    R"({"$date": {"$numberLong": "1"}})",
    R"({"$timestamp": {"t": 0, "i": 0}})",
    R"({"$timestamp": {"t": 0, "i": 4294967295}})",
    R"({"$timestamp": {"t": 1, "i": 0}})",
    R"({"$timestamp": {"t": 4294967295, "i": 0}})",
    R"({"$regularExpression": {"pattern": "a", "options": ""}})",
    R"({"$regularExpression": {"pattern": "a", "options": "i"}})",
    R"({"$regularExpression": {"pattern": "ab", "options": ""}})",
    R"({"$dbPointer": {"$ref": "b", "$id": {"$oid": "000000000000000000000000"}}})",
    R"({"$dbPointer": {"$ref": "b", "$id": {"$oid": "000000000000000000000001"}}})",
    R"({"$dbPointer": {"$ref": "aa", "$id": {"$oid": "000000000000000000000000"}}})",
    R"({"$code": "a"})",
    R"({"$code": "b"})",
    R"({"$code": "a", "$scope": {}})",
    R"({"$code": "a", "$scope": {"x": 1}})",
    R"({"$code": "b", "$scope": {}})",
    R"({"$maxKey": 1})",
};

TEST(key_encoding, orders_values_of_all_types_as_mongodb_does) {
  for (std::size_t i = 0; i != ascending.size(); ++i) {
    for (std::size_t j = 0; j != ascending.size(); ++j) {
      const int order = compare_encoded(encoded(ascending[i]), encoded(ascending[j]));
      EXPECT_EQ(sign(order), (i > j) - (i < j)) << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(key_encoding, no_encoding_is_the_beginning_of_another) {
  for (const auto one : ascending) {
    for (const auto other : ascending) {
      const bytes shorter = encoded(one);
      const bytes longer = encoded(other);
      if (one == other || shorter.size() > longer.size()) continue;
      EXPECT_FALSE(std::equal(shorter.begin(), shorter.end(), longer.begin()))
          << one << " and " << other;
    }
  }
}

TEST(key_encoding, compound_keys_compare_field_by_field) {
  for (std::size_t i = 0; i + 1 != ascending.size(); ++i) {
    bytes less = encoded(ascending[i]);
    bytes greater = encoded(ascending[i + 1]);
    const bytes most = encoded(R"({"$maxKey": 1})");
    const bytes least = encoded(R"({"$minKey": 1})");
    less.insert(less.end(), most.begin(), most.end());
    greater.insert(greater.end(), least.begin(), least.end());
    EXPECT_LT(compare_encoded(less, greater), 0) << ascending[i];
  }
}

TEST(key_encoding, equal_values_have_equal_encodings) {
  const std::pair<std::string_view, std::string_view> equals[] = {
      {R"("abc")", R"({"$symbol": "abc"})"},
      {R"({"a": 1})", R"({"a": {"$numberDouble": "1"}})"},
      {R"([{"$numberLong": "7"}])", R"([{"$numberDecimal": "7.00"}])"},
  };
  for (const auto& [left, right] : equals) EXPECT_EQ(encoded(left), encoded(right)) << left;
}

TEST(key_encoding, the_names_of_array_members_do_not_count) {
  const tests::json_document honest{R"({"v": [1, 2]})"};
  const tests::json_document lying{R"({"v": {"9": 1, "": 2}})"};
  owned_scratch<> room;
  const wire::element forged{"v", wire::bson_type::array, lying.first().value()};
  EXPECT_EQ(compare_encoded(encode(honest.first(), room.memory), encode(forged, room.memory)),
            0);
}

TEST(key_encoding, the_constants_are_what_encoding_gives) {
  EXPECT_EQ(hex(encoded_min_key()), hex(encoded(R"({"$minKey": 1})")));
  EXPECT_EQ(hex(encoded_max_key()), hex(encoded(R"({"$maxKey": 1})")));
  EXPECT_EQ(hex(encoded_null()), hex(encoded("null")));
  EXPECT_EQ(hex(encoded_minus_infinity()), hex(encoded(R"({"$numberDouble": "-Infinity"})")));
  owned_scratch<> room;
  EXPECT_EQ(hex(encode_int64(-5, room.memory)), hex(encoded("-5")));
}

TEST(key_encoding, every_type_lies_between_its_least_and_its_greatest_value) {
  for (const auto json : ascending) {
    const bytes value = encoded(json);
    const auto type = static_cast<canonical_type>(value.front());
    EXPECT_LE(compare_encoded(encoded_least_of(type), value), 0) << json;
    const int order = compare_encoded(value, encoded_greatest_of(type));
    EXPECT_TRUE(is_greatest_within(type) ? order <= 0 : order < 0) << json;
  }
}

TEST(key_encoding, the_ends_of_types_are_encodings_of_the_values_mongodb_names) {
  const std::pair<canonical_type, std::pair<std::string_view, std::string_view>> ends[] = {
      {canonical_type::number,
       {R"({"$numberDouble": "NaN"})", R"({"$numberDouble": "Infinity"})"}},
      {canonical_type::string, {R"("")", "{}"}},
      {canonical_type::object, {"{}", "[]"}},
      {canonical_type::array, {"[]", R"({"$binary": {"base64": "", "subType": "00"}})"}},
      {canonical_type::binary,
       {R"({"$binary": {"base64": "", "subType": "00"}})",
        R"({"$oid": "000000000000000000000000"})"}},
      {canonical_type::object_id,
       {R"({"$oid": "000000000000000000000000"})", R"({"$oid": "ffffffffffffffffffffffff"})"}},
      {canonical_type::boolean, {"false", "true"}},
      {canonical_type::date,
       {R"({"$date": {"$numberLong": "-9223372036854775808"}})",
        R"({"$date": {"$numberLong": "9223372036854775807"}})"}},
      {canonical_type::timestamp,
       {R"({"$timestamp": {"t": 0, "i": 0}})",
        R"({"$timestamp": {"t": 4294967295, "i": 4294967295}})"}},
      {canonical_type::regex,
       {R"({"$regularExpression": {"pattern": "", "options": ""}})",
        R"({"$dbPointer": {"$ref": "", "$id": {"$oid": "000000000000000000000000"}}})"}},
      {canonical_type::db_pointer,
       {R"({"$dbPointer": {"$ref": "", "$id": {"$oid": "000000000000000000000000"}}})",
        R"({"$code": ""})"}},
      {canonical_type::code, {R"({"$code": ""})", R"({"$code": "", "$scope": {}})"}},
      {canonical_type::code_with_scope,
       {R"({"$code": "", "$scope": {}})", R"({"$maxKey": 1})"}},
      {canonical_type::max_key, {R"({"$maxKey": 1})", R"({"$maxKey": 1})"}},
  };
  for (const auto& [type, values] : ends) {
    EXPECT_EQ(hex(encoded_least_of(type)), hex(encoded(values.first))) << values.first;
    EXPECT_EQ(hex(encoded_greatest_of(type)), hex(encoded(values.second))) << values.second;
  }
}

TEST(key_encoding, appending_gives_the_same_bytes) {
  for (const auto json : ascending) {
    const tests::json_document document{"{\"v\": " + std::string{json} + "}"};
    bytes appended;
    EXPECT_TRUE(append_encoded(appended, document.first()));
    EXPECT_EQ(appended, encoded(json)) << json;
  }
}

TEST(key_encoding, takes_nothing_from_the_heap) {
  owned_scratch<> room;
  for (const auto json : ascending) {
    const tests::json_document document{"{\"v\": " + std::string{json} + "}"};
    const auto value = document.first();
    const tests::allocation_counter allocations;
    EXPECT_FALSE(encode(value, room.memory).empty()) << json;
    EXPECT_EQ(allocations.count(), 0U) << json;
  }
}

}  // namespace
}  // namespace scattergate::routing
