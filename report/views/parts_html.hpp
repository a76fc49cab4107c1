#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The hours as a bar chart, and a table of the latest ones. Empty if there is only one hour or
/// none.
[[nodiscard]] std::string hours_html(const report_model& of);

/// Tables of the most expensive collections and senders, with all others as one row.
[[nodiscard]] std::string senders_html(const report_model& of);

}  // namespace scattergate::report
