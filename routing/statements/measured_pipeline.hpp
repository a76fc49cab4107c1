#pragma once

#include "routing/bounds/filter_walk.hpp"
#include "routing/statements/view_chain.hpp"

namespace scattergate::routing {

/// Judges the reading of a time series' measurements. mongos first unpacks them from buckets,
/// and moves the conditions of a leading $match on buckets before the unpacking (mongo:
/// DocumentSourceInternalUnpackBucket, doOptimizeAt). It also moves conditions that follow
/// other stages. This function doesn't follow them, but is in doubt if they may change the form
/// in which mongos plans the leading ones.
[[nodiscard]] statement judge_measurements(const pipeline_source& source,
                                           const view_chain& chain, filter_walk& walk,
                                           const judging_context& context) noexcept;

}  // namespace scattergate::routing
