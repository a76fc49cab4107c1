#pragma once

#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Chunk layouts of sharded time-series collections in the format of recorded ones, with
/// conditions on measurements as their cases. The shard key names fields of measurements, the
/// chunks' bounds those of buckets.
[[nodiscard]] std::vector<document> series_layouts();

}  // namespace scattergate::sim
