#pragma once

#include <span>
#include <vector>

#include "config/options/rule.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {

/// Warnings about valid rules: rules that never decide, and overlapping rules whose order
/// matters. `rules`: in the order of evaluation. `today`: to find rules whose last day has
/// passed. `catalog`: the catalog in use; null: unknown. Reports only what is certain.
[[nodiscard]] std::vector<text::problem> check_rules(std::span<const rule> rules,
                                                     text::day today,
                                                     const routing::catalog* catalog = nullptr);

}  // namespace scattergate::config
