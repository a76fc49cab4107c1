#include "sim/targeting/boolean_simplifier.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

std::string name_of(const filter_node& node) {
  const bool is_in_parts = is_logic(node.kind);
  if (!is_in_parts) return node.kind == filter_kind::always_false ? "false" : node.path;
  std::string out;
  for (const filter_node& each : node.parts) out += (out.empty() ? "" : " ") + name_of(each);
  switch (node.kind) {
    case filter_kind::all_of:
      return "and(" + out + ")";
    case filter_kind::any_of:
      return "or(" + out + ")";
    case filter_kind::none_of:
      return "nor(" + out + ")";
    default:
      return "not(" + out + ")";
  }
}

/// A filter as 8.0 simplifies it: its groups and the fields in them.
std::string made_of(const char* filter) {
  const targeting_rules rules = rules_of("8.0");
  return name_of(simplified(read_filter(from_json(filter), {{}, rules}), rules));
}

struct simplified_case {
  const char* filter;
  const char* made;
};

// mongo 1c287af4e8f1: expression_simplifier.cpp, bitset_tree.h (calculateSize),
// expression_bitset_tree_converter.cpp (expressionSize).
TEST(boolean_simplifier, keeps_only_what_is_strictly_smaller) {
  for (const simplified_case& each : std::vector<simplified_case>{
           {R"({"a": {"$not": {"$ne": 5}}})", "not(not(a))"},
           {R"({"$nor": [{"a": {"$ne": 5}}, {"x": 1}]})", "nor(x not(a))"},
           {R"({"a": {"$not": {"$gte": -5, "$lt": 50}}})", "not(and(a a))"},
           {R"({"x": 1, "$nor": [{"a": {"$ne": 5}}, {"y": 1}]})", "and(a x not(y))"},
           {R"({"$and": [{"a": 1, "b": 2}, {"a": 1}]})", "and(a b)"},
           {R"({"$or": [{"a": 1}, {"a": 1, "b": 2}]})", "a"},
           {R"({"$or": [{"a": 1, "b": 2}, {"a": 1, "b": {"$ne": 2}}]})", "a"},
           {R"({"a": 1, "b": 2})", "and(a b)"},
           {R"({"a": 1, "$or": [{"b": 1}, {"c": 1}]})", "and(or(b c) a)"},
           {R"({"$or": [{"a": 1, "b": 1}, {"a": 1, "c": 1}]})", "or(and(a b) and(a c))"},
           {R"({"a": 1, "$and": [{"a": {"$ne": 1}}]})", "false"},
           {R"({"$nor": [{"a": 1}, {"a": {"$ne": 1}}]})", "false"},
       }) {
    EXPECT_EQ(made_of(each.filter), each.made) << each.filter;
  }
}

TEST(boolean_simplifier, leaves_filters_of_many_predicates_alone) {
  const auto filter_of = [](int predicates) {
    std::string fields;
    for (int i = 0; i < predicates; ++i) fields += "\"f" + std::to_string(i) + "\": 1, ";
    return "{" + fields + R"("$and": [{"f0": 1, "f1": 1}]})";
  };
  const auto parts_of = [&](int predicates) {
    const filter_node filter = read_filter(from_json(filter_of(predicates)), {});
    return simplified(filter, rules_of("8.0")).parts.size();
  };
  EXPECT_EQ(parts_of(63), 63U);
  EXPECT_EQ(parts_of(64), 66U);
}

TEST(boolean_simplifier, is_not_asked_before_8_0) {
  const targeting_rules rules = rules_of("7.0");
  const document filter = from_json(R"({"a": 1, "$and": [{"a": {"$ne": 1}}]})");
  EXPECT_EQ(name_of(simplified(read_filter(filter, {{}, rules}), rules)), "and(a not(a))");
}

}  // namespace
}  // namespace scattergate::sim
