#pragma once

#include <string>
#include <vector>

#include "telemetry/conditions/condition.hpp"

namespace scattergate::telemetry {

/// An array, in their order:
/// [{id, severity, kind, subject, listener, message, detail, whatToDo, runbook, since, last,
/// count, active}].
[[nodiscard]] std::string conditions_json(const std::vector<condition>& all);

}  // namespace scattergate::telemetry
