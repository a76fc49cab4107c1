#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/bounds/let_variables.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/catalog/catalog.hpp"

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

}  // namespace scattergate::routing
