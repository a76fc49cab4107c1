#pragma once

#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Chunk layouts of sharded time-series collections, in the format of recorded layouts. Their
/// cases have conditions on measurements. The shard key names fields of measurements, the
/// bounds of the chunks name fields of buckets.
[[nodiscard]] std::vector<document> series_layouts();

}  // namespace scattergate::sim
