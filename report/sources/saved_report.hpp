#pragma once

#include <string_view>

#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"
#include "text/problem.hpp"

namespace scattergate::report {

/// Whether bytes begin a report saved as JSON (docs/report.schema.json).
[[nodiscard]] bool is_saved_report(std::string_view begins);

/// Size limit of saved reports, in bytes.
inline constexpr std::size_t max_saved_report_bytes = 64UL << 20;

/// Reads a saved report into a digest of at most `max_rows` shapes. The totals are exact. A
/// report doesn't contain how many of a shape's commands had a better class than its worst, nor
/// the distribution of its times. On failure nothing is passed on.
[[nodiscard]] text::result<void> read_saved_report(input& from, std::size_t max_rows,
                                                   observer& to);

}  // namespace scattergate::report
