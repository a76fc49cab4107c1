#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "digest/row.hpp"
#include "digest/time_histogram.hpp"
#include "telemetry/history/history.hpp"

namespace scattergate::telemetry {

/// The counts of the last minute, kept in steps of five seconds. A jump of the clock discards
/// the counts. Thread-safety: one thread.
class recent_counts {
 public:
  using wall_time = std::chrono::system_clock::time_point;

  /// Adds counts to the step that contains `now`.
  void add(const command_counts& counts, wall_time now) noexcept {
    slot& at = slots_[static_cast<std::size_t>(number_of(now)) % slots_.size()];
    if (at.number != number_of(now)) at = {number_of(now), {}};
    for (std::size_t i = 0; i < command_counts::kinds; ++i) {
      constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
      at.of[i] = static_cast<std::uint32_t>(std::min(at.of[i] + counts.of[i], most));
    }
  }

  /// The counts of the last minute: of the current step of five seconds and the eleven before
  /// it. seconds() returns the exact length of this period.
  [[nodiscard]] command_counts sum(wall_time now) const noexcept {
    const std::int64_t last = number_of(now);
    command_counts all;
    for (const slot& each : slots_) {
      if (each.number > last || each.number <= last - std::int64_t{slots}) continue;
      for (std::size_t i = 0; i < command_counts::kinds; ++i) all.of[i] += each.of[i];
    }
    return all;
  }

  /// The length, in seconds, of the period whose counts sum() returns: at least 1, at most the
  /// time since `began`. `began`: when the daemon began to count.
  [[nodiscard]] static std::uint64_t seconds(wall_time now, wall_time began) noexcept {
    const auto whole = [](wall_time at) {
      return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
    };
    const std::int64_t looked_at = whole(now) - (number_of(now) - slots + 1) * step_seconds;
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, std::min(looked_at, whole(now) - whole(began))));
  }

 private:
  static constexpr std::int64_t slots = 12;
  static constexpr std::int64_t step_seconds = 5;
  struct slot {
    std::int64_t number = 0;
    std::array<std::uint32_t, command_counts::kinds> of{};
  };

  /// The number of the step that contains `at`. Never negative, even for a time before 1970.
  static std::int64_t number_of(wall_time at) noexcept {
    using std::chrono::seconds;
    return std::max<std::int64_t>(
               0, std::chrono::duration_cast<seconds>(at.time_since_epoch()).count()) /
           step_seconds;
  }

  std::array<slot, slots> slots_{};
};

/// The counts and durations of one collection's commands, or the sums over several collections.
struct collection_sums {
  command_counts counts;                        ///< since the daemon started
  recent_counts recent;                         ///< in the last minute
  std::chrono::nanoseconds total{0};            ///< sum of the commands' durations
  std::chrono::nanoseconds longest{0};          ///< the longest duration
  digest::time_histogram times;                 ///< the distribution of the durations
  std::optional<digest::wall_time> first_seen;  ///< when the first command completed; empty:
                                                ///< none
  std::optional<digest::wall_time> last_seen;   ///< when the last command completed; empty:
                                                ///< none
  std::uint64_t version = 0;  ///< collection_table::version() at the last change
  double busy = 0;  ///< the activity: the number of commands, where a command counts less the
                    ///< older it is (about a third after a day)
  command_counts sampled;  ///< the part of `counts` that was added to the history

  /// Adds another collection's sums, except for `recent`, `version` and `busy`.
  void add(const collection_sums& other);
};

/// What a command counts as. A finding is a command to report, such as a scatter.
/// - `ordinary`: neither a finding nor a getMore;
/// - `finding`: a finding that no rule accepted;
/// - `accepted`: a finding that a rule accepted;
/// - `get_more`: a getMore.
enum class counted_as : std::uint8_t { ordinary, finding, accepted, get_more };

/// Counts the commands of each collection since the daemon started. At most `most` collections
/// have an entry of their own; all other ones share one entry, others(). A collection without
/// commands for a day is evicted: its counts move to the shared entry. Thread-safety: one
/// thread at a time.
class collection_table {
 public:
  using wall_time = digest::wall_time;

  /// The maximum number of collections with an entry of their own.
  static constexpr std::size_t most = 2000;

  /// A collection with an entry of its own.
  struct collection : collection_sums {
    std::string database;
    std::string name;
  };

  /// Counts commands on a collection, which completed shortly before `now`. `refused`: those of
  /// them that weren't forwarded. If count() throws std::bad_alloc, nothing was counted.
  void count(std::string_view database, std::string_view name, counted_as as,
             const digest::counts& several, wall_time now, const refusals& refused = {});
  /// Counts commands in the shared entry, for commands whose collection isn't known. If the
  /// function throws std::bad_alloc, nothing was counted.
  void count_elsewhere(counted_as as, const digest::counts& several, wall_time now,
                       const refusals& refused = {});

  /// Adds the counts since the last call to the history `into`, and evicts collections without
  /// commands for a day. Call it periodically. If sample() throws std::bad_alloc, the next call
  /// adds the rest.
  void sample(wall_time now, history& into);

  /// The sums over all collections.
  [[nodiscard]] const collection_sums& all() const noexcept { return all_; }
  /// The shared entry: the counts of collections without an entry of their own.
  [[nodiscard]] const collection_sums& others() const noexcept { return others_; }
  /// The collections with an entry of their own, sorted by wasted shard requests, then by
  /// findings, then by commands, highest first. A wasted shard request is one beyond the first
  /// of a command. Valid until the next change.
  [[nodiscard]] std::vector<const collection*> ranked() const;

  /// A number that increases whenever something is counted.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }

 private:
  using key = std::pair<std::string_view, std::string_view>;
  struct hash {
    std::size_t operator()(const key& of) const noexcept;
  };

  [[nodiscard]] collection_sums& sums_of(std::string_view database, std::string_view name);
  void give_up_quiet(wall_time now);
  void count_in(collection_sums& sums, counted_as as, const digest::counts& several,
                wall_time now, const refusals& refused);

  std::unordered_map<key, std::unique_ptr<collection>, hash> collections_;
  collection_sums all_;
  collection_sums others_;
  std::uint64_t version_ = 0;
  wall_time sampled_at_;
};

}  // namespace scattergate::telemetry
