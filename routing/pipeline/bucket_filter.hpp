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
  /// Translate lists on the meta field in an `$or`. Before 7.0 mongos turns them into unions,
  /// of which it then plans only one (mongo: exec/bucket_unpacker.cpp,
  /// createPredicatesOnBucketLevelField).
  bool with_lists_in_or = true;
  bool with_whole_meta = true;  ///< translate conditions on the meta field itself, not only on
                                ///< its parts
};

/// Translates a filter. If `filter` matches a measurement, the result matches the
/// measurement's bucket. Omits conditions that mongos may or may not translate: `$nor`,
/// `$expr`, `$elemMatch`, negations in an `$or`, lists of times. If mongos might take bounds
/// from an omitted condition instead of an `$or`, omits all `$or`s. The result is a view of
/// scratch memory; std::nullopt if the memory is exhausted.
[[nodiscard]] std::optional<wire::document_view> bucket_filter(wire::document_view filter,
                                                               const bucket_filter_rules& rules,
                                                               scratch& memory) noexcept;

/// The bucket of a new measurement, as far as it determines the shard (mongo:
/// extractBucketsShardKeyFromTimeseriesDoc).
struct bucket_start {
  std::optional<wire::document_view> document;  ///< the bucket's `meta` and `control.min`;
                                                ///< std::nullopt if `has_time` is false or the
                                                ///< scratch memory is exhausted
  bool has_time = false;  ///< whether the measurement has a date in the time field; if not,
                          ///< mongos rejects it
};
/// Computes the bucket of a new measurement.
[[nodiscard]] bucket_start bucket_start_of(wire::document_view measurement,
                                           const time_series& series, scratch& memory) noexcept;

}  // namespace scattergate::routing
