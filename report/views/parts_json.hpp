#pragma once

#include "report/views/report_model.hpp"
#include "text/json_writer.hpp"

namespace scattergate::report {

/// Appends the sums by hour, collection and sender as members of the report's object:
/// "perHour":[...],"byCollection":[...],"byApp":[...],... Appends nothing if the model has no
/// such sums (report_model::shown_parts() is null).
void append_parts(text::json_writer& to, const report_model& of);

}  // namespace scattergate::report
