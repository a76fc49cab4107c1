#include "digest/shape_command.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"
#include "routing/scratch.hpp"
#include "routing/shape/shape.hpp"
#include "tests/support/single_spaced.hpp"
#include "wire/bson_writer.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {
namespace {

using testing::HasSubstr;

std::optional<std::vector<std::byte>> made_of(const std::string& fields) {
  const config::bson_bytes shape =
      config::bson_of_json(R"({"cmdNs":{"db":"d","coll":"c"},)" + fields + "}").value();
  return command_of_shape(shape.view());
}

std::string json_of(const std::string& fields) {
  const auto made = made_of(fields);
  return made ? wire::relaxed_json_of(*made) : "nothing";
}

std::string shape_of(std::span<const std::byte> body) {
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  const auto command = wire::command_of(*wire::document_view::from(body));
  return std::string{command->name} + " " +
         std::string{routing::hash_shape(*command, memory).text};
}

struct stated_case {
  const char* by_query_stats;  ///< mongo: query_shape_test.cpp, *_cmd_shape_test.cpp
  const char* sent;
};

TEST(shape_command, has_the_shape_of_what_an_application_sent) {
  const stated_case cases[] = {
      {R"("command":"find","filter":{"item":{"$eq":"?string"}})",
       R"({"find":"c","filter":{"item":"card"}})"},
      {R"("command":"find","filter":{"$and":[{"a":{"$lt":"?number"}},{"b":{"$gt":"?number"}},)"
       R"({"c":{"$gte":"?number"}},{"c":{"$lte":"?number"}}]})",
       R"({"find":"c","filter":{"a":{"$lt":5},"b":{"$gt":6},"c":{"$gte":3,"$lte":10}}})"},
      {R"("command":"find","filter":{"$or":[{"a":{"$eq":"?number"}},)"
       R"({"b":{"$in":"?array<?number>"}},{"c":{"$gt":"?number"}}]})",
       R"({"find":"c","filter":{"$or":[{"a":5},{"b":{"$in":[1,2,3]}},{"c":{"$gt":10}}]}})"},
      {R"("command":"find","filter":{"$and":[{"a":{"$not":{"$eq":"?number"}}},)"
       R"({"b":{"$not":{"$in":"?array<>"}}},{"c":{"$not":{"$exists":"?bool"}}},)"
       R"({"d":{"$exists":"?bool"}}]})",
       R"({"find":"c","filter":{"a":{"$ne":1},"b":{"$nin":[1,"x"]},"c":{"$exists":false},)"
       R"("d":{"$exists":true}}})"},
      {R"("command":"find","filter":{"a":{"$elemMatch":{"$and":[{"b":{"$eq":"?number"}},)"
       R"({"c":{"$exists":"?bool"}}]}}})",
       R"({"find":"c","filter":{"a":{"$elemMatch":{"b":5,"c":{"$exists":true}}}}})"},
      {R"("command":"find","filter":{"a":{"$elemMatch":{"$gt":"?number","$lt":"?number"}}})",
       R"({"find":"c","filter":{"a":{"$elemMatch":{"$gt":5,"$lt":10}}}})"},
      {R"("command":"find","filter":{"a":{"$eq":"[]"}})", R"({"find":"c","filter":{"a":[]}})"},
      {R"("command":"find","filter":{"a":{"$mod":["?number","?number"]},)"
       R"("b":{"$size":"?number"}},"sort":{"a":-1},"projection":{"x":true,"_id":true},)"
       R"("skip":"?number","limit":"?number","collation":{"locale":"en"},)"
       R"("let":{"v":"?number"})",
       R"({"find":"c","filter":{"a":{"$mod":[2,0]},"b":{"$size":2}},"sort":{"a":-1},)"
       R"("projection":{"x":1},"skip":1,"limit":2,"collation":{"locale":"en"}})"},
      {R"("command":"find","filter":{"$expr":{"$eq":["$a","?number"]}})",
       R"({"find":"c","filter":{"$expr":{"$eq":["$a",5]}}})"},
      {R"("command":"find","filter":{"a":{"$type":[2]}})",
       R"({"find":"c","filter":{"a":{"$type":2}}})"},
      {R"("command":"find","filter":{"$where":"?javascript"})",
       R"({"find":"c","filter":{"$where":{"$code":"1"}}})"},
      {R"("command":"aggregate","pipeline":[{"$match":{"$and":[{"x":{"$eq":"?number"}},)"
       R"({"y":{"$lte":"?number"}}]}},{"$group":{"_id":"$y","z":{"$max":"$z"}}},)"
       R"({"$limit":"?number"}])",
       R"({"aggregate":"c","pipeline":[{"$match":{"x":3,"y":{"$lte":3}}},)"
       R"({"$group":{"_id":"$y","z":{"$max":"$z"}}},{"$limit":2}],"cursor":{}})"},
      {R"("command":"distinct","key":"v","query":{"v":{"$gt":"?number"}})",
       R"({"distinct":"c","key":"v","query":{"v":{"$gt":2}}})"},
      {R"("command":"count","query":{"a":{"$eq":"?number"}},"limit":"?number","skip":"?number")",
       R"({"count":"c","query":{"a":2},"limit":2,"skip":1})"},
      {R"("command":"update","q":{"x":{"$eq":"?number"}},"u":{"$set":{"a":"?string",)"
       R"("l":"?array<?string>"}},"multi":false,"upsert":true)",
       R"({"update":"c","updates":[{"q":{"x":3},"u":{"$set":{"a":"x","l":["y"]}},)"
       R"("upsert":true}]})"},
      {R"("command":"update","q":{"x":{"$eq":"?number"}},"u":"?object","multi":false,)"
       R"("upsert":false)",
       R"({"update":"c","updates":[{"q":{"x":3},"u":{"foo":"bar"}}]})"},
      {R"("command":"delete","q":{"age":{"$gt":"?number"}},"limit":0)",
       R"({"delete":"c","deletes":[{"q":{"age":{"$gt":18}},"limit":0}]})"},
  };
  for (const stated_case& each : cases) {
    const auto made = made_of(each.by_query_stats);
    ASSERT_TRUE(made) << each.by_query_stats;
    const config::bson_bytes sent = config::bson_of_json(each.sent).value();
    EXPECT_EQ(shape_of(*made), shape_of(sent.bytes)) << each.by_query_stats;
  }
}

TEST(shape_command, values_of_an_and_do_not_contradict_each_other) {
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$and":[{"a":{"$lt":"?number"}},)"
                    R"({"a":{"$eq":"?number"}},{"a":{"$gte":"?number"}}]})"),
            R"({ "find" : "c", "filter" : { "a" : { "$lt" : 2000000000, "$eq" : 1000, "$gte" )"
            R"(: 1 } }, "$db" : "d" })");
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$and":[{"a":{"$eq":"?number"}},)"
                    R"({"a":{"$eq":"?number"}}]})"),
            R"({ "find" : "c", "filter" : { "$and" : [ { "a" : 1000 }, { "a" : 1000 } ] }, )"
            R"("$db" : "d" })");
  EXPECT_EQ(
      json_of(R"("command":"find","filter":{"$and":[{"a":{"$not":{"$gt":"?number"}}},)"
              R"({"a":{"$gt":"?number"}}]})"),
      R"({ "find" : "c", "filter" : { "a" : { "$not" : { "$gt" : 2000000000 }, "$gt" : 1 )"
      R"(} }, "$db" : "d" })");
}

