#pragma once

#include <string>

#include "advise/advice.hpp"
#include "report/views/report_text.hpp"

namespace scattergate::report {

/// Advice for a terminal.
[[nodiscard]] std::string advice_text(const advise::advice& of, const text_style& style);

/// Advice as one page, at most max_html_bytes.
[[nodiscard]] std::string advice_page(const advise::advice& of);

}  // namespace scattergate::report
