#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options/rule.hpp"
#include "telemetry/counters/rule_hits.hpp"

namespace scattergate::telemetry {

/// What /api/v1/rules answers: the rules in the order in which they are asked, each with what
/// it has done since the start, as scattergate_rule_hits_total counts it.
[[nodiscard]] std::string rules_json(std::span<const config::rule> rules,
                                     const std::vector<rule_total>& totals);

}  // namespace scattergate::telemetry
