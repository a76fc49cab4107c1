#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "digest/row.hpp"
#include "telemetry/history/history.hpp"

namespace scattergate::telemetry {

/// The number of commands of each of the busiest shapes over the last 24 hours, in the same
/// steps as class history. It isn't stored in the state file. A shape that becomes clearly
/// busier than the least busy one replaces it, and starts with zeros. Thread-safety: one thread
/// at a time.
class shape_history {
 public:
  using wall_time = digest::wall_time;

  static constexpr std::size_t most = 200;
  /// The size limit of all series, in memory and as text.
  static constexpr std::size_t max_bytes = 1UL << 20;
  /// The additional memory per counted row, in bytes.
  static constexpr std::size_t row_bytes = 64;

  /// A shape's steps. Step number n is at index n modulo the size.
  struct series {
    std::array<std::uint32_t, history::minutes> by_minute{};
    std::array<std::uint32_t, history::tens> by_ten{};
  };
  struct shape {
    const digest::row* of = nullptr;
    const series* steps = nullptr;
  };

  /// Allocates the memory for count() of this row. `of` must not move until forget().
  void make_room_for(const digest::row& of);
  /// Counts commands in the current minute. REQUIRES: make_room_for(of) was called.
  void count(const digest::row& of, std::uint64_t commands, wall_time now) noexcept;
  /// Removes a row. Call it before the row is destroyed.
  void forget(const digest::row& gone);

  /// Advances to a minute, numbered as in history::minute(). A minute before the current one
  /// clears everything.
  void advance(std::uint64_t minute);

  /// The shapes, the busiest first. Views, valid until the next change.
  [[nodiscard]] std::vector<shape> ranked() const;
  [[nodiscard]] std::uint64_t minute() const noexcept { return minute_; }

 private:
  static constexpr std::size_t no_place = SIZE_MAX;

  struct activity {
    double busy = 0;  ///< weighted commands; see weight_at()
    std::size_t place = no_place;
  };
  struct place {
    const digest::row* of = nullptr;
    activity* how = nullptr;
    series steps;
  };
  static_assert(sizeof(activity) + 48 <= row_bytes, "with its share of the index");

  [[nodiscard]] double weight_at(wall_time now) noexcept;
  [[nodiscard]] std::size_t place_for(double busy) noexcept;

  std::unordered_map<const digest::row*, activity> activities_;
  std::vector<place> places_;
  double least_ = 0;  ///< lower bound of `busy` over all series
  wall_time began_;   ///< when a command weighed 1
  std::uint64_t minute_ = 0;
};

}  // namespace scattergate::telemetry
