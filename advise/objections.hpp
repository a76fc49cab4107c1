#pragma once

#include <vector>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Facts about a collection on which the safety of its candidate keys depends.
struct safety_context {
  bool is_sharded = false;         ///< the collection is sharded now
  bool has_unknown = false;        ///< something that matters is unknown
  bool are_minutes_known = false;  ///< for at least one key, the share of a minute's most
                                   ///< frequent value is known (key_values::per_minute)
};

/// The reasons why the key of `evaluated` isn't safe, worst first. Empty: the key is safe
/// (docs/advise.md, "Safe").
[[nodiscard]] std::vector<objection> objections_to(const candidate& evaluated,
                                                   const safety_context& context);

}  // namespace scattergate::advise
