#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/time_series.hpp"

/// Translates filters on a time series' measurements into filters on its buckets.
namespace scattergate::sim {

/// The filter on buckets that mongos derives for a read (mongo:
/// DocumentSourceInternalUnpackBucket::doOptimizeAt): the meta field by its name in buckets,
/// and the least and greatest values that a bucket with a matching measurement has.
[[nodiscard]] filter_node read_on_buckets(const filter_node& filter, const time_series& of,
                                          const targeting_rules& rules);

/// Which conditions of a write's filter mongos uses to target it (mongo:
/// getBucketLevelPredicateForRouting).
enum class written_by {
  renamed_meta,   ///< the whole filter, which may name only the meta field
  meta,           ///< the conditions on the meta field
  meta_and_time,  ///< the conditions on the meta field and on the time
};

/// The filter on buckets by which mongos targets a write.
[[nodiscard]] filter_node write_on_buckets(const filter_node& filter, const time_series& of,
                                           const targeting_rules& rules, written_by by);

}  // namespace scattergate::sim
