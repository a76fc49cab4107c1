#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// Facts about the advice on a collection, besides its traffic.
struct known_facts {
  bool are_indexes_known = false;
  double sketched = 0;  ///< number of requests that the sketches in use have counted; 0: no
                        ///< sketches are used
  double estimated_share = 0;  ///< the share of commands whose number of shards is an estimate,
                               ///< 0 to 1; the largest of any key
};

/// Lists what the input lacks about a collection's traffic, one sentence each. Each sentence
/// also says how to provide it.
[[nodiscard]] std::vector<std::string> unknowns_of(const traffic& sent, const knowledge& known,
                                                   const known_facts& of);

/// The least number of commands on a collection for reliable advice.
inline constexpr double least_commands = 1000;

}  // namespace scattergate::advise
