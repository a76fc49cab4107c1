#include "tests/routing/bounds/filter_rows.hpp"

/// A table per operator: which part of the key space it reaches. The key is {a: 1}, and the
/// chunks show the types in MongoDB's order:
///   0 below null, 1 null, 2 numbers below 0, 3 [0, 10), 4 [10, 20), 5 from 20,
///   6 strings below "m", 7 strings from "m", 8 documents, arrays and binary, 9 ObjectIds,
///   10 booleans, 11 all behind.
namespace scattergate::routing_tests {
namespace {

constexpr std::string_view splits_by_type = R"([
  {"a": null}, {"a": {"$numberDouble": "NaN"}}, {"a": 0}, {"a": 10}, {"a": 20},
  {"a": ""}, {"a": "m"}, {"a": {}}, {"a": {"$oid": "000000000000000000000000"}},
  {"a": false}, {"a": {"$date": {"$numberLong": "-9223372036854775808"}}}])";

class filter_operators : public testing::Test {
 protected:
  void expect(std::initializer_list<filter_row> rows, std::string_view version = "8.0") {
    expect_finds(catalog_of(R"({"a": 1})", splits_by_type, version), rows);
  }
};

constexpr std::string_view every_type = "scatter_gather 0,1,10,11,2,3,4,5,6,7,8,9";

TEST_F(filter_operators, equality_is_one_point) {
  expect({{R"({"a": 5})", "single_shard 3"},
          {R"({"a": {"$eq": 5}})", "single_shard 3"},
          {R"({"a": 10.0})", "single_shard 4"},
          {R"({"a": {"$numberDecimal": "9.99"}})", "single_shard 3"},
          {R"({"a": "abc"})", "single_shard 6"},
          {R"({"a": {"b": 1}})", "single_shard 8"},
          {R"({"a": {"$oid": "5f0000000000000000000000"}})", "single_shard 9"},
          {R"({"a": true})", "single_shard 10"},
          {R"({"a": {"$minKey": 1}})", "single_shard 0"},
          {R"({"a": {"$maxKey": 1}})", "single_shard 11"},
          {R"({"a": {"$ref": "c", "$id": 1}})", "single_shard 8"},
          {R"({"a": {"$eq": {"$gt": 1}}})", "single_shard 8"},
          {R"({"a": {"b": {"$gt": 1}}})", "single_shard 8"}});
}

TEST_F(filter_operators, comparing_with_an_array_reaches_all_types_on_that_side) {
  expect({{R"({"a": {"$gt": [15]}})", "multi_shard 10,11,4,5,6,7,8,9"},
          {R"({"a": {"$gte": [{"$maxKey": 1}]}})", "multi_shard 10,11,8,9"},
          {R"({"a": {"$gt": []}})", every_type},
          {R"({"a": {"$lt": [5]}})", "multi_shard 0,1,2,3,4,5,6,7,8"},
          {R"({"a": {"$lte": [true]}})", "multi_shard 0,1,10,2,3,4,5,6,7,8,9"},
          {R"({"a": {"$lt": []}})", "multi_shard 0,1,2,3,4,5,6,7,8"},
          {R"({"a": {"$not": {"$gt": [15]}}})", every_type},
          {R"({"a": {"$not": {"$lte": [15]}}})", every_type}});
}

TEST_F(filter_operators, comparing_with_null_is_equality_or_nothing) {
  expect({{R"({"a": {"$lte": null}})", "single_shard 1"},
          {R"({"a": {"$gt": null}})", "single_shard 0"},
          {R"({"a": {"$lt": null}})", "single_shard 0"},
          {R"({"a": {"$not": {"$lt": null}}})", every_type}});
  expect({{R"({"a": {"$lte": null}})", "multi_shard 0,1"},
          {R"({"a": {"$gte": null}})", "multi_shard 0,1"}},
         "7.0");
}

TEST_F(filter_operators, null_also_stands_for_missing) {
  expect({{R"({"a": null})", "single_shard 1"},
          {R"({"a": {"$eq": null}})", "single_shard 1"},
          {R"({"a": {"$exists": false}})", "single_shard 1"},
          {R"({"a": {"$not": {"$exists": true}}})", "single_shard 1"},
          {R"({"$nor": [{"a": {"$exists": true}}]})", "single_shard 1"},
          {R"({"a": {"$in": [null]}})", "single_shard 1"},
          {R"({"a": {"$gte": null}})", "single_shard 1"},
          {R"({"a": {"$in": [null, 5]}})", "multi_shard 1,3"}});
}

