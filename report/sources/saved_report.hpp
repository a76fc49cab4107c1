#pragma once

#include <string_view>

#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"
#include "text/problem.hpp"

namespace scattergate::report {

/// Whether bytes begin a report that was saved as JSON (docs/report.schema.json).
[[nodiscard]] bool is_saved_report(std::string_view begins);

/// Saved reports are never longer, in bytes.
inline constexpr std::size_t max_saved_report_bytes = 64UL << 20;

/// Reads a saved report into a digest, at most `max_rows` shapes of it. Its totals are exact;
/// of each shape, how many commands were of another class than its worst, and how its times
/// are spread, isn't in it. Of one that can't be read nothing is handed on.
[[nodiscard]] text::result<void> read_saved_report(input& from, std::size_t max_rows,
                                                   observer& to);

}  // namespace scattergate::report
