#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "digest/table.hpp"
#include "telemetry/history/collection_table.hpp"
#include "telemetry/history/history.hpp"
#include "telemetry/history/shape_history.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/shapes/shape_details.hpp"
#include "telemetry/shapes/shape_marks.hpp"
#include "telemetry/shapes/unflushed_digest.hpp"

namespace scattergate::telemetry {

/// The daemon's digest: a table with a row per query shape (a command without its values),
/// which adds up the counts of all workers. Counts since the daemon started; with a state file,
/// since that file was created. Also has counts per collection, since the start and over the
/// last day, and the busiest shapes' counts over the last day. Rows reserve their memory from a
/// memory budget. If there is no room for a new row, its commands count only in the totals.
/// Thread-safety: any thread.
class live_digest {
 public:
  using wall_time = digest::wall_time;

  /// The default of the constructor's argument `resolved_after`.
  static constexpr std::chrono::hours default_resolved_after{1};

  /// `max_rows`: maximum number of rows. `memory`: the rows' budget; must outlive this object.
  /// `resolved_after`: a finding (a shape to report) that doesn't recur for this time is
  /// resolved.
  live_digest(std::size_t max_rows, memory_budget& memory,
              std::chrono::nanoseconds resolved_after = default_resolved_after);
  ~live_digest();
  live_digest(const live_digest&) = delete;
  live_digest& operator=(const live_digest&) = delete;

  /// Adds a worker's delta (a shape's new counts). Returns the hashes of shapes whose rows
  /// were evicted to make room. If add() throws std::bad_alloc, nothing was counted.
  std::vector<std::uint64_t> add(const shape_delta& delta,
                                 wall_time now = std::chrono::system_clock::now());
  /// Moves all counts of `from` into this digest. For the counts of an earlier process, read
  /// from the state file. If add() throws std::bad_alloc, `from` keeps the counts that weren't
  /// moved; call add() again.
  void add(digest::table& from);
  /// Adds the counts of the last day that an earlier process saved in the state file.
  void add(const history& other);

  /// From now on, also counts everything in a second digest, view::unflushed. fleet_ledger
  /// takes these counts, to send them to the fleet's database, and clears the second digest.
  void keep_unflushed();

  /// Calls `at` with the table of rows, under the lock: `at` must not call this object.
  void read_table(const std::function<void(const digest::table&)>& at) const;

  /// The time without recurrence after which a finding is resolved.
  [[nodiscard]] std::chrono::nanoseconds resolved_after() const noexcept {
    return resolved_after_;
  }

  /// All data of the digest, for readers. Valid only during read_view().
  struct view {
    const digest::table& shapes;  ///< one row per query shape
    const collection_table& collections;
    const history& past;               ///< the collections' counts of the last day
    const shape_history& shapes_past;  ///< the busiest shapes' counts of the last day
    wall_time now;
    std::chrono::nanoseconds resolved_after;
    /// What the daemon knows about the findings of rows; read it by marks_of().
    const std::unordered_map<const digest::row*, shape_marks>& marks;
    unflushed_digest* unflushed = nullptr;  ///< null: keep_unflushed() wasn't called

    /// What the daemon knows about a row's findings; null if nothing.
    [[nodiscard]] const shape_marks* marks_of(const digest::row& row) const {
      const auto found = marks.find(&row);
      return found == marks.end() ? nullptr : &found->second;
    }
  };
  /// Calls `at` with all data, updated to `now`, under the lock: `at` must not call this
  /// object.
  void read_view(const std::function<void(const view&)>& at,
                 wall_time now = std::chrono::system_clock::now());

 private:
  void count(const shape_delta& delta, wall_time now);
  void count_row(const shape_delta& delta, wall_time now);
  [[nodiscard]] bool is_sample_due(wall_time now) const noexcept;
  void sample(wall_time now);
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;
  void release(std::size_t bytes) noexcept;
  class row_room;
  [[nodiscard]] bool merge(const digest::row& one);

  memory_budget& memory_;
  std::chrono::nanoseconds resolved_after_;
  mutable std::mutex mutex_;            // guards the members below
  std::size_t held_ = 0;                // bytes reserved from `memory_`
  std::vector<std::uint64_t> evicted_;  // hashes; has capacity for all rows evicted at once
  std::unordered_map<const digest::row*, shape_marks> marks_;  // rows never move
  digest::table table_;
  collection_table collections_;
  history past_;
  shape_history shapes_past_;                    // at the same minute as past_
  std::unique_ptr<unflushed_digest> unflushed_;  // null: not kept
  wall_time counted_at_;
  wall_time sampled_at_;
};

}  // namespace scattergate::telemetry
