#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "digest/row.hpp"
#include "digest/time_histogram.hpp"
#include "telemetry/history/command_counts.hpp"
#include "telemetry/history/history.hpp"
#include "telemetry/history/recent_counts.hpp"

namespace scattergate::telemetry {

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

  /// Counts commands in the shared entry without allocating, after count() has failed. Omits
  /// the distribution of durations.
  void count_plainly(counted_as as, const digest::counts& several, wall_time now,
                     const refusals& refused = {}) noexcept;

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
  void make_room_for(const digest::counts& several, collection_sums& in);

  std::unordered_map<key, std::unique_ptr<collection>, hash> collections_;
  collection_sums all_;
  collection_sums others_;
  std::uint64_t version_ = 0;
  wall_time sampled_at_;
};

}  // namespace scattergate::telemetry
