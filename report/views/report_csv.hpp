#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The shapes as CSV (RFC 4180, UTF-8): a header line and a line per shape. Texts that look
/// like formulas get an apostrophe in front.
[[nodiscard]] std::string report_csv(const report_model& of);

/// A text as a CSV cell.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace scattergate::report
