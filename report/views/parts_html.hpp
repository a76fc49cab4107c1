#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The report's page: a bar for each hour, and a table of the latest. Empty where there are no
/// hours to compare.
[[nodiscard]] std::string hours_html(const report_model& of);

/// The report's page: the collections and senders that cost most, and all others as one row.
[[nodiscard]] std::string senders_html(const report_model& of);

}  // namespace scattergate::report
