#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The report as one line of JSON (docs/report.md has its schema).
[[nodiscard]] std::string report_json(const report_model& of);

}  // namespace scattergate::report
