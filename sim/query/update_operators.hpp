#pragma once

#include <cstdint>
#include <string_view>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// What an update operator needs besides its operand.
struct update_context {
  std::int64_t now_millis = 0;  ///< the time for `$currentDate`, in milliseconds since 1970
};

/// Applies an update operator to one value, `target`, and changes it. `exists`: whether the
/// path exists in the document; if not, `target` is BSON's null. Returns whether the value
/// exists afterwards. Throws command_failure (type_mismatch, bad_value, failed_to_parse).
using update_function = bool (*)(value& target, bool exists, const value& operand,
                                 const update_context& context);

/// Returns the implementation of an operator that changes the value at a path: `$set`, `$inc`
/// and similar ones, and all operators of find_array_operator(). Null for any other name. The
/// caller handles `$rename`, `$setOnInsert` and `$unset`, which change fields instead of
/// values.
[[nodiscard]] update_function find_update_operator(std::string_view name) noexcept;

/// Returns the implementation of an operator on arrays: `$push`, `$addToSet`, `$pull`,
/// `$pullAll`, `$pop`. Null for any other name.
[[nodiscard]] update_function find_array_operator(std::string_view name) noexcept;

}  // namespace scattergate::sim