TEST(shape_command, branches_of_an_or_have_different_values_and_lists_several) {
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$or":[{"a":{"$eq":"?number"}},)"
                    R"({"a":{"$eq":"?number"}}]})"),
            R"({ "find" : "c", "filter" : { "$or" : [ { "a" : 1004 }, { "a" : 1008 } ] }, )"
            R"("$db" : "d" })");
  EXPECT_EQ(json_of(R"("command":"find","filter":{"a":{"$in":"?array<?number>"},)"
                    R"("c":{"$in":"?array<?bool>"}})"),
            R"({ "find" : "c", "filter" : { "a" : { "$in" : [ 1000, 1001 ] }, "c" : )"
            R"({ "$in" : [ false, true ] } }, "$db" : "d" })");
  const std::string mixed = json_of(R"("command":"find","filter":{"a":{"$in":"?array<>"}})");
  EXPECT_THAT(mixed, HasSubstr(R"([ 1000, 1001, "a0000001000", "a0000001001", )"));
  EXPECT_THAT(mixed, HasSubstr(R"({ "$regularExpression" : { "pattern" : "a", )"));
}

TEST(shape_command, a_branch_does_not_contradict_what_holds_for_all) {
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$and":[{"a":{"$eq":"?number"}},{"$or":[)"
                    R"({"$and":[{"a":{"$eq":"?number"}},{"b":{"$eq":"?number"}}]},)"
                    R"({"b":{"$eq":"?number"}}]}]})"),
            R"({ "find" : "c", "filter" : { "a" : 1000, "$or" : [ { "a" : 1000, "b" : 1004 }, )"
            R"({ "b" : 1008 } ] }, "$db" : "d" })");
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$and":[{"$or":[{"a":{"$eq":"?number"}},)"
                    R"({"a":{"$eq":"?number"}}]},{"a":{"$in":"?array<?number>"}}]})"),
            R"({ "find" : "c", "filter" : { "$or" : [ { "a" : 1001 }, { "a" : 1000 } ], "a" : )"
            R"({ "$in" : [ 1000, 1001 ] } }, "$db" : "d" })");
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$and":[{"$expr":{"$eq":["$a","?number"]}},)"
                    R"({"$or":[{"a":{"$eq":"?number"}},{"b":{"$eq":"?number"}}]}]})"),
            R"({ "find" : "c", "filter" : { "$expr" : { "$eq" : [ "$a", 1000 ] }, "$or" : [ )"
            R"({ "a" : 1000 }, { "b" : 1008 } ] }, "$db" : "d" })");
}

