#pragma once

#include <span>
#include <string_view>

#include "config/options/rule.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Reads `throttle`, the limits of a rule that throttles, into `to`. Adds problems for invalid
/// values.
void read_throttle(const map_entry& entry, throttle_limits& to, problem_log& problems);

/// The valid keys of a rule's `throttle`.
[[nodiscard]] std::span<const std::string_view> throttle_keys() noexcept;

}  // namespace scattergate::config
