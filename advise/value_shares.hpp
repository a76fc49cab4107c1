#pragma once

#include "advise/evaluation.hpp"

namespace scattergate::advise {

/// Counts how often the traffic has each value of a key, and sets measures::values in the parts
/// of `to`: all traffic, and the traffic before and in the held-out part. `points`: the key's
/// points (see key_points).
void count_values(const evaluation_input& input, const key_points& points, evaluation& to);

/// The least number of requests per shard in a period for which the share of the most frequent
/// value is computed. Consecutive minutes with fewer requests are combined to one period: among
/// few requests, one value may get more than a shard's share by chance.
inline constexpr double least_per_shard = 10;

}  // namespace scattergate::advise
