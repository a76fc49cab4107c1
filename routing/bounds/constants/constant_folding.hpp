#pragma once

#include <span>
#include <string_view>

#include "routing/bounds/name_table.hpp"
#include "routing/catalog/catalog.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Evaluates constant parts of aggregation expressions, as mongos does before targeting (mongo:
/// db/pipeline/expression.cpp, optimize()).

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

/// Creates and examines constants of aggregation expressions. Values are allocated in the
/// scratch memory. If the memory is exhausted, the result is `unknown`.

/// The result of an evaluation that isn't certain.
inline constexpr folded unknown_constant{};

/// A constant of the BSON type `type`. `bytes`: its value in BSON, which is copied.
[[nodiscard]] folded constant_of_bytes(wire::bson_type type, std::span<const std::byte> bytes,
                                       scratch& memory) noexcept;
/// A constant of BSON type int64.
[[nodiscard]] folded constant_integer(std::int64_t value, scratch& memory) noexcept;
/// A constant of BSON type double.
[[nodiscard]] folded constant_real(double value, scratch& memory) noexcept;
/// A constant date. `milliseconds`: since 1970, UTC.
[[nodiscard]] folded constant_date(std::int64_t milliseconds, scratch& memory) noexcept;
/// A boolean constant.
[[nodiscard]] folded constant_boolean(bool value, scratch& memory) noexcept;
/// The constant null. Allocates nothing.
[[nodiscard]] folded constant_null() noexcept;
/// A string constant: the concatenation of `parts`.
[[nodiscard]] folded constant_text(std::span<const std::string_view> parts,
                                   scratch& memory) noexcept;

/// Whether a constant is null, undefined or missing.
[[nodiscard]] bool is_nullish(const folded& one) noexcept;

/// A number as MongoDB computes with it: an integer (`whole`) or a double. A date counts as its
/// milliseconds since 1970. Decimal128 isn't supported.
struct plain_number {
  bool is_known = false;   ///< false for other types and Decimal128
  bool is_whole = false;   ///< whether it is an integer
  std::int64_t whole = 0;  ///< the value if `is_whole`
  double real = 0;         ///< the value as a double
};
/// The number of milliseconds of a date, or the value of a number; `is_known` is false for
/// other types and Decimal128.
[[nodiscard]] plain_number number_of(const wire::element& value) noexcept;

}  // namespace scattergate::routing
