#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The maximum number of a collection's fields from which keys are proposed. These are the
/// fields that filters most often pin, which means limit to single values by equality.
inline constexpr std::size_t most_proposed_fields = 6;

/// Proposes keys of one to three fields that the filters of at least 1 % of the commands pin.
/// Proposes pairs in both orders, and triples only in descending order of how often their
/// fields are pinned, or in the order of a unique index. In each key, the first field with
/// monotonic values is hashed. If this hashed field is the second of a pair, the pair is also
/// proposed with both fields ranged. `unique`: the fields of each unique index, in order.
[[nodiscard]] std::vector<shard_key> proposed_keys(
    const traffic& sent, std::span<const std::vector<std::string>> unique);

}  // namespace scattergate::advise
