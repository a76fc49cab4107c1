#include "routing/keys/hash.hpp"

#include <gtest/gtest.h>

#include "tests/routing/value_support.hpp"
#include "tests/support/allocation_counter.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;

std::optional<std::int64_t> hash(std::string_view json_value) {
  const tests::json_document document{"{\"v\": " + std::string{json_value} + "}"};
  return hash_of(document.first());
}

struct vector {
  std::string_view json;
  std::int64_t expected;
};

/// Published with the server (mongo: src/mongo/db/hasher_test.cpp).
const std::vector<vector> published = {
    {"42", -944302157085130861},
    {"42.123", -944302157085130861},
    {R"({"$numberLong": "42"})", -944302157085130861},
    {"0", 4854801880128277513},
    {"0.456", 4854801880128277513},
    {R"({"$numberDouble": "NaN"})", 4854801880128277513},
    {"1", 5902408780260971510},
    {"1.987", 5902408780260971510},
    {R"({"$numberLong": "1"})", 5902408780260971510},
    {"-1", 1140205862565771219},
    {"-1.789", 1140205862565771219},
    {"-2147483648", 6165898260261354870},
    {R"({"$numberDouble": "-2147483648"})", 6165898260261354870},
    {"2147483647", 1143184177162245883},
    {R"({"$numberDouble": "2147483647"})", 1143184177162245883},
    {R"({"$numberDouble": "1.7976931348623157E308"})", 921523596458303250},
    {R"({"$numberLong": "9223372036854775807"})", 921523596458303250},
    {R"({"$numberDouble": "-1.7976931348623157E308"})", 4532067210535695462},
    {R"({"$numberLong": "-9223372036854775808"})", 4532067210535695462},
    {R"({"$minKey": 1})", 7961148599568647290},
    {R"({"$maxKey": 1})", 5504842513779440750},
    {R"({"$undefined": true})", 40158834000849533},
    {"null", 2338878944348059895},
    {R"("abc")", 8478485326885698097},
    {R"({"$symbol": "abc"})", 8478485326885698097},
    {R"("")", 2049396243249673340},
    {R"({"a": "abc", "b": {"$numberLong": "123"}})", 4771603801758380216},
    {R"({})", 7980500913326740417},
    {R"(["bar", "baz", "qux"])", -2938911267422831539},
    {R"([])", 8849948234993459283},
    {R"({"$binary": {"base64": "AAECAwQG", "subType": "00"}})", 7252465090394235301},
    {R"({"$binary": {"base64": "AAECAwQG", "subType": "80"}})", 5736670452907618262},
    {R"({"$binary": {"base64": "AAECAwQFBgcICQoLDA0ODw==", "subType": "04"}})",
     6084661258071355978},
    {R"({"$oid": "010203040506070809101112"})", -5588663249627035708},
    {R"({"$oid": "000000000000000000000000"})", -4293118519463489418},
    {"true", 6405873908747105701},
    {"false", 6289544573401934092},
    {R"({"$date": {"$numberLong": "6153737367135073092"}})", 4476222765095560467},
    {R"({"$timestamp": {"t": 1432778632, "i": 287454020}})", 4873046866288452390},
    {R"({"$date": {"$numberLong": "0"}})", -1178696894582842035},
    {R"({"$timestamp": {"t": 0, "i": 0}})", -7867208682377458672},
    {R"({"$regularExpression": {"pattern": "mongodb", "options": ""}})", -7275792090268217043},
    {R"({"$regularExpression": {"pattern": ".*", "options": "i"}})", 7095855029187981886},
    {R"({"$dbPointer": {"$ref": "c", "$id": {"$oid": "010203040506070809101112"}}})",
     940175826736461384},
    {R"({"$dbPointer": {"$ref": "db.c", "$id": {"$oid": "010203040506070809101112"}}})",
     2426768198104018194},
    {R"({"$code": "func f() { return 1; }"})", 6861638109178014270},
    {R"({"$code": "func f() { return 1; }", "$scope": {"c": true}})", 501342939894575968},
};

TEST(hash, is_the_published_one_for_every_type) {
  for (const auto& [json, expected] : published) EXPECT_EQ(hash(json), expected) << json;
}

