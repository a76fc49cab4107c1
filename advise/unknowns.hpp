#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The known facts about a collection besides its traffic.
struct known_facts {
  bool are_indexes_known = false;
  double sketched = 0;  ///< requests counted by the sketches that replace missing values; 0: no
                        ///< sketch is used
  double estimated_share = 0;  ///< share of the commands with an estimated fan-out, 0 to 1
};

/// Lists what the input lacks about a collection's traffic. Each text says what to enable.
[[nodiscard]] std::vector<std::string> unknowns_of(const traffic& sent, const knowledge& known,
                                                   const known_facts& of);

/// The least number of commands for reliable advice.
inline constexpr double least_commands = 1000;

}  // namespace scattergate::advise
