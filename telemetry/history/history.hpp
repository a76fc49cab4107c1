#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest/row.hpp"
#include "routing/verdict.hpp"

namespace scattergate::telemetry {

/// Counts of commands on a collection, as an array of numbers. Each command counts once under
/// its routing class, or instead under `accepted` or `get_more`. The other indexes count some
/// of these commands a second time, or count shard requests (`wasted`).
struct command_counts {
  /// The indexes into `of` that follow the routing classes. A finding is a command to report,
  /// such as a scatter.
  enum kind : std::size_t {
    findings = routing::routing_class_count,  ///< findings that no rule accepted, including
                                              ///< `refused`
    accepted,                                 ///< findings that a rule accepted
    get_more,                                 ///< getMore commands
    errors,                                   ///< commands with an error reply
    wasted,  ///< wasted shard requests: those beyond the first of a command; only for commands
             ///< in `fanout_known`
    fanout_known,  ///< commands for which the number of shards that mongos asked is known
    refused,       ///< findings that a rule rejected or a throttle refused
    scattering,    ///< scatter-gather findings that mongos got
  };
  /// The number of indexes into `of`.
  static constexpr std::size_t kinds = scattering + 1;

  /// The counts: first by routing::routing_class, then by `kind`.
  std::array<std::uint64_t, kinds> of{};

  /// The counts by routing class.
  [[nodiscard]] std::span<const std::uint64_t, routing::routing_class_count> by_routing()
      const noexcept {
    return std::span{of}.first<routing::routing_class_count>();
  }
  /// The number of all commands, each counted once.
  [[nodiscard]] std::uint64_t commands() const noexcept {
    const auto classes = by_routing();
    return std::accumulate(classes.begin(), classes.end(), of[accepted] + of[get_more]);
  }
  /// The wasted shard requests (those beyond the first of a command). std::nullopt if no
  /// command's number of shards is known; see digest::known_waste().
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept {
    return digest::known_waste(commands(), by_routing(), of[fanout_known], of[wasted]);
  }
  /// Adds all counts of `other`.
  void add(const command_counts& other) noexcept {
    for (std::size_t i = 0; i < kinds; ++i) of[i] += other.of[i];
  }
  /// The counts added since `before`, an earlier state of this object.
  [[nodiscard]] command_counts since(const command_counts& before) const noexcept {
    command_counts come;
    for (std::size_t i = 0; i < kinds; ++i) come.of[i] = of[i] - before.of[i];
    return come;
  }

  friend bool operator==(const command_counts&, const command_counts&) = default;
};

/// Commands that scattergate didn't forward, because a rule rejected them or a throttle refused
/// them.
struct refusals {
  std::uint64_t all = 0;
  std::uint64_t scatters = 0;  ///< those with the routing class scatter_gather
};

/// The JSON name of an index into command_counts::of: a routing class's label, or the name of
/// a kind, such as `wastedShardRequests`.
[[nodiscard]] std::string_view name_of(std::size_t kind) noexcept;

/// The number of minutes in one ten-minute step of a history.
inline constexpr std::uint64_t minutes_of_ten = 10;

/// Adds `count` to a count of one step. The sum stops at the maximum instead of overflowing.
inline void add_to_step(std::uint32_t& sum, std::uint64_t count) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  sum = static_cast<std::uint32_t>(std::min(sum + std::min(count, most), most));
}

/// Clears the steps that become current when time passes from step `last` to step `next`: those
/// with the numbers last + 1 to next. Step number n is at index n modulo the array's size.
template <typename Step, std::size_t Size>
void clear_steps(std::array<Step, Size>& steps, std::uint64_t last,
                 std::uint64_t next) noexcept {
  if (next - last > Size) last = next - Size;
  for (std::uint64_t number = last + 1; number <= next; ++number) steps[number % Size] = {};
}

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
