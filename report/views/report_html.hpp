#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// Size limit of a page in bytes. A page with too many shapes (commands without their values)
/// shows the most expensive ones. One row has the sums of all others.
inline constexpr std::size_t max_html_bytes = 2'000'000;

/// The report as one self-contained HTML page. The page works offline and without JavaScript,
/// which only adds sorting.
[[nodiscard]] std::string report_html(const report_model& of);

}  // namespace scattergate::report
