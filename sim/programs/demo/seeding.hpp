#pragma once

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// Checks that the database has no projects of other owners, because the demo must not write
/// there. Throws driver_error if it has.
void check_ownership(client& cluster);

/// Shards Yorkie's collections by the shard keys of Yorkie v0.6.38. Throws driver_error.
void shard_collections(client& cluster);

/// Inserts the data into the database; does nothing if all of it exists. Throws driver_error.
void seed(client& cluster, const dataset& data);

}  // namespace scattergate::sim::demo
