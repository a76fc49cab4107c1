#pragma once

#include <vector>

#include "advise/traffic.hpp"

namespace scattergate::advise {

/// Keys are proposed from this many fields, those that most commands pin.
inline constexpr std::size_t most_proposed_fields = 6;

/// Proposes keys of one to three of the fields that filters pin by equality. Two fields are
/// tried in either order; of three, those pinned more often come first. The first field of a
/// key is hashed if its values are monotonic.
[[nodiscard]] std::vector<shard_key> proposed_keys(const traffic& in);

}  // namespace scattergate::advise
