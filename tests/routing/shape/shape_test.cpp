#include "routing/shape/shape.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/shape_support.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/source_folder.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;

struct vector {
  std::string command;
  std::string shape;
  std::string hash;
};

/// The rows of the table of docs/shapes.md: | `command` | `shape` | `hash` |
std::vector<vector> documented_vectors() {
  constexpr std::string_view between = "` | `";
  std::ifstream file{tests::source_folder() / "docs/shapes.md"};
  std::vector<vector> vectors;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `{\"") || !line.ends_with("` |")) continue;
    const std::string row = line.substr(3, line.size() - 6);
    const std::size_t first = row.find(between);
    const std::size_t second = row.rfind(between);
    if (first == std::string::npos || first == second) continue;
    vectors.push_back({row.substr(0, first),
                       row.substr(first + between.size(), second - first - between.size()),
                       row.substr(second + between.size())});
  }
  return vectors;
}

TEST(shape, is_what_the_documented_test_vectors_say) {
  const auto vectors = documented_vectors();
  ASSERT_GE(vectors.size(), 30U);
  for (const vector& each : vectors) {
    EXPECT_EQ(shape_of(each.command), each.shape) << each.command;
    EXPECT_EQ(hash_of_shape(each.command), each.hash) << each.command;
  }
}

struct pair {
  const char* left;
  const char* right;
};

TEST(shape, is_one_for_what_is_one_query_of_an_application) {
  const pair pairs[] = {
      {R"({"find":"c","filter":{"a":1},"$db":"d"})",
       R"({"find":"c","filter":{"a":2.5},"$db":"d"})"},
      {R"({"find":"c","filter":{"a":1,"b":"x"},"$db":"d"})",
       R"({"find":"c","filter":{"b":"y","a":{"$numberLong":"9"}},"$db":"d"})"},
      {R"({"find":"c","filter":{"a":{"$in":[1]}},"$db":"d"})",
       R"({"find":"c","filter":{"a":{"$in":[1,2,3.5]}},"$db":"d"})"},
      {R"({"find":"c","filter":{"a":1},"limit":1,"$db":"d"})",
       R"({"find":"c","$db":"d","limit":9,"filter":{"a":1}})"},
      {R"({"find":"c","$db":"d"})", R"({"find":"c","filter":{},"sort":{},"skip":0,"$db":"d"})"},
      {R"({"find":"c","filter":{"a":1},"$db":"d"})",
       R"({"find":"c","filter":{"a":1,"$comment":"x"},"let":{"v":1},"comment":"y","maxTimeMS":9,
           "lsid":{},"txnNumber":1,"startTransaction":true,"autocommit":false,"readConcern":{},
           "batchSize":7,"allowDiskUse":true,"noCursorTimeout":true,"singleBatch":false,
           "apiVersion":"1","$clusterTime":{},"$readPreference":{"mode":"primary"},"$db":"d"})"},
      {R"({"insert":"c","documents":[{"a":1}],"$db":"d"})",
       R"({"insert":"c","documents":[{"b":1},{"c":[1]}],"ordered":false,"$db":"d"})"},
      {R"({"delete":"c","deletes":[{"q":{"a":1},"limit":1}],"$db":"d"})",
       R"({"delete":"c","deletes":[{"q":{"a":2},"limit":1},{"limit":1.0,"q":{"a":3}}],"$db":"d"})"},
      {R"({"findandmodify":"c","query":{"a":1},"remove":true,"$db":"d"})",
       R"({"findAndModify":"c","query":{"a":2},"remove":true,"new":false,"$db":"d"})"},
  };
  for (const pair& each : pairs) {
    EXPECT_EQ(shape_of(each.left), shape_of(each.right));
    EXPECT_EQ(hash_of_shape(each.left), hash_of_shape(each.right)) << each.left;
  }
}

