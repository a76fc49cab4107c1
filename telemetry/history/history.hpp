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

/// New counts to add to the history: one collection's counts since its previous history_sample.
struct history_sample {
  std::string_view database;
  std::string_view collection;
  command_counts counts;
  double busy = 0;  ///< the collection's activity: number of commands, weighted by age
};

/// Keeps the counts of the last 24 hours, for charts: separately for the busiest collections,
/// and together for all others. A "step" has the counts of one minute (for the last hour) or of
/// ten minutes (for the whole day). Memory is bounded. A collection that becomes busier than
/// the least busy one replaces it; the steps of the replaced collection are added to others().
/// Thread-safety: one thread at a time.
class history {
 public:
  using wall_time = std::chrono::system_clock::time_point;

  /// The maximum number of collections with steps of their own.
  static constexpr std::size_t most_collections = 200;
  static constexpr std::size_t minute_steps = 60;       ///< number of one-minute steps
  static constexpr std::size_t ten_minute_steps = 144;  ///< number of ten-minute steps
  /// The size limit of the whole history, in bytes, in memory and as text.
  static constexpr std::size_t max_bytes = 4UL << 20;

  /// The counts of one step, indexed like command_counts::of. They stop at the maximum instead
  /// of overflowing.
  using step = std::array<std::uint32_t, command_counts::kinds>;

  /// The steps of one collection, or of all others. Step number n, counted from 1970, is at
  /// index n modulo the array's size.
  struct series {
    std::array<step, minute_steps> by_minute{};
    std::array<step, ten_minute_steps> by_ten{};

    /// Adds counts to the step of `minute`, and to the ten-minute step that contains it.
    /// `minute`: counted from 1970.
    void add(const command_counts& counts, std::uint64_t minute) noexcept;
    /// Adds all steps of `other`. REQUIRES: the newest minute of both series is the same.
    void add(const series& other) noexcept;
  };
  /// A collection with steps of its own.
  struct collection {
    std::string database;
    std::string name;
    double busy = 0;  ///< the collection's activity: number of commands, weighted by age
    std::unique_ptr<series> steps;  ///< never null
  };

  history();

  /// The factor by which a collection's `busy` decreases in the time `after`: exp(-1), about a
  /// third, for a day.
  [[nodiscard]] static double decay_of_busy(std::chrono::seconds after) noexcept;

  /// Adds counts to the current minute of a collection, or of others() if the collection isn't
  /// busy enough to have steps. If add() throws std::bad_alloc, nothing has changed.
  void add(const history_sample& sample);
  /// Adds counts to the current minute of others().
  void add_others(const command_counts& counts) noexcept { others_->add(counts, minute_); }

  /// Makes the minute of `now` the current one; minutes in between are empty. If the clock
  /// went back by up to a day, stays in the newest minute. If the clock went back further,
  /// clears everything.
  void advance(wall_time now);

  /// The collections, the busiest first.
  [[nodiscard]] std::vector<const collection*> ranked() const;
  /// The steps of all collections without steps of their own, together.
  [[nodiscard]] const series& others() const noexcept { return *others_; }

  /// The newest minute, counted from 1970; 0 before the first sample.
  [[nodiscard]] std::uint64_t minute() const noexcept { return minute_; }

  /// Adds the steps of another history, such as an earlier process's. Collections without room
  /// are added to others(). Skips one-minute steps older than an hour, and ten-minute steps
  /// older than a day. Ignores the whole history if it ends more than ten minutes after `now`.
  /// If add() throws std::bad_alloc, nothing has changed.
  void add(const history& other, wall_time now = std::chrono::system_clock::now());

  /// For the reader of a stored history: sets the newest minute.
  void restore_minute(std::uint64_t minute) noexcept { minute_ = minute; }
  /// For the reader of a stored history: adds a collection and returns its empty steps, to be
  /// filled in. Returns null if there is no room or the collection exists.
  [[nodiscard]] series* restore(std::string database, std::string name);
  /// For the reader of a stored history: the steps of others(), to be filled in.
  [[nodiscard]] series& restore_others() noexcept { return *others_; }
  /// For the reader of a stored history: computes each collection's `busy` from its steps. Call
  /// it last.
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
