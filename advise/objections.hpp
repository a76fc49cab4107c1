#pragma once

#include <vector>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// The facts about a collection that the safety of a key depends on.
struct safety_context {
  bool is_sharded = false;         ///< the collection has a present key
  bool has_unknown = false;        ///< collection_advice::unknown isn't empty
  bool are_minutes_known = false;  ///< key_values::per_minute is known for at least one key
};

/// The reasons why a key isn't safe, worst first. Empty: it is safe (docs/advise.md, "Safe").
[[nodiscard]] std::vector<objection> objections_to(const candidate& one,
                                                   const safety_context& in);

}  // namespace scattergate::advise
