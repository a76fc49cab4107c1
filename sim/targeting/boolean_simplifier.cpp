#include "sim/targeting/boolean_simplifier.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace scattergate::sim {
namespace {

/// A set of predicates or terms: bit i stands for number i.
using bits = std::uint64_t;

/// mongos simplifies only filters with fewer than this number of different predicates (mongo:
/// query_knobs.idl).
constexpr std::size_t max_predicates = 64;

/// A conjunction (AND) of predicates and negated predicates.
struct term {
  bits mask = 0;    ///< the predicates of the conjunction
  bits values = 0;  ///< the predicates of the conjunction that aren't negated
  auto operator<=>(const term&) const = default;
};
using terms = std::vector<term>;

/// The number of elements of the set.
[[nodiscard]] inline std::size_t count(bits set) {
  return static_cast<std::size_t>(std::popcount(set));
}

/// Whether the set contains the element `number`. REQUIRES: number < 64.
[[nodiscard]] inline bool has(bits set, std::size_t number) {
  return ((set >> number) & 1U) != 0;
}

constexpr std::size_t max_covers = 10'000;

/// Drops terms absorbed by a more general one: x | (x & y) is x.
void drop_absorbed(terms& all) {
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {},
                           [&all](std::size_t each) { return count(all[each].mask); });
  std::set<std::size_t> kept;
  for (const std::size_t each : order) {
    const auto absorbs = [&](std::size_t other) {
      return (all[other].mask & all[each].mask) == all[other].mask &&
             (all[each].values & all[other].mask) == all[other].values;
    };
    if (std::ranges::none_of(kept, absorbs)) kept.insert(each);
  }
  terms out;
  for (const std::size_t each : kept) out.push_back(all[each]);
  all = std::move(out);
}

/// A term, and the indexes of the terms that it covers.
struct implicant {
  bits covered = 0;
  bool is_combined = false;
};

/// Terms by their number of true values.
using table = std::map<std::size_t, std::map<term, implicant>>;

table combined(table& from) {
  table out;
  for (auto& [ones, row] : from) {
    const auto next = from.find(ones + 1);
    if (next == from.end()) continue;
    for (auto& [l, left] : row) {
      for (auto& [r, right] : next->second) {
        const bits different = l.values ^ r.values;
        if (l.mask != r.mask || count(different) != 1) continue;
        left.is_combined = right.is_combined = true;
        const term both{l.mask & ~different, l.values & r.values};
        out[count(both.values)].emplace(both, implicant{left.covered | right.covered});
      }
    }
  }
  return out;
}

/// The terms that can't be combined further, with what they cover: (x & y) | (x & !y) is x (the
/// algorithm of Quine and McCluskey).
std::vector<std::pair<term, bits>> prime_terms(const terms& all) {
  table current;
  for (std::size_t i = 0; i < all.size(); ++i) {
    current[count(all[i].values)].emplace(all[i], implicant{bits{1} << i});
  }
  std::vector<std::pair<term, bits>> out;
  std::set<term> seen;
  while (!current.empty()) {
    table next = combined(current);
    for (const auto& [ones, row] : current) {
      for (const auto& [each, what] : row) {
        if (!what.is_combined && seen.insert(each).second) out.emplace_back(each, what.covered);
      }
    }
    current = std::move(next);
  }
  return out;
}

using cover = std::set<std::size_t>;

/// Adds a cover unless it contains another one; drops those that contain it.
void add_cover(std::vector<cover>& all, cover added) {
  const auto holds = [](const cover& whole, const cover& part) {
    return std::ranges::includes(whole, part);
  };
  if (std::ranges::any_of(all, [&](const cover& each) { return holds(added, each); })) return;
  std::erase_if(all, [&](const cover& each) { return holds(each, added); });
  all.push_back(std::move(added));
}

/// The ways to cover all terms with prime ones (Petrick's method); std::nullopt if there are
/// too many, or if the essential ones cover everything.
std::vector<cover> covers_of(const std::vector<std::pair<term, bits>>& primes,
                             std::size_t terms_count) {
  std::vector<cover> choices(terms_count);
  for (std::size_t i = 0; i < primes.size(); ++i) {
    for (std::size_t j = 0; j < terms_count; ++j) {
      if (has(primes[i].second, j)) choices[j].insert(i);
    }
  }
  cover essential;
  for (const cover& each : choices) {
    if (each.size() == 1) essential.insert(*each.begin());
  }
  std::erase_if(choices, [&](const cover& each) {
    return std::ranges::any_of(each, [&](std::size_t i) { return essential.contains(i); });
  });
  if (choices.empty()) return {};
  std::vector<cover> out{essential};
  for (auto each = choices.rbegin(); each != choices.rend(); ++each) {
    std::vector<cover> next;
    for (const cover& so_far : out) {
      for (const std::size_t one : *each) {
        cover more = so_far;
        more.insert(one);
        add_cover(next, std::move(more));
      }
    }
    out = std::move(next);
    if (out.size() > max_covers) return {};
  }
  return out;
}

