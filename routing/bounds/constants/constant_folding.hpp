#pragma once

#include <span>

#include "routing/bounds/name_table.hpp"
#include "routing/catalog/catalog.hpp"
#include "wire/work_budget.hpp"

/// Evaluates constant parts of aggregation expressions, as mongos does before targeting (mongo:
/// db/pipeline/expression.cpp, optimize()).
namespace scattergate::routing {

/// The result of evaluating an expression.
struct folded {
  enum class kind : std::uint8_t {
    unknown,    ///< the result depends on the document, or can't be evaluated here
    constant,   ///< the constant `value`
    missing,    ///< no value, for every document ($$REMOVE)
    varying,    ///< a variable whose value differs between documents
    some_date,  ///< a constant date that only the server knows, such as $$NOW
  } is = kind::unknown;
  wire::element value{};  ///< the constant; only valid if `is` is `constant`

  /// A result that is the constant `value`.
  [[nodiscard]] static folded constant(const wire::element& value) noexcept {
    return {kind::constant, value};
  }
  /// Whether `value` is the result.
  [[nodiscard]] bool is_constant() const noexcept { return is == kind::constant; }
};

/// Evaluates constant expressions. If the result isn't certain, it is `unknown`. Computed
/// values are allocated in the scratch memory. wire::limits::inspect_depth limits the
/// recursion; the scratch memory's work budget limits the total work. Thread-safety: one thread
/// at a time.
class constant_folding {
 public:
  /// `let`: the variables that expressions may use; null: none.
  constant_folding(const let_variables* let, server_version version, scratch& memory) noexcept
      : let_(let), version_(version), memory_(memory) {}

  /// Evaluates an expression.
  [[nodiscard]] folded fold(const wire::element& expression) noexcept;

  /// If `call` is a $let whose variables are all constants, calls `visit` with its `in`, and
  /// returns true. During `visit`, fold() replaces these variables by their values, as mongos
  /// does from 8.1 on. Returns false for earlier versions, and if a variable isn't constant.
  template <typename Visit>
  bool within_let(const wire::element& call, Visit visit) noexcept;

 private:
  /// The variables of one $let.
  struct scope {
    std::span<folded> values;
    std::span<wire::element> names;
    const scope* outer = nullptr;
    std::size_t count = 0;  ///< the number of variables, including those of outer scopes
  };
  [[nodiscard]] folded of_document(wire::document_view document) noexcept;
  [[nodiscard]] folded of_call(const wire::element& call) noexcept;
  [[nodiscard]] std::optional<wire::element> enter_let(const wire::element& call,
                                                       scope& inner) noexcept;
  [[nodiscard]] folded of_date(const wire::element& call) noexcept;
  [[nodiscard]] folded members(wire::document_view from, bool is_array) noexcept;
  bool fold_all(wire::document_view from, std::span<folded>& values,
                std::span<wire::element>& names) noexcept;
  [[nodiscard]] folded variable(std::string_view name) noexcept;
  [[nodiscard]] folded named(std::string_view name) noexcept;

  const let_variables* let_;
  const scope* scope_ = nullptr;
  server_version version_;
  scratch& memory_;
  wire::depth_guard depth_;
};

/// The variables of a $let are visible in its `in`, where they hide outer variables of the
/// same name.
template <typename Visit>
bool constant_folding::within_let(const wire::element& call, Visit visit) noexcept {
  scope inner{};
  const auto in = enter_let(call, inner);
  if (!in) return false;
  scope_ = &inner;
  visit(*in);
  scope_ = inner.outer;
  return true;
}

}  // namespace scattergate::routing
