#pragma once

#include <cstddef>

#include "digest/row.hpp"
#include "telemetry/shapes/shape_details.hpp"

/// The memory that rows reserve from the memory budget.
namespace scattergate::telemetry {

/// The memory of a row, with its texts and its entries in tables, in bytes.
[[nodiscard]] std::size_t bytes_of(const digest::row& row) noexcept;

/// An upper bound of a row's growth by a delta, in bytes; for a new row, of its whole size.
[[nodiscard]] std::size_t growth_by(const shape_delta& delta, bool is_new) noexcept;

}  // namespace scattergate::telemetry
