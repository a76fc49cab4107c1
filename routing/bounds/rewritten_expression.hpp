#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/bounds/let_variables.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// What `$expr` says of fields as a filter would: comparisons of one field with a constant, and
/// what joins them (mongo: matcher/rewrite_expr.cpp). The rest of the expression is left out,
/// so that this matches more, never less.
/// Thread-safety: as the scratch that holds it.
struct rewritten_expression {
  enum class kind : std::uint8_t {
    comparison,
    varying,    ///< an equality with a value that differs from document to document
    some_date,  ///< a comparison with a date that only the server knows ($$NOW)
    all,
    any,
  } is = kind::comparison;
  field_operator op = field_operator::unknown;  ///< of a comparison; `in`: `value` is the list
  std::string_view path{};
  wire::element value{};
  const rewritten_expression* first = nullptr;  ///< of those that are joined
  const rewritten_expression* next = nullptr;   ///< among siblings
};

/// Null where nothing can be rewritten, the expression is nested too deep, or the scratch is
/// exhausted. `let` is null where there are no variables.
[[nodiscard]] const rewritten_expression* rewrite(const wire::element& expression,
                                                  const let_variables* let,
                                                  server_version version,
                                                  scratch& memory) noexcept;

/// Whether an expression of which this was made may come to a constant: a comparison doesn't.
[[nodiscard]] inline bool may_be_constant(const rewritten_expression* made) noexcept {
  using kind = rewritten_expression::kind;
  return made == nullptr || made->is == kind::all || made->is == kind::any;
}

/// What an expression says where it looks at no document.
enum class expression_truth : std::uint8_t {
  varies,   ///< it looks at one
  holds,    ///< always
  never,    ///< never
  unknown,  ///< it is constant, but not evaluated here
};
[[nodiscard]] expression_truth truth_of(const wire::element& expression,
                                        const let_variables* let, server_version version,
                                        scratch& memory) noexcept;

}  // namespace scattergate::routing
