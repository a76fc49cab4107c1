#pragma once

#include <string>

#include "report/views/report_model.hpp"
#include "report/views/terminal_lines.hpp"

namespace scattergate::report {

/// The report as text for a terminal. A table of shapes (commands without their values) comes
/// first. Then follows a block for each shape whose commands go to several shards or to unknown
/// ones.
[[nodiscard]] std::string report_text(const report_model& of, const text_style& style);

}  // namespace scattergate::report
