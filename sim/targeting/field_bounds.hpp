#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

/// What one predicate makes of one field of a shard key, taken as an index.
namespace scattergate::sim {

/// Whether a predicate is of a kind that can bound its field (mongo: indexability.h).
[[nodiscard]] bool is_bounding(const filter_node& predicate);

/// Whether it bounds this field (mongo: QueryPlannerIXSelect::_compatible): a hashed field is
/// bounded by equalities alone, one that isn't in byte order by nothing that collates.
[[nodiscard]] bool can_bound(const filter_node& predicate, const shard_key::part& part,
                             bool compares_simply);

/// The values that it lets through, as positions on the field: of a hashed one, hashes
/// (mongo: index_bounds_builder.cpp).
[[nodiscard]] value_set bounds_of(const filter_node& predicate, const shard_key::part& part,
                                  const targeting_rules& rules);

}  // namespace scattergate::sim