TEST_F(filter_operators, null_among_others_also_stands_for_undefined_before_8_0) {
  expect({{R"({"a": {"$in": [null, 5]}})", "multi_shard 0,1,3"},
          {R"({"a": null})", "single_shard 1"}},
         "7.0");
  expect({{R"({"a": {"$in": [null, 5]}})", "multi_shard 1,3"}}, "8.0");
}

TEST_F(filter_operators, comparisons_keep_to_their_type) {
  expect({{R"({"a": {"$gt": 15}})", "multi_shard 4,5"},
          {R"({"a": {"$gte": 20}})", "single_shard 5"},
          {R"({"a": {"$lt": 10}})", "multi_shard 2,3,4"},  // the excluded end counts
          {R"({"a": {"$lte": 9}})", "multi_shard 2,3"},
          {R"({"a": {"$gt": 5, "$lt": 6}})", "single_shard 3"},
          {R"({"a": {"$lt": "m"}})", "multi_shard 6,7"},
          {R"({"a": {"$gt": "n"}})", "multi_shard 7,8"},
          {R"({"a": {"$gt": {"$oid": "5f0000000000000000000000"}}})", "single_shard 9"},
          {R"({"a": {"$gte": false}})", "single_shard 10"},
          {R"({"a": {"$gte": {"x": 1}}})", "single_shard 8"}});
}

TEST_F(filter_operators, comparisons_with_the_ends_of_all_types_do_not) {
  expect({{R"({"a": {"$gt": {"$minKey": 1}}})", every_type},
          {R"({"a": {"$gte": {"$minKey": 1}}})", every_type},
          {R"({"a": {"$lt": {"$maxKey": 1}}})", every_type},
          {R"({"a": {"$lte": {"$maxKey": 1}}})", every_type},
          {R"({"a": {"$lte": {"$minKey": 1}}})", "single_shard 0"},
          {R"({"a": {"$gte": {"$maxKey": 1}}})", "multi_shard 0,11"},
          {R"({"a": {"$gt": {"$maxKey": 1}}})", "single_shard 0"},
          {R"({"a": {"$lt": {"$minKey": 1}}})", "single_shard 0"}});
}

TEST_F(filter_operators, nan_is_equal_to_itself_and_not_above_or_below_anything) {
  expect({{R"({"a": {"$gte": {"$numberDouble": "NaN"}}})", "single_shard 2"},
          {R"({"a": {"$gt": {"$numberDouble": "NaN"}}})", "single_shard 0"},
          {R"({"a": {"$lt": {"$numberDouble": "NaN"}}})", "single_shard 0"},
          {R"({"a": {"$numberDouble": "NaN"}})", "single_shard 2"}});
}

TEST_F(filter_operators, in_is_the_union_of_its_members) {
  expect({{R"({"a": {"$in": [5]}})", "single_shard 3"},
          {R"({"a": {"$in": [5, 5]}})", "single_shard 3"},
          {R"({"a": {"$in": [5, 15]}})", "multi_shard 3,4"},
          {R"({"a": {"$in": [1, 2, 3]}})", "single_shard 3"},
          {R"({"a": {"$in": []}})", every_type},
          {R"({"a": {"$in": [{"$regularExpression": {"pattern": "^a", "options": ""}}, 5]}})",
           "multi_shard 11,3,6"}});
}

TEST_F(filter_operators, an_array_bounds_by_itself_and_its_first_member) {
  expect({{R"({"a": [5, 15]})", "multi_shard 3,8"},
          {R"({"a": {"$eq": []}})", "multi_shard 0,8"},
          {R"({"a": {"$ne": [5, 15]}})", every_type}});
}

