#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::digest {

/// A histogram of durations on a logarithmic scale: four buckets per doubling, from a
/// microsecond to about twelve days. Quantiles are accurate to 10 %. Mergeable. Stores only
/// buckets that aren't empty, because each row of a table has a histogram.
class time_histogram {
 public:
  /// Adds a duration `times` times.
  void add(std::chrono::nanoseconds duration, std::uint64_t times = 1);
  /// Adds `times` durations to the bucket `number`.
  void add_to(std::size_t number, std::uint64_t times);
  /// Adds another histogram, without loss.
  void add(const time_histogram& other);

  /// Allocates the memory for add(other), which then can't fail.
  void make_room_for(const time_histogram& other);
  /// Subtracts an earlier state of this object.
  void subtract(const time_histogram& earlier) noexcept;

  /// The number of durations.
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// Heap memory in bytes; at most the sum of the bytes() of everything that was added.
  [[nodiscard]] std::size_t bytes() const noexcept { return counted_.size() * sizeof(counted); }

  /// The quantile `share` of the durations: 0.5 is the median. Returns the middle of the bucket
  /// that contains the quantile; zero without durations.
  [[nodiscard]] std::chrono::nanoseconds quantile(double share) const noexcept;

  /// The number of buckets.
  static constexpr std::size_t bucket_count = std::size_t{4} * 40;
  /// The counts of all buckets, indexed by their numbers.
  [[nodiscard]] std::array<std::uint64_t, bucket_count> bucket_counts() const noexcept;
  /// The least duration of the bucket `number`.
  [[nodiscard]] static std::chrono::nanoseconds lower_bound(std::size_t number) noexcept;
  /// The number of the bucket that contains a duration.
  [[nodiscard]] static std::size_t bucket_of(std::chrono::nanoseconds duration) noexcept {
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 1));
    const auto log = static_cast<unsigned>(std::bit_width(ns) - 1);
    if (log < least_log) return 0;
    const std::uint64_t quarter = (ns >> (log - 2)) & 3;
    return std::min<std::size_t>((log - least_log) * per_doubling + quarter, bucket_count - 1);
  }

  friend bool operator==(const time_histogram&, const time_histogram&) = default;

 private:
  static constexpr std::size_t per_doubling = 4;
  /// Durations below 2^10 ns, about a microsecond, share one bucket.
  static constexpr unsigned least_log = 10;

  struct counted {
    std::size_t number;  ///< the number of the bucket
    std::uint64_t count;
    friend bool operator==(const counted&, const counted&) = default;
  };

  std::vector<counted> counted_;  ///< sorted by number; no empty buckets
};

}  // namespace scattergate::digest
