#include "routing/bounds/match_outline.hpp"

#include <gtest/gtest.h>

#include "tests/routing/value_support.hpp"

/// Filters as mongos's planner has them (mongo: matcher/expression_tree.cpp, getOptimizer;
/// query/canonical_query.cpp, sortTree).
namespace scattergate::routing_tests {
namespace {

constexpr routing::outline_rules rules{nullptr, {4, 4}};

class outlined {
 public:
  explicit outlined(std::string_view filter)
      : document_(filter), node_(routing::outline_of(document_.view(), rules, room_.memory)) {}

  [[nodiscard]] const routing::match_node& node() const { return *node_; }

 private:
  tests::json_document document_;
  owned_scratch<> room_;
  const routing::match_node* node_;
};

int order_of(std::string_view left, std::string_view right) {
  const outlined one{left};
  const outlined other{right};
  return sign(routing::compare(one.node(), other.node()));
}

TEST(match_outline, one_comparison_can_be_negated_however_it_is_wrapped) {
  for (const std::string_view filter :
       {R"({"a": 5})", R"({"a": {"$gt": 5}})", R"({"$and": [{}, {"a": 5}]})",
        R"({"$or": [{"a": {"$in": [1, 2]}}]})", R"({"a": {"$exists": true}})",
        R"({"a": {"$all": [5]}})", R"({"a": 5, "$comment": "x"})"}) {
    EXPECT_TRUE(routing::is_negatable(outlined{filter}.node().kind)) << filter;
  }
}

TEST(match_outline, nothing_else_can) {
  for (const std::string_view filter :
       {R"({})", R"({"a": 5, "b": 5})", R"({"a": {"$gt": 1, "$lt": 5}})",
        R"({"a": {"$ne": 5}})", R"({"a": {"$nin": [5, 6]}})", R"({"a": {"$exists": false}})",
        R"({"$or": [{"a": 1}, {"a": 2}]})", R"({"a": {"$mod": [2, 0]}})",
        R"({"a": {"$elemMatch": {"$gt": 1}}})", R"({"a": {"$size": 1}})",
        R"({"$expr": {"$eq": ["$a", 5]}})", R"({"a": {"$all": []}})"}) {
    EXPECT_FALSE(routing::is_negatable(outlined{filter}.node().kind)) << filter;
  }
}

TEST(match_outline, siblings_are_sorted_by_kind_then_path_then_children) {
  EXPECT_EQ(order_of(R"({"a": 5})", R"({"a": {"$gt": 5}})"), -1);
  EXPECT_EQ(order_of(R"({"a": 5})", R"({"b": 1})"), -1);
  EXPECT_EQ(order_of(R"({"a": 5})", R"({"a": 9})"), 0);
  EXPECT_EQ(order_of(R"({"$or": [{"a": 1}, {"b": 1}]})", R"({"$or": [{"b": 2}, {"a": 2}]})"),
            0);
  EXPECT_EQ(order_of(R"({"$or": [{"a": 1}, {"a": 1}]})",
                     R"({"$or": [{"a": 1}, {"a": 1}, {"a": 1}]})"),
            -1);
  EXPECT_EQ(
      order_of(R"({"$or": [{"a": 1, "b": 1}, {"a": 1}]})", R"({"$or": [{"a": 1}, {"a": 1}]})"),
      -1);
  EXPECT_EQ(order_of(R"({"a": {"$lt": 1}})", R"({"a": {"$gt": 1}})"), -1);
}

TEST(match_outline, what_decides_nothing_falls_out_and_what_decides_all_stays_alone) {
  EXPECT_EQ(order_of(R"({"$and": [{"a": 1}, {"$and": [{"b": 1}]}]})", R"({"b": 1, "a": 2})"),
            0);
  EXPECT_EQ(order_of(R"({"$or": [{"a": 1}, {}]})", "{}"), 0);
  EXPECT_EQ(order_of(R"({"a": 1, "b": {"$all": []}})", R"({"c": {"$all": []}})"), 0);
  EXPECT_EQ(order_of(R"({"$or": [{"a": 1}, {"b": {"$all": []}}]})", R"({"a": 1})"), 0);
}

TEST(match_outline, an_expression_stays_next_to_what_it_was_rewritten_to) {
  const outlined found{R"({"$expr": {"$and": [{"$eq": ["$a", 5]}, {"$gt": ["$b", 5]}]}})"};
  ASSERT_EQ(found.node().children.size(), 2);
  EXPECT_EQ(found.node().children[0]->kind, routing::match_kind::expression);
  EXPECT_EQ(found.node().children[1]->kind, routing::match_kind::internal_eq);
}

TEST(match_outline, without_room_there_is_none) {
  const tests::json_document document{R"({"a": 5})"};
  std::vector<std::byte> block(16);
  routing::scratch memory{block};
  EXPECT_EQ(routing::outline_of(document.view(), rules, memory), nullptr);
}

}  // namespace
}  // namespace scattergate::routing_tests
