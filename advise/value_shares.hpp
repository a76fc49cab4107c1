#pragma once

#include "advise/evaluation.hpp"

namespace scattergate::advise {

/// Counts a key's values in the traffic, and sets `values` in each of the measures of `to`.
/// `points`: the points of the evaluated key.
void count_values(const evaluation_input& input, const key_points& points, evaluation& to);

/// Minutes with fewer requests per shard than this are combined before the share of their most
/// frequent value is computed. With few requests, one value may get more than a shard's share
/// by chance.
inline constexpr double least_per_shard = 10;

}  // namespace scattergate::advise
