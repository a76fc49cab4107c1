#pragma once

#include "routing/bounds/match_outline.hpp"

namespace scattergate::routing {

/// From this version on, mongos replaces {$nor: [{}]} by a constant; from 8.0 on, only a $nor
/// of several conditions (mongo: matcher/expression_tree.cpp at 20d4968 and db49cf0,
/// ListOfMatchExpression::getOptimizer; 8.0 recorded).
inline constexpr server_version folds_nor_of_one{8, 1};

/// From this version on, mongos replaces the $not of a constant by a constant (mongo:
/// compiler/rewrites/matcher/expression_optimizer.cpp, notOptimizer; not yet in
/// matcher/expression_tree.cpp at ed12c89, of March 2025).
inline constexpr server_version folds_not{8, 2};

/// A node of a filter's outline under construction. The outline is the filter's tree of
/// operators and paths (match_outline.hpp). Children are a linked list. Thread-safety: one
/// thread at a time.
struct match_draft {
  match_kind kind;          ///< the kind of predicate or logical operator
  std::string_view path{};  ///< the path of a predicate
  wire::element source{};   ///< the predicate in the filter: a field, operator or $all member
  wire::document_view operators{};  ///< the operators next to `source`, if it is an operator
  const rewritten_expression* rewritten = nullptr;  ///< the comparison to which mongos rewrites
                                                    ///< an $expr; null: it comes from no $expr
  match_draft* first = nullptr;                     ///< the first child
  match_draft* last = nullptr;                      ///< the last child
  match_draft* next = nullptr;                      ///< the next sibling
  std::size_t count = 0;                            ///< the number of children

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

  /// If the node is an `$or`, turns several equalities on one field into a list, as mongos does
  /// from 8.0 on. The list is a node of the kind `in`, whose children are the equalities; it
  /// may take the node's place. False if the scratch memory is exhausted (mongo:
  /// matcher/expression_tree.cpp of 8.0, ListOfMatchExpression::getOptimizer).
  [[nodiscard]] bool join_alternatives(scratch& memory) noexcept;

  /// If the node negates a constant, replaces the node by a constant, as mongos does from 8.0
  /// on.
  void fold_negation(server_version version) noexcept;

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
  bool has_doubt = false;       ///< whether mongos may replace an $elemMatch by a constant
};

/// Copies a tree, with siblings sorted as mongos sorts them. Null if the scratch memory is
/// exhausted.
[[nodiscard]] const match_node* sorted(const match_draft& from, scratch& memory) noexcept;

/// The operand of a comparison; for an equality that is written as a list of one value, that
/// value.
[[nodiscard]] wire::element operand_of(const wire::element& source) noexcept;

/// Whether the predicate can be a member of a list.
[[nodiscard]] constexpr bool is_listable(match_kind kind) noexcept {
  return kind == match_kind::eq || kind == match_kind::regex;
}

/// Builds the tree of the conjunction of all `conjuncts`.
[[nodiscard]] drafted_tree draft_of(const conjunct* conjuncts, const outline_rules& rules,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
