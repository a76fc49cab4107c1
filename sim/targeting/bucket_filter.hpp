#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/time_series.hpp"

/// Translates filters on the measurements of a time series into filters on its buckets. A
/// bucket is a stored document with several measurements.
namespace scattergate::sim {

/// Returns the filter on buckets that mongos derives from a read's filter on measurements
/// (mongo: DocumentSourceInternalUnpackBucket::doOptimizeAt). Renames the meta field to `meta`,
/// its name in buckets. Turns other conditions into bounds on the least and greatest values in
/// a bucket (`control.min`, `control.max`), or drops them.
[[nodiscard]] filter_node read_on_buckets(const filter_node& filter, const time_series& of,
                                          const targeting_rules& rules);

/// The conditions in a write's filter by which mongos selects the shards; the version decides
/// (mongo: getBucketLevelPredicateForRouting).
enum class written_by {
  renamed_meta,   ///< the whole filter, which may name only the meta field
  meta,           ///< the conditions on the meta field
  meta_and_time,  ///< the conditions on the meta field and on the time
};

/// Returns the filter on buckets by which mongos selects the shards of a write. `filter`: the
/// write's filter on measurements. `by`: the conditions to translate; all others are dropped.
[[nodiscard]] filter_node write_on_buckets(const filter_node& filter, const time_series& of,
                                           const targeting_rules& rules, written_by by);

}  // namespace scattergate::sim
