#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The report as CSV (RFC 4180, UTF-8): a header line, and a line per shape (a command without
/// its values). Texts that look like formulas get an apostrophe in front.
[[nodiscard]] std::string report_csv(const report_model& of);

/// A text as a CSV cell, quoted if needed. A text that looks like a formula gets an apostrophe
/// in front.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace scattergate::report
