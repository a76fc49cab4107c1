#include "sim/targeting/filter_tree.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "sim/targeting/boolean_simplifier.hpp"
#include "sim/values/compare.hpp"

namespace scattergate::sim {
namespace {

/// Merges the parts of nested `$and`s into an `$and`, and of nested `$or`s into an `$or`.
void absorb(filter_node& node) {
  const auto differs = [&node](const filter_node& each) { return each.kind != node.kind; };
  const auto first = std::stable_partition(node.parts.begin(), node.parts.end(), differs);
  std::vector<filter_node> absorbed;
  for (auto each = first; each != node.parts.end(); ++each) {
    std::move(each->parts.begin(), each->parts.end(), std::back_inserter(absorbed));
  }
  node.parts.erase(first, node.parts.end());
  std::move(absorbed.begin(), absorbed.end(), std::back_inserter(node.parts));
}

bool is_true(const filter_node& node) {
  return node.kind == filter_kind::always_true ||
         (node.kind == filter_kind::all_of && node.parts.empty());
}

bool is_false(const filter_node& node) {
  return node.kind == filter_kind::always_false;
}

/// `$in` with one value is an equality; with one regular expression, that expression.
void simplify_list(filter_node& node, const targeting_rules& rules) {
  const auto* members = node.operand.as<array>();
  if (members == nullptr) return;
  if (members->empty()) {
    if (rules.drops_empty_lists) node = {filter_kind::always_false};
    return;
  }
  value only = members->front();
  const auto is_same = [&only](const value& each) { return is_equal(each, only); };
  if (!std::ranges::all_of(*members, is_same)) return;
  if (only.is<regex>() && members->size() > 1) return;
  node.kind = only.is<regex>() ? filter_kind::regex : filter_kind::equal;
  node.operand = std::move(only);
}

/// Whether an equality, or a regular expression, can become a member of an `$in`.
bool is_joinable(const filter_node& node) {
  return node.kind == filter_kind::regex ||
         (node.kind == filter_kind::equal && !node.operand.is<regex>());
}

/// Combines the equalities of an `$or` on the same field into an `$in`.
filter_node with_lists(filter_node node, const targeting_rules& rules) {
  std::map<std::string, array> members;
  for (const filter_node& each : node.parts) {
    if (is_joinable(each)) members[each.path].push_back(each.operand);
  }
  std::erase_if(members, [](const auto& each) { return each.second.size() < 2; });
  if (members.empty()) return node;
  std::erase_if(node.parts, [&members](const filter_node& each) {
    return is_joinable(each) && members.contains(each.path);
  });
  std::vector<filter_node> lists;
  for (auto& [path, list] : members) {
    lists.push_back({filter_kind::in, path, std::move(list), {}});
  }
  if (node.parts.empty() && lists.size() == 1) {
    simplify_list(lists.front(), rules);
    return std::move(lists.front());
  }
  node.parts.insert(node.parts.begin(), std::make_move_iterator(lists.begin()),
                    std::make_move_iterator(lists.end()));
  return node;
}

filter_node simplified_group(filter_node node, const targeting_rules& rules) {
  const bool is_and = node.kind == filter_kind::all_of;
  absorb(node);
  std::erase_if(node.parts, is_and ? is_true : is_false);
  if (node.parts.empty() && !is_and) return {filter_kind::always_false};
  if (node.parts.size() == 1) {
    filter_node only = std::move(node.parts.front());
    return only;
  }
  if (std::ranges::any_of(node.parts, is_and ? is_false : is_true)) {
    return {is_and ? filter_kind::always_false : filter_kind::always_true};
  }
  if (!is_and && rules.joins_alternatives) return with_lists(std::move(node), rules);
  return node;
}

filter_node simplified_logic(filter_node node, const targeting_rules& rules) {
  if (node.kind == filter_kind::all_of || node.kind == filter_kind::any_of) {
    return simplified_group(std::move(node), rules);
  }
  if (rules.simplifies && node.kind == filter_kind::none_of) {
    std::erase_if(node.parts, is_false);
    if (node.parts.empty()) return {filter_kind::all_of};
  }
  if (rules.folds_negations) {
    const bool is_sure = node.kind == filter_kind::negation && is_false(node.parts.front());
    if (is_sure) return {filter_kind::all_of};
  }
  // In 8.0 only a `$nor` of several parts (mongo 20d496847ce: expression_tree.cpp,
  // ListOfMatchExpression::getOptimizer).
  const bool is_nor = node.kind == filter_kind::none_of;
  const bool folds_truth =
      is_nor ? rules.folds_nor_of_one || (rules.simplifies && node.parts.size() > 1)
             : rules.folds_negations;
  if (folds_truth && std::ranges::any_of(node.parts, is_true)) {
    return {filter_kind::always_false};
  }
  // A `$nor` of one part is its negation, which can bound a field.
  if (node.kind == filter_kind::none_of && node.parts.size() == 1) {
    node.kind = filter_kind::negation;
  }
  return node;
}

bool is_in_array(filter_kind kind) {
  return kind == filter_kind::some_document || kind == filter_kind::some_value;
}

filter_node simplified_below(filter_node node, const targeting_rules& rules) {
  if (node.kind == filter_kind::expression) {
    // Its conditions on fields are its siblings from now on.
    node.kind = filter_kind::all_of;
    node.parts.push_back({filter_kind::other, "$expr", std::move(node.operand), {}});
    node.operand = {};
  }
  for (filter_node& each : node.parts) each = simplified_below(std::move(each), rules);
  if (is_logic(node.kind)) return simplified_logic(std::move(node), rules);
  if (node.kind == filter_kind::in) simplify_list(node, rules);
  if (rules.folds_negations && is_in_array(node.kind) &&
      std::ranges::any_of(node.parts, is_false)) {
    return {filter_kind::always_false};
  }
  return node;
}

bool is_compared_expression(const filter_node& node) {
  return node.kind >= filter_kind::expression_equal;
}

/// A filter not worth optimising (mongo: isTriviallySimple).
bool is_trivial(const filter_node& node) {
  const auto& parts = node.parts;
  if (parts.size() == 2) return std::ranges::any_of(parts, is_compared_expression);
  return parts.empty() || (parts.size() == 1 && parts.front().parts.empty());
}

int compare_nodes(const filter_node& left, const filter_node& right) {
  if (left.kind != right.kind) return left.kind < right.kind ? -1 : 1;
  if (const int by_path = left.path.compare(right.path); by_path != 0) return by_path;
  const std::size_t common = std::min(left.parts.size(), right.parts.size());
  for (std::size_t i = 0; i < common; ++i) {
    const int by_part = compare_nodes(left.parts[i], right.parts[i]);
    if (by_part != 0) return by_part;
  }
  if (left.parts.size() == right.parts.size()) return 0;
  return left.parts.size() < right.parts.size() ? -1 : 1;
}

void sort_parts(filter_node& node) {
  for (filter_node& each : node.parts) sort_parts(each);
  std::stable_sort(node.parts.begin(), node.parts.end(),
                   [](const filter_node& left, const filter_node& right) {
                     return compare_nodes(left, right) < 0;
                   });
}

}  // namespace

bool is_equivalent(const filter_node& left, const filter_node& right) {
  return left.kind == right.kind && left.path == right.path &&
         compare(left.operand, right.operand) == 0 &&
         std::ranges::equal(left.parts, right.parts, is_equivalent);
}

bool is_logic(filter_kind kind) noexcept {
  return kind == filter_kind::all_of || kind == filter_kind::any_of ||
         kind == filter_kind::none_of || kind == filter_kind::negation;
}

filter_node simplified(filter_node filter, const targeting_rules& rules) {
  filter_node out = simplified_below(std::move(filter), rules);
  if (rules.simplifies && !is_trivial(out)) {
    if (auto shorter = boolean_simplified(out)) out = std::move(*shorter);
  }
  sort_parts(out);
  return out;
}

}  // namespace scattergate::sim
