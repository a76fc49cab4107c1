#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/mongosh/shell_value.hpp"

/// mongosh's types (ObjectId, ISODate, NumberLong, ...) as Extended JSON.
namespace scattergate::config {

/// Whether mongosh has a type with this name: "ObjectId".
[[nodiscard]] bool is_type(std::string_view name) noexcept;

/// The value that a type's constructor makes. Throws shell_error (without a line) if the
/// arguments are wrong.
[[nodiscard]] shell_value typed_value(std::string_view name,
                                      std::vector<shell_value> arguments);

/// A regular expression. Throws shell_error (without a line) for a flag that MongoDB lacks.
[[nodiscard]] shell_value regex_value(std::string pattern, std::string_view flags);

/// A double that JSON can't write: "NaN", "Infinity", "-Infinity".
[[nodiscard]] shell_value double_value(std::string text);

}  // namespace scattergate::config
