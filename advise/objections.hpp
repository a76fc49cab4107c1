#pragma once

#include <vector>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// The facts about a collection that the safety of a key depends on.
struct safety_context {
  bool is_sharded = false;         ///< the collection is sharded now
  bool has_unknown = false;        ///< collection_advice::unknown isn't empty
  bool are_minutes_known = false;  ///< key_values::per_minute is known for at least one key
};

/// The reasons why the key of `evaluated` isn't safe, worst first. Empty: the key is safe
/// (docs/advise.md, "Safe").
[[nodiscard]] std::vector<objection> objections_to(const candidate& evaluated,
                                                   const safety_context& context);

}  // namespace scattergate::advise
