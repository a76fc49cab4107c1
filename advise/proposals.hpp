#pragma once

#include <vector>

#include "advise/traffic.hpp"

namespace scattergate::advise {

/// Fields that keys are proposed of: those that most commands pin.
inline constexpr std::size_t most_proposed_fields = 6;

/// Keys of one to three of the fields that filters pin by equality; of two in either order, of
/// three those first that more commands pin. The first field of a key whose values are
/// monotonic is hashed.
[[nodiscard]] std::vector<shard_key> proposed_keys(const traffic& in);

}  // namespace scattergate::advise