terms combined_terms(const terms& all) {
  const auto primes = prime_terms(all);
  const auto covers = covers_of(primes, all.size());
  terms out;
  if (covers.size() < 2) {
    for (const auto& [each, covered] : primes) out.push_back(each);
    return out;
  }
  const auto cost = [&primes](const cover& each) {
    std::size_t literals = each.size() * max_predicates;
    for (const std::size_t i : each) literals += count(primes[i].first.mask);
    return literals;
  };
  for (const std::size_t i : *std::ranges::min_element(covers, {}, cost)) {
    out.push_back(primes[i].first);
  }
  return out;
}

/// Returns a disjunction that is equivalent to the disjunction (OR) of `all`, but shorter if
/// possible, as mongos does. Drops terms that another term absorbs. If a predicate is negated
/// in some term, also merges terms that differ in one predicate (mongo: bitset_algebra.cpp,
/// quine_mccluskey.cpp, petrick.cpp). REQUIRES: at most 64 terms.
terms minimal(terms all) {
  drop_absorbed(all);
  const bool has_negation =
      std::ranges::any_of(all, [](const term& each) { return each.mask != each.values; });
  return has_negation ? combined_terms(all) : all;
}

/// The maximum number of terms of a simplified filter: MongoDB's default (mongo:
/// query_knobs.idl).
constexpr std::size_t max_terms = 64;

/// A filter whose leaves are bits (mongo: bitset_tree.h).
struct bit_tree {
  bool is_or = false;
  bool is_negated = false;
  term leaves{};
  std::vector<bit_tree> inner{};

  [[nodiscard]] std::size_t size() const {
    std::size_t out = 1 + count(leaves.mask);
    for (const bit_tree& each : inner) out += each.size();
    return out;
  }

  /// Pushes negations down to the leaves.
  void push_negation(bool from_above = false) {
    const bool is_turned = is_negated != from_above;
    is_negated = false;
    if (is_turned) {
      is_or = !is_or;
      leaves.values = ~leaves.values & leaves.mask;
    }
    for (bit_tree& each : inner) each.push_negation(is_turned);
  }
};

/// The constant value of a part of a filter, if it has one.
enum class certain { nothing, always_true, always_false };

certain opposite(certain what) {
  if (what == certain::nothing) return what;
  return what == certain::always_true ? certain::always_false : certain::always_true;
}

/// Converts a filter into a tree (mongo: expression_bitset_tree_converter.cpp).
class tree_reader {
 public:
  /// False if the filter must stay as it is.
  [[nodiscard]] bool read(const filter_node& filter) {
    visit(filter, root_, false, true);
    if (is_aborted_) return false;
    if (certain_ == certain::always_false) root_ = bit_tree{true};
    if (certain_ == certain::always_true) root_ = bit_tree{};
    return true;
  }

