#pragma once

#include "routing/bounds/match_outline.hpp"

namespace scattergate::routing {

/// A node of a filter's outline under construction. The outline is the filter's tree of
/// operators and paths (match_outline.hpp). Children are a linked list. Thread-safety: one
/// thread at a time.
struct match_draft {
  match_kind kind;          ///< the kind of predicate or logical operator
  std::string_view path{};  ///< the path of a predicate
  wire::element source{};   ///< the predicate in the filter: a field, operator or $all member
  match_draft* first = nullptr;  ///< the first child
  match_draft* last = nullptr;   ///< the last child
  match_draft* next = nullptr;   ///< the next sibling
  std::size_t count = 0;         ///< the number of children

  /// Appends a child.
  void add(match_draft* child) noexcept;

  /// Whether the node is always true.
  [[nodiscard]] bool is_true() const noexcept {
    return (kind == match_kind::all && count == 0) || kind == match_kind::always_true;
  }
  /// Whether the node is never true.
  [[nodiscard]] bool is_false() const noexcept { return kind == match_kind::always_false; }

  /// Optimises the node as mongos does (mongo: matcher/expression_tree.cpp, getOptimizer).
  /// REQUIRES: its children have been optimised.
  void simplify() noexcept;

  /// If the node negates a constant, replaces the node by a constant. mongos does so from 8.2
  /// on, and perhaps in 8.0 and 8.1 (mongo: matcher/expression_optimizer.cpp at 1c287af,
  /// listOfOptimizer and notOptimizer). Returns whether it has replaced anything.
  bool fold_negation() noexcept;

  /// Whether the node only wraps a single child, which can take its place.
  [[nodiscard]] bool is_wrapper() const noexcept {
    return count == 1 && (kind == match_kind::all || kind == match_kind::any);
  }

 private:
  void absorb(bool conjoins) noexcept;
};

struct conjunct;

/// A filter's tree, optimised but not sorted: its nodes are in the filter's order.
struct drafted_tree {
  match_draft* root = nullptr;  ///< null if the scratch memory is exhausted or a part can't be
                                ///< read
  bool has_folded = false;      ///< whether negations of constants were replaced by constants
  bool has_doubt = false;       ///< whether mongos may replace an $elemMatch by a constant
};

/// Builds the tree of the conjunction of all `conjuncts`.
[[nodiscard]] drafted_tree draft_of(const conjunct* conjuncts, const outline_rules& rules,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
