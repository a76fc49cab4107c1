#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The known facts about a collection besides its traffic.
struct known_facts {
  bool are_indexes_known = false;
  double sketched = 0;         ///< requests in sketches that stand for the commands' values
  double estimated_share = 0;  ///< of the commands: how many shards they ask is an estimate
};

/// Lists what the input lacks about a collection's traffic. Each text says what to enable.
[[nodiscard]] std::vector<std::string> unknowns_of(const traffic& sent, const knowledge& known,
                                                   const known_facts& of);

/// The least number of commands for reliable advice.
inline constexpr double least_commands = 1000;

}  // namespace scattergate::advise
