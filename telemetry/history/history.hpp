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

/// What one collection has had since it was looked at last.
struct history_sample {
  std::string_view database;
  std::string_view collection;
  command_counts counts;
  double busy = 0;  ///< as collection_sums::busy
};

/// The last 24 hours: a step for each minute of the last hour, one for each ten minutes of the
/// last day, for the busiest collections and for the rest as one. Its memory is bounded by how
/// many they are and doesn't grow with what passes. A collection that has become busier than
/// the least busy takes its place: what was told apart of that, and what came of this before,
/// is of the rest. Thread-safety: one thread at a time.
class history {
 public:
  using wall_time = std::chrono::system_clock::time_point;

  static constexpr std::size_t most_collections = 200;
  static constexpr std::size_t minutes = 60;
  static constexpr std::size_t tens = 144;
  /// All of it, in memory and as a text, takes no more.
  static constexpr std::size_t max_bytes = 4UL << 20;

  /// Counts of one step; what would be more than fits is as much as fits.
  using step = std::array<std::uint32_t, command_counts::kinds>;

  /// The steps of one collection. A step's place is its number modulo how many there are.
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

  /// How much of `busy` is left after so long: of a day as much as makes a day's traffic count.
  [[nodiscard]] static double left_of_busy(std::chrono::seconds after) noexcept;

  /// Adds what came within the newest minute, of a collection and of all that has none; nothing
  /// where memory fails it.
  void add(const history_sample& sample);
  void add_others(const command_counts& counts) noexcept { others_->add(counts, minute_); }

  /// Goes on to the minute of `now`: those in between had nothing. Time that went backwards
  /// stays in the newest step; by more than a day, it begins anew.
  void advance(wall_time now);

  /// The busiest first.
  [[nodiscard]] std::vector<const collection*> ranked() const;
  [[nodiscard]] const series& others() const noexcept { return *others_; }

  /// The number of the newest minute since 1970; 0 before anything was added.
  [[nodiscard]] std::uint64_t minute() const noexcept { return minute_; }

  /// Adds what another one has, as the one that an earlier process left; its steps that are too
  /// old by ours are left out. One that is ahead of `now`, by more than clocks differ, says
  /// nothing of our day and is left out whole. Nothing where memory fails it.
  void add(const history& other, wall_time now = std::chrono::system_clock::now());

  /// For who reads a stored one: its newest minute, an empty collection (null where there is no
  /// room, or it is there already), the rest, and in the end that it was all.
  void restore_minute(std::uint64_t minute) noexcept { minute_ = minute; }
  [[nodiscard]] series* restore(std::string database, std::string name);
  [[nodiscard]] series& restore_others() noexcept { return *others_; }
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
