#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/name_table.hpp"
#include "routing/catalog/catalog.hpp"

/// The outline of a filter: the filter's tree of operators and paths, without values. It is
/// optimised and sorted as mongos does it before it chooses indexes. The outline determines
/// which of several `$or`s, and which negations, give bounds on the key.

namespace scattergate::routing {

/// An `$expr` that mongos rewrites as a filter: comparisons of a field with a constant, and
/// their conjunctions and disjunctions (mongo: matcher/rewrite_expr.cpp). Parts that can't be
/// rewritten are dropped, so the filter never matches fewer documents than the $expr.
/// Thread-safety: one thread at a time.
struct rewritten_expression {
  enum class kind : std::uint8_t {
    comparison,  ///< compares the field `path` with `value` by the operator `op`
    varying,     ///< an equality of `path` with a value that differs between documents
    some_date,   ///< a comparison of `path` with a date that only the server knows ($$NOW)
    all,         ///< a conjunction of the members
    any,         ///< a disjunction of the members
  } is = kind::comparison;
  bool is_hash = false;  ///< the comparison is an equality of the field's hash, not of its
                         ///< value
  field_operator op = field_operator::unknown;  ///< the comparison's operator; for `in`,
                                                ///< `value` is the list
  std::string_view path{};                      ///< the compared field
  wire::element value{};  ///< the constant with which the field is compared
  const rewritten_expression* first = nullptr;  ///< the first member of a conjunction or
                                                ///< disjunction
  const rewritten_expression* next = nullptr;   ///< the next sibling
};

/// Rewrites an expression. Null if no part of the expression can be rewritten, the expression
/// is nested too deeply, or the scratch memory is exhausted. `let`: the variables that the
/// expression may use; null: none.
[[nodiscard]] const rewritten_expression* rewrite(const wire::element& expression,
                                                  const let_variables* let,
                                                  server_version version,
                                                  scratch& memory) noexcept;

/// Whether an expression may be constant, so that truth_of() must examine it. `made`: the
/// result of rewrite() for the expression. False if `made` is a single comparison of a field.
[[nodiscard]] inline bool may_be_constant(const rewritten_expression* made) noexcept {
  using kind = rewritten_expression::kind;
  return made == nullptr || made->is == kind::all || made->is == kind::any;
}

/// Whether an expression is true, for all documents at once.
enum class expression_truth : std::uint8_t {
  varies,   ///< it depends on the document
  holds,    ///< always true
  never,    ///< never true
  unknown,  ///< constant, but not evaluated here
};
/// Evaluates an expression if it doesn't depend on the document; otherwise returns `varies`.
/// `let`: the variables that the expression may use; null: none.
[[nodiscard]] expression_truth truth_of(const wire::element& expression,
                                        const let_variables* let, server_version version,
                                        scratch& memory) noexcept;

/// The kind of a node. mongos sorts siblings by kind, in the order of these values (mongo:
/// matcher/expression.h, MatchType).
enum class match_kind : std::uint8_t {
  all,  ///< $and; always true if it has no children
  any,  ///< $or
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
  not_,  ///< $not
  nor,
  type,
  geo,
  where,
  expression,
  always_false,
  always_true,
  near,
  text,
  internal_eq,  ///< an equality to which mongos rewrites an $expr; the next four: other
                ///< comparisons to which it does so
  internal_gt,
  internal_gte,
  internal_lt,
  internal_lte,
  other,  ///< any other operator
};

/// A node of a filter's outline. Contains views into the filter. Thread-safety: one thread at a
/// time.
struct match_node {
  match_kind kind = match_kind::other;          ///< the operator or kind of predicate
  std::string_view path;                        ///< the path of a predicate
  std::span<const match_node* const> children;  ///< the operands of a logical operator
  std::size_t size = 1;                         ///< the number of nodes in this subtree
  wire::element source{};  ///< the predicate in the filter: a field, operator or $all member
};

/// From this version on, mongos certainly detects that an $elemMatch matches no document if a
/// part of it is never true, as in {$elemMatch: {a: {$in: []}}} (mongo:
/// compiler/rewrites/matcher/expression_optimizer.cpp at 1c287af, elemMatchObjectOptimizer and
/// elemMatchValueOptimizer).
inline constexpr server_version sees_never_member{8, 2};

/// Whether this version of mongos may detect that an $elemMatch matches no document if a part
/// of it is never true. 7.0 doesn't (mongo: matcher/expression_array.cpp at 0145e23,
/// getOptimizer).
[[nodiscard]] constexpr bool may_see_never_member(server_version version) noexcept {
  return version >= server_version{7, 1};
}

/// The facts that determine the meaning of expressions in a filter.
struct outline_rules {
  const let_variables* let = nullptr;  ///< the variables that expressions may use; null: none
  server_version version;              ///< the version of mongos
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

/// Builds the outline of an `$expr` that rewrite() has turned into a filter; null if the
/// scratch memory is exhausted.
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

/// Whether an index can support the negation of a node of this kind: only of a single
/// comparison (mongo: query/indexability.h, isBoundsGeneratingNot; planner_ixselect.cpp,
/// compatible).
[[nodiscard]] bool is_negatable(match_kind kind) noexcept;

}  // namespace scattergate::routing
