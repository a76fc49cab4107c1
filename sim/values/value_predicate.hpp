#pragma once

#include <memory>
#include <vector>

#include "sim/values/value.hpp"

/// The predicates of a filter's operators on single values.
namespace scattergate::sim {

/// A predicate on one value; nullptr is a missing field. Thread-safety: immutable.
class value_predicate {
 public:
  virtual ~value_predicate() = default;
  [[nodiscard]] virtual bool test(const value* candidate) const = 0;

  /// Whether an array passes if one of its members does.
  [[nodiscard]] virtual bool looks_into_arrays() const { return true; }
};

using predicate_ptr = std::unique_ptr<value_predicate>;

/// Tests `candidate` and, if it is an array and the test looks into arrays, its members.
[[nodiscard]] bool passes(const value_predicate& test, const value* candidate);

/// The equality of `{field: operand}` and `$eq` (null also matches missing).
[[nodiscard]] predicate_ptr make_equality(value operand);

/// The test of `$gt`, `$in`, `$type`, ...; nullptr if `name` isn't such an operator. Throws
/// command_failure (bad_value) for an invalid operand.
[[nodiscard]] predicate_ptr make_operator_test(std::string_view name, const value& operand);

/// The test of a regular expression, which also matches an equal regular expression.
[[nodiscard]] predicate_ptr make_regex_test(const regex& operand);

/// The test of `$bitsAllSet` and similar operators; nullptr if `name` isn't one. Throws
/// command_failure (bad_value) for an invalid operand.
[[nodiscard]] predicate_ptr make_bit_test(std::string_view name, const value& operand);

/// The BSON types in `$type`'s operand ("number" is four). Throws command_failure (bad_value).
[[nodiscard]] std::vector<bson_type> types_of(const value& operand);

/// The alias of a type for `$type`: "objectId".
[[nodiscard]] std::string_view type_alias(bson_type type) noexcept;

}  // namespace scattergate::sim
