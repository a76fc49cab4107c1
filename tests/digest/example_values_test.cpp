#include "digest/example_values.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

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
       R"("updates":[{"q":{"a":0},"u":{"$pop":{"b":1}}},{"u":{},"q":{}}])"},
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

TEST(example_values, have_their_placeholders_beside_them) {
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
