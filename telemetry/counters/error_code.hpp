#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scattergate::telemetry {

/// Maps an error code of MongoDB to an index for counters: metrics count some codes by name,
/// each with its own index, and all other codes under 0 (`other`).
[[nodiscard]] std::size_t error_place(std::int32_t code) noexcept;

/// The number of indexes that error_place() returns, including 0.
extern const std::size_t error_places;
/// An upper bound of error_places, for arrays.
inline constexpr std::size_t max_error_places = 64;

/// The name for metrics of the error codes with this index: MongoDB's name of the code
/// (wire/server_error.hpp), or `other` for 0.
[[nodiscard]] std::string_view error_name(std::size_t place) noexcept;

}  // namespace scattergate::telemetry
