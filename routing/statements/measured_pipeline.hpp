#pragma once

#include "routing/bounds/filter_walk.hpp"
#include "routing/statements/view_chain.hpp"

namespace scattergate::routing {

/// Judges a pipeline that reads the measurements of a time series. mongos unpacks measurements
/// from buckets, and moves the conditions of the leading $match stages before the unpacking,
/// translated to buckets (mongo: DocumentSourceInternalUnpackBucket, doOptimizeAt). mongos also
/// moves later conditions, which this function ignores. If they may change the bounds of the
/// leading conditions, it predicts all shards that mongos may ask. `chain`: the views of
/// `source`; the collection at its end contains the buckets. `walk`: a walk over this
/// collection, without a filter yet.
[[nodiscard]] statement judge_measurements(const pipeline_source& source,
                                           const view_chain& chain, filter_walk& walk,
                                           const judging_context& context) noexcept;

}  // namespace scattergate::routing
