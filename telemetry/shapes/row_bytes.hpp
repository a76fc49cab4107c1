#pragma once

#include <cstddef>

#include "digest/row.hpp"
#include "telemetry/shapes/shape_details.hpp"

/// What rows take from the memory budget.
namespace scattergate::telemetry {

/// The size of a row, with its texts and its places in tables.
[[nodiscard]] std::size_t bytes_of(const digest::row& row) noexcept;

/// Upper bound of a row's growth when the delta is added; the whole size for a new row.
[[nodiscard]] std::size_t growth_by(const shape_delta& delta, bool is_new) noexcept;

}  // namespace scattergate::telemetry
