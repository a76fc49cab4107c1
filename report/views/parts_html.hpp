#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// What was counted in each hour: a bar chart, if there are several hours, and a table of the
/// latest ones. Empty if no hour is known.
[[nodiscard]] std::string hours_html(const report_model& of);

/// Tables of the most expensive collections, applications, users and hosts, each with all
/// others as one row. A table without any known name is left out.
[[nodiscard]] std::string senders_html(const report_model& of);

}  // namespace scattergate::report
