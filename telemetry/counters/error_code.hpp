#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scattergate::telemetry {

/// The place of an error's code in the closed list of those that are told by name; 0: `other`.
[[nodiscard]] std::size_t error_place(std::int32_t code) noexcept;

/// How many places there are.
extern const std::size_t error_places;
inline constexpr std::size_t max_error_places = 64;

/// MongoDB's name of the code at a place (wire/server_error.hpp), or `other`.
[[nodiscard]] std::string_view error_name(std::size_t place) noexcept;

}  // namespace scattergate::telemetry
