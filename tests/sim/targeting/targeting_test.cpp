#include "sim/targeting/targeting.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/query/matcher.hpp"
#include "sim/values/bson_codec.hpp"
#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

/// Chunks of {a: 1}: to 0 on shard 0, to 10 on 1, to 20 on 2, from 20 on 3.
chunk_map ranged_chunks(const shard_key& key) {
  chunk_map chunks{key, 0};
  for (const std::int32_t bound : {0, 10, 20}) {
    array position{value{bound}};
    position.resize(key.parts().size(), min_key{});
    chunks.split(position);
    chunks.move(position, static_cast<shard_index>(bound / 10 + 1));
  }
  return chunks;
}

target target_of(const document& filter, const shard_key& key, const chunk_map& chunks,
                 const targeting_terms& terms = {}) {
  return sim::target_of(read_filter(filter, {}), key, chunks, terms);
}

struct target_case {
  const char* filter;
  std::set<shard_index> shards;
};

TEST(targeting, ranged_fields_reach_the_chunks_that_they_meet) {
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  const std::set<shard_index> all{0, 1, 2, 3};
  for (const target_case& each : std::vector<target_case>{
           {R"({"a": 5})", {1}},
           {R"({"a": {"$in": [5, 25]}})", {1, 3}},
           {R"({"a": {"$gte": 5, "$lt": 15}})", {1, 2}},
           {R"({"a": {"$gt": 12}})", {2, 3}},
           {R"({"a": {"$lt": 10}})", {0, 1, 2}},
           {R"({"a": {"$lt": 9}})", {0, 1}},
           {R"({"a": null})", {0}},
           {R"({"a": {"$exists": false}})", {0}},
           {R"({"a": "text"})", {3}},
           {R"({"$and": [{"a": {"$gt": 1}}, {"a": {"$lt": 9}}]})", {1}},
           {R"({"$or": [{"a": 1}, {"a": 21}]})", {1, 3}},
           {R"({"$or": [{"a": 1}, {"b": 21}]})", all},
           {R"({"$or": [{"a": 1}]})", {1}},
           {R"({"$expr": {"$eq": ["$a", 15]}})", {2}},
           {R"({"a": {"$gt": 5, "$lt": 2}})", {0}},
           {R"({"a": {"$ne": 5}})", all},
           {R"({"a": {"$type": "string"}})", {3}},
           {R"({"b": 5})", all},
           {R"({"a.b": 5})", all},
           {R"({})", all},
       }) {
    EXPECT_EQ(target_of(from_json(each.filter), key, chunks).shards, each.shards)
        << each.filter;
  }
}