TEST_F(filter_operators, negations_reach_every_type) {
  expect({{R"({"a": {"$ne": 5}})", every_type},
          {R"({"a": {"$nin": [5, 15]}})", every_type},
          {R"({"a": {"$not": {"$gt": 5}}})", "multi_shard 0,1,10,11,2,3,5,6,7,8,9"},
          {R"({"a": {"$not": {"$gte": 0, "$lt": 10}}})",
           "scatter_gather 0,1,10,11,2,3,4,5,6,7,8,9"},
          {R"({"$nor": [{"a": 5}]})", every_type},
          {R"({"a": {"$ne": 5, "$gte": 0, "$lt": 9}})", "single_shard 3"},
          {R"({"a": {"$not": {"$ne": 5}}})", every_type},
          {R"({"$nor": [{"a": {"$ne": 5}}]})", every_type},
          {R"({"$nor": [{"a": {"$lt": 15}}, {"a": {"$gte": 15}}]})", every_type},
          {R"({"$nor": [{"a": 5, "b": 1}]})", every_type},
          {R"({"a": {"$not": {"$regularExpression": {"pattern": "^a", "options": ""}}}})",
           every_type},
          {R"({"a": {"$not": {"$mod": [2, 0]}}})", every_type},
          {R"({"a": {"$not": {"~type": "number"}}})", every_type}});
}