TEST(shape, differs_where_order_or_structure_means_something) {
  const pair pairs[] = {
      {R"({"find":"c","sort":{"a":1,"b":1},"$db":"d"})",
       R"({"find":"c","sort":{"b":1,"a":1},"$db":"d"})"},
      {R"({"find":"c","sort":{"a":1},"$db":"d"})", R"({"find":"c","sort":{"a":-1},"$db":"d"})"},
      {R"({"find":"c","hint":{"a":1,"b":1},"$db":"d"})",
       R"({"find":"c","hint":{"b":1,"a":1},"$db":"d"})"},
      {R"({"find":"c","filter":{"a":{"x":1,"y":1}},"$db":"d"})",
       R"({"find":"c","filter":{"a":{"y":1,"x":1}},"$db":"d"})"},
      {R"({"find":"c","filter":{"$or":[{"a":1},{"b":1}]},"$db":"d"})",
       R"({"find":"c","filter":{"$or":[{"b":1},{"a":1}]},"$db":"d"})"},
      {R"({"aggregate":"c","pipeline":[{"$match":{"a":1}},{"$limit":1}],"$db":"d"})",
       R"({"aggregate":"c","pipeline":[{"$limit":1},{"$match":{"a":1}}],"$db":"d"})"},
      {R"({"aggregate":"c","pipeline":[{"$match":{"$expr":{"$gt":["$a","$b"]}}}],"$db":"d"})",
       R"({"aggregate":"c","pipeline":[{"$match":{"$expr":{"$gt":["$b","$a"]}}}],"$db":"d"})"},
      {R"({"find":"c","filter":{"a":1},"$db":"d"})",
       R"({"find":"c","filter":{"a":"1"},"$db":"d"})"},
      {R"({"update":"c","updates":[{"q":{"a":1},"u":{"$set":{"b":1}}}],"$db":"d"})",
       R"({"update":"c","updates":[{"q":{"a":1},"u":{"$set":{"b":1}},"multi":true}],"$db":"d"})"},
      {R"({"delete":"c","deletes":[{"q":{"a":1},"limit":0}],"$db":"d"})",
       R"({"delete":"c","deletes":[{"q":{"a":1},"limit":1}],"$db":"d"})"},
  };
  for (const pair& each : pairs) {
    EXPECT_NE(shape_of(each.left), shape_of(each.right));
    EXPECT_NE(hash_of_shape(each.left), hash_of_shape(each.right)) << each.left;
  }
}

TEST(shape, hash_covers_namespace_and_command) {
  const char* const all[] = {
      R"({"find":"c","$db":"d"})",  R"({"find":"e","$db":"d"})",
      R"({"find":"c","$db":"e"})",  R"({"count":"c","$db":"d"})",
      R"({"find":"d.c","$db":""})", R"({"explain":{"find":"c"},"$db":"d"})",
  };
  for (const char* left : all) {
    for (const char* right : all) {
      EXPECT_EQ(hash_of_shape(left) == hash_of_shape(right), left == right) << left << right;
    }
  }
}

TEST(shape, hash_takes_a_whole_namespace_as_it_is) {
  EXPECT_EQ(hash_of_shape(R"({"shardCollection":"d.c","$db":"admin"})"),
            hash_of_shape(R"({"shardCollection":"d.c","$db":"other"})"));
  EXPECT_EQ(hash_of_shape(R"({"shardCollection":"nodot","$db":"a"})"),
            hash_of_shape(R"({"shardCollection":"a.nodot","$db":"b"})"));
}

TEST(shape, of_a_batch_is_the_same_as_an_array_and_as_a_document_sequence) {
  const std::string first = R"({"q":{"a":1},"u":{"$set":{"b":1}}})";
  const std::string second = R"({"q":{"a":1},"u":{"$inc":{"b":1}},"upsert":true})";
  const json_command array{R"({"update":"c","updates":[)" + first + "," + second +
                           R"(],"$db":"d"})"};
  json_command sequence{R"({"update":"c","$db":"d"})"};
  sequence.add_sequence("updates", {first, second, first});
  EXPECT_EQ(shape_of(array.command()), shape_of(sequence.command()));
  EXPECT_EQ(hash_of_shape(array.command()), hash_of_shape(sequence.command()));

  json_command insert{R"({"insert":"c","$db":"d"})"};
  insert.add_sequence("documents", {"{}", R"({"a":1})"});
  EXPECT_EQ(shape_of(insert.command()), R"({"documents":"?documents"})");
}

