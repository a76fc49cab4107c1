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
  /// Whether the value satisfies the predicate. `candidate` is null if the field is missing.
  [[nodiscard]] virtual bool test(const value* candidate) const = 0;

  /// Whether an array also satisfies the predicate if one of its members does.
  [[nodiscard]] virtual bool looks_into_arrays() const { return true; }
};

using predicate_ptr = std::unique_ptr<value_predicate>;

/// Whether `candidate` satisfies the predicate. If `candidate` is an array, a member may
/// satisfy it instead (see looks_into_arrays()). `candidate` is null if the field is missing.
[[nodiscard]] bool passes(const value_predicate& test, const value* candidate);

/// The predicate of `{field: operand}` and `{field: {$eq: operand}}`. The operand null also
/// matches a missing field.
[[nodiscard]] predicate_ptr make_equality(value operand);

/// The predicate of a comparison or test operator (`$gt`, `$in`, `$type`, ...); null for other
/// names. Throws command_failure (bad_value and others) for an invalid operand.
[[nodiscard]] predicate_ptr make_operator_test(std::string_view name, const value& operand);

/// The predicate of a regular expression, which also matches an equal regular expression.
/// Throws command_failure (51091, 51108, bad_value) if the pattern or an option is invalid.
[[nodiscard]] predicate_ptr make_regex_test(const regex& operand);

/// The predicate of a bit operator (`$bitsAllSet`, ...); null for other names. Throws
/// command_failure (bad_value, failed_to_parse) for an invalid operand.
[[nodiscard]] predicate_ptr make_bit_test(std::string_view name, const value& operand);

/// The BSON types that the operand of a `$type` names; "number" names four types. Throws
/// command_failure for an unknown type (bad_value) or an operand of another type
/// (type_mismatch).
[[nodiscard]] std::vector<bson_type> types_of(const value& operand);

/// The name of a type in a `$type`: "objectId".
[[nodiscard]] std::string_view type_alias(bson_type type) noexcept;

}  // namespace scattergate::sim
