#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "telemetry/metrics/metric_row.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::telemetry {

/// The table of all metric families, in the order of /metrics: names, HELP texts, labels, and
/// the member that holds each number. To add a number, add a member, a row here, and a row in
/// docs/metrics.md.
[[nodiscard]] std::span<const metric_row> metric_list() noexcept;

/// By `metric`: the index in metric_list() of its row. A `metric` is a family whose series are
/// built by code.
extern const std::array<std::size_t, wire::enum_count<metric>()> coded_rows;
[[nodiscard]] inline std::size_t row_of(metric id) noexcept {
  return coded_rows[static_cast<std::size_t>(id)];
}

}  // namespace scattergate::telemetry
