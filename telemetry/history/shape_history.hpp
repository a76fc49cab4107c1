#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "digest/row.hpp"
#include "telemetry/history/history.hpp"

namespace scattergate::telemetry {

/// Keeps the numbers of commands of the last day, for charts, for the busiest query shapes
/// (commands without values). As in class history, a "step" is one minute (for the last hour)
/// or ten minutes (for the whole day). Not stored in the state file. A shape that becomes
/// clearly busier than the least busy one replaces it, and starts with zeros. Thread-safety:
/// one thread at a time.
class shape_history {
 public:
  using wall_time = digest::wall_time;

  /// The maximum number of shapes that have steps.
  static constexpr std::size_t most = 200;
  /// The size limit of all series, in bytes, in memory and as text.
  static constexpr std::size_t max_bytes = 1UL << 20;
  /// The memory for each row of the digest that is counted here, in bytes; the series take
  /// memory in addition.
  static constexpr std::size_t row_bytes = 64;

  /// A shape's steps. Step number n, counted from 1970, is at index n modulo the array's size.
  struct series {
    std::array<std::uint32_t, history::minute_steps> by_minute{};
    std::array<std::uint32_t, history::ten_minute_steps> by_ten{};
  };
  /// A shape that has steps. Views into the digest and the history.
  struct shape {
    const digest::row* of = nullptr;
    const series* steps = nullptr;
  };

  /// Allocates the memory that count() needs for this row of the digest (the table of shapes).
  /// The row must not move until forget().
  void make_room_for(const digest::row& of);
  /// Counts commands of a row's shape in the current minute. REQUIRES: make_room_for(of) was
  /// called.
  void count(const digest::row& of, std::uint64_t commands, wall_time now) noexcept;
  /// Removes a row and its steps. Call it before the row is destroyed.
  void forget(const digest::row& gone);

  /// Makes `minute`, counted from 1970, the current one. If `minute` is before the current
  /// one, clears all steps.
  void advance(std::uint64_t minute);

  /// The shapes that have steps, the busiest first. Views, valid until the next change.
  [[nodiscard]] std::vector<shape> ranked() const;
  /// The current minute, counted from 1970.
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
  wall_time began_;   ///< the time at which a command had the weight 1; see weight_at()
  std::uint64_t minute_ = 0;
};

}  // namespace scattergate::telemetry
