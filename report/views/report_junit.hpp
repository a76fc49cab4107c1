#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as JUnit XML tests: new ones fail, accepted ones are skipped. Without findings,
/// one passing test.
[[nodiscard]] std::string report_junit(const report_model& of);

}  // namespace scattergate::report
