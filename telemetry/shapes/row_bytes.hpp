#pragma once

#include <cstddef>

#include "digest/row.hpp"
#include "telemetry/shapes/shape_details.hpp"

/// The memory that rows reserve from the memory budget.
namespace scattergate::telemetry {

/// The memory of a row, with its texts and its entries in tables, in bytes.
[[nodiscard]] std::size_t bytes_of(const digest::row& row) noexcept;

/// An upper bound, in bytes, of how much a delta makes its row grow; for a new row, of the
/// row's whole size.
[[nodiscard]] std::size_t growth_by(const shape_delta& delta, bool is_new) noexcept;

}  // namespace scattergate::telemetry
