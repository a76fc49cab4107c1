#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as tests in JUnit's XML: new ones fail, accepted ones are skipped. Without any
/// there is one test that passes.
[[nodiscard]] std::string report_junit(const report_model& of);

}  // namespace scattergate::report
