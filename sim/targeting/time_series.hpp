#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The rules by which a time-series collection stores its measurements in buckets, which are
/// what is sharded (mongo: timeseries.idl, timeseries_options.cpp).
struct time_series {
  std::string time_field;
  std::string meta_field;  ///< empty: none
  std::int64_t span_seconds = 3600;
  std::int64_t rounding_seconds = 60;  ///< a bucket's least time is a multiple of this

  /// From create's `timeseries`. Throws command_failure (bad_value, invalid_options).
  [[nodiscard]] static time_series from(const document& options);

  /// Translates a shard key on fields of measurements to fields of buckets. Throws
  /// command_failure (invalid_options) for fields other than the time and those of the meta
  /// field.
  [[nodiscard]] document pattern_of_buckets(const document& key) const;

  /// The bucket for a single measurement, as mongos targets it (mongo:
  /// extractBucketsShardKeyFromTimeseriesDoc). Throws command_failure (5743702) if the
  /// measurement's time isn't a date.
  [[nodiscard]] document bucket_of(const document& measurement) const;

  /// One measurement of a bucket.
  struct row {
    std::string number;  ///< its name in the bucket's columns
    document measurement;
  };
  [[nodiscard]] std::vector<row> rows_of(const document& bucket) const;

  /// A bucket without one of its measurements; std::nullopt if it was the last. Its least and
  /// greatest values don't change, as in MongoDB.
  [[nodiscard]] std::optional<document> without(const document& bucket,
                                                const std::string& number) const;

  /// Throws command_failure (document_validation_failure) if it isn't a bucket: one has
  /// columns, one of which is the time, and the least and greatest time (mongo:
  /// timeseries::generateTimeseriesValidator).
  void check_bucket(const document& bucket) const;

  /// Throws command_failure (invalid_options) if a filter names more than the meta field, as
  /// mongos does where it only renames that field (mongo e4932f42ddd8:
  /// timeseries_update_delete_util.cpp, translateQuery).
  void check_names(const document& filter) const;

  /// Whether buckets begin at multiples of their span (mongo: areTimeseriesBucketsFixed). No
  /// command of the simulator changes that.
  [[nodiscard]] bool has_fixed_buckets() const noexcept {
    return span_seconds == rounding_seconds;
  }
};

}  // namespace scattergate::sim
