#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/values/value.hpp"

/// A command's fields, with their types checked. All throw command_failure (type_mismatch)
/// where a field is there but of the wrong type; a null counts as absent.
namespace scattergate::sim {

[[nodiscard]] const value* argument(const document& from, std::string_view name) noexcept;

/// Empty where absent.
[[nodiscard]] std::string text_argument(const document& from, std::string_view name);
[[nodiscard]] std::int64_t number_argument(const document& from, std::string_view name,
                                           std::int64_t otherwise);
[[nodiscard]] bool flag_argument(const document& from, std::string_view name,
                                 bool otherwise = false);
/// The empty document where absent.
[[nodiscard]] const document& document_argument(const document& from, std::string_view name);
/// The empty array where absent.
[[nodiscard]] const array& array_argument(const document& from, std::string_view name);

/// A field that must be there. Throws command_failure (failed_to_parse) where it isn't.
[[nodiscard]] const value& needed_argument(const document& from, std::string_view name);

}  // namespace scattergate::sim
