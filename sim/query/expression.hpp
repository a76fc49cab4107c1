#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/values/value.hpp"

/// The aggregation language's expressions, as far as tests and the demo need them.
namespace scattergate::sim {

/// Values of `let` by name, without the `$$`.
using variables = std::map<std::string, value, std::less<>>;

/// What an expression may look at.
struct scope {
  const document& root;
  const variables& names;
};

/// A result: nothing is a missing field, which is not null.
using outcome = std::optional<value>;

/// Evaluates `operand` as an expression. Throws command_failure for an unknown operator or
/// operands that don't suit it. Recursion is bounded by the nesting of `operand`.
[[nodiscard]] outcome evaluate(const value& operand, const scope& in);

/// An operator's work, given its operand unevaluated.
using operator_function = outcome (*)(const value& operand, const scope& in);

/// The function of `name` ("$add"), or nullptr.
[[nodiscard]] operator_function find_operator(std::string_view name) noexcept;

/// An expression whose operators have been checked to exist.
/// Thread-safety: immutable.
class expression {
 public:
  /// Throws command_failure (invalid_pipeline_operator) for an unknown operator.
  explicit expression(value operand, variables names = {});

  /// Missing reads as null.
  [[nodiscard]] value evaluate(const document& root) const;
  [[nodiscard]] outcome evaluate_or_missing(const document& root) const;

 private:
  value operand_;
  variables names_;
};

}  // namespace scattergate::sim
