#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "telemetry/metrics/metric_row.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::telemetry {

/// The table of all metric families, in the order of /metrics. Each row has the family's name,
/// type, HELP text, and the source of its values (members of structs, or code). To add a
/// number, add a member, a row here, and a row in docs/metrics.md.
[[nodiscard]] std::span<const metric_row> metric_list() noexcept;

/// For each `metric` (a family whose series are built by code), the index of the family's row
/// in metric_list().
extern const std::array<std::size_t, wire::enum_count<metric>()> coded_rows;
/// The index of this family's row in metric_list().
[[nodiscard]] inline std::size_t row_of(metric id) noexcept {
  return coded_rows[static_cast<std::size_t>(id)];
}

}  // namespace scattergate::telemetry
