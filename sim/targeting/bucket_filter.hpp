#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/time_series.hpp"

/// Translates filters on measurements to filters on their buckets.
namespace scattergate::sim {

/// For a read (mongo: DocumentSourceInternalUnpackBucket::doOptimizeAt): the meta field under
/// its name in buckets, and the least and greatest values of a matching bucket.
[[nodiscard]] filter_node read_on_buckets(const filter_node& filter, const time_series& of,
                                          const targeting_rules& rules);

/// For a write (mongo: getBucketLevelPredicateForRouting). If it may select any measurement,
/// the meta field and the time count; else only the meta field, under its name in buckets.
[[nodiscard]] filter_node write_on_buckets(const filter_node& filter, const time_series& of,
                                           const targeting_rules& rules, bool is_arbitrary);

}  // namespace scattergate::sim
