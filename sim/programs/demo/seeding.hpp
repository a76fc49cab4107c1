#pragma once

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// Throws driver_error if the database has someone else's projects, because nothing may be
/// written there.
void check_ownership(client& cluster);

/// Shards Yorkie's collections by the keys of v0.6.38, on a cluster that doesn't yet. Throws
/// driver_error.
void shard_collections(client& cluster);

/// Inserts the data into the database, unless it exists. Throws driver_error.
void seed(client& cluster, const dataset& data);

}  // namespace scattergate::sim::demo
