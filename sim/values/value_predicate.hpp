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
  /// Whether the value satisfies the predicate. `candidate`: a null pointer if the field is
  /// missing.
  [[nodiscard]] virtual bool test(const value* candidate) const = 0;

  /// Whether an array also satisfies the predicate if one of its members does. passes() asks
  /// this.
  [[nodiscard]] virtual bool looks_into_arrays() const { return true; }
};

using predicate_ptr = std::unique_ptr<value_predicate>;

/// Whether a field's value satisfies the predicate, by itself or, for an array, by one of its
/// members (see looks_into_arrays()). `candidate`: the value; a null pointer if the field is
/// missing.
[[nodiscard]] bool passes(const value_predicate& test, const value* candidate);

/// Makes the predicate of `{field: operand}` and `{field: {$eq: operand}}`. If the operand is
/// BSON's null, a missing field matches, too.
[[nodiscard]] predicate_ptr make_equality(value operand);

/// Makes the predicate of a comparison or test operator (`$gt`, `$in`, `$type`, ...); null for
/// any other name. Throws command_failure (bad_value and others) for an invalid operand.
[[nodiscard]] predicate_ptr make_operator_test(std::string_view name, const value& operand);

/// Makes the predicate of a regular expression, which also matches a value that is the same
/// regular expression. Throws command_failure (51091, 51108, bad_value) if the pattern or an
/// option is invalid.
[[nodiscard]] predicate_ptr make_regex_test(const regex& operand);

/// Makes the predicate of a bit operator (`$bitsAllSet`, ...); null for any other name. Throws
/// command_failure (bad_value, failed_to_parse) for an invalid operand.
[[nodiscard]] predicate_ptr make_bit_test(std::string_view name, const value& operand);

/// The BSON types that the operand of a `$type` names; "number" names four types. Throws
/// command_failure: bad_value for an unknown type, type_mismatch if the operand itself has a
/// wrong type.
[[nodiscard]] std::vector<bson_type> types_of(const value& operand);

/// The name that a `$type` uses for a BSON type, such as "objectId".
[[nodiscard]] std::string_view type_alias(bson_type type) noexcept;

}  // namespace scattergate::sim
