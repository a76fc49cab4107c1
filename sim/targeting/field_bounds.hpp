#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

/// The bounds that one predicate gives on one field of a shard key. mongos computes them as
/// for an index on the field.
namespace scattergate::sim {

/// Whether a collation may affect how a value compares: a string, document or array.
[[nodiscard]] bool is_collated(const value& operand);

/// Whether a predicate of this kind can give bounds on its field (mongo: indexability.h).
[[nodiscard]] bool is_bounding(const filter_node& predicate);

/// Whether a predicate can give bounds on this field of the key (mongo:
/// QueryPlannerIXSelect::_compatible). On a hashed field, only equalities, `$in` without
/// regular expressions, and `$exists` do. `compares_simply`: strings are compared byte by
/// byte; if false (under a collation), predicates on values that a collation affects give no
/// bounds.
[[nodiscard]] bool can_bound(const filter_node& predicate, const shard_key::part& part,
                             bool compares_simply);

/// The values of the field that a predicate allows; for a hashed field, their hashes (mongo:
/// index_bounds_builder.cpp).
[[nodiscard]] value_set bounds_of(const filter_node& predicate, const shard_key::part& part,
                                  const targeting_rules& rules);

}  // namespace scattergate::sim
