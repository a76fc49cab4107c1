#pragma once

#include <vector>

#include "config/options/rule.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Whether an entry of a `rules` list is `{accepted: FILE}`. Such an entry isn't a rule: it
/// names a baseline, a file of accepted query shapes.
[[nodiscard]] bool names_baseline(const text_tree::node& member);

/// Reads the baseline file that an entry `{accepted: FILE}` names. Returns a rule with the
/// action accept for each shape in it. FILE is relative to the configuration file. Adds the
/// file's problems to `problems`, with the baseline's lines.
[[nodiscard]] std::vector<rule> read_accepted(const text_tree::node& member,
                                              problem_log& problems);

}  // namespace scattergate::config
