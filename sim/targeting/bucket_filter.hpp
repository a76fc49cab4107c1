#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/time_series.hpp"

/// Translates filters on measurements to filters on their buckets.
namespace scattergate::sim {

/// For a read (mongo: DocumentSourceInternalUnpackBucket::doOptimizeAt): the meta field under
/// its name in buckets, and the least and greatest values of a matching bucket.
[[nodiscard]] filter_node read_on_buckets(const filter_node& filter, const time_series& of,
                                          const targeting_rules& rules);

/// The conditions of a write's filter that count (mongo: getBucketLevelPredicateForRouting).
enum class written_by {
  renamed_meta,   ///< the whole filter, which names only the meta field
  meta,           ///< those on the meta field
  meta_and_time,  ///< those on the meta field, and those on the time
};

/// For a write: the conditions that count, with the fields of buckets.
[[nodiscard]] filter_node write_on_buckets(const filter_node& filter, const time_series& of,
                                           const targeting_rules& rules, written_by by);

}  // namespace scattergate::sim