TEST(hash, of_null_stands_for_missing_too) {
  EXPECT_EQ(hash_of_null(), 2338878944348059895);
}

TEST(hash, reads_numbers_as_int64) {
  const std::pair<std::string_view, std::string_view> equals[] = {
      {R"({"$numberDouble": "9223372036854775808"})",  // 2^63 overflows to the other end
       R"({"$numberLong": "-9223372036854775808"})"},
      {R"({"$numberDouble": "9223372036854777856"})",
       R"({"$numberLong": "9223372036854775807"})"},
      {R"({"$numberDouble": "Infinity"})", R"({"$numberLong": "9223372036854775807"})"},
      {R"({"$numberDouble": "-Infinity"})", R"({"$numberLong": "-9223372036854775808"})"},
      {R"({"$numberDouble": "-0.0"})", "0"},
      {R"({"$numberDecimal": "2.2"})", "2"},
      // Unlike doubles, decimals are rounded, ties to even (Decimal128::toLong).
      {R"({"$numberDecimal": "2.5"})", "2"},
      {R"({"$numberDecimal": "3.5"})", "4"},
      {R"({"$numberDecimal": "-2.9"})", "-3"},
      {R"({"$numberDecimal": "1E+3"})", "1000"},
      {R"({"$numberDecimal": "1E-6176"})", "0"},
      {R"({"$numberDecimal": "NaN"})", "0"},
      {R"({"$numberDecimal": "9223372036854775808"})",
       R"({"$numberLong": "9223372036854775807"})"},
      {R"({"$numberDecimal": "-1E+6000"})", R"({"$numberLong": "-9223372036854775808"})"},
      {R"({"$numberDecimal": "Infinity"})", R"({"$numberLong": "9223372036854775807"})"},
      {R"({"x": {"a": 3, "b": [3.1, {"c": 3}]}})",
       R"({"x": {"a": 3.1, "b": [3, {"c": 3.0}]}})"},
      {R"({"$code": "f", "$scope": {"a": 3}})", R"({"$code": "f", "$scope": {"a": 3.1}})"},
  };
  for (const auto& [left, right] : equals) EXPECT_EQ(hash(left), hash(right)) << left;
}

TEST(hash, distinguishes_what_looks_alike) {
  const std::pair<std::string_view, std::string_view> different[] = {
      {"3", R"("3")"},
      {R"("3")", R"({"$regularExpression": {"pattern": "3", "options": ""}})"},
      {R"({"0": 0, "1": 1})", "[0, 1]"},
      {R"({"a": {}, "b": 1})", R"({"a": {"b": 1}})"},
      {R"({"a": 1})", R"({"b": 1})"},
      {"null", R"({"$undefined": true})"},
  };
  for (const auto& [left, right] : different) EXPECT_NE(hash(left), hash(right)) << left;
}

TEST(hash, broken_or_too_deep_values_have_none) {
  const tests::json_document deepest{
      "{\"v\": " + std::string(wire::limits::inspect_depth, '[') +
      std::string(wire::limits::inspect_depth, ']') + "}"};
  EXPECT_TRUE(hash_of(deepest.first()));
  const tests::json_document too_deep{
      "{\"v\": " + std::string(wire::limits::inspect_depth + 1, '[') +
      std::string(wire::limits::inspect_depth + 1, ']') + "}"};
  EXPECT_FALSE(hash_of(too_deep.first()));
  const bytes three(3);
  for (const auto type : {wire::bson_type::int32, wire::bson_type::int64,
                          wire::bson_type::float64, wire::bson_type::decimal128,
                          wire::bson_type::document, wire::bson_type::code_with_scope}) {
    EXPECT_FALSE(hash_of({"v", type, three})) << static_cast<int>(type);
  }
}

TEST(hash, takes_nothing_from_the_heap) {
  for (const auto& [json, expected] : published) {
    const tests::json_document document{"{\"v\": " + std::string{json} + "}"};
    const auto value = document.first();
    const tests::allocation_counter allocations;
    EXPECT_TRUE(hash_of(value));
    EXPECT_EQ(allocations.count(), 0U) << json;
  }
}

}  // namespace
}  // namespace scattergate::routing
