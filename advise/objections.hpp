#pragma once

#include <vector>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Facts about a collection and its present key that the safety of a key depends on.
struct safety_context {
  bool is_sharded = false;
  bool has_unknown = false;        ///< collection_advice::unknown isn't empty
  bool are_minutes_known = false;  ///< of some key
};

/// The reasons why a key isn't safe, worst first. Empty: it is safe (docs/advise.md, "Safe").
[[nodiscard]] std::vector<objection> objections_to(const candidate& one,
                                                   const safety_context& in);

}  // namespace scattergate::advise
