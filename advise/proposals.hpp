#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The maximum number of a collection's fields from which proposed_keys() composes keys. It
/// uses the fields that filters pin most often. A filter pins a field if it limits the field to
/// single values by equality (`$eq` or `$in`).
inline constexpr std::size_t most_proposed_fields = 6;

/// Proposes shard keys of one to three fields. Uses only fields that the filters of at least
/// 1 % of the commands pin, and at most `most_proposed_fields`. To pin a field is to limit it
/// to single values by equality.
/// - A pair of fields is proposed in both orders.
/// - A triple is proposed in descending order of how often filters pin its fields. The first
///   three fields of a unique index are also proposed in the index's order, if all three
///   are among the used fields.
/// - In each key, the first field with monotonic values is hashed. If this field is the second
///   of a pair, the pair is also proposed with both fields ranged.
///
/// `unique`: the fields of each unique index, in order.
[[nodiscard]] std::vector<shard_key> proposed_keys(
    const traffic& sent, std::span<const std::vector<std::string>> unique);

}  // namespace scattergate::advise
