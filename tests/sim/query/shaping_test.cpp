#include "sim/query/shaping.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "sim/values/value.hpp"
#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

TEST(projection, includes_excludes_and_computes) {
  struct projection_case {
    const char* specification;
    const char* from;
    const char* result;
  };
  const char* whole =
      R"({"_id": 1, "a": {"b": 1, "c": 2}, "d": [{"e": 1, "f": 2}, 5], "g": 3})";
  for (const projection_case& each : std::vector<projection_case>{
           {"{}", R"({"_id": 1, "a": 2})", R"({"_id": 1, "a": 2})"},
           {R"({"g": 1})", whole, R"({"_id": 1, "g": 3})"},
           {R"({"g": 1, "_id": 0})", whole, R"({"g": 3})"},
           {R"({"_id": 1})", whole, R"({"_id": 1})"},
           {R"({"_id": 0})", R"({"_id": 1, "a": 2})", R"({"a": 2})"},
           {R"({"a.b": 1})", whole, R"({"_id": 1, "a": {"b": 1}})"},
           {R"({"a": {"b": 1}})", whole, R"({"_id": 1, "a": {"b": 1}})"},
           {R"({"d.e": 1})", whole, R"({"_id": 1, "d": [{"e": 1}]})"},
           {R"({"a": 0, "d.e": 0})", whole, R"({"_id": 1, "d": [{"f": 2}, 5], "g": 3})"},
           {R"({"h": {"$add": ["$g", 1]}})", whole, R"({"_id": 1, "h": 4})"},
           {R"({"d": {"$slice": 1}, "a": 0, "g": 0})", whole,
            R"({"_id": 1, "d": [{"e": 1, "f": 2}]})"},
           {R"({"d": {"$elemMatch": {"e": 1}}})", whole,
            R"({"_id": 1, "d": [{"e": 1, "f": 2}]})"},
       }) {
    const projection projected{from_json(each.specification)};
    EXPECT_EQ(to_json(projected.apply(from_json(each.from))), to_json(from_json(each.result)))
        << each.specification;
  }
  EXPECT_THROW(projection{from_json(R"({"a": 1, "b": 0})")}, command_failure);
}

TEST(sort_order, sorts_across_types_and_by_the_ends_of_arrays) {
  std::vector<document_ptr> documents;
  for (const char* each :
       {R"({"a": "x"})", R"({"a": [5, 1]})", R"({"a": 3})", R"({})", R"({"a": {"$minKey": 1}})",
        R"({"a": true})", R"({"a": {"b": 1}})"}) {
    documents.push_back(std::make_shared<document>(from_json(each)));
  }
  const auto shown = [&documents] {
    std::string out;
    for (const document_ptr& each : documents) out += to_json(*each);
    return out;
  };
  sort_order{from_json(R"({"a": 1})")}.apply(documents);
  EXPECT_EQ(shown(), R"({ "a" : { "$minKey" : 1 } }{ }{ "a" : [ 5, 1 ] }{ "a" : 3 })"
                     R"({ "a" : "x" }{ "a" : { "b" : 1 } }{ "a" : true })");
  sort_order{from_json(R"({"a": -1})")}.apply(documents);
  EXPECT_EQ(shown(), R"({ "a" : true }{ "a" : { "b" : 1 } }{ "a" : "x" })"
                     R"({ "a" : [ 5, 1 ] }{ "a" : 3 }{ }{ "a" : { "$minKey" : 1 } })");
  EXPECT_THROW(sort_order{from_json(R"({"a": 2})")}, command_failure);
}

TEST(compare, orders_numbers_of_all_types_exactly) {
  EXPECT_TRUE(is_equal(std::int32_t{1}, 1.0));
  EXPECT_TRUE(compare(value{9007199254740992.0}, value{std::int64_t{9007199254740993}}) < 0);
  EXPECT_TRUE(compare(value{std::nan("")}, value{-std::numeric_limits<double>::infinity()}) <
              0);
  EXPECT_TRUE(is_equal(std::nan(""), std::nan("")));
  EXPECT_TRUE(compare(value{null{}}, value{std::int32_t{0}}) < 0);
}

}  // namespace
}  // namespace scattergate::sim
