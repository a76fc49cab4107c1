#pragma once

#include "advise/evaluation.hpp"

namespace scattergate::advise {

/// Counts the key's values in the traffic, for each part of the evaluation.
void count_values(const setting& in, const key_points& points, evaluation& to);

/// Minutes with fewer requests are ignored when skew is measured.
inline constexpr double least_of_minute = 20;

}  // namespace scattergate::advise