  [[nodiscard]] bit_tree take_tree() { return std::move(root_); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<const filter_node*>& leaves() const noexcept {
    return leaves_;
  }

 private:
  void visit(const filter_node& node, bit_tree& parent, bool negated, bool is_root) {
    switch (node.kind) {
      case filter_kind::negation:
        return visit(node.parts.front(), parent, !negated, false);
      case filter_kind::all_of:
        return visit_list(node, {false, negated}, parent, is_root);
      case filter_kind::any_of:
        return visit_list(node, {true, negated}, parent, is_root);
      case filter_kind::none_of:
        return visit_list(node, {true, !negated}, parent, is_root);
      case filter_kind::always_false:
      case filter_kind::always_true:
        ++size_;
        certain_ = (node.kind == filter_kind::always_true) != negated ? certain::always_true
                                                                      : certain::always_false;
        return;
      default:
        return visit_leaf(node, parent, negated);
    }
  }

  void visit_list(const filter_node& node, bit_tree made, bit_tree& parent, bool is_root) {
    ++size_;
    const certain decisive = made.is_or ? certain::always_true : certain::always_false;
    for (const filter_node& each : node.parts) {
      visit(each, made, false, false);
      if (is_aborted_) return;
      if (certain_ == decisive) {
        if (made.is_negated) certain_ = opposite(certain_);
        return;
      }
      certain_ = certain::nothing;
    }
    if (is_root) {
      parent = std::move(made);
    } else {
      parent.inner.push_back(std::move(made));
    }
  }

  void visit_leaf(const filter_node& node, bit_tree& parent, bool negated) {
    ++size_;
    const std::size_t number = number_of(node);
    if (leaves_.size() >= max_predicates) is_aborted_ = true;
    if (is_aborted_) return;
    term& leaves = parent.leaves;
    if (has(leaves.mask, number) && has(leaves.values, number) == negated) {
      certain_ = parent.is_or ? certain::always_true : certain::always_false;
      return;
    }
    leaves.mask |= bits{1} << number;
    if (!negated) leaves.values |= bits{1} << number;
  }

  std::size_t number_of(const filter_node& node) {
    const auto found = std::ranges::find_if(
        leaves_, [&node](const filter_node* each) { return is_equivalent(*each, node); });
    if (found != leaves_.end()) return static_cast<std::size_t>(found - leaves_.begin());
    leaves_.push_back(&node);
    return leaves_.size() - 1;
  }

  bit_tree root_;
  std::vector<const filter_node*> leaves_;
  std::size_t size_ = 0;
  certain certain_ = certain::nothing;
  bool is_aborted_ = false;
};

terms products(const terms& left, const terms& right) {
  terms out;
  for (const term& l : left) {
    for (const term& r : right) {
      const bits both = l.mask & r.mask;
      if ((l.values & both) != (r.values & both)) continue;
      out.push_back({l.mask | r.mask, l.values | r.values});
    }
  }
  return out;
}

/// The tree as a disjunction of terms; std::nullopt if there would be too many.
std::optional<terms> alternatives_of(const bit_tree& node, bool from_above = false) {
  const bool negated = node.is_negated != from_above;
  const bits values = negated ? ~node.leaves.values & node.leaves.mask : node.leaves.values;
  const bool is_or = node.is_or != negated;
  terms out;
  if (!is_or) out.push_back({node.leaves.mask, values});
  for (std::size_t i = 0; is_or && i < max_predicates; ++i) {
    const bits only = bits{1} << i;
    if (has(node.leaves.mask, i)) out.push_back({only, values & only});
  }
  for (const bit_tree& each : node.inner) {
    const auto more = alternatives_of(each, negated);
    if (!more) return std::nullopt;
    const std::size_t would_be = is_or ? out.size() + more->size() : out.size() * more->size();
    if (would_be > max_terms) return std::nullopt;
    if (is_or) {
      out.insert(out.end(), more->begin(), more->end());
    } else {
      out = products(out, *more);
    }
  }
  return out;
}

bit_tree tree_of(const terms& all) {
  if (all.size() == 1) return {false, false, all.front()};
  bit_tree out{true};
  for (const term& each : all) {
    if (count(each.mask) == 1) {
      out.leaves.mask |= each.mask;
      out.leaves.values |= each.values;
    } else {
      out.inner.push_back({false, false, each});
    }
  }
  return out;
}

/// Moves what all terms have in common before the `$or` (mongo: handleRootedAndCase).
bit_tree factored(terms all) {
  term common{std::numeric_limits<bits>::max(), 0};
  if (all.empty()) common.mask = 0;
  bits common_true = common.mask;
  bits common_false = common.mask;
  for (const term& each : all) {
    common_true &= each.values;
    common_false &= each.mask ^ each.values;
  }
  common = {common_true | common_false, common_true};
  if (common.mask == 0) return tree_of(all);
  bool is_rest_true = false;
  for (term& each : all) {
    each.mask &= ~common.mask;
    each.values &= ~common.mask;
    is_rest_true = is_rest_true || each.mask == 0;
  }
  bit_tree out{false, false, common};
  if (!is_rest_true) out.inner.push_back(tree_of(all));
  return out;
}

std::optional<bit_tree> shortest(bit_tree tree) {
  if (tree.inner.empty()) {
    tree.push_negation();
    return tree;
  }
  auto all = alternatives_of(tree);
  if (!all) return std::nullopt;
  *all = minimal(std::move(*all));
  return tree.is_or ? tree_of(*all) : factored(std::move(*all));
}

filter_node restored(const bit_tree& tree, const std::vector<const filter_node*>& leaves) {
  filter_node out{tree.is_or ? filter_kind::any_of : filter_kind::all_of};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!has(tree.leaves.mask, i)) continue;
    filter_node leaf = *leaves[i];
    if (!has(tree.leaves.values, i)) {
      filter_node negation{filter_kind::negation};
      negation.parts.push_back(std::move(leaf));
      leaf = std::move(negation);
    }
    out.parts.push_back(std::move(leaf));
  }
  for (const bit_tree& each : tree.inner) out.parts.push_back(restored(each, leaves));
  if (out.parts.size() == 1) {
    filter_node only = std::move(out.parts.front());
    return only;
  }
  return out;
}

}  // namespace

std::optional<filter_node> boolean_simplified(const filter_node& filter) {
  tree_reader reader;
  if (!reader.read(filter)) return std::nullopt;
  const auto tree = shortest(reader.take_tree());
  if (!tree || reader.size() <= tree->size()) return std::nullopt;
  if (tree->is_or && tree->inner.empty() && tree->leaves.mask == 0) {
    return filter_node{filter_kind::always_false};
  }
  return restored(*tree, reader.leaves());
}

}  // namespace scattergate::sim
