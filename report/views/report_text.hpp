#pragma once

#include <string>

#include "report/views/report_model.hpp"
#include "report/views/terminal_lines.hpp"

namespace scattergate::report {

/// The report for a terminal: the profile first, then a block for each shape that doesn't go to
/// one shard.
[[nodiscard]] std::string report_text(const report_model& of, const text_style& style);

}  // namespace scattergate::report
