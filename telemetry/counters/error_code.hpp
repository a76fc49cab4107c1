#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scattergate::telemetry {

/// The index of an error code of MongoDB in the list of codes that metrics count by name; 0
/// (`other`) for all other codes.
[[nodiscard]] std::size_t error_place(std::int32_t code) noexcept;

/// The number of indexes, including 0.
extern const std::size_t error_places;
/// An upper bound of error_places, for arrays.
inline constexpr std::size_t max_error_places = 64;

/// MongoDB's name of the error code at an index (wire/server_error.hpp), or `other`.
[[nodiscard]] std::string_view error_name(std::size_t place) noexcept;

}  // namespace scattergate::telemetry
