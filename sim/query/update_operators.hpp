#pragma once

#include <cstdint>
#include <string_view>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The context of an update operator, besides its operand.
struct update_context {
  std::int64_t now_millis = 0;
};

/// Changes `target` (null, with `exists` false, if the path is missing). Returns whether the
/// value should exist afterwards. Throws command_failure (type_mismatch, bad_value).
using update_function = bool (*)(value& target, bool exists, const value& operand,
                                 const update_context& context);

/// The implementation of an operator on one field, such as `$inc`; nullptr for others. The
/// caller handles `$rename`, `$setOnInsert` and `$unset`, which affect fields rather than
/// values.
[[nodiscard]] update_function find_update_operator(std::string_view name) noexcept;

/// The implementation of an array operator: `$push`, `$addToSet`, `$pull`, `$pullAll`, `$pop`;
/// nullptr for others.
[[nodiscard]] update_function find_array_operator(std::string_view name) noexcept;

}  // namespace scattergate::sim
