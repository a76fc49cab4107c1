#pragma once

#include <optional>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

/// Translates filters on the measurements of a time series into filters on its buckets:
/// documents with the meta field's value as `meta` and the least time as `control.min.<time>`.
/// Shard keys use those fields, so mongos translates before targeting (mongo: bucket_spec.cpp,
/// createPredicatesOnBucketLevelField; timeseries_update_delete_util.cpp,
/// getBucketLevelPredicateForRouting).
namespace scattergate::routing {

/// Which parts of a filter on measurements are translated.
struct bucket_filter_rules {
  const time_series& series;
  bool with_time = true;   ///< predicates on the time field, too
  bool is_planned = true;  ///< false: an `$or`, even of one branch, is translated only as a
                           ///< whole, if all of it is on the meta field or all on the time
};

/// A filter that matches every bucket containing a measurement that `filter` matches. Leaves
/// out what mongos may or may not translate: `$nor`, `$expr`, `$elemMatch`, negations inside an
/// `$or`, lists of times. std::nullopt if the scratch memory is exhausted. Views into `filter`
/// and the scratch memory.
[[nodiscard]] std::optional<wire::document_view> bucket_filter(wire::document_view filter,
                                                               const bucket_filter_rules& by,
                                                               scratch& memory) noexcept;

/// The part of a new measurement's bucket that determines its position (mongo:
/// extractBucketsShardKeyFromTimeseriesDoc).
struct bucket_start {
  std::optional<wire::document_view> document;  ///< empty: the scratch memory is exhausted
  bool has_time = false;                        ///< false: mongos rejects the measurement
};
[[nodiscard]] bucket_start bucket_start_of(wire::document_view measurement,
                                           const time_series& series, scratch& memory) noexcept;

}  // namespace scattergate::routing
