#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/views/report_model.hpp"
#include "text/json_writer.hpp"

namespace scattergate::report {

/// Receives consecutive parts of a text.
using text_sink = std::function<void(std::string_view)>;

/// Writes the report as one line of JSON (docs/report.schema.json). Passes the line to `to` in
/// parts. Never holds all of it in memory, because the line can be larger than the digest (the
/// table of shapes).
void report_json(const report_model& of, const text_sink& to);
/// Appends the report's member `sources`.
void append_sources(text::json_writer& to, const std::vector<source_facts>& of);
/// Appends the report's members `unit` and `totals`.
void append_shown_totals(text::json_writer& to, const report_model& of);
/// The report as one line of JSON (docs/report.schema.json) in one string, for small reports.
[[nodiscard]] std::string report_json(const report_model& of);

}  // namespace scattergate::report
