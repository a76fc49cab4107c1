#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "telemetry/metrics/metric_row.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::telemetry {

/// The one table of what /metrics shows, in the order in which it does: names, HELP lines,
/// labels, and where each number is counted. To add one that has no series for each namespace
/// or value of an enum: a member where it is counted, a row here, and a row in docs/metrics.md.
[[nodiscard]] std::span<const metric_row> metric_list() noexcept;

/// The places in it of the families that code puts together, by their ids.
extern const std::array<std::size_t, wire::enum_count<metric>()> coded_rows;
[[nodiscard]] inline std::size_t row_of(metric id) noexcept {
  return coded_rows[static_cast<std::size_t>(id)];
}

}  // namespace scattergate::telemetry
