#pragma once

#include <algorithm>
#include <cstdint>

#include "digest/sketches/cardinality.hpp"
#include "digest/sketches/common_values.hpp"

namespace scattergate::digest {

/// Shows whether the requests of a minute concentrate on one value: sums over busy minutes,
/// those with at least `least_requests` requests. `requests`: the number of requests in these
/// minutes. `hottest`: how many of these requests were for the most frequent value of their
/// minute.
struct minute_shares {
  std::uint64_t requests = 0;
  std::uint64_t hottest = 0;

  /// Minutes with fewer requests are ignored.
  static constexpr std::uint64_t least_requests = 20;

  /// Adds the sums over other minutes.
  void add(const minute_shares& other) noexcept {
    requests += other.requests;
    hottest += other.hottest;
  }
  /// Counts one minute. `in_minute`: the minute's requests. `most`: the requests for the
  /// minute's most frequent value.
  void add_minute(std::uint64_t in_minute, std::uint64_t most) noexcept {
    if (in_minute < least_requests) return;
    requests += in_minute;
    hottest += std::min(most, in_minute);
  }
  friend bool operator==(const minute_shares&, const minute_shares&) = default;
};

/// A sketch of a field's values, or of the combined values of two fields: the number of
/// distinct values, the most frequent values, and the share that each minute's most frequent
/// value has in the minute's requests. Has a fixed size.
class value_sketch {
 public:
  /// The most frequent values over all minutes.
  using common = common_values<40>;

  /// Counts a value in the current minute, `weight` times. `hash`: the value's salted hash.
  void add(std::uint64_t hash, std::uint32_t weight) noexcept {
    distinct_.add(hash);
    common_.add(hash, weight);
    in_minute_.add(hash, weight);
  }
  /// Ends the current minute. `requests`: the collection's requests in this minute since this
  /// sketch began.
  void end_minute(std::uint64_t requests) noexcept {
    minutes_.add_minute(requests, in_minute_.most());
    in_minute_.clear();
  }

  /// Merges another sketch, except for the current minutes. REQUIRES: both sketches have
  /// hashes of the same salt.
  void add(const value_sketch& other) {
    distinct_.add(other.distinct_);
    common_.add(other.common_);
    minutes_.add(other.minutes_);
  }

  /// The estimate of the number of distinct values.
  [[nodiscard]] const cardinality& distinct() const noexcept { return distinct_; }
  /// The most frequent values.
  [[nodiscard]] const common& commonest() const noexcept { return common_; }
  /// The sums over all minutes, including the current minute as if it were over. `requests`:
  /// the collection's requests in the current minute since this sketch began.
  [[nodiscard]] minute_shares minutes(std::uint64_t requests) const noexcept {
    minute_shares made = minutes_;
    made.add_minute(requests, in_minute_.most());
    return made;
  }

  /// Replaces the contents, and starts a new minute.
  void restore(const cardinality& distinct, common commonest, minute_shares minutes) noexcept {
    distinct_ = distinct;
    common_ = std::move(commonest);
    minutes_ = minutes;
    in_minute_.clear();
  }

 private:
  cardinality distinct_;
  common common_;
  common_values<24, std::uint32_t> in_minute_;
  minute_shares minutes_;
};

}  // namespace scattergate::digest
