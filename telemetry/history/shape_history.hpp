#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "digest/row.hpp"
#include "telemetry/history/history.hpp"

namespace scattergate::telemetry {

/// How many commands of each of the busiest shapes came over the last 24 hours, in the steps of
/// a history. It begins with the process. A shape that has become clearly busier than the least
/// busy takes its place, with zeros for what came before. Thread-safety: one thread at a time.
class shape_history {
 public:
  using wall_time = digest::wall_time;

  static constexpr std::size_t most = 200;
  /// Its series in memory take no more, nor does their text.
  static constexpr std::size_t max_bytes = 1UL << 20;
  /// What a row takes beside them once it was counted.
  static constexpr std::size_t row_bytes = 64;

  /// A step's place is its number modulo how many there are.
  struct series {
    std::array<std::uint32_t, history::minutes> by_minute{};
    std::array<std::uint32_t, history::tens> by_ten{};
  };
  struct shape {
    const digest::row* of = nullptr;
    const series* steps = nullptr;
  };

  /// Makes room for counting in a row, which takes no memory then. `of` stays where it is until
  /// forget().
  void make_room_for(const digest::row& of);
  /// Counts commands in the newest minute. REQUIRES: there is room.
  void count(const digest::row& of, std::uint64_t commands, wall_time now) noexcept;
  void forget(const digest::row& gone);

  /// Goes on to a minute, numbered as history::minute(); an earlier one begins anew.
  void advance(std::uint64_t minute);

  /// The busiest first. Views, valid until the next change.
  [[nodiscard]] std::vector<shape> ranked() const;
  [[nodiscard]] std::uint64_t minute() const noexcept { return minute_; }

 private:
  static constexpr std::size_t no_place = SIZE_MAX;

  struct activity {
    double busy = 0;  ///< commands, those after began_ weighing more
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
  double least_ = 0;  ///< no place is less busy
  wall_time began_;   ///< when a command weighed 1
  std::uint64_t minute_ = 0;
};

}  // namespace scattergate::telemetry
