#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The sums of commands by hour, as HTML: a bar chart if there are several hours, and a table
/// of the latest hours. Empty if no hour is known.
[[nodiscard]] std::string hours_html(const report_model& of);

/// HTML tables of the most expensive collections, applications, users and hosts. The last row
/// of each table has the sums of all others. Omits a table without any known name.
[[nodiscard]] std::string senders_html(const report_model& of);

}  // namespace scattergate::report
