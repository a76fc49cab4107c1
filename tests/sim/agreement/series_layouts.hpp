#pragma once

#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Chunk layouts of sharded time-series collections, for recombined_commands. They have the
/// format of recorded layouts (see recorded_answers.hpp). The shard key names fields of
/// measurements; the bounds of chunks name fields of buckets.
[[nodiscard]] std::vector<document> series_layouts();

}  // namespace scattergate::sim
