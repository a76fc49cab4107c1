#pragma once

#include <string>

#include "report/views/compare_model.hpp"
#include "report/views/report_text.hpp"

/// A comparison of two reports, for people and for tickets.
namespace scattergate::report {

[[nodiscard]] std::string compare_text(const compare_model& of, const text_style& style);
[[nodiscard]] std::string compare_markdown(const compare_model& of);

/// One page, as report_html() makes it, never larger than max_html_bytes.
[[nodiscard]] std::string compare_html(const compare_model& of);

/// One line of JSON (docs/comparison.schema.json).
[[nodiscard]] std::string compare_json(const compare_model& of);

}  // namespace scattergate::report
