#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

/// The bounds of one field of a shard key by one predicate, as for an index.
namespace scattergate::sim {

/// Whether predicates of this kind can bound their field (mongo: indexability.h).
[[nodiscard]] bool is_bounding(const filter_node& predicate);

/// Whether it bounds this field (mongo: QueryPlannerIXSelect::_compatible): only equalities
/// bound a hashed field, and under a collation nothing that it affects bounds a field.
[[nodiscard]] bool can_bound(const filter_node& predicate, const shard_key::part& part,
                             bool compares_simply);

/// The values that the predicate allows, as positions on the field: for a hashed one, hashes
/// (mongo: index_bounds_builder.cpp).
[[nodiscard]] value_set bounds_of(const filter_node& predicate, const shard_key::part& part,
                                  const targeting_rules& rules);

}  // namespace scattergate::sim
