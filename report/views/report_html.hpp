#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// Size limit of a page for any input: it shows the most expensive shapes, and the rest as one
/// row.
inline constexpr std::size_t max_html_bytes = 2'000'000;

/// The report as one self-contained HTML page: works offline and without JavaScript (which adds
/// sorting), in light and dark, and prints well.
[[nodiscard]] std::string report_html(const report_model& of);

}  // namespace scattergate::report
