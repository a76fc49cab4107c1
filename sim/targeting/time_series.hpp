#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// How a time-series collection stores its measurements. A bucket is a stored document with
/// several measurements; the shard key refers to buckets (mongo: timeseries.idl,
/// timeseries_options.cpp).
struct time_series {
  std::string time_field;  ///< the field with a measurement's time
  std::string meta_field;  ///< the field with a measurement's source (the "meta field"); empty:
                           ///< none
  std::int64_t span_seconds = 3600;    ///< the maximum time between a bucket's measurements
  std::int64_t rounding_seconds = 60;  ///< a bucket's minimum time is a multiple of this

  /// Parses the argument `timeseries` of the command create. Throws command_failure
  /// (bad_value, invalid_options).
  [[nodiscard]] static time_series from(const document& options);

  /// Translates a shard key on fields of measurements into one on fields of buckets: {t: 1,
  /// "m.a": 1} to {"control.min.t": 1, "meta.a": 1}. Throws command_failure (invalid_options)
  /// if the key has fields other than the time, the meta field and subfields of the meta field.
  [[nodiscard]] document pattern_of_buckets(const document& key) const;

  /// Makes a bucket that contains a single measurement, as mongos does for targeting (mongo:
  /// extractBucketsShardKeyFromTimeseriesDoc). Throws command_failure (5743702) if the
  /// measurement's time isn't a date.
  [[nodiscard]] document bucket_of(const document& measurement) const;

  /// One measurement of a bucket.
  struct row {
    std::string number;  ///< the name of the measurement's fields in the bucket's columns, such
                         ///< as "0"
    document measurement;
  };
  /// All measurements of a bucket.
  [[nodiscard]] std::vector<row> rows_of(const document& bucket) const;

  /// Returns the bucket without one measurement; std::nullopt if it was the last one. `number`:
  /// the measurement's row::number. As in MongoDB, the bucket's least and greatest values don't
  /// change.
  [[nodiscard]] std::optional<document> without(const document& bucket,
                                                const std::string& number) const;

  /// Checks that a document is a valid bucket: has a column for the time, and the least and
  /// greatest time (mongo: timeseries::generateTimeseriesValidator). Throws command_failure
  /// (document_validation_failure) if it isn't.
  void check_bucket(const document& bucket) const;

  /// Checks that a filter names only the meta field, as mongos does for some writes (mongo
  /// e4932f42ddd8: timeseries_update_delete_util.cpp, translateQuery). Throws command_failure
  /// (invalid_options) if the filter names another field, or has `$expr` or `$where`. Accepts
  /// all filters if there is no meta field.
  void check_names(const document& filter) const;

  /// Whether all buckets begin at multiples of their span (mongo: areTimeseriesBucketsFixed).
  /// In the simulator, this never changes, because no command changes the span.
  [[nodiscard]] bool has_fixed_buckets() const noexcept {
    return span_seconds == rounding_seconds;
  }
};

// Translates filters on the measurements of a time series into filters on its buckets. A
// bucket is a stored document with several measurements.

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
