#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/values/value.hpp"

/// Typed access to a command's fields. A field with BSON's null counts as absent, except in
/// needed_argument(). Functions that convert throw command_failure (type_mismatch) if the
/// field has another type.
namespace scattergate::sim {

/// The value of a field of any type; a null pointer if the field is absent or BSON's null.
[[nodiscard]] const value* argument(const document& from, std::string_view name) noexcept;

/// The value of a string field; empty if absent. Throws command_failure (type_mismatch).
[[nodiscard]] std::string text_argument(const document& from, std::string_view name);
/// The value of a numeric field; `otherwise` if absent. Throws command_failure (type_mismatch).
[[nodiscard]] std::int64_t number_argument(const document& from, std::string_view name,
                                           std::int64_t otherwise);
/// The value of a boolean or numeric field; `otherwise` if absent. Throws command_failure
/// (type_mismatch).
[[nodiscard]] bool flag_argument(const document& from, std::string_view name,
                                 bool otherwise = false);
/// The value of a document field; empty if absent. Throws command_failure (type_mismatch).
[[nodiscard]] const document& document_argument(const document& from, std::string_view name);
/// The value of an array field; empty if absent. Throws command_failure (type_mismatch).
[[nodiscard]] const array& array_argument(const document& from, std::string_view name);

/// The value of a required field, which may be BSON's null. Throws command_failure
/// (failed_to_parse) if there is no field with this name.
[[nodiscard]] const value& needed_argument(const document& from, std::string_view name);

}  // namespace scattergate::sim
