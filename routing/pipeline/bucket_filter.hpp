#pragma once

#include <optional>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

/// Translates filters on a time series' measurements into filters on its buckets, as mongos
/// does before targeting, because shard keys have the buckets' fields: `meta` (the meta field's
/// value) and `control.min.<time>` (the least time) (mongo: bucket_spec.cpp,
/// createPredicatesOnBucketLevelField; timeseries_update_delete_util.cpp,
/// getBucketLevelPredicateForRouting).
namespace scattergate::routing {

/// The parts of a filter on measurements to translate.
struct bucket_filter_rules {
  const time_series& series;
  bool with_time = true;  ///< translate predicates on the time field
  /// Whether mongos plans the filter with an index. If false, an `$or` is translated only if
  /// all its branches are on the meta field, or all on the time field.
  bool is_planned = true;
};

/// Translates a filter. The result matches every bucket with a measurement that `filter`
/// matches. Omits parts that mongos may or may not translate: `$nor`, `$expr`, `$elemMatch`,
/// negations in an `$or`, lists of times. If one of them may bound the key in place of an
/// `$or`, omits each `$or`. std::nullopt if the scratch memory is exhausted. A view of `filter`
/// and the scratch memory.
[[nodiscard]] std::optional<wire::document_view> bucket_filter(wire::document_view filter,
                                                               const bucket_filter_rules& by,
                                                               scratch& memory) noexcept;

/// The fields of a new measurement's bucket that determine its position (mongo:
/// extractBucketsShardKeyFromTimeseriesDoc).
struct bucket_start {
  std::optional<wire::document_view> document;  ///< empty: the scratch memory is exhausted
  bool has_time = false;                        ///< false: mongos rejects the measurement
};
/// Computes the position fields of a measurement's bucket.
[[nodiscard]] bucket_start bucket_start_of(wire::document_view measurement,
                                           const time_series& series, scratch& memory) noexcept;

}  // namespace scattergate::routing
