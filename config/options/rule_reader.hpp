#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/options/rule.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"

namespace scattergate::config {

/// Reads a list of rules from a configuration or a catalog file. Adds problems for invalid
/// rules.
[[nodiscard]] std::vector<rule> read_rules(const text_tree::node& value, problem_log& problems);

/// The valid keys of a rule. The valid keys of its `match` are match_keys() (rule_match.hpp).
[[nodiscard]] std::span<const std::string_view> rule_keys() noexcept;

/// The valid keys of a rule's `throttle`.
[[nodiscard]] std::span<const std::string_view> throttle_keys() noexcept;

}  // namespace scattergate::config