TEST(shape, of_a_bulk_write_is_the_same_as_arrays_and_as_document_sequences) {
  const std::string insert = R"({"insert":1,"document":{"a":1}})";
  const std::string update = R"({"update":0,"filter":{"a":1},"updateMods":{"$set":{"b":1}}})";
  json_command sequences{R"({"bulkWrite":1,"$db":"admin"})"};
  sequences.add_sequence("ops", {insert, insert, update});
  sequences.add_sequence("nsInfo", {R"({"ns":"d.a"})", R"({"ns":"d.b"})"});
  EXPECT_EQ(shape_of(sequences.command()),
            shape_of(R"({"bulkWrite":1,"ops":[)" + insert + "," + update +
                     R"(],"nsInfo":[{"ns":"d.a"},{"ns":"d.b"}],"$db":"admin"})"));
  // An index that names nothing is what it is: a number.
  EXPECT_EQ(shape_of(R"({"bulkWrite":1,"ops":[{"delete":7,"filter":{"a":1}}],"$db":"admin"})"),
            R"({"ops":[{"delete":"?number","filter":{"a":"?number"}}]})");
}

TEST(shape, names_every_type_once) {
  const struct {
    const char* value;
    const char* type;
  } cases[] = {
      {"1", "?number"},
      {"1.5", "?number"},
      {R"({"$numberLong":"1"})", "?number"},
      {R"({"$numberDecimal":"1"})", "?number"},
      {R"("s")", "?string"},
      {R"({"$oid":"507f1f77bcf86cd799439011"})", "?objectId"},
      {"true", "?bool"},
      {"null", "?null"},
      {R"({"$date":"2020-01-01T00:00:00Z"})", "?date"},
      {R"({"$timestamp":{"t":1,"i":1}})", "?timestamp"},
      {R"({"$binary":{"base64":"","subType":"00"}})", "?binary"},
      {R"({"$regularExpression":{"pattern":"a","options":""}})", "?regex"},
      {R"({"$code":"f"})", "?javascript"},
      {R"({"$code":"f","$scope":{}})", "?javascriptWithScope"},
      {R"({"$symbol":"s"})", "?symbol"},
      {R"({"$undefined":true})", "?undefined"},
      {R"({"$dbPointer":{"$ref":"c","$id":{"$oid":"507f1f77bcf86cd799439011"}}})",
       "?dbPointer"},
      {R"({"$minKey":1})", "?minKey"},
      {R"({"$maxKey":1})", "?maxKey"},
  };
  for (const auto& each : cases) {
    const std::string value = each.value;
    const std::string type = each.type;
    EXPECT_EQ(shape_of(R"({"find":"c","filter":{"a":)" + value + R"(},"$db":"d"})"),
              R"({"filter":{"a":")" + type + "\"}}");
    EXPECT_EQ(shape_of(R"({"find":"c","filter":{"a":{"$in":[)" + value + "," + value +
                       R"(]}},"$db":"d"})"),
              R"({"filter":{"a":{"$in":"?array<)" + type + ">\"}}}");
  }
}

TEST(shape, of_a_sensitive_command_shows_nothing) {
  for (const char* body :
       {R"({"saslStart":1,"payload":"p","$db":"d"})",
        R"({"authenticate":1,"key":"p","$db":"d"})",
        R"({"createUser":"bob","pwd":"p","$db":"d"})",
        R"({"updateUser":"bob","pwd":"p","$db":"d"})",
        R"({"hello":1,"speculativeAuthenticate":{"payload":"p"},"$db":"d"})",
        R"({"ismaster":1,"speculativeAuthenticate":{"payload":"p"},"$db":"d"})"}) {
    EXPECT_EQ(shape_of(body), "{}") << body;
  }
  EXPECT_EQ(shape_of(R"({"explain":{"createUser":"bob","pwd":"p"},"$db":"d"})"),
            R"({"createUser":{}})");
}

TEST(shape, hash_text_is_sixteen_lower_case_hex_digits) {
  EXPECT_EQ(shape_hash_text(0), "0000000000000000");
  EXPECT_EQ(shape_hash_text(0xFEDCBA9876543210ULL), "fedcba9876543210");
}

TEST(shape, hash_takes_nothing_from_the_heap) {
  lent_scratch lent;
  json_command update{R"({"update":"c","$db":"d"})"};
  update.add_sequence("updates", {R"({"q":{"$or":[{"b":1,"a":2},{"c":[1,2]}]},"u":{"x":1}})"});
  const tests::allocation_counter allocations;
  const std::uint64_t hash = shape_hash(update.command(), lent.memory());
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(hash, shape_hash(update.command(), lent.memory()));
}

}  // namespace
}  // namespace scattergate::routing
