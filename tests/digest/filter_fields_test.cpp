#include "digest/filter_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

using field_names = std::vector<std::string>;

field_names fields_of(const std::string& shape, const std::string& command = "find") {
  row of;
  of.command = command;
  of.what.shape_json = shape;
  return filter_fields(of);
}

TEST(filter_fields, are_those_that_a_filter_queries) {
  const struct {
    const char* shape;
    field_names names;
  } rows[] = {
      {R"({"filter":{"actor_id":"?string","b.c":{"$gt":"?number"}},"sort":{"x":1}})",
       {"actor_id", "b.c"}},
      {R"({"query":{"key":"?string"},"key":"status"})", {"key"}},
      {R"({"filter":{"$or":[{"b":"?number"},{"a":"?number"},{"$and":[{"x":"?null"}]}]}})",
       {"b", "a", "x"}},
      {R"({"filter":{"$nor":[{"a":"?number"}],"a":{"$in":"?array<?number>"}}})", {"a"}},
      {R"({"filter":{"items":{"$elemMatch":{"sku":"?string","of":{"$elemMatch":{"x":"?bool"}}}}}})",
       {"items", "items.sku", "items.of", "items.of.x"}},
      {R"({"filter":{"a":{"$not":{"$elemMatch":{"b":"?number"}}}}})", {"a", "a.b"}},
      {R"({"filter":{"a":{"b":"?number"}}})", {"a"}},
      {R"({"filter":{"$expr":{"$gt":["$spent","$budget.max",{"$add":["$$NOW","?number"]}]}}})",
       {"spent", "budget.max"}},
      {R"({"filter":{"$text":{"$search":"?string"},"a.?objectId":"?number"}})",
       {"a.?objectId"}},
      {R"({"pipeline":[{"$match":{"a":"?number"}},{"$match":{"b":"?number"}},)"
       R"({"$group":{"_id":"$c"}},{"$match":{"d":"?number"}}]})",
       {"a", "b"}},
      {R"({"pipeline":[{"$group":{"_id":"$c"}},{"$match":{"d":"?number"}}]})", {}},
      {R"({"updates":[{"multi":true,"q":{"a":"?number"},"u":{"$set":{"z":"?number"}}},)"
       R"({"q":{"b":"?number"},"u":"?document"}]})",
       {"a", "b"}},
      {R"({"deletes":[{"limit":0,"q":{"a":"?number"}}]})", {"a"}},
      {R"({"ops":[{"delete":"shop.orders","filter":{"a":"?number"}}]})", {"a"}},
      {R"({"filter":{"a":"?number","...":true}})", {"a"}},
      {R"({"documents":"?documents"})", {}},
      {"{}", {}},
      {"", {}},
      {"{\"filter\":", {}},
      {R"(["filter"])", {}},
      {R"({"filter":"?object","updates":[1,[2],{"q":3}],"pipeline":[4,{"$match":5}]})", {}},
  };
  for (const auto& row : rows) EXPECT_EQ(fields_of(row.shape), row.names) << row.shape;
}

TEST(filter_fields, of_an_explain_are_those_of_the_explained_command) {
  EXPECT_EQ(fields_of(R"({"find":{"filter":{"a":"?number"}}})", "explain"), field_names{"a"});
  EXPECT_EQ(fields_of(R"({"find":{"filter":{"a":"?number"}}})", "other"), field_names{});
}

TEST(filter_fields, are_bounded_whatever_the_shape) {
  std::string many = R"({"filter":{)";
  for (int i = 0; i < 100; ++i) {
    many += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + R"(":"?number")";
  }
  EXPECT_EQ(fields_of(many + "}}").size(), max_filter_fields);
  std::string deep;
  std::string end;
  for (int i = 0; i < 12; ++i) {
    deep += "\"" + std::string(600, static_cast<char>('a' + i)) + R"(":{"$elemMatch":{)";
    end += "}}";
  }
  std::size_t bytes = 0;
  for (const std::string& each : fields_of(R"({"filter":{)" + deep + end + "}}")) {
    bytes += each.size();
  }
  EXPECT_GT(bytes, 600U);
  EXPECT_LE(bytes, 8192U);
}

}  // namespace
}  // namespace scattergate::digest
