#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/traffic.hpp"

namespace scattergate::advise {

/// Keys are proposed from this many of the most frequently pinned fields.
inline constexpr std::size_t most_proposed_fields = 6;

/// Proposes keys of one to three fields that filters pin by equality. Pairs are tried in both
/// orders; triples only with the more frequently pinned fields first, or in the order of a
/// unique index. A key's first field is hashed if its values are monotonic. `unique`: the
/// fields of each unique index.
[[nodiscard]] std::vector<shard_key> proposed_keys(
    const traffic& in, std::span<const std::vector<std::string>> unique);

}  // namespace scattergate::advise
