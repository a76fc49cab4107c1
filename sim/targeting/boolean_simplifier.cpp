#include "sim/targeting/boolean_simplifier.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sim/targeting/minimal_terms.hpp"

namespace scattergate::sim {
namespace {

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
    if (node.kind == filter_kind::other && node.path == "$jsonSchema") is_aborted_ = true;
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

bool is_special(filter_kind kind) {
  return kind == filter_kind::geo || kind == filter_kind::near || kind == filter_kind::text;
}

std::size_t special_parts(const filter_node& node) {
  std::size_t out = is_special(node.kind) ? 1 : 0;
  for (const filter_node& each : node.parts) out += special_parts(each);
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
  filter_node out = restored(*tree, reader.leaves());
  if (special_parts(out) > 1) return std::nullopt;
  return out;
}

}  // namespace scattergate::sim
