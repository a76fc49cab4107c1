#pragma once

#include <algorithm>
#include <cstdint>

#include "digest/sketches/cardinality.hpp"
#include "digest/sketches/common_values.hpp"

namespace scattergate::digest {

/// Requests in minutes that have enough of them, and how many of those ask for the minute's
/// commonest value.
struct minute_shares {
  std::uint64_t requests = 0;
  std::uint64_t hottest = 0;

  /// Minutes with fewer requests don't count.
  static constexpr std::uint64_t least_requests = 20;

  void add(const minute_shares& other) noexcept {
    requests += other.requests;
    hottest += other.hottest;
  }
  /// Adds one minute.
  void add_minute(std::uint64_t in_minute, std::uint64_t most) noexcept {
    if (in_minute < least_requests) return;
    requests += in_minute;
    hottest += std::min(most, in_minute);
  }
  friend bool operator==(const minute_shares&, const minute_shares&) = default;
};

/// What is kept of the values of a field, or of two together: how many there are, the
/// commonest, and the share of each minute's commonest. Of fixed size.
class value_sketch {
 public:
  using common = common_values<40>;

  /// Counts a value in the current minute.
  void add(std::uint64_t hash, std::uint32_t weight) noexcept {
    distinct_.add(hash);
    common_.add(hash, weight);
    in_minute_.add(hash, weight);
  }
  /// The current minute is over, and had so many requests since this sketch began.
  void end_minute(std::uint64_t requests) noexcept {
    minutes_.add_minute(requests, in_minute_.most());
    in_minute_.clear();
  }

  /// Adds what another sketch of the same salt has seen; both keep their current minutes.
  void add(const value_sketch& other) {
    distinct_.add(other.distinct_);
    common_.add(other.common_);
    minutes_.add(other.minutes_);
  }

  [[nodiscard]] const cardinality& distinct() const noexcept { return distinct_; }
  [[nodiscard]] const common& commonest() const noexcept { return common_; }
  /// `requests`: of the current minute, which counts as if it were over.
  [[nodiscard]] minute_shares minutes(std::uint64_t requests) const noexcept {
    minute_shares made = minutes_;
    made.add_minute(requests, in_minute_.most());
    return made;
  }

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
