#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The maximum number of fields in proposals: those that most commands pin.
inline constexpr std::size_t most_proposed_fields = 6;

/// Proposes keys of one to three fields that filters pin by equality. Pairs are proposed in
/// both orders; triples only with the more frequently pinned fields first, or in the order of a
/// unique index. In each key, the first field with monotonic values is hashed. A pair with a
/// hashed second field is proposed with a ranged one, too. `unique`: the fields of each unique
/// index, in order.
[[nodiscard]] std::vector<shard_key> proposed_keys(
    const traffic& sent, std::span<const std::vector<std::string>> unique);

}  // namespace scattergate::advise
