#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options/rule.hpp"
#include "telemetry/counters/rule_hits.hpp"

namespace scattergate::telemetry {

/// Formats the reply of /api/v1/rules: the rules in evaluation order, each with its hits since
/// the daemon started (scattergate_rule_hits_total). `totals`: the hits by rule name; a rule
/// without an entry has no hits. `is_catalog_stale`: the live catalog is out of date.
[[nodiscard]] std::string rules_json(std::span<const config::rule> rules,
                                     const std::vector<rule_total>& totals,
                                     bool is_catalog_stale = false);

}  // namespace scattergate::telemetry
