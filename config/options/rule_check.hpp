#pragma once

#include <span>
#include <vector>

#include "config/options/rule.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/days.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// What is odd about rules that are good each by itself, in the order in which they are asked:
/// those that never decide, and those of which the order decides where they overlap. What can't
/// be told for certain isn't said. `by`: the catalog in which they are asked, where it is
/// known.
[[nodiscard]] std::vector<text::problem> check_rules(std::span<const rule> rules,
                                                     text::day today,
                                                     const routing::catalog* by = nullptr);

}  // namespace scattergate::config
