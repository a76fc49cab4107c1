#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/values/value.hpp"

/// Expressions of the aggregation language, as far as tests and the demo need them.
namespace scattergate::sim {

/// Values of `let` by name, without the `$$`.
using variables = std::map<std::string, value, std::less<>>;

/// The names that an expression may refer to.
struct scope {
  const document& root;
  const variables& names;
};

/// A result; std::nullopt is a missing field, which isn't null.
using outcome = std::optional<value>;

/// Evaluates `operand` as an expression. Throws command_failure for an unknown operator or
/// invalid operands. The nesting of `operand` limits recursion.
[[nodiscard]] outcome evaluate(const value& operand, const scope& in);

/// The implementation of an operator; receives its operand unevaluated.
using operator_function = outcome (*)(const value& operand, const scope& in);

/// The implementation of `name` ("$add"), or nullptr.
[[nodiscard]] operator_function find_operator(std::string_view name) noexcept;

/// An expression whose operators and variables were checked to exist. Thread-safety: immutable.
class expression {
 public:
  /// Throws command_failure for an unknown operator (invalid_pipeline_operator) or variable
  /// (17276).
  explicit expression(value operand, variables names = {});

  /// Evaluates it on a document; a missing result is null.
  [[nodiscard]] value evaluate(const document& root) const;
  [[nodiscard]] outcome evaluate_or_missing(const document& root) const;

 private:
  value operand_;
  variables names_;
};

}  // namespace scattergate::sim
