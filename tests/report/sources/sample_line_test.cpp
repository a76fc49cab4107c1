#include "report/sources/sample_line.hpp"

#include <gtest/gtest.h>

#include "wire/bson_writer.hpp"

namespace scattergate::report {
namespace {

std::string made_of(const std::string& command, const std::string& shape) {
  const sampled_command made = read_sample(R"({"ns":"d.c.e","command":")" + command +
                                           R"(","shapeHash":"00ff","shape":)" + shape + "}");
  EXPECT_TRUE(made.is_made_up);
  if (!made.command) return "error: " + made.command.error().what;
  EXPECT_EQ(made.shape_hash, "00ff");
  std::string json = wire::relaxed_json_of(*made.command);
  std::erase(json, ' ');
  return json;
}

struct made_up {
  const char* command;
  const char* shape;
  const char* expected;
};

TEST(sample_line, a_command_is_made_up_of_its_shape) {
  const made_up cases[] = {
      {"find", R"({"filter":{"a":{"$gte":"?number","$lte":"?number"}},"sort":{"a":-1}})",
       R"({"find":"c.e","filter":{"a":{"$gte":1,"$lte":2}},"sort":{"a":-1},"$db":"d"})"},
      {"find", "{}", R"({"find":"c.e","$db":"d"})"},
      {"count", R"({"query":{"m.?number.x":"?string","$or":[{"b":"?bool"},{"c":"?null"}]}})",
       R"({"count":"c.e","query":{"m.0.x":"a0000000001","$or":[{"b":true},{"c":null}]},"$db":"d"})"},
      {"distinct", R"({"key":"status","query":{"a":{"$in":"?array<?number>"}}})",
       R"({"distinct":"c.e","key":"status","query":{"a":{"$in":[1,2]}},"$db":"d"})"},
      {"find", R"({"filter":{"a":{"$type":"?string"},"b":{"$mod":"?array<?number>"}}})",
       R"({"find":"c.e","filter":{"a":{"$type":"string"},"b":{"$mod":[1,2]}},"$db":"d"})"},
      {"aggregate", R"({"pipeline":[{"$match":{"a":"?objectId"}},{"$limit":"?number"}]})",
       R"({"aggregate":"c.e","pipeline":[{"$match":{"a":{"$oid":"650000000000000000000001"}}},)"
       R"({"$limit":2}],"$db":"d"})"},
      {"aggregate", "{}", R"({"aggregate":"c.e","pipeline":[],"$db":"d"})"},
      {"update", R"({"updates":[{"multi":true,"u":{"$set":{"a":"?object"}}}]})",
       R"({"update":"c.e","updates":[{"q":{},"multi":true,"u":{"$set":{"a":{"a":1}}}}],)"
       R"("$db":"d"})"},
      {"delete", R"({"deletes":[{"limit":1,"q":{"a":"?regex"}}]})",
       R"({"delete":"c.e","deletes":[{"limit":1,"q":{"a":{"$regularExpression":)"
       R"({"pattern":"^a","options":""}}}}],"$db":"d"})"},
  };
  for (const made_up& each : cases) {
    EXPECT_EQ(made_of(each.command, each.shape), each.expected) << each.shape;
  }
}

TEST(sample_line, a_sample_is_taken_as_it_is) {
  const sampled_command made =
      read_sample(R"({"ns":"d.c","command":"find","shapeHash":"1","shape":{},)"
                  R"("sample":{"find":"c","filter":{"a":{"$numberLong":"5"}},"$db":"d"}})");
  EXPECT_FALSE(made.is_made_up);
  EXPECT_EQ(wire::relaxed_json_of(made.command.value()),
            R"({ "find" : "c", "filter" : { "a" : 5 }, "$db" : "d" })");
}

TEST(sample_line, what_cannot_be_made_up_says_why) {
  EXPECT_EQ(made_of("find", R"({"filter":{"a":"?number","...":true}})"),
            "error: its shape is truncated");
  EXPECT_EQ(made_of("find", R"({"filter":{"$or":[{"a":"?number"},"..."]}})"),
            "error: its shape is truncated");
  EXPECT_EQ(made_of("find", R"({"filter":{"$where":"?javascript"}})"),
            "error: no value of the type javascript can be made up");
  EXPECT_EQ(made_of("find", R"({"filter":{"a":"?deep"}})"),
            "error: no value of the type deep can be made up");
  EXPECT_FALSE(read_sample("nonsense").command);
  EXPECT_FALSE(read_sample("{}").command);
  EXPECT_FALSE(read_sample(R"({"ns":"nodot","command":"find","shape":{}})").command);
  std::string deep = R"({"filter":)";
  for (int i = 0; i < 80; ++i) deep += R"({"a":)";
  deep += "1" + std::string(81, '}');
  EXPECT_TRUE(made_of("find", deep).starts_with("error: "));
}

}  // namespace
}  // namespace scattergate::report
