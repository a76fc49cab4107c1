#pragma once

#include <optional>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

/// Translates filters on a time series' measurements into filters on its buckets, as mongos
/// does before targeting: shard keys have fields of buckets. These are `meta`, the value of the
/// measurements' meta field, and `control.min.<time>`, the bucket's minimum time (mongo:
/// bucket_spec.cpp, createPredicatesOnBucketLevelField; timeseries_update_delete_util.cpp,
/// getBucketLevelPredicateForRouting).
namespace scattergate::routing {

/// Which parts of a filter on measurements to translate.
struct bucket_filter_rules {
  const time_series& series;  ///< the collection's parameters
  bool with_time = true;      ///< translate conditions on the time field
  /// Whether mongos computes bounds for the whole filter. If false, an `$or` is translated only
  /// if all its branches are on the meta field, or all are on the time field.
  bool is_planned = true;
};

/// Translates a filter. The result matches every bucket that has a measurement which `filter`
/// matches. Omits conditions that mongos may or may not translate: `$nor`, `$expr`,
/// `$elemMatch`, negations in an `$or`, lists of times. If mongos might take bounds from an
/// omitted condition instead of an `$or`, omits all `$or`s. std::nullopt if the scratch memory
/// is exhausted. The result refers to `filter` and the scratch memory.
[[nodiscard]] std::optional<wire::document_view> bucket_filter(wire::document_view filter,
                                                               const bucket_filter_rules& rules,
                                                               scratch& memory) noexcept;

/// The bucket of a new measurement, as far as it determines the shard (mongo:
/// extractBucketsShardKeyFromTimeseriesDoc).
struct bucket_start {
  std::optional<wire::document_view> document;  ///< the bucket's `meta` and `control.min`;
                                                ///< std::nullopt if the scratch memory is
                                                ///< exhausted
  bool has_time = false;  ///< whether the measurement has a date in the time field; if not,
                          ///< mongos rejects it
};
/// Computes the bucket of a new measurement.
[[nodiscard]] bucket_start bucket_start_of(wire::document_view measurement,
                                           const time_series& series, scratch& memory) noexcept;

}  // namespace scattergate::routing
