#pragma once

#include <cstddef>

#include "digest/row.hpp"
#include "telemetry/shapes/shape_details.hpp"

/// The memory that the digest's rows (one per query shape) reserve from memory_budget.
namespace scattergate::telemetry {

/// The digests leave the fraction 1/share_left of the memory budget free for traffic.
inline constexpr std::size_t share_left = 4;

/// The memory of a row, with its texts and its entries in tables, in bytes.
[[nodiscard]] std::size_t bytes_of(const digest::row& row) noexcept;

/// An upper bound, in bytes, of the memory that counting a delta (a shape's new counts) adds to
/// the shape's row. `is_new`: the row doesn't exist yet, so the bound is for the whole row.
[[nodiscard]] std::size_t growth_by(const shape_delta& delta, bool is_new) noexcept;

}  // namespace scattergate::telemetry
