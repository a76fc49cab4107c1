#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/history/command_counts.hpp"

namespace scattergate::telemetry {

/// One collection's counts since its last sample.
struct history_sample {
  std::string_view database;
  std::string_view collection;
  command_counts counts;
  double busy = 0;  ///< see collection_sums::busy
};

/// The counts of the last 24 hours for the busiest collections, and for all others together: in
/// steps of one minute for the last hour, and of ten minutes for the day. Memory is bounded. A
/// collection that becomes busier than the least busy one replaces it; the steps of the
/// replaced collection are added to others(). Thread-safety: one thread at a time.
class history {
 public:
  using wall_time = std::chrono::system_clock::time_point;

  static constexpr std::size_t most_collections = 200;
  static constexpr std::size_t minutes = 60;  ///< number of one-minute steps
  static constexpr std::size_t tens = 144;    ///< number of ten-minute steps
  /// The size limit of the whole history, in memory and as text.
  static constexpr std::size_t max_bytes = 4UL << 20;

  /// The counts of one step, by command_counts::kind; they saturate.
  using step = std::array<std::uint32_t, command_counts::kinds>;

  /// A collection's steps. Step number n is at index n modulo the size.
  struct series {
    std::array<step, minutes> by_minute{};
    std::array<step, tens> by_ten{};

    void add(const command_counts& counts, std::uint64_t minute) noexcept;
    void add(const series& other) noexcept;
  };
  struct collection {
    std::string database;
    std::string name;
    double busy = 0;
    std::unique_ptr<series> steps;
  };

  history();

  /// The factor by which `busy` decays after this time: about a third after a day.
  [[nodiscard]] static double left_of_busy(std::chrono::seconds after) noexcept;

  /// Adds counts to the current minute of a collection, or of the others if the collection
  /// isn't busy enough to have steps. If it throws std::bad_alloc, nothing has changed.
  void add(const history_sample& sample);
  void add_others(const command_counts& counts) noexcept { others_->add(counts, minute_); }

  /// Advances to the minute of `now`; minutes in between are empty. If the clock went back,
  /// stays in the newest step; if by more than a day, clears everything.
  void advance(wall_time now);

  /// The collections, the busiest first.
  [[nodiscard]] std::vector<const collection*> ranked() const;
  [[nodiscard]] const series& others() const noexcept { return *others_; }

  /// The newest minute, counted from 1970; 0 before the first sample.
  [[nodiscard]] std::uint64_t minute() const noexcept { return minute_; }

  /// Merges another history, such as an earlier process's. Skips steps that are too old, and
  /// ignores a history that is too far in the future. If it throws std::bad_alloc, nothing has
  /// changed.
  void add(const history& other, wall_time now = std::chrono::system_clock::now());

  /// For the reader of a stored history: sets the newest minute.
  void restore_minute(std::uint64_t minute) noexcept { minute_ = minute; }
  /// For the reader of a stored history: adds an empty collection. Returns null if there is no
  /// room or the collection exists.
  [[nodiscard]] series* restore(std::string database, std::string name);
  /// For the reader of a stored history: the steps of all other collections.
  [[nodiscard]] series& restore_others() noexcept { return *others_; }
  /// For the reader of a stored history: completes the restore.
  void restored();

 private:
  void advance_to(std::uint64_t minute);
  void forget();
  [[nodiscard]] collection* find(std::string_view database, std::string_view name) noexcept;
  [[nodiscard]] collection* place_for(const history_sample& sample);

  std::uint64_t minute_ = 0;
  wall_time last_;
  std::vector<collection> collections_;
  std::unique_ptr<series> others_;
};

}  // namespace scattergate::telemetry
