#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/views/report_model.hpp"
#include "text/json_writer.hpp"

namespace scattergate::report {

/// Takes the next part of a text.
using text_sink = std::function<void(std::string_view)>;

/// The report as one line of JSON (docs/report.md has its schema), part by part: of thousands
/// of shapes it is larger than what it tells of.
void report_json(const report_model& of, const text_sink& to);
/// The member `sources` of the report.
void append_sources(text::json_writer& to, const std::vector<source_facts>& of);
/// The members `unit` and `totals` of the report.
void append_shown_totals(text::json_writer& to, const report_model& of);
[[nodiscard]] std::string report_json(const report_model& of);

}  // namespace scattergate::report
