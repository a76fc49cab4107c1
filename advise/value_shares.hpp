#pragma once

#include "advise/evaluation.hpp"

namespace scattergate::advise {

/// Fills in the key_values of each part of `to`: counts the key's values in the traffic.
void count_values(const setting& in, const key_points& points, evaluation& to);

/// The least number of requests per shard in a minute to measure skew. With fewer, one value
/// may get a shard's share by chance.
inline constexpr double least_per_shard = 10;

}  // namespace scattergate::advise
