#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "routing/bounds/rewritten_expression.hpp"

/// The outline of a filter: its tree of operators and paths, optimised and sorted as in mongos
/// when it chooses indexes. Values don't matter. The outline determines which of several
/// `$or`s, and which negations, give bounds on the key.
namespace scattergate::routing {

/// The kind of a node. The order is that in which mongos sorts siblings (mongo:
/// matcher/expression.h, MatchType).
enum class match_kind : std::uint8_t {
  all,  ///< $and; always true if it has no children
  any,
  elem_match_object,
  elem_match_value,
  size,
  eq,
  lte,
  lt,
  gt,
  gte,
  regex,
  mod,
  exists,
  in,
  bits,
  not_,
  nor,
  type,
  geo,
  where,
  expression,
  always_false,
  always_true,
  near,
  text,
  internal_eq,  ///< an equality to which mongos rewrites an $expr
  other,
};

/// A node of a filter's outline. Contains views into the filter. Thread-safety: as for the
/// scratch memory that holds it.
struct match_node {
  match_kind kind = match_kind::other;
  std::string_view path;  ///< the path of a predicate
  std::span<const match_node* const> children;
  std::size_t size = 1;    ///< the number of nodes in this subtree
  wire::element source{};  ///< a predicate's field, operator or member in the filter
};

/// The first version of mongos that certainly detects that no document matches an $elemMatch
/// with a part that is never true (mongo: compiler/rewrites/matcher/expression_optimizer.cpp at
/// 1c287af, elemMatchObjectOptimizer and elemMatchValueOptimizer).
inline constexpr server_version sees_never_member{8, 2};

/// Whether this version may detect that no document matches such an $elemMatch. 7.0 doesn't
/// (mongo: matcher/expression_array.cpp at 0145e23, getOptimizer).
[[nodiscard]] constexpr bool may_see_never_member(server_version version) noexcept {
  return version >= server_version{7, 1};
}

/// What determines the meaning of expressions in a filter.
struct outline_rules {
  const let_variables* let = nullptr;  ///< the variables that expressions may use; null: none
  server_version version;              ///< the version of mongos
  bool keeps_negations = false;  ///< don't replace negations of constants by constants (matters
                                 ///< from 8.0 on)
};

/// Builds a filter's outline; null if the scratch memory is exhausted or the filter can't be
/// read.
[[nodiscard]] const match_node* outline_of(wire::document_view filter,
                                           const outline_rules& rules,
                                           scratch& memory) noexcept;

/// Builds the outline of an `$or` with these branches; null if the scratch memory is exhausted
/// or a branch can't be read.
[[nodiscard]] const match_node* outline_of_any(wire::document_view branches,
                                               const outline_rules& rules,
                                               scratch& memory) noexcept;

/// Builds the outline of a rewritten `$expr`; null if the scratch memory is exhausted.
[[nodiscard]] const match_node* outline_of(const rewritten_expression& from,
                                           scratch& memory) noexcept;

/// Builds the outline of the operators on the field `path`; null if the scratch memory is
/// exhausted or an operator can't be read.
[[nodiscard]] const match_node* outline_of_operators(wire::document_view operators,
                                                     std::string_view path,
                                                     const outline_rules& rules,
                                                     scratch& memory) noexcept;

/// Compares siblings in the order in which mongos sorts them: negative, zero or positive
/// (mongo: query/canonical_query.cpp, matchExpressionComparator).
[[nodiscard]] int compare(const match_node& left, const match_node& right) noexcept;

/// Whether an index can support the negation of this node: only if the node is a single
/// comparison (mongo: query/indexability.h, isBoundsGeneratingNot; planner_ixselect.cpp,
/// compatible).
[[nodiscard]] bool is_negatable(const match_node& node) noexcept;

}  // namespace scattergate::routing
