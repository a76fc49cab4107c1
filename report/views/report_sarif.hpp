#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as SARIF 2.1.0 (OASIS). Accepted findings are suppressed results, because
/// omitted ones would read as fixed; accepted ones that weren't seen are `absent`. The
/// fingerprint is the shape's hash.
[[nodiscard]] std::string report_sarif(const report_model& of);

}  // namespace scattergate::report
