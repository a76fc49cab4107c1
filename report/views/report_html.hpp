#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// No page is larger, whatever the input: the costliest shapes are told, the rest is one row.
inline constexpr std::size_t max_html_bytes = 2'000'000;

/// The report as one self-contained page: no network, readable without JavaScript, sortable
/// with; light and dark; prints well.
[[nodiscard]] std::string report_html(const report_model& of);

}  // namespace scattergate::report
