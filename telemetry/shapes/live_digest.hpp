#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "digest/finding.hpp"
#include "digest/row.hpp"
#include "digest/table.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/history/collection_table.hpp"
#include "telemetry/history/history.hpp"
#include "telemetry/history/shape_history.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// What the daemon knows about the findings (commands to report, such as scatters) of one row
/// of the digest, since the daemon started. The row itself doesn't have these facts.
struct shape_marks {
  digest::action_counts actions{};  ///< number of findings, by how rules treated them
  std::optional<digest::wall_time> regressed_at;  ///< when a finding last recurred although
                                                  ///< the shape was resolved; empty: never
  std::optional<digest::wall_time> last_finding;  ///< time of the last finding that no rule
                                                  ///< accepted; empty: none

  /// Counts several findings of a row, all with the same action. If no rule accepted them, and
  /// the previous finding is at least `resolved_after` older, sets `regressed_at`.
  /// `last_of_row`: the result of last_of(), computed before the row counts these commands.
  void count(finding_action action, const digest::counts& several,
             const std::optional<digest::wall_time>& last_of_row,
             std::chrono::nanoseconds resolved_after) noexcept {
    actions[static_cast<std::size_t>(action)] += several.count;
    if (action == finding_action::accepted || !several.first_seen) return;
    const auto before = last_finding ? last_finding : last_of_row;
    if (before && *several.first_seen - *before >= resolved_after) {
      regressed_at = several.first_seen;
    }
    if (!last_finding || *several.last_seen > *last_finding) last_finding = several.last_seen;
  }

  /// The time of the last finding according to the row alone; std::nullopt if none. For rows
  /// without marks, which an earlier process counted. `of`: null if there is no row.
  [[nodiscard]] static std::optional<digest::wall_time> last_of(const digest::row* of) {
    return of != nullptr && digest::is_finding(*of) ? of->last_seen : std::nullopt;
  }
};

/// Whether a row had findings that no rule accepted, but none for the time `resolved_after`.
/// `marks`: the row's marks; null if it has none.
[[nodiscard]] inline bool is_resolved(const digest::row& of, const shape_marks* marks,
                                      digest::wall_time now,
                                      std::chrono::nanoseconds resolved_after) {
  const auto last = marks != nullptr ? marks->last_finding : shape_marks::last_of(&of);
  return last && now - *last >= resolved_after;
}

/// The memory that the rows of a digest hold of the memory budget. A quarter of the budget
/// stays free for traffic. The destructor releases all. Thread-safety: one thread at a time.
class row_memory {
 public:
  /// `budget` must outlive this object.
  explicit row_memory(memory_budget& budget) noexcept : budget_(budget) {}
  ~row_memory() { release_all(); }
  row_memory(const row_memory&) = delete;
  row_memory& operator=(const row_memory&) = delete;

  /// Reserves `bytes`; returns false if there is no room.
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;
  /// Releases `bytes`. REQUIRES: at least as many are reserved.
  void release(std::size_t bytes) noexcept;
  void release_all() noexcept { release(held_); }

 private:
  memory_budget& budget_;
  std::size_t held_ = 0;
};

/// A second digest, next to live_digest: the counts that fleet_ledger hasn't taken yet to send
/// ("flush") to the fleet's database. Rows (one per query shape) reserve their memory from a
/// memory budget. If there is no room for a new row, its commands count only in the totals.
/// Thread-safety: one thread at a time.
class unflushed_digest {
 public:
  /// `max_rows`: maximum number of rows. `memory`: the rows' budget; must outlive this object.
  unflushed_digest(std::size_t max_rows, memory_budget& memory);

  /// Allocates the memory for count(delta). If it throws std::bad_alloc, the counts are
  /// unchanged.
  void make_room_for(const shape_delta& delta);
  /// Counts a delta (a shape's new counts). REQUIRES: make_room_for(delta) was the last call.
  void count(const shape_delta& delta) noexcept;
  /// Counts a delta without allocating: in its row if the row exists (without callers), and in
  /// the totals.
  void count_plainly(const shape_delta& delta) noexcept;

  /// All counts.
  [[nodiscard]] const digest::table& table() const noexcept { return table_; }
  /// Removes all counts and releases their memory.
  void clear() noexcept;

 private:
  void settle() noexcept;

  row_memory memory_;
  std::size_t max_rows_;
  digest::table table_;
  digest::row* row_ = nullptr;  // has room for the next delta; null: no room
  std::size_t reserved_ = 0;    // bytes reserved for `row_`; 0: settled
};

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
  class row_room;
  [[nodiscard]] bool merge(const digest::row& one);

  memory_budget& budget_;
  std::chrono::nanoseconds resolved_after_;
  mutable std::mutex mutex_;  // guards the members below
  row_memory memory_;
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

/// The state of a shape on the page and in the API.
enum class shape_kind : std::uint8_t {
  finding,   ///< a shape to report, such as a scatter
  resolved,  ///< a finding that hasn't recurred for the time admin.resolved_after
  accepted,  ///< a rule accepted findings of the shape; its other findings are resolved, or
             ///< there are none
  get_more,  ///< a getMore command
  other,     ///< not a finding
};
/// The kind's name in JSON, such as "getMore".
[[nodiscard]] std::string_view label(shape_kind kind) noexcept;

/// The kind of a row of the digest. A row counted by an earlier process has no shape_marks;
/// the row alone then decides whether it is a finding (digest/finding.hpp).
[[nodiscard]] shape_kind kind_of(const digest::row& row, const live_digest::view& all);

/// The category under which commands with these details count in collection_table.
[[nodiscard]] counted_as counted_as_of(const shape_details& details) noexcept;

/// The number of a row's commands that were rejected or throttled since the daemon started.
/// `marks`: null if the row has none.
[[nodiscard]] std::uint64_t refused_of(const shape_marks* marks) noexcept;

/// The rows in the page's order: first the rows with rejected or throttled commands, then all
/// others; within both groups, the highest cost first. Valid as long as `all`.
[[nodiscard]] std::vector<const digest::row*> in_shown_order(const live_digest::view& all);

}  // namespace scattergate::telemetry
