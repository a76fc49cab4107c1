#include "sim/query/matcher.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

struct match_case {
  const char* filter;
  const char* candidate;
  bool matches;
};

void expect_matches(const std::vector<match_case>& cases) {
  for (const match_case& each : cases) {
    EXPECT_EQ(matcher{from_json(each.filter)}.matches(from_json(each.candidate)), each.matches)
        << each.filter << " on " << each.candidate;
  }
}

TEST(matcher, equality_looks_into_arrays_and_embedded_documents) {
  expect_matches({
      {R"({"a": 1})", R"({"a": 1.0})", true},
      {R"({"a": 1})", R"({"a": [0, 1]})", true},
      {R"({"a": [0, 1]})", R"({"a": [0, 1]})", true},
      {R"({"a": [0, 1]})", R"({"a": [[0, 1]]})", true},
      {R"({"a.b": 1})", R"({"a": {"b": 1}})", true},
      {R"({"a.b": 1})", R"({"a": [{"b": 2}, {"b": 1}]})", true},
      {R"({"a.1": 5})", R"({"a": [4, 5]})", true},
      {R"({"a.0.b": 5})", R"({"a": [{"b": 5}]})", true},
      {R"({"a": {"b": 1}})", R"({"a": {"b": 1, "c": 2}})", false},
      {R"({"a": {"b": 1, "c": 2}})", R"({"a": {"c": 2, "b": 1}})", false},
      {R"({"a": "1"})", R"({"a": 1})", false},
      {R"({})", R"({"a": 1})", true},
  });
}

TEST(matcher, bits_are_those_of_whole_numbers_and_binary_data) {
  expect_matches({
      {R"({"a": {"$bitsAllSet": 5}})", R"({"a": 7})", true},
      {R"({"a": {"$bitsAllSet": 5}})", R"({"a": 4})", false},
      {R"({"a": {"$bitsAllSet": [0, 2]}})", R"({"a": 5.0})", true},
      {R"({"a": {"$bitsAllSet": [1]}})", R"({"a": 2.5})", false},
      {R"({"a": {"$bitsAnySet": [0, 1]}})", R"({"a": [4, 2]})", true},
      {R"({"a": {"$bitsAllClear": [0, 1]}})", R"({"a": 4})", true},
      {R"({"a": {"$bitsAnyClear": [0, 1]}})", R"({"a": 3})", false},
      {R"({"a": {"$bitsAllSet": [200]}})", R"({"a": -1})", true},
      {R"({"a": {"$bitsAllSet": 1}})", R"({"a": "1"})", false},
      {R"({"a": {"$bitsAllSet": 2}})",
       R"({"a": {"$binary": {"base64": "Ag==", "subType": "00"}}})", true},
  });
}

TEST(matcher, null_stands_for_missing_but_not_for_undefined) {
  expect_matches({
      {R"({"a": null})", R"({})", true},
      {R"({"a": null})", R"({"a": null})", true},
      {R"({"a": null})", R"({"a": 0})", false},
      {R"({"a": null})", R"({"a": [null]})", true},
      {R"({"a": null})", R"({"a": {"$undefined": true}})", false},
      {R"({"a.b": null})", R"({"a": 5})", true},
      {R"({"a": {"$ne": null}})", R"({"a": 1})", true},
      {R"({"a": {"$ne": null}})", R"({})", false},
      {R"({"a": {"$exists": false}})", R"({})", true},
      {R"({"a": {"$exists": false}})", R"({"a": null})", false},
      {R"({"a": {"$exists": true}})", R"({"a": null})", true},
  });
}

TEST(matcher, comparisons_keep_to_the_type_of_their_operand) {
  expect_matches({
      {R"({"a": {"$gt": 5}})", R"({"a": 6})", true},
      {R"({"a": {"$gt": 5}})", R"({"a": "6"})", false},
      {R"({"a": {"$gt": 5}})", R"({"a": [1, 9]})", true},
      {R"({"a": {"$lt": 5}})", R"({"a": null})", false},
      {R"({"a": {"$lte": null}})", R"({})", true},
      {R"({"a": {"$gt": {"$minKey": 1}}})", R"({"a": "x"})", true},
      {R"({"a": {"$gte": 1, "$lt": 3}})", R"({"a": 3})", false},
      {R"({"a": {"$gte": {"$numberDouble": "NaN"}}})", R"({"a": {"$numberDouble": "NaN"}})",
       true},
      {R"({"a": {"$gte": {"$numberDouble": "NaN"}}})", R"({"a": 1})", false},
      {R"({"a": {"$gt": {"$numberLong": "9007199254740992"}}})",
       R"({"a": {"$numberLong": "9007199254740993"}})", true},
      {R"({"a": {"$lt": {"$numberDecimal": "1.5"}}})", R"({"a": 1})", true},
  });
}

