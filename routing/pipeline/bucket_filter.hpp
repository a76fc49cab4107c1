#pragma once

#include <optional>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

/// A time series' measurements lie in buckets: documents with the meta field's value as `meta`
/// and the least time as `control.min.<time>`. A shard key is made of these; so mongos makes of
/// a filter on measurements one on buckets before it targets (mongo: bucket_spec.cpp,
/// createPredicatesOnBucketLevelField; timeseries_update_delete_util.cpp,
/// getBucketLevelPredicateForRouting).
namespace scattergate::routing {

/// What of a filter on measurements is taken over.
struct bucket_filter_rules {
  const time_series& series;
  bool with_time = true;   ///< predicates on the time field, too
  bool is_planned = true;  ///< else an `$or`, of one branch too, is taken over as it stands: of
                           ///< the meta field alone, or of the time
};

/// A filter on buckets that every bucket passes with a measurement that passes `filter`. Not
/// taken over, where mongos may or may not: `$nor`, `$expr`, `$elemMatch`, negations inside an
/// `$or`, lists of times. Nothing where the scratch is exhausted. Views into `filter` and
/// memory.
[[nodiscard]] std::optional<wire::document_view> bucket_filter(wire::document_view filter,
                                                               const bucket_filter_rules& by,
                                                               scratch& memory) noexcept;

/// The part of a bucket that its place hangs on, for a measurement that begins it (mongo:
/// extractBucketsShardKeyFromTimeseriesDoc).
struct bucket_start {
  std::optional<wire::document_view> document;  ///< none: the scratch is exhausted
  bool has_time = false;                        ///< else mongos refuses the measurement
};
[[nodiscard]] bucket_start bucket_start_of(wire::document_view measurement,
                                           const time_series& series, scratch& memory) noexcept;

}  // namespace scattergate::routing
