#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// How the measurements of a time-series collection lie in buckets, which are what is sharded
/// (mongo: timeseries.idl, timeseries_options.cpp).
struct time_series {
  std::string time_field;
  std::string meta_field;  ///< empty: there is none
  std::int64_t span_seconds = 3600;
  std::int64_t rounding_seconds = 60;  ///< a bucket's least time is a multiple of it

  /// From create's `timeseries`. Throws command_failure (bad_value, invalid_options).
  [[nodiscard]] static time_series from(const document& options);

  /// A shard key's pattern, which names fields of measurements, as one of buckets. Throws
  /// command_failure (invalid_options) for fields other than the time and those of the meta
  /// field.
  [[nodiscard]] document pattern_of_buckets(const document& key) const;

  /// The bucket of one measurement alone, as mongos places it (mongo:
  /// extractBucketsShardKeyFromTimeseriesDoc). Throws command_failure (5743702) for a
  /// measurement without a date for its time.
  [[nodiscard]] document bucket_of(const document& measurement) const;

  /// One measurement of a bucket.
  struct row {
    std::string number;  ///< its name in the bucket's columns
    document measurement;
  };
  [[nodiscard]] std::vector<row> rows_of(const document& bucket) const;

  /// A bucket without one of its measurements; nothing where that is its last. Its least and
  /// greatest values stay as they are, as those of a real one do.
  [[nodiscard]] std::optional<document> without(const document& bucket,
                                                const std::string& number) const;

  /// Throws command_failure (document_validation_failure) for what is no bucket: one has
  /// columns of which one is the time, and the least and greatest time (mongo:
  /// timeseries::generateTimeseriesValidator).
  void check_bucket(const document& bucket) const;

  /// Whether buckets begin at multiples of their span (mongo: areTimeseriesBucketsFixed). No
  /// command of the simulator changes that.
  [[nodiscard]] bool has_fixed_buckets() const noexcept {
    return span_seconds == rounding_seconds;
  }
};

}  // namespace scattergate::sim