TEST(matcher, knows_the_operators_on_sets_types_and_arrays) {
  expect_matches({
      {R"({"a": {"$in": [1, null]}})", R"({})", true},
      {R"({"a": {"$in": [{"$regularExpression": {"pattern": "^x", "options": ""}}]}})",
       R"({"a": "xy"})", true},
      {R"({"a": {"$nin": [1, 2]}})", R"({"a": [2]})", false},
      {R"({"a": {"$all": [1, 2]}})", R"({"a": [2, 1, 3]})", true},
      {R"({"a": {"$all": []}})", R"({"a": []})", false},
      {R"({"a": {"$size": 2}})", R"({"a": [1, 2]})", true},
      {R"({"a": {"$elemMatch": {"$gt": 1, "$lt": 3}}})", R"({"a": [1, 3]})", false},
      {R"({"a": {"$elemMatch": {"b": 1, "c": 2}}})", R"({"a": [{"b": 1, "c": 2}]})", true},
      {R"({"a": {"$elemMatch": {"b": 1, "c": 2}}})", R"({"a": [{"b": 1}, {"c": 2}]})", false},
      {R"({"a": {"$mod": [4, 1]}})", R"({"a": 9})", true},
      {R"({"a": {"$mod": [-1, 0]}})", R"({"a": {"$numberLong": "-9223372036854775808"}})",
       true},
      {R"({"a": {"$regex": "^B", "$options": "i"}})", R"({"a": "bc"})", true},
      {R"({"a": {"$not": {"$gt": 5}}})", R"({"a": "x"})", true},
  });
}

// Not as JSON: libbson takes every `$type` for a binary's.
TEST(matcher, types_are_named_by_alias_and_by_number) {
  const auto has_type = [](const value& type, const value& content) {
    return matcher{document{{"a", document{{"$type", type}}}}}.matches({{"a", content}});
  };
  EXPECT_TRUE(has_type("number", 1.5));
  EXPECT_TRUE(has_type("array", array{}));
  const value several = array{"string", std::int32_t{8}};
  EXPECT_TRUE(has_type(several, true));
  EXPECT_TRUE(has_type(several, "x"));
  EXPECT_FALSE(has_type(several, 1.5));
  EXPECT_THROW(has_type("nonsense", 1.5), command_failure);
}

TEST(matcher, combines_conditions) {
  expect_matches({
      {R"({"$or": [{"a": 1}, {"b": 1}]})", R"({"b": 1})", true},
      {R"({"$and": [{"a": 1}, {"b": 1}]})", R"({"b": 1})", false},
      {R"({"$nor": [{"a": 1}, {"b": 1}]})", R"({"c": 1})", true},
      {R"({"$expr": {"$gt": ["$a", "$b"]}})", R"({"a": 2, "b": 1})", true},
      {R"({"$expr": {"$eq": ["$a", 1]}, "b": 1})", R"({"a": 1, "b": 2})", false},
      {R"({"a": 1, "$comment": "why"})", R"({"a": 1})", true},
      {R"({"a": 1, "$alwaysTrue": 1})", R"({"a": 1})", true},
      {R"({"a": 1, "$alwaysFalse": 1})", R"({"a": 1})", false},
      {R"({"a": 1, "$sampleRate": 1})", R"({"a": 1})", true},
      {R"({"a": 1, "$sampleRate": 0.0})", R"({"a": 1})", false},
  });
}

TEST(matcher, refuses_what_it_does_not_know) {
  for (const char* filter :
       {R"({"$foo": 1})", R"({"a": {"$foo": 1}})", R"({"a": {"$in": 1}})", R"({"$or": []})",
        R"({"$or": [1]})", R"({"a": {"$not": 1}})", R"({"a": {"$mod": [0, 1]}})",
        R"({"a": {"$regex": "("}})", R"({"a": {"$gt": 1, "b": 2}})",
        R"({"$expr": {"$nonsense": 1}})", R"({"a": {"$size": -1}})", R"({"a..b": 1})",
        R"({"$sampleRate": 1.5})", R"({"$sampleRate": {"$numberDouble": "NaN"}})"}) {
    EXPECT_THROW(matcher{from_json(filter)}, command_failure) << filter;
  }
}

TEST(matcher, an_explosive_pattern_is_an_error_and_not_a_hang) {
  const matcher explosive{from_json(R"({"a": {"$regex": "^(a+)+$"}})")};
  const document candidate{{"a", std::string(5000, 'a') + "b"}};
  EXPECT_THROW(static_cast<void>(explosive.matches(candidate)), command_failure);
}

TEST(matcher, refuses_a_filter_nested_too_deep) {
  document filter{{"a", std::int32_t{1}}};
  for (int i = 0; i < 150; ++i) filter = document{{"$and", array{filter}}};
  EXPECT_THROW(matcher{filter}, command_failure);
}

}  // namespace
}  // namespace scattergate::sim
