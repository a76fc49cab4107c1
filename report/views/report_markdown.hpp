#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The report as Markdown, for a ticket or a pull request.
[[nodiscard]] std::string report_markdown(const report_model& of);

}  // namespace scattergate::report
