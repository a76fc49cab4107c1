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

/// The counts of one collection since its last sample.
struct history_sample {
  std::string_view database;
  std::string_view collection;
  command_counts counts;
  double busy = 0;  ///< see collection_sums::busy
};

/// The last 24 hours of the busiest collections, and of the rest as one: a step per minute for
/// the last hour, and a step per ten minutes for the day. Its memory is bounded and independent
/// of the traffic. A collection that becomes busier than the least busy one replaces it; the
/// replaced one's steps, and the new one's earlier counts, belong to the rest. Thread-safety:
/// one thread at a time.
class history {
 public:
  using wall_time = std::chrono::system_clock::time_point;

  static constexpr std::size_t most_collections = 200;
  static constexpr std::size_t minutes = 60;
  static constexpr std::size_t tens = 144;
  /// Limit for all of it, both in memory and as text.
  static constexpr std::size_t max_bytes = 4UL << 20;

  /// The counts of one step. They saturate.
  using step = std::array<std::uint32_t, command_counts::kinds>;

  /// The steps of one collection. Step number n is at index n modulo the size.
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

  /// The factor by which `busy` decays in this time. The weight is about one day of traffic.
  [[nodiscard]] static double left_of_busy(std::chrono::seconds after) noexcept;

  /// Adds counts to the newest minute, for a collection, or for the rest if there are no names.
  /// On bad_alloc nothing.
  void add(const history_sample& sample);
  void add_others(const command_counts& counts) noexcept { others_->add(counts, minute_); }

  /// Moves on to the minute of `now`; minutes in between are empty. If the clock went
  /// backwards, stays in the newest step; by more than a day, starts anew.
  void advance(wall_time now);

  /// Busiest first.
  [[nodiscard]] std::vector<const collection*> ranked() const;
  [[nodiscard]] const series& others() const noexcept { return *others_; }

  /// The newest minute, counted from 1970; 0 before the first sample.
  [[nodiscard]] std::uint64_t minute() const noexcept { return minute_; }

  /// Merges another history, such as an earlier process's. Steps that are too old are skipped.
  /// A history that is ahead of `now` by more than clock skew is ignored. On bad_alloc nothing.
  void add(const history& other, wall_time now = std::chrono::system_clock::now());

  /// For the reader of a stored history: sets the newest minute; adds an empty collection
  /// (null: no room, or it exists); gives the rest; ends the restore.
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
