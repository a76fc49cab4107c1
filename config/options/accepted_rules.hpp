#pragma once

#include <vector>

#include "config/options/rule.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Whether an entry of a `rules` list is `{accepted: FILE}`: it names a baseline (a file of
/// accepted query shapes) instead of being a rule.
[[nodiscard]] bool names_baseline(const text_tree::node& member);

/// Reads the baseline file that an entry `{accepted: FILE}` names. FILE is relative to the
/// configuration file. Returns an accept rule for each of the baseline's shapes. Problems name
/// lines of the baseline file.
[[nodiscard]] std::vector<rule> read_accepted(const text_tree::node& member,
                                              problem_log& problems);

}  // namespace scattergate::config
