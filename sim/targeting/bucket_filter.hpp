#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/time_series.hpp"

/// What filters on measurements say of their buckets.
namespace scattergate::sim {

/// Of a read (mongo: DocumentSourceInternalUnpackBucket::doOptimizeAt): the meta field under
/// its name in buckets, and the least and greatest values that a bucket may have.
[[nodiscard]] filter_node read_on_buckets(const filter_node& filter, const time_series& of,
                                          const targeting_rules& rules);

/// Of a write (mongo: getBucketLevelPredicateForRouting). Where it is one that can be of any
/// measurement, the meta field and the time count; else the meta field alone, under its name in
/// buckets.
[[nodiscard]] filter_node write_on_buckets(const filter_node& filter, const time_series& of,
                                           const targeting_rules& rules, bool is_arbitrary);

}  // namespace scattergate::sim
