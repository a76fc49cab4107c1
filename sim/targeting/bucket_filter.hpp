#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/time_series.hpp"

/// Translates filters on a time series' measurements into filters on buckets, the documents
/// that store several measurements.
namespace scattergate::sim {

/// The filter on buckets that mongos derives from a read's filter on measurements (mongo:
/// DocumentSourceInternalUnpackBucket::doOptimizeAt). Renames the meta field to `meta`, its
/// name in buckets. Turns other conditions into bounds on the least and greatest values in a
/// bucket (`control.min`, `control.max`), or drops them.
[[nodiscard]] filter_node read_on_buckets(const filter_node& filter, const time_series& of,
                                          const targeting_rules& rules);

/// The conditions in a write's filter by which mongos selects the shards (mongo:
/// getBucketLevelPredicateForRouting).
enum class written_by {
  renamed_meta,   ///< the whole filter, which may name only the meta field
  meta,           ///< the conditions on the meta field
  meta_and_time,  ///< the conditions on the meta field and on the time
};

/// The filter on buckets by which mongos selects the shards of a write. `filter`: the write's
/// filter on measurements.
[[nodiscard]] filter_node write_on_buckets(const filter_node& filter, const time_series& of,
                                           const targeting_rules& rules, written_by by);

}  // namespace scattergate::sim
