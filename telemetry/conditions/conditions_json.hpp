#pragma once

#include <vector>

#include "telemetry/conditions/condition.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry {

/// Appends conditions (problems of the daemon) as a JSON array, in the given order: [{id,
/// severity, kind, subject, listener, message, detail, whatToDo, runbook, since, last, count,
/// active}, ...].
void append_conditions(text::json_writer& to, const std::vector<condition>& all);

}  // namespace scattergate::telemetry
