#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
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

namespace scattergate::telemetry {

/// The daemon's digest: what all workers' shapes add up to, findings or not, since its start or
/// since its state file began; the same by collection, since its start and over the last day;
/// and the last day of the busiest shapes. Its rows are out of `memory`; what finds no room
/// there counts in the totals, and in its row where it has one. Thread-safety: any thread.
class live_digest {
 public:
  using wall_time = digest::wall_time;

  static constexpr std::chrono::hours default_resolved_after{1};

  /// `memory` must outlive it. A finding is resolved once none came for `resolved_after`.
  live_digest(std::size_t max_rows, memory_budget& memory,
              std::chrono::nanoseconds resolved_after = default_resolved_after);
  ~live_digest();
  live_digest(const live_digest&) = delete;
  live_digest& operator=(const live_digest&) = delete;

  /// Adds what a worker has handed over, or, where memory fails it, nothing. The hashes of
  /// shapes whose rows had to make room.
  std::vector<std::uint64_t> add(const shape_delta& delta,
                                 wall_time now = std::chrono::system_clock::now());
  /// Adds what takes no memory: to its row, where there is one, but for who sent it, and to the
  /// sums; what has no row counts for no collection.
  void add_plainly(const shape_delta& delta,
                   wall_time now = std::chrono::system_clock::now()) noexcept;

  /// Moves here what another digest has counted: what a predecessor left. Where memory fails
  /// it, `from` has what isn't here yet, and may be added again.
  void add(digest::table& from);
  void add(const history& other);

  /// Looks at it; nothing is added meanwhile.
  void look(const std::function<void(const digest::table&)>& at) const;

  [[nodiscard]] std::chrono::nanoseconds resolved_after() const noexcept {
    return resolved_after_;
  }

  /// All that there is to see.
  struct view {
    const digest::table& shapes;
    const collection_table& collections;
    const history& past;
    const shape_history& shapes_past;
    wall_time now;
    std::chrono::nanoseconds resolved_after;
    const std::unordered_map<const digest::row*, shape_marks>& marks;

    [[nodiscard]] const shape_marks* marks_of(const digest::row& row) const {
      const auto found = marks.find(&row);
      return found == marks.end() ? nullptr : &found->second;
    }
  };
  /// The same of all of it, up to `now`.
  void look_around(const std::function<void(const view&)>& at,
                   wall_time now = std::chrono::system_clock::now());

 private:
  void count(const shape_delta& delta, wall_time now);
  void count_row(const shape_delta& delta, wall_time now);
  [[nodiscard]] bool is_sample_due(wall_time now) const noexcept;
  void sample(wall_time now);
  [[nodiscard]] bool take(std::size_t bytes) noexcept;
  void give_back(std::size_t bytes) noexcept;
  class row_room;
  [[nodiscard]] bool merge(const digest::row& one);

  memory_budget& memory_;
  std::chrono::nanoseconds resolved_after_;
  mutable std::mutex mutex_;            // guards what follows
  std::size_t held_ = 0;                // bytes of `memory_`
  std::vector<std::uint64_t> evicted_;  // hashes; has room for all that make room at once
  std::unordered_map<const digest::row*, shape_marks> marks_;  // rows stay where they are
  digest::table table_;
  collection_table collections_;
  history past_;
  shape_history shapes_past_;  // in the minute of past_
  wall_time counted_at_;
  wall_time sampled_at_;
};

}  // namespace scattergate::telemetry
