#pragma once

#include <vector>

#include "config/options/rule.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Whether a member of `rules` is `{accepted: FILE}`: a baseline file instead of rules that
/// accept.
[[nodiscard]] bool names_baseline(const text_tree::node& member);

/// A rule for each shape of that baseline. Its path is relative to the file that names it.
/// Problems name the baseline's own lines.
[[nodiscard]] std::vector<rule> read_accepted(const text_tree::node& member,
                                              problem_log& problems);

}  // namespace scattergate::config
