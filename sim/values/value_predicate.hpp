#pragma once

#include <memory>
#include <vector>

#include "sim/values/value.hpp"

/// The predicates of filter operators on single values.
namespace scattergate::sim {

/// A predicate on a value. Thread-safety: immutable.
class value_predicate {
 public:
  virtual ~value_predicate() = default;
  /// Whether the value satisfies the predicate. Null: the field is missing.
  [[nodiscard]] virtual bool test(const value* candidate) const = 0;

  /// Whether an array also satisfies the predicate if one of its members does.
  [[nodiscard]] virtual bool looks_into_arrays() const { return true; }
};

using predicate_ptr = std::unique_ptr<value_predicate>;

/// Whether `candidate` satisfies the predicate or, if it is an array and
/// test.looks_into_arrays(), one of its members does. Null: the field is missing.
[[nodiscard]] bool passes(const value_predicate& test, const value* candidate);

/// The predicate of `{field: operand}` and `{field: {$eq: operand}}`. Null also matches a
/// missing field.
[[nodiscard]] predicate_ptr make_equality(value operand);

/// The predicate of `$gt`, `$in`, `$type`, ...; null if `name` isn't such an operator. Throws
/// command_failure (bad_value) for an invalid operand.
[[nodiscard]] predicate_ptr make_operator_test(std::string_view name, const value& operand);

/// The predicate of a regular expression, which also matches an equal regular expression.
[[nodiscard]] predicate_ptr make_regex_test(const regex& operand);

/// The predicate of `$bitsAllSet` and similar operators; null if `name` isn't one. Throws
/// command_failure (bad_value) for an invalid operand.
[[nodiscard]] predicate_ptr make_bit_test(std::string_view name, const value& operand);

/// The BSON types that the operand of a `$type` names; "number" names four. Throws
/// command_failure (bad_value).
[[nodiscard]] std::vector<bson_type> types_of(const value& operand);

/// The name of a type in a `$type`: "objectId".
[[nodiscard]] std::string_view type_alias(bson_type type) noexcept;

}  // namespace scattergate::sim
