#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as GitHub's annotations, one workflow command a line: new ones are errors,
/// accepted ones notices.
[[nodiscard]] std::string report_github(const report_model& of);

}  // namespace scattergate::report
