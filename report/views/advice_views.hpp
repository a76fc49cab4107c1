#pragma once

#include <string>

#include "advise/advice.hpp"
#include "report/views/report_text.hpp"

namespace scattergate::report {

/// The advice on shard keys as text for a terminal.
[[nodiscard]] std::string advice_text(const advise::advice& of, const text_style& style);

/// The advice on shard keys as one HTML page of at most max_html_bytes.
[[nodiscard]] std::string advice_page(const advise::advice& of);

}  // namespace scattergate::report
