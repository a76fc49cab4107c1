#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The shapes as a table for spreadsheets (RFC 4180, UTF-8): a head, and a line each. No text
/// is taken for a formula: one that begins as a formula does has an apostrophe before it.
[[nodiscard]] std::string report_csv(const report_model& of);

/// A text as a cell of such a table.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace scattergate::report
