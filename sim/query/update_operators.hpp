#pragma once

#include <cstdint>
#include <string_view>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// What an update operator may know beside its operand.
struct update_context {
  std::int64_t now_millis = 0;
};

/// Changes `target` (null and `exists` false where the path is missing). Returns whether the
/// value should exist afterwards.
/// Throws command_failure (type_mismatch, bad_value).
using update_function = bool (*)(value& target, bool exists, const value& operand,
                                 const update_context& context);

/// The function of an operator on one field, such as `$inc`; nullptr for others. `$rename`,
/// `$setOnInsert` and `$unset` belong to the caller: they are about fields, not values.
[[nodiscard]] update_function find_update_operator(std::string_view name) noexcept;

/// Of the array operators alone: `$push`, `$addToSet`, `$pull`, `$pullAll`, `$pop`.
[[nodiscard]] update_function find_array_operator(std::string_view name) noexcept;

}  // namespace scattergate::sim
