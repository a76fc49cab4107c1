#pragma once

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// Checks that all projects in the database are the demo's own, because the demo must not
/// write to other data. Throws driver_error if the database has projects of other owners.
void check_ownership(client& cluster);

/// Shards the demo's collections by the shard keys of Yorkie v0.6.38, the application whose
/// database the demo imitates. Throws driver_error.
void shard_collections(client& cluster);

/// Inserts the data into the database. Does nothing if an earlier run has inserted all of it;
/// completes an earlier run that was interrupted. Throws driver_error.
void seed(client& cluster, const dataset& data);

}  // namespace scattergate::sim::demo
