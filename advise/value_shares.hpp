#pragma once

#include "advise/evaluation.hpp"

namespace scattergate::advise {

/// Counts the key's values in the traffic, for each part of the evaluation.
void count_values(const setting& in, const key_points& points, evaluation& to);

/// Minutes with fewer requests per shard are ignored when skew is measured: chance alone gives
/// one value a shard's share of a few requests.
inline constexpr double least_per_shard = 10;

}  // namespace scattergate::advise
