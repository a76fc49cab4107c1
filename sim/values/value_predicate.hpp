#pragma once

#include <memory>
#include <vector>

#include "sim/values/value.hpp"

/// The predicates that a filter's operators make on single values.
namespace scattergate::sim {

/// A predicate on one value; nullptr stands for a missing field.
/// Thread-safety: immutable.
class value_predicate {
 public:
  virtual ~value_predicate() = default;
  [[nodiscard]] virtual bool test(const value* candidate) const = 0;

  /// Whether an array passes when one of its members does.
  [[nodiscard]] virtual bool looks_into_arrays() const { return true; }
};

using predicate_ptr = std::unique_ptr<value_predicate>;

/// Tests `candidate`, and its members where it is an array and the test looks into arrays.
[[nodiscard]] bool passes(const value_predicate& test, const value* candidate);

/// The equality that `{field: operand}` and `$eq` mean (null also means missing).
[[nodiscard]] predicate_ptr make_equality(value operand);

/// The test of `$gt`, `$in`, `$type`, ...; nullptr where `name` isn't such an operator.
/// Throws command_failure (bad_value) for a bad operand.
[[nodiscard]] predicate_ptr make_operator_test(std::string_view name, const value& operand);

/// The test of a regular expression, and of a value that is the same regular expression.
[[nodiscard]] predicate_ptr make_regex_test(const regex& operand);

/// The test of `$bitsAllSet` and its kin; nullptr where `name` isn't one of them.
/// Throws command_failure (bad_value) for a bad operand.
[[nodiscard]] predicate_ptr make_bit_test(std::string_view name, const value& operand);

/// The BSON types that `$type`'s operand names ("number" is four).
/// Throws command_failure (bad_value).
[[nodiscard]] std::vector<bson_type> types_of(const value& operand);

/// The name of a type, as the operators `$type` speak of it: "objectId".
[[nodiscard]] std::string_view type_alias(bson_type type) noexcept;

}  // namespace scattergate::sim
