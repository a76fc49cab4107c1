#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// Lists what the input lacks about a collection's traffic. Each text says what to enable.
[[nodiscard]] std::vector<std::string> unknowns_of(const traffic& sent, const knowledge& known,
                                                   bool are_indexes_known, bool has_statistics,
                                                   double estimated_share);

/// The least number of commands for reliable advice.
inline constexpr double least_commands = 1000;

}  // namespace scattergate::advise