TEST_F(filter_operators, a_regex_with_a_fixed_beginning_is_a_range) {
  expect({{R"({"a": {"~regex": "^foo"}})", "multi_shard 11,6"},
          {R"({"a": {"~regex": "^z"}})", "multi_shard 11,7"},
          {R"({"a": {"~regex": "^foo", "~options": "s"}})", "multi_shard 11,6"},
          {R"({"a": {"~options": "i", "~regex": "^foo"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "^foo", "~options": "m"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "^ f oo", "~options": "x"}})", "multi_shard 11,6"},
          {R"({"a": {"~regex": "^z#o", "~options": "x"}})", "multi_shard 11,7"},
          {R"({"a": {"~regex": "^foo", "~options": "u"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "^foo|^bar"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "^foo\\|bar"}})", "multi_shard 11,6"},
          {R"({"a": {"~regex": "^foo\\\\\\|bar"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "foo"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "^.foo"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "^a?"}})", "multi_shard 11,6,7,8"},
          {R"({"a": {"~regex": "^az*"}})", "multi_shard 11,6"},
          {R"({"a": {"~regex": "\\Afoo", "~options": "m"}})", "multi_shard 11,6"},
          {R"({"a": {"~regex": "^\\Qa.b\\E"}})", "multi_shard 11,6"}});
}

TEST_F(filter_operators, type_is_its_bracket) {
  expect({{R"({"a": {"~type": "number"}})", "multi_shard 2,3,4,5"},
          {R"({"a": {"~type": "string"}})", "multi_shard 6,7,8"},
          {R"({"a": {"~type": [2]}})", "multi_shard 6,7,8"},
          {R"({"a": {"~type": ["bool", "objectId"]}})", "multi_shard 10,9"},
          {R"({"a": {"~type": "null"}})", "single_shard 1"},
          {R"({"a": {"~type": "array"}})", every_type},
          {R"({"a": {"~type": [-1]}})", "single_shard 0"},
          {R"({"a": {"~type": ["minKey", "maxKey"]}})", "multi_shard 0,11"}});
}

TEST_F(filter_operators, mod_is_the_numbers) {
  expect({{R"({"a": {"$mod": [2, 0]}})", "multi_shard 2,3,4,5"}});
}

TEST_F(filter_operators, all_is_a_conjunction) {
  expect({{R"({"a": {"$all": [5]}})", "single_shard 3"},
          {R"({"a": {"$all": [5, 5]}})", "single_shard 3"},
          {R"({"a": {"$all": [5, 15]}})", "single_shard 0"},
          {R"({"a": {"$all": []}})", every_type}});
}

TEST_F(filter_operators, elem_match_bounds_by_its_condition) {
  expect({{R"({"a": {"$elemMatch": {"$gte": 1, "$lt": 5}}})", "single_shard 3"},
          {R"({"a": {"$elemMatch": {"$eq": 5}}})", "single_shard 3"},
          {R"({"a": {"$elemMatch": {"b": 5}}})", every_type},
          {R"({"a": {"$not": {"$elemMatch": {"$gte": 1}}}})", every_type}});
}

TEST_F(filter_operators, what_bounds_nothing_spoils_nothing) {
  expect({{R"({"a": {"$exists": true}})", every_type},
          {R"({"a": {"$size": 2}})", every_type},
          {R"({"a": {"$bitsAllSet": 5}})", every_type},
          {R"({"a": {"$geoWithin": {"$center": [[0, 0], 1]}}})", every_type},
          {R"({"$where": "true", "a": {"$lt": 9, "$gt": 1}})", "single_shard 3"},
          {R"({"$comment": "x", "a": {"$lt": 9, "$gt": 1}})", "single_shard 3"},
          {R"({"$jsonSchema": {}, "a": {"$lt": 9, "$gt": 1}})", "single_shard 3"},
          {R"({"$sampleRate": 0.5, "a": {"$lt": 9, "$gt": 1}})", "single_shard 3"},
          {R"({"loc": {"$near": [0, 0]}, "a": {"$lt": 9, "$gt": 1}})", "single_shard 3"},
          {R"({"a.b": 5})", every_type},
          {R"({"$alwaysTrue": 1})", every_type},
          {R"({"$alwaysFalse": 1})", every_type}});
}

TEST_F(filter_operators, text_leaves_the_full_pin_alone) {
  expect({{R"({"$text": {"$search": "x"}, "a": {"$lt": 9, "$gt": 1}})", every_type},
          {R"({"$text": {"$search": "x"}, "a": 5})", "single_shard 3"},
          {R"({"$text": {"$search": "x"}})", every_type}});
}

TEST_F(filter_operators, expressions_bound_without_regard_to_types) {
  expect(
      {{R"({"$expr": {"$eq": ["$a", 5]}})", "single_shard 3"},
       {R"({"$expr": {"$eq": [5, "$a"]}})", "single_shard 3"},
       {R"({"$expr": {"$eq": ["$a", {"$literal": 5}]}})", "single_shard 3"},
       {R"({"$expr": {"$gt": ["$a", 15]}})", "multi_shard 10,11,4,5,6,7,8,9"},
       {R"({"$expr": {"$lt": [15, "$a"]}})", "multi_shard 10,11,4,5,6,7,8,9"},
       {R"({"$expr": {"$lt": ["$a", 5]}})", "multi_shard 0,1,2,3"},
       {R"({"$expr": {"$and": [{"$gte": ["$a", 1]}, {"$lt": ["$a", 5]}]}})", "single_shard 3"},
       {R"({"$expr": {"$or": [{"$eq": ["$a", 1]}, {"$eq": ["$a", 15]}]}})", "multi_shard 3,4"},
       {R"({"$expr": {"$or": [{"$eq": ["$a", 1]}, {"$ne": ["$b", 15]}]}})", every_type},
       {R"({"$expr": {"$ne": ["$a", 5]}})", every_type},
       {R"({"$expr": {"$eq": ["$a", "$b"]}})", every_type},
       {R"({"$expr": {"$eq": ["$a", [5]]}})", every_type},
       {R"({"$expr": {"$eq": [{"$add": ["$a", 0]}, 5]}})", every_type}});
}

TEST_F(filter_operators, equality_on_the_full_key_comes_before_everything_else) {
  expect({{R"({"a": 5, "$and": [{"a": {"$gt": 100}}]})", "single_shard 3"},
          {R"({"a": {"$eq": 5, "$lt": 0}})", "single_shard 3"},
          {R"({"$and": [{"a": 5}, {"b": {"$in": [1, 2]}}]})", "single_shard 3"},
          {R"({"$or": [{"a": 5}]})", "single_shard 3"},
          {R"({"$and": [{"$and": [{"a": {"$eq": 5}}]}]})", "single_shard 3"}});
}

TEST_F(filter_operators, a_contradiction_goes_to_the_first_chunk) {
  expect({{R"({"a": 5, "$and": [{"a": 15}]})", "single_shard 0"},
          {R"({"a": {"$gt": 5, "$lt": 5}})", "single_shard 0"},
          {R"({"a": {"$in": [1, 2], "$gt": 5}})", "single_shard 0"}});
}

}  // namespace
}  // namespace scattergate::routing_tests
