#pragma once

#include "advise/evaluation.hpp"

namespace scattergate::advise {

/// Counts a key's values in the traffic, and sets `values` in each of the measures of `to`.
/// `points`: the same key's points.
void count_values(const evaluation_input& input, const key_points& points, evaluation& to);

/// Multiplied by the number of shards: the least number of requests in a minute to measure
/// skew. With fewer, one value may get more than a shard's share by chance.
inline constexpr double least_per_shard = 10;

}  // namespace scattergate::advise
