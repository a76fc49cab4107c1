#pragma once

#include <cstddef>
#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The capabilities of the terminal.
struct text_style {
  std::size_t width = 100;
  bool has_colour = false;
};

/// The report for a terminal: the profile, then a block for each shape that doesn't go to one
/// shard.
[[nodiscard]] std::string report_text(const report_model& of, const text_style& style);

}  // namespace scattergate::report
