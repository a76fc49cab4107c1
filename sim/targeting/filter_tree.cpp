#include "sim/targeting/filter_tree.hpp"

#include <algorithm>
#include <iterator>

#include "sim/values/compare.hpp"

namespace scattergate::sim {
namespace {

/// An `$and` takes in the parts of those inside it, an `$or` likewise.
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

bool is_trivially(const filter_node& node, filter_kind kind) {
  return node.kind == kind || (kind == filter_kind::always_true &&
                               node.kind == filter_kind::all_of && node.parts.empty());
}

filter_node simplified_logic(filter_node node) {
  const bool is_and = node.kind == filter_kind::all_of;
  if (!is_and && node.kind != filter_kind::any_of) {
    // A `$nor` of one part is its negation, which can bound a field.
    if (node.kind == filter_kind::none_of && node.parts.size() == 1) {
      node.kind = filter_kind::negation;
    }
    return node;
  }
  absorb(node);
  const filter_kind neutral = is_and ? filter_kind::always_true : filter_kind::always_false;
  const filter_kind decisive = is_and ? filter_kind::always_false : filter_kind::always_true;
  std::erase_if(node.parts,
                [&](const filter_node& each) { return is_trivially(each, neutral); });
  if (node.parts.empty() && !is_and) return {filter_kind::always_false};
  if (node.parts.size() == 1) {
    filter_node only = std::move(node.parts.front());
    return only;
  }
  const auto decides = [&](const filter_node& each) { return is_trivially(each, decisive); };
  if (std::ranges::any_of(node.parts, decides)) return {decisive};
  return node;
}

/// `$in` of one value is an equality, of one regular expression that expression.
void simplify_list(filter_node& node) {
  const auto* members = node.operand.as<array>();
  if (members == nullptr || members->empty()) return;
  value only = members->front();
  const auto is_same = [&only](const value& each) { return is_equal(each, only); };
  if (!std::ranges::all_of(*members, is_same)) return;
  if (only.is<regex>() && members->size() > 1) return;
  node.kind = only.is<regex>() ? filter_kind::regex : filter_kind::equal;
  node.operand = std::move(only);
}

filter_node simplified_below(filter_node node) {
  if (node.kind == filter_kind::expression) {
    // What it says about fields stands beside it from now on.
    node.kind = filter_kind::all_of;
    node.parts.push_back({filter_kind::other});
  }
  for (filter_node& each : node.parts) each = simplified_below(std::move(each));
  if (is_logic(node.kind)) return simplified_logic(std::move(node));
  if (node.kind == filter_kind::in) simplify_list(node);
  return node;
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

bool is_logic(filter_kind kind) noexcept {
  return kind == filter_kind::all_of || kind == filter_kind::any_of ||
         kind == filter_kind::none_of || kind == filter_kind::negation;
}

filter_node simplified(filter_node filter) {
  filter_node out = simplified_below(std::move(filter));
  sort_parts(out);
  return out;
}

}  // namespace scattergate::sim
