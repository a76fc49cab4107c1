#pragma once

#include "report/views/report_model.hpp"
#include "text/json_writer.hpp"

namespace scattergate::report {

/// Appends the sums by hour, collection and sender as members of the report's object:
/// "perHour":[...],"byCollection":[...],"byApp":[...],... Nothing if the model has no parts.
void append_parts(text::json_writer& to, const report_model& of);

}  // namespace scattergate::report
