#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "telemetry/metrics/metric_row.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {

/// The table of all metric families, in the order of /metrics. A family is all series with one
/// name. Each row has the family's name, type, HELP text, and the source of its values (members
/// of structs, or code). To add a metric, add a member for its value, a row here, and a row in
/// docs/metrics.md.
[[nodiscard]] std::span<const metric_row> metric_list() noexcept;

/// The results of row_of(), indexed by `metric`.
extern const std::array<std::size_t, wire::enum_count<metric>()> coded_rows;
/// The index in metric_list() of the family `id`, whose series are built by code.
[[nodiscard]] inline std::size_t row_of(metric id) noexcept {
  return coded_rows[static_cast<std::size_t>(id)];
}

}  // namespace scattergate::telemetry
