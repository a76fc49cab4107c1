#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/values/value.hpp"

/// Evaluates aggregation expressions. Supports the operators that the tests and the demo need.
namespace scattergate::sim {

/// The values of variables by name, without `$$`.
using variables = std::map<std::string, value, std::less<>>;

/// The values that an expression may refer to.
struct scope {
  const document& root;    ///< the document, $$ROOT
  const variables& names;  ///< the variables
};

/// The result of an expression. std::nullopt: a missing field, which differs from null.
using outcome = std::optional<value>;

/// Evaluates an expression. Throws command_failure for an unknown operator or variable, or
/// invalid operands. Recurses as deeply as `operand` is nested.
[[nodiscard]] outcome evaluate(const value& operand, const scope& in);

/// A checked expression: all its operators and variables exist. Thread-safety: immutable.
class expression {
 public:
  /// Checks an expression. `names`: the variables that it may use, with their values. Throws
  /// command_failure for an unknown operator (invalid_pipeline_operator) or variable (17276).
  explicit expression(value operand, variables names = {});

  /// Evaluates the expression for a document. Returns BSON's null if the result is missing.
  /// Throws command_failure for invalid operands.
  [[nodiscard]] value evaluate(const document& root) const;
  /// Evaluates the expression for a document. Returns std::nullopt if the result is missing.
  /// Throws command_failure for invalid operands.
  [[nodiscard]] outcome evaluate_or_missing(const document& root) const;

 private:
  value operand_;
  variables names_;
};

}  // namespace scattergate::sim
