#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// Facts that unknowns_of() needs about a collection, besides its traffic.
struct known_facts {
  bool are_indexes_known = false;  ///< the collection's indexes are known
  double sketched = 0;  ///< number of requests counted by the sketches (statistics of values)
                        ///< in use; 0: none are used
  double estimated_share = 0;  ///< the share of commands whose number of shards is an estimate,
                               ///< 0 to 1; the maximum over the evaluated keys
};

/// What is unknown about a collection's traffic, one sentence for each gap. Each sentence also
/// says how to provide the missing data.
[[nodiscard]] std::vector<std::string> unknowns_of(const traffic& sent, const input_gaps& gaps,
                                                   const known_facts& of);

/// The least number of commands on a collection for reliable advice.
inline constexpr double least_commands = 1000;

}  // namespace scattergate::advise
