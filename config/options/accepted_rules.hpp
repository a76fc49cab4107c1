#pragma once

#include <vector>

#include "config/options/rule.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Whether a member of `rules` is `{accepted: FILE}`: a baseline stands for rules that accept.
[[nodiscard]] bool names_baseline(const text_tree::node& member);

/// A rule for each shape of that baseline, which is looked for beside the file that names it.
/// Its problems are told with its own lines.
[[nodiscard]] std::vector<rule> read_accepted(const text_tree::node& member,
                                              problem_log& problems);

}  // namespace scattergate::config
