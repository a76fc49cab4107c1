#include "digest/placeholder.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "routing/shape/placeholder.hpp"

namespace scattergate::digest {
namespace {

using wire::bson_type;

/// Of these no value can be made up.
const std::set<std::string_view> without_value = {"?javascript", "?javascriptWithScope",
                                                  "?symbol", "?dbPointer"};

/// For a plain list the shape always has the type of its members.
const std::set<std::string_view> without_example = {"?array", "?dbPointer"};

TEST(placeholders, have_a_value_of_their_type_and_an_example) {
  for (const routing::placeholder& one : routing::placeholders) {
    wire::bson_writer to;
    EXPECT_EQ(write_placeholder("x", one.name, 1, to), !without_value.contains(one.name))
        << one.name;
    const std::string name{one.name};
    const std::string expected =
        without_example.contains(one.name)
            ? "\"x\":\"" + name + "\""
            : "\"x\":" + std::string{one.example} + " /*" + name + "*/";
    EXPECT_EQ(with_values("\"x\":\"" + name + "\""), expected);
    if (without_value.contains(one.name)) continue;
    const auto bytes = to.take();
    const auto value = wire::find_field(*wire::document_view::from(bytes), "x");
    ASSERT_TRUE(value) << one.name;
    EXPECT_EQ(value->type(), one.type) << one.name;
  }
}

TEST(placeholders, are_there_for_every_type) {
  using enum bson_type;
  for (const bson_type type :
       {float64,         string, document,  array, binary,     undefined, object_id,
        boolean,         date,   null,      regex, db_pointer, code,      symbol,
        code_with_scope, int32,  timestamp, int64, decimal128, max_key,   min_key}) {
    const auto* const known = routing::placeholder_named(routing::placeholder_of(type));
    ASSERT_NE(known, nullptr) << static_cast<int>(type);
    const bool is_number = type == float64 || type == int64 || type == decimal128;
    EXPECT_EQ(known->type, is_number ? int32 : type);
  }
  EXPECT_EQ(routing::placeholder_of(static_cast<bson_type>(0x55)), "?unknown");
}

struct example {
  std::string shape;
  std::string written;  ///< without the comments
};

std::string without_comments(std::string text) {
  for (std::size_t at = text.find(" /*"); at != text.npos; at = text.find(" /*")) {
    text.erase(at, text.find("*/") + 2 - at);
  }
  return text;
}

TEST(example_values, are_accepted_where_they_stand) {
  const std::vector<example> examples = {
      {R"("pipeline":[{"$limit":"?number"}])", R"("pipeline":[{"$limit":1}])"},
      {R"("pipeline":[{"$skip":"?number"}])", R"("pipeline":[{"$skip":0}])"},
      {R"("pipeline":[{"$sample":{"size":"?number"}}])",
       R"("pipeline":[{"$sample":{"size":1}}])"},
      {R"("filter":{"a":{"$mod":"?array<?number>"}})", R"("filter":{"a":{"$mod":[1, 1]}})"},
      {R"("filter":{"a":{"$type":"?string"}})", R"("filter":{"a":{"$type":"string"}})"},
      {R"("filter":{"a":{"$type":"?number"}})", R"("filter":{"a":{"$type":2}})"},
      {R"("filter":{"a":{"$type":"?array<?string>"}})",
       R"("filter":{"a":{"$type":["string"]}})"},
      {R"("filter":{"a":"?string"},"hint":"?string")", R"("filter":{"a":""},"hint":"_id_")"},
      {R"("hint":{"a":"?number"})", R"("hint":{"a":1})"},
      {R"("sort":{"a":"?number"})", R"("sort":{"a":1})"},
      {R"("filter":{"a":{"$in":"?array<?number>"}})", R"("filter":{"a":{"$in":[0]}})"},
      {R"("deletes":[{"limit":0}])", R"("deletes":[{"limit":0,"q":{}}])"},
      {R"("deletes":[{"limit":0,"q":{"a":"?number"}}])",
       R"("deletes":[{"limit":0,"q":{"a":0}}])"},
      {R"("updates":[{"multi":true,"u":{"$set":{"q":"?number"}}}])",
       R"("updates":[{"multi":true,"u":{"$set":{"q":0}},"q":{}}])"},
      {R"("updates":[{"q":{"a":"?number"},"u":{"$pop":{"b":"?number"}}},{"u":"?document"}])",
       R"("updates":[{"q":{"a":0},"u":{"$pop":{"b":1}}}])"},  // explain takes one
      {R"("deletes":[{"limit":1,"q":{"a\"}":"?number"}},{"limit":0},{"limit":0}],"x":1)",
       R"("deletes":[{"limit":1,"q":{"a\"}":0}}],"x":1)"},
      {R"("updates":[{"u":{"$bit":{"a":"?object"}}}])",
       R"("updates":[{"u":{"$bit":{"a":{"and": 0}}},"q":{}}])"},
      {R"("filter":{"l":{"$near":{"$geometry":{"type":"?string","coordinates":"?array<?number>"}}}})",
       R"("filter":{"l":{"$near":{"$geometry":{"type":"Point","coordinates":[0, 0]}}}})"},
      {R"("filter":{"l":{"$geoWithin":{"$geometry":{"type":"?string","coordinates":"?array<?array>"}}}})",
       R"("filter":{"l":{"$geoWithin":{"$geometry":{"type":"Polygon","coordinates":[[[0, 0], [0, 1], [1, 1], [0, 0]]]}}}})"},
      {R"("filter":{"l":{"$geoWithin":{"$box":"?array<?array>"}}})",
       R"("filter":{"l":{"$geoWithin":{"$box":[[0, 0], [1, 1]]}}})"},
      {R"("filter":{"l":{"$geoWithin":{"$centerSphere":"?array<>"}}})",
       R"("filter":{"l":{"$geoWithin":{"$centerSphere":[[0, 0], 1]}}})"},
      {R"("filter":{"$jsonSchema":{"bsonType":"?string","properties":{"a":{"enum":"?array<>"}}}})",
       R"("filter":{"$jsonSchema":{"bsonType":"string","properties":{"a":{"enum":[0]}}}})"},
      {R"("pipeline":[{"$bucket":{"boundaries":"?array<?number>","default":"?number"}}])",
       R"("pipeline":[{"$bucket":{"boundaries":[0, 1],"default":1}}])"},
      {R"("pipeline":[{"$densify":{"field":"?string","range":{"bounds":"?string","step":"?number"}}}])",
       R"("pipeline":[{"$densify":{"field":"x","range":{"bounds":"full","step":1}}}])"},
      {R"("pipeline":[{"$fill":{"output":{"a":{"method":"?string"}}}}])",
       R"("pipeline":[{"$fill":{"output":{"a":{"method":"locf"}}}}])"},
      {R"("pipeline":[{"$group":{"_id":"?null","a":{"$topN":{"n":"?number"}}}}])",
       R"("pipeline":[{"$group":{"_id":null,"a":{"$topN":{"n":1}}}}])"},
      {R"("pipeline":[{"$setWindowFields":{"output":{"a":{"window":{"documents":"?array<?string>"}}}}}])",
       R"("pipeline":[{"$setWindowFields":{"output":{"a":{"window":{"documents":["unbounded", "current"]}}}}}])"},
      {R"("pipeline":[{"$geoNear":{"near":{"coordinates":"?array<?number>","type":"?string"}}}])",
       R"("pipeline":[{"$geoNear":{"near":{"coordinates":[0, 0],"type":"Point"}}}])"},
      {R"("max":{"a":"?number"},"min":{"a":"?number"})", R"("max":{"a":1},"min":{"a":0})"},
      {R"("filter":{"$expr":{"$eq":["$a","$$v"]}})",
       R"("filter":{"$expr":{"$eq":["$a","$$v"]}},"let":{"v":0})"},
      {R"("pipeline":[{"$lookup":{"let":{"v":"$a"},"pipeline":[{"$match":{"$expr":{"$eq":["$a","$$v.b"]}}}]}}])",
       R"("pipeline":[{"$lookup":{"let":{"v":"$a"},"pipeline":[{"$match":{"$expr":{"$eq":["$a","$$v.b"]}}}]}}])"},
      {R"("pipeline":[{"$set":{"a":{"$map":{"as":"e","in":"$$e","input":"$a"}},"b":"$$NOW","c":{"$filter":{"cond":"$$this","input":"$a"}}}}])",
       R"("pipeline":[{"$set":{"a":{"$map":{"as":"e","in":"$$e","input":"$a"}},"b":"$$NOW","c":{"$filter":{"cond":"$$this","input":"$a"}}}}])"},
      {R"("update":{"$currentDate":{"a":{"$type":"?string"}}})",
       R"("update":{"$currentDate":{"a":{"$type":"date"}}})"},
      {R"("collation":{"locale":"?string","strength":"?number"})",
       R"("collation":{"locale":"en","strength":3})"},
      {R"("filter":{"?number":"?string"})", R"("filter":{"?number":""})"},
      {R"("filter":{"a\"b":"?null"})", R"("filter":{"a\"b":null})"},
  };
  for (const example& one : examples) {
    EXPECT_EQ(without_comments(with_values(one.shape)), one.written);
  }
}

TEST(example_values, have_their_placeholders_next_to_them) {
  EXPECT_EQ(with_values(R"("limit":"?number","pipeline":[{"$limit":"?number"}])"),
            R"("limit":0 /*?number*/,"pipeline":[{"$limit":1 /*?number*/}])");
}

TEST(example_values, end_with_a_shape_that_is_cut) {
  for (const char* const cut : {"\"a", "\"a\":\"?num", "}]", "{\"a\":[", "\"a\\"}) {
    EXPECT_LT(with_values(cut).size(), 100U) << cut;
  }
}

}  // namespace
}  // namespace scattergate::digest
