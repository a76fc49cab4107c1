#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as SARIF 2.1.0 (OASIS): what a baseline accepts is a suppressed result, since
/// one that is left out reads as fixed; what it has and nothing sent is `absent`. A fingerprint
/// is the shape's hash.
[[nodiscard]] std::string report_sarif(const report_model& of);

}  // namespace scattergate::report
