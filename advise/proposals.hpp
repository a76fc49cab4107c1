#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The maximum number of fields from which proposed_keys() composes keys: the fields that a
/// collection's filters pin most often. A filter pins a field if it limits the field to single
/// values by equality (`$eq` or `$in`).
inline constexpr std::size_t most_proposed_fields = 6;

/// Proposes shard keys of one to three fields; a key may be proposed twice. Uses only fields
/// that the filters of at least 1 % of the commands pin, and at most `most_proposed_fields`.
/// (To pin a field is to limit it to single values by equality.)
/// - Each of these fields is proposed as a key.
/// - Each pair is proposed in both orders.
/// - Each triple is proposed with the most often pinned field first. The first three fields of
///   a unique index are also proposed in the index's order, if all three are among the used
///   fields.
/// - In each key, the first field with monotonic values is hashed. If this field is the second
///   of a pair, the pair is also proposed without a hashed field.
///
/// `unique`: the fields of each unique index, in order.
[[nodiscard]] std::vector<shard_key> proposed_keys(
    const traffic& sent, std::span<const std::vector<std::string>> unique);

}  // namespace scattergate::advise
