#pragma once

#include <vector>

#include "config/options/rule.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Whether an entry of a `rules` list is `{accepted: FILE}`, which names a baseline file
/// instead of accept rules.
[[nodiscard]] bool names_baseline(const text_tree::node& member);

/// Reads the baseline file that an entry `{accepted: FILE}` names. Returns an accept rule for
/// each of its shapes. Its path is relative to the configuration file. Problems name lines of
/// the baseline file.
[[nodiscard]] std::vector<rule> read_accepted(const text_tree::node& member,
                                              problem_log& problems);

}  // namespace scattergate::config
