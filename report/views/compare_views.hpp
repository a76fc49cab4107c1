#pragma once

#include <string>

#include "report/views/compare_model.hpp"
#include "report/views/report_text.hpp"

/// Views of a comparison of two reports.
namespace scattergate::report {

/// The comparison as text for a terminal.
[[nodiscard]] std::string compare_text(const compare_model& of, const text_style& style);
/// The comparison as Markdown, for a ticket or a pull request.
[[nodiscard]] std::string compare_markdown(const compare_model& of);

/// The comparison as one HTML page in the style of report_html(), at most max_html_bytes.
[[nodiscard]] std::string compare_html(const compare_model& of);

/// The comparison as one line of JSON (docs/comparison.schema.json).
[[nodiscard]] std::string compare_json(const compare_model& of);

}  // namespace scattergate::report