TEST(targeting, only_equality_on_the_full_key_is_a_point) {
  const shard_key key{from_json(R"({"a": 1, "b": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  EXPECT_TRUE(target_of(from_json(R"({"a": 5, "b": 1})"), key, chunks).is_point);
  EXPECT_TRUE(target_of(from_json(R"({"a": 5, "b": null, "c": 1})"), key, chunks).is_point);
  EXPECT_FALSE(target_of(from_json(R"({"a": 5})"), key, chunks).is_point);
  EXPECT_FALSE(target_of(from_json(R"({"a": 5, "b": {"$in": [1, 2]}})"), key, chunks).is_point);
}

TEST(targeting, a_hashed_field_is_bounded_by_points_only) {
  const shard_key key{from_json(R"({"a": "hashed"})")};
  chunk_map chunks{key, 0};
  chunks.split({std::int64_t{0}});
  chunks.move({std::int64_t{0}}, 1);
  // hash(1) and hash(0) are positive, hash of {a: 1} is negative.
  EXPECT_EQ(target_of(from_json(R"({"a": 1})"), key, chunks).shards, std::set<shard_index>{1});
  EXPECT_EQ(target_of(from_json(R"({"a": {"a": 1}})"), key, chunks).shards,
            std::set<shard_index>{0});
  EXPECT_EQ(target_of(from_json(R"({"a": {"$gt": 1}})"), key, chunks).shards.size(), 2U);
  EXPECT_EQ(target_of(from_json(R"({"a": null})"), key, chunks).shards,
            std::set<shard_index>{1});
}

/// mongo: expression_expr.cpp, attemptToRewriteEqHash.
TEST(targeting, an_expression_on_the_hash_bounds_a_hashed_field_since_7_0) {
  const shard_key key{from_json(R"({"a": "hashed"})")};
  chunk_map chunks{key, 0};
  chunks.split({std::int64_t{0}});
  chunks.move({std::int64_t{0}}, 1);
  const auto shards_of = [&](const std::string& expression, const char* version) {
    const targeting_rules rules = rules_of(version);
    const document filter{{"$expr", from_json(expression)}};
    return sim::target_of(read_filter(filter, {{}, rules}), key, chunks, {true, rules}).shards;
  };
  const std::set<shard_index> both{0, 1};
  const std::string hash = R"({"$numberLong": "-5"})";
  const std::string by_hash = R"({"$eq": [{"$toHashedIndexKey": "$a"}, )" + hash + "]}";
  EXPECT_EQ(shards_of(by_hash, "6.0"), both);
  EXPECT_EQ(shards_of(by_hash, "7.0"), std::set<shard_index>{0});
  EXPECT_EQ(shards_of(R"({"$eq": [{"$toHashedIndexKey": ["$a"]}, )" + hash + "]}", "9.0"),
            std::set<shard_index>{0});
  for (const std::string& other :
       {R"({"$eq": [)" + hash + R"(, {"$toHashedIndexKey": "$a"}]})",
        std::string{R"({"$eq": [{"$toHashedIndexKey": "$a"}, {"$numberInt": "-5"}]})"},
        R"({"$and": [)" + by_hash + ", " + by_hash + "]}", R"({"$not": [)" + by_hash + "]}"}) {
    EXPECT_EQ(shards_of(other, "8.0"), both) << other;
  }
}

TEST(targeting, the_negation_of_a_comparison_with_an_array_bounds_nothing) {
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  EXPECT_EQ(target_of(from_json(R"({"a": {"$not": {"$lt": []}}})"), key, chunks).shards.size(),
            4U);
  EXPECT_EQ(target_of(from_json(R"({"a": {"$not": {"$gt": [1]}}})"), key, chunks).shards.size(),
            4U);
}

TEST(targeting, a_collation_makes_strings_bound_nothing) {
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  EXPECT_EQ(target_of(from_json(R"({"a": "x"})"), key, chunks, {false}).shards.size(), 4U);
  EXPECT_EQ(target_of(from_json(R"({"a": 5})"), key, chunks, {false}).shards.size(), 1U);
}

/// Two fields, the first in chunks by tens; b is only in the ends of ranges.
TEST(targeting, of_several_ranges_those_of_the_first_field_count) {
  const shard_key key{from_json(R"({"a": 1, "b": 1})")};
  chunk_map chunks{key, 0};
  for (const std::int32_t bound : {10, 20}) {
    chunks.split({value{std::int32_t{5}}, value{bound}});
    chunks.move({value{std::int32_t{5}}, value{bound}}, static_cast<shard_index>(bound / 10));
  }
  for (const target_case& each : std::vector<target_case>{
           {R"({"a": 5, "b": {"$in": [1, 25]}})", {0, 2}},
           {R"({"a": {"$in": [5]}, "b": {"$in": [1, 25]}})", {0, 2}},
           {R"({"a": {"$in": [5, 6]}, "b": {"$in": [1, 25]}})", {0, 1, 2}},
           {R"({"$or": [{"a": 5, "b": 1}, {"a": 5, "b": 25}]})", {0, 2}},
           // Branches are put together field by field.
           {R"({"$or": [{"a": 4, "b": 1}, {"a": 5, "b": 25}]})", {0, 1, 2}},
           // Conditions next to an $or count in its branches.
           {R"({"a": 5, "$or": [{"b": 1}, {"b": 25}]})", {0, 2}},
           {R"({"a": 5, "$or": [{"b": 1}, {"c": 25}]})", {0, 1, 2}},
       }) {
    EXPECT_EQ(target_of(from_json(each.filter), key, chunks).shards, each.shards)
        << each.filter;
  }
}

TEST(targeting, contradictions_go_to_the_first_chunk) {
  const shard_key key{from_json(R"({"a": 1})")};
  chunk_map chunks = ranged_chunks(key);
  for (const char* filter :
       {R"({"$and": [{"a": 15}, {"a": 25}]})", R"({"a": {"$gt": 15, "$lt": "x"}})",
        R"({"a": 15, "$or": [{"a": 16}, {"a": 17}], "$and": [{"a": 16}]})"}) {
    EXPECT_EQ(target_of(from_json(filter), key, chunks).shards, std::set<shard_index>{0})
        << filter;
  }
}

TEST(targeting, what_is_never_true_goes_to_the_first_chunk_but_for_8_0_and_8_1) {
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  const auto shards_of = [&](const char* filter, const char* version) {
    const targeting_rules rules = rules_of(version);
    return sim::target_of(read_filter(from_json(filter), {{}, rules}), key, chunks,
                          {true, rules})
        .shards;
  };
  const std::set<shard_index> all{0, 1, 2, 3};
  EXPECT_EQ(shards_of(R"({"a": {"$in": []}})", "7.0"), std::set<shard_index>{0});
  EXPECT_EQ(shards_of(R"({"a": {"$in": []}})", "8.0"), all);
  EXPECT_EQ(shards_of(R"({"a": {"$in": []}})", "8.2"), std::set<shard_index>{0});
  EXPECT_EQ(shards_of(R"({"a": 15, "$nor": [{"a": 15}]})", "8.0"), all);
  EXPECT_EQ(shards_of(R"({"a": 15, "$nor": [{"a": 15}]})", "8.2"), std::set<shard_index>{0});
  EXPECT_EQ(shards_of(R"({"$nor": [{}]})", "8.0"), all);
  EXPECT_EQ(shards_of(R"({"$nor": [{}]})", "8.2"), std::set<shard_index>{0});
  for (const char* filter : {R"({"a": 15, "b": {"$elemMatch": {"$in": []}}})",
                             R"({"a": 15, "b": {"$elemMatch": {"c": {"$all": []}}}})",
                             R"({"a": 15, "$sampleRate": 0})"}) {
    EXPECT_EQ(shards_of(filter, "8.0"), std::set<shard_index>{2}) << filter;
    EXPECT_EQ(shards_of(filter, "8.2"), std::set<shard_index>{0}) << filter;
  }
  EXPECT_EQ(shards_of(R"({"a": 15, "$sampleRate": 1})", "8.2"), std::set<shard_index>{2});
  // A branch that is never true is dropped.
  EXPECT_EQ(shards_of(R"({"$or": [{"a": 15}, {"b": {"$in": []}}]})", "7.0"), all);
  EXPECT_EQ(shards_of(R"({"$or": [{"a": 15}, {"b": {"$in": []}}]})", "8.0"),
            std::set<shard_index>{2});
}

TEST(targeting, an_expression_bounds_by_lists_since_8_1) {
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  const auto shards_of = [&](const char* filter, const char* version) {
    const targeting_rules rules = rules_of(version);
    return sim::target_of(read_filter(from_json(filter), {{}, rules}), key, chunks,
                          {true, rules})
        .shards.size();
  };
  EXPECT_EQ(shards_of(R"({"$expr": {"$in": ["$a", [5, 15]]}})", "8.0"), 4U);
  EXPECT_EQ(shards_of(R"({"$expr": {"$in": ["$a", [5, 15]]}})", "8.1"), 2U);
  for (const char* other :
       {"null", "[5]", R"({"$regularExpression": {"pattern": "a", "options": ""}})"}) {
    const std::string filter = std::string{R"({"$expr": {"$in": ["$a", [5, )"} + other + "]]}}";
    EXPECT_EQ(shards_of(filter.c_str(), "8.1"), 4U) << other;
  }
}

/// mongo: ExpressionAnd::optimize leaves a lone operand as a boolean, which isn't rewritten.
TEST(targeting, an_expression_next_to_a_constant_alone_bounds_nothing) {
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  for (const auto& [filter, shards] : std::vector<std::pair<const char*, std::size_t>>{
           {R"({"$expr": {"$and": [{"$eq": ["$a", 5]}]}})", 1},
           {R"({"$expr": {"$and": [{}, {"$eq": ["$a", 5]}]}})", 4},
           {R"({"$expr": {"$and": [{}, {"$eq": ["$a", 5]}, {"$eq": ["$x", 5]}]}})", 1},
           {R"({"$expr": {"$or": [false, {"$eq": ["$a", 5]}]}})", 4}}) {
    EXPECT_EQ(target_of(from_json(filter), key, chunks).shards.size(), shards) << filter;
  }
}

TEST(targeting, a_hash_may_be_that_of_a_string_under_a_collation_since_6_0) {
  const shard_key hashed{from_json(R"({"a": "hashed"})")};
  const chunk_map chunks{hashed, 0};
  const auto is_point = [&](const char* version) {
    const targeting_rules rules = rules_of(version);
    return sim::target_of(read_filter(from_json(R"({"a": 5})"), {{}, rules}), hashed, chunks,
                          {false, rules})
        .is_point;
  };
  EXPECT_TRUE(is_point("5.0"));
  EXPECT_FALSE(is_point("6.0"));
}

TEST(targeting, went_other_ways_before_6_0) {
  const targeting_terms before{true, rules_of("5.0")};
  const targeting_terms collated_before{false, rules_of("5.0")};
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  const document highest = from_json(R"({"a": {"$maxKey": 1}})");
  EXPECT_EQ(target_of(highest, key, chunks).shards, std::set<shard_index>{3});
  EXPECT_EQ(target_of(highest, key, chunks, before).shards, std::set<shard_index>{0});
  const shard_key hashed{from_json(R"({"a": "hashed"})")};
  chunk_map halves{hashed, 0};
  halves.split({std::int64_t{0}});
  halves.move({std::int64_t{0}}, 1);
  const document contradiction = from_json(R"({"$and": [{"a": 1}, {"a": 2}]})");
  EXPECT_EQ(target_of(contradiction, hashed, halves).shards, std::set<shard_index>{0});
  EXPECT_EQ(target_of(contradiction, hashed, halves, before).shards, std::set<shard_index>{0});
  const document text = from_json(R"({"a": "x"})");
  EXPECT_EQ(target_of(text, hashed, halves, {false}).shards.size(), 2U);
  EXPECT_EQ(target_of(text, hashed, halves, collated_before).shards.size(), 1U);
}

TEST(targeting, plain_equalities_alone_are_a_point) {
  const shard_key key{from_json(R"({"a.b": 1})")};
  const chunk_map chunks{key, 0};
  const auto is_point = [&](const char* filter) {
    return target_of(from_json(filter), key, chunks).is_point;
  };
  EXPECT_TRUE(is_point(R"({"a.b": 5})"));
  EXPECT_TRUE(is_point(R"({"a": {"b": 5}})"));
  EXPECT_TRUE(is_point(R"({"$or": [{"a.b": {"$in": [5, 5]}}]})"));
  EXPECT_TRUE(is_point(R"({"a.b": {"$all": [5]}, "c": 1})"));
  EXPECT_FALSE(is_point(R"({"a": {"c": 5}})"));
  EXPECT_FALSE(is_point(R"({"a.b": [5]})"));
  EXPECT_FALSE(is_point(R"({"a.b": 5, "a.b.c": 5})"));
  EXPECT_FALSE(is_point(R"({"$and": [{"a.b": 5}, {"a.b": 6}]})"));
  EXPECT_FALSE(is_point(R"({"$expr": {"$eq": ["$a.b", 5]}})"));
}

/// mongo a9a9338beb33: index_bounds_builder.cpp, INTERNAL_EXPR_LT: a missing field, which is
/// stored as null, is less than null, but not than MinKey.
TEST(targeting, an_expression_finds_a_missing_field_below_null) {
  const shard_key key{from_json(R"({"a": 1})")};
  chunk_map chunks{key, 0};
  chunks.split({null{}});
  chunks.move({null{}}, 1);
  const auto shards_of = [&](const char* expression) {
    return target_of(document{{"$expr", from_json(expression)}}, key, chunks).shards;
  };
  EXPECT_EQ(shards_of(R"({"$lt": ["$a", null]})"), (std::set<shard_index>{0, 1}));
  EXPECT_EQ(shards_of(R"({"$lte": ["$a", {"$literal": {"$minKey": 1}}]})"),
            std::set<shard_index>{0});
}

TEST(targeting, an_expression_bounds_by_order_since_5_0) {
  const shard_key key{from_json(R"({"a": 1})")};
  const chunk_map chunks = ranged_chunks(key);
  const auto shards_of = [&](const char* filter, bool since_5_0) {
    return sim::target_of(
               read_filter(from_json(filter), {{}, rules_of(since_5_0 ? "5.0" : "4.4")}), key,
               chunks)
        .shards.size();
  };
  EXPECT_EQ(shards_of(R"({"$expr": {"$gt": ["$a", 15]}})", false), 4U);
  EXPECT_EQ(shards_of(R"({"$expr": {"$gt": ["$a", 15]}})", true), 2U);
  EXPECT_EQ(shards_of(R"({"$expr": {"$lte": [15, "$a"]}})", true), 2U);
  EXPECT_EQ(shards_of(R"({"$expr": {"$eq": ["$a", {"$add": [7, 8]}]}})", false), 1U);
  EXPECT_EQ(shards_of(R"({"$expr": {"$and": [{"$eq": ["$a", 15]}, "$b"]}})", false), 1U);
  EXPECT_EQ(shards_of(R"({"$expr": {"$or": [{"$eq": ["$a", 15]}, "$b"]}})", false), 4U);
  // A constant that is false makes all of it constant, which bounds nothing.
  EXPECT_EQ(shards_of(R"({"$expr": {"$and": [{"$eq": ["$a", 15]}, {"$eq": [1, 2]}]}})", false),
            4U);
}

/// Worlds of random documents and filters: what matches must have been asked.
class random_world {
 public:
  explicit random_world(unsigned seed) : random_(seed) {}

  std::int32_t pick(std::int32_t below) {
    return std::uniform_int_distribution<std::int32_t>{0, below - 1}(random_);
  }

  value scalar() {
    switch (pick(6)) {
      case 0:
        return null{};
      case 1:
        return std::string(1, static_cast<char>('a' + pick(5)));
      case 2:
        return pick(2) == 0;
      case 3:
        return pick(30) + 0.5;
      default:
        return pick(30) - 5;
    }
  }

  value predicate() {
    switch (pick(10)) {
      case 0:
        return document{{"$gt", scalar()}};
      case 1:
        return document{{"$gte", scalar()}, {"$lt", scalar()}};
      case 2:
        return document{{"$in", array{scalar(), scalar()}}};
      case 3:
        return document{{"$ne", scalar()}};
      case 4:
        return document{{"$exists", pick(2) == 0}};
      case 5:
        return document{{"$not", document{{"$lte", scalar()}}}};
      case 6:
        return document{{"$nin", array{scalar(), scalar()}}};
      case 7:
        return document{{"$type", pick(2) == 0 ? "number" : "string"}};
      default:
        return scalar();
    }
  }

  document filter(int depth = 0) {
    document out;
    if (depth < 2 && pick(4) == 0) {
      out.append(pick(2) == 0 ? "$or" : "$and", array{filter(depth + 1), filter(depth + 1)});
    }
    for (const char* name : {"a", "b", "c"}) {
      if (pick(2) == 0) out.append(name, predicate());
    }
    return out;
  }

  document content() {
    document out;
    for (const char* name : {"a", "b", "c"}) {
      if (pick(5) != 0) out.append(name, scalar());
    }
    return out;
  }

 private:
  std::mt19937 random_;
};

TEST(targeting, every_shard_that_holds_a_match_is_asked) {
  const std::vector<const char*> keys{R"({"a": 1})", R"({"a": "hashed"})",
                                      R"({"a": 1, "b": 1})", R"({"a": 1, "b": "hashed"})",
                                      R"({"a": "hashed", "b": 1})"};
  for (unsigned seed = 0; seed < 400; ++seed) {
    random_world world{seed};
    const shard_key key{from_json(keys[seed % keys.size()])};
    chunk_map chunks{key, 0};
    for (shard_index i = 1; i < 6; ++i) {
      const array at = key.position_of(world.content());
      chunks.split(at);
      chunks.move(at, i);
    }
    for (int i = 0; i < 20; ++i) {
      const document filter = world.filter();
      const matcher match{filter};
      const auto asked = target_of(filter, key, chunks).shards;
      for (int j = 0; j < 20; ++j) {
        const document content = world.content();
        if (!match.matches(content)) continue;
        EXPECT_TRUE(asked.contains(chunks.at(key.position_of(content)).owner))
            << to_json(filter) << " matches " << to_json(content) << " under "
            << to_json(key.pattern());
      }
    }
  }
}

}  // namespace
}  // namespace scattergate::sim
