#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as GitHub annotations, one workflow command per line: errors for new ones,
/// notices for accepted ones.
[[nodiscard]] std::string report_github(const report_model& of);

}  // namespace scattergate::report
