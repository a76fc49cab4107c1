#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/bounds/let_variables.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// An `$expr` rewritten as a filter: comparisons of a field with a constant, and their
/// conjunctions and disjunctions (mongo: matcher/rewrite_expr.cpp). Other parts are dropped, so
/// it never matches fewer documents than the expression. Thread-safety: as for the scratch
/// memory that holds it.
struct rewritten_expression {
  enum class kind : std::uint8_t {
    comparison,
    varying,    ///< an equality with a value that differs between documents
    some_date,  ///< a comparison with a date that only the server knows ($$NOW)
    all,
    any,
  } is = kind::comparison;
  bool is_hash = false;  ///< an equality of the field's hash, rather than of its value
  field_operator op = field_operator::unknown;  ///< for a comparison; `in`: `value` is the list
  std::string_view path{};
  wire::element value{};
  const rewritten_expression* first = nullptr;  ///< for a conjunction or disjunction: its first
                                                ///< member
  const rewritten_expression* next = nullptr;   ///< the next sibling
};

/// Rewrites an expression; null if no part can be rewritten, it is nested too deeply, or the
/// scratch memory is exhausted. `let`: null if there are no variables.
[[nodiscard]] const rewritten_expression* rewrite(const wire::element& expression,
                                                  const let_variables* let,
                                                  server_version version,
                                                  scratch& memory) noexcept;

/// Whether the original expression may be constant; a comparison isn't.
[[nodiscard]] inline bool may_be_constant(const rewritten_expression* made) noexcept {
  using kind = rewritten_expression::kind;
  return made == nullptr || made->is == kind::all || made->is == kind::any;
}

/// Whether an expression is always or never true.
enum class expression_truth : std::uint8_t {
  varies,   ///< it reads the document
  holds,    ///< always true
  never,    ///< never true
  unknown,  ///< constant, but not evaluated here
};
/// Evaluates an expression that reads no document. `let`: null if there are no variables.
[[nodiscard]] expression_truth truth_of(const wire::element& expression,
                                        const let_variables* let, server_version version,
                                        scratch& memory) noexcept;

}  // namespace scattergate::routing
