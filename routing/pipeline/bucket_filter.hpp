#pragma once

#include <optional>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Translates filters on a time series' measurements into filters on its buckets, the stored
/// documents that contain measurements. mongos does this because a shard key has fields of
/// buckets: `meta`, the value of the measurements' meta field, and `control.min.<time>`, the
/// bucket's minimum time (mongo:
/// bucket_spec.cpp, createPredicatesOnBucketLevelField; timeseries_update_delete_util.cpp,
/// getBucketLevelPredicateForRouting).

/// Which parts of a filter on measurements to translate.
struct bucket_filter_rules {
  const time_series& series;  ///< the collection's parameters
  bool with_time = true;      ///< translate conditions on the time field
  /// True: translate every `$or`, as where mongos computes bounds for the whole filter. False:
  /// translate an `$or` only if all its branches are on the meta field, or all are on the time
  /// field.
  bool is_planned = true;
  /// Translate an `$in` on the meta field within an `$or`. Before 7.0 mongos turns such a list
  /// into an `$or` of its own, and takes bounds from only one `$or` (mongo:
  /// exec/bucket_unpacker.cpp, createPredicatesOnBucketLevelField).
  bool with_lists_in_or = true;
  bool with_whole_meta = true;  ///< translate conditions on the meta field itself, not only on
                                ///< its parts
};

/// Translates a filter on measurements. If `filter` matches a measurement, the result matches
/// the measurement's bucket. The result omits conditions that mongos may or may not translate:
/// `$nor`, `$expr`, `$elemMatch`, negations in an `$or`, and lists of times. It omits all
/// `$or`s if mongos might take bounds from an omitted condition instead. The result is a view
/// of scratch memory; std::nullopt if the memory is exhausted.
[[nodiscard]] std::optional<wire::document_view> bucket_filter(wire::document_view filter,
                                                               const bucket_filter_rules& rules,
                                                               scratch& memory) noexcept;

/// The bucket of a new measurement: only the fields that may be in a shard key (mongo:
/// extractBucketsShardKeyFromTimeseriesDoc).
struct bucket_start {
  std::optional<wire::document_view> document;  ///< the bucket's `meta` and `control.min`;
                                                ///< std::nullopt if `has_time` is false or the
                                                ///< scratch memory is exhausted
  bool has_time = false;  ///< whether the measurement has a date in the time field; if not,
                          ///< mongos rejects the measurement
};
/// Computes the bucket into which MongoDB would put a new measurement.
[[nodiscard]] bucket_start bucket_start_of(wire::document_view measurement,
                                           const time_series& series, scratch& memory) noexcept;

/// Which fields the filter of a write on a time series names. For some writes, mongos allows
/// the filter to name only the meta field, and renames this field to the buckets' `meta`.
enum class meta_names : std::uint8_t {
  only,       ///< only the meta field
  in_values,  ///< only the meta field, but mongos also renames a field in a value, which
              ///< changes the value: {m: {$in: [{m: 1}]}} if `m` is the meta field
  others,  ///< another field, or the filter has an $expr or $where: mongos rejects the filter
};

/// Determines which fields a filter names, as mongos does it. mongos doesn't parse the filter
/// here, so it treats every document in a list as a filter (mongo:
/// timeseries_update_delete_util.cpp at e4932f4, replaceQueryMetaFieldName). REQUIRES:
/// `meta_field` isn't empty.
[[nodiscard]] meta_names meta_names_in(wire::document_view filter, std::string_view meta_field,
                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
