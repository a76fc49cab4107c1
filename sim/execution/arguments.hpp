#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/values/value.hpp"

/// Typed access to a command's fields. All functions throw command_failure (type_mismatch) if a
/// field has the wrong type; a null counts as absent.
namespace scattergate::sim {

[[nodiscard]] const value* argument(const document& from, std::string_view name) noexcept;

/// A string; empty if absent.
[[nodiscard]] std::string text_argument(const document& from, std::string_view name);
[[nodiscard]] std::int64_t number_argument(const document& from, std::string_view name,
                                           std::int64_t otherwise);
[[nodiscard]] bool flag_argument(const document& from, std::string_view name,
                                 bool otherwise = false);
/// A document; empty if absent.
[[nodiscard]] const document& document_argument(const document& from, std::string_view name);
/// An array; empty if absent.
[[nodiscard]] const array& array_argument(const document& from, std::string_view name);

/// A required field. Throws command_failure (failed_to_parse) if it is absent.
[[nodiscard]] const value& needed_argument(const document& from, std::string_view name);

}  // namespace scattergate::sim