TEST(shape_command, leaves_open_what_variables_are_and_what_is_inserted) {
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$expr":{"$gt":["$a","$$v"]}},)"
                    R"("let":{"v":"?number"})"),
            R"({ "find" : "c", "filter" : { "$expr" : { "$gt" : [ "$a", "$$v" ] } }, "let" : )"
            R"({ "v" : "$$NOW" }, "$db" : "d" })");
  EXPECT_EQ(json_of(R"("command":"insert","documents":"?array<?object>")"),
            R"({ "insert" : "c", "$db" : "d" })");
}

TEST(shape_command, a_bound_in_an_expression_is_that_of_its_side) {
  EXPECT_EQ(json_of(R"("command":"find","filter":{"$expr":{"$and":[)"
                    R"({"$gt":["$a","?number"]},{"$gt":["?number","$a"]}]}})"),
            R"({ "find" : "c", "filter" : { "$expr" : { "$and" : [ { "$gt" : [ "$a", 1 ] }, )"
            R"({ "$gt" : [ 2000000000, "$a" ] } ] } }, "$db" : "d" })");
}

TEST(shape_command, what_has_no_collection_has_none) {
  const config::bson_bytes shape =
      config::bson_of_json(
          R"({"cmdNs":{"db":"admin","coll":"$cmd.aggregate"},"command":"aggregate",)"
          R"("pipeline":[{"$currentOp":{}}]})")
          .value();
  EXPECT_EQ(tests::single_spaced(wire::relaxed_json_of(*command_of_shape(shape.view()))),
            R"({ "aggregate" : 1, "pipeline" : [ { "$currentOp" : { } } ], "$db" : "admin" })");
}

TEST(shape_command, what_can_not_be_made_is_nothing) {
  EXPECT_EQ(json_of(R"("filter":{})"), "nothing");
  EXPECT_EQ(json_of(R"("command":"find","filter":{"a":{"$eq":"?dbPointer"}})"), "nothing");
  EXPECT_EQ(json_of(R"("command":"find","filter":{"a":{"$type":"?array<?number>"}})"),
            "nothing");
  std::string deep = R"("command":"find","filter":)";
  for (int i = 0; i < 80; ++i) deep += R"({"$or":[)";
  deep += R"({"a":"?number"})";
  for (int i = 0; i < 80; ++i) deep += "]}";
  EXPECT_EQ(json_of(deep), "nothing");
  for (const char* name : {"$project", "$match", "a"}) {
    std::string nested = R"("command":"aggregate","pipeline":[)";
    for (int i = 0; i < 80; ++i) nested += std::string{"{\""} + name + "\":";
    EXPECT_EQ(json_of(nested + "1" + std::string(80, '}') + "]"), "nothing");
  }
}

}  // namespace
}  // namespace scattergate::digest
