#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "telemetry/audit/audit_totals.hpp"
#include "telemetry/shapes/shape_details.hpp"
#include "telemetry/shapes/shape_index.hpp"

namespace scattergate::telemetry {

/// Counts all workers' findings since their last audit lines, by key. Holds at most
/// `max_shapes` findings, plus the shared `__failed__` (findings without a successful command)
/// and `__other__` (findings beyond the limit). So memory is bounded even if the audit log
/// can't be written. Thread-safety: one thread adds, another one writes; neither blocks the
/// other for long.
class finding_ledger {
 public:
  using clock = std::chrono::steady_clock;

  /// Called before the first finding of a (namespace, shape) is counted. If it throws, nothing
  /// is counted.
  using on_new_shape =
      std::function<void(std::string_view database, std::string_view collection)>;

  /// A finding and its counts since its last line. Only the writer accesses `owed`.
  struct finding {
    shape_delta owed;  ///< counts that the writer has taken over but not written

   private:
    friend finding_ledger;
    std::shared_ptr<const shape_details> details;  // the latest; never null
    digest::counts incoming;                       // counts that the writer hasn't taken over
    std::vector<std::uint64_t> fanout;             // the last command's shards
    bool has_been_due = false;                     // its first line is or was due
    bool is_due = false;                           // is in the list of due findings
    finding* next_due = nullptr;
    bool was_added_to = true;  // whether it counted since the last evict_quiet()
    clock::time_point quiet_since;
  };

  finding_ledger(std::size_t max_shapes, on_new_shape new_shape, audit_totals& totals);

  /// Adds a worker's delta, and keeps its details. Returns true if a line is due immediately,
  /// because it is the finding's first. If it throws std::bad_alloc, nothing has changed.
  bool add(const shape_delta& delta);
  /// Adds a delta without allocating: a new finding counts as `__other__`. Returns true if a
  /// line is due immediately.
  bool add_plainly(const shape_delta& delta) noexcept;
  /// Makes lines for the outstanding counts of these shapes due immediately. `shape_hashes`: in
  /// ascending order. Returns true if any line is due.
  bool make_due(std::span<const std::uint64_t> shape_hashes) noexcept;

  /// For the writer: takes over the counts of the first due finding. Null if none is due. The
  /// finding stays due until pop_due().
  [[nodiscard]] finding* first_due();
  /// For the writer: removes the first due finding from the list of due ones.
  void pop_due() noexcept;
  /// For the writer: takes over the counts of the finding with this number. Null past the last
  /// one. The shared findings come first.
  [[nodiscard]] finding* at(std::size_t number);

  /// For the writer: evicts findings without commands for `quiet` and without outstanding
  /// counts.
  void evict_quiet(clock::time_point now, std::chrono::nanoseconds quiet) noexcept;

  [[nodiscard]] std::size_t size() const;

 private:
  // Numbers of the shared findings.
  static constexpr std::size_t other = 0;
  static constexpr std::size_t failed = 1;
  static constexpr std::size_t shared = 2;

  [[nodiscard]] finding* find(const shape_details& details) const noexcept;
  [[nodiscard]] finding& open(const shape_delta& delta);
  void count(const finding& in, const shape_delta& delta) noexcept;
  [[nodiscard]] bool make_first_due(finding& of) noexcept;
  void push_due(finding& of) noexcept;
  static void take_over(finding& of);
  void close(std::size_t position) noexcept;

  std::size_t max_shapes_;
  on_new_shape on_new_shape_;
  audit_totals& totals_;
  mutable std::mutex mutex_;  // guards the members below, except each finding's `owed`
  shape_index index_;
  std::vector<std::unique_ptr<finding>> findings_;
  std::unordered_map<std::uint64_t, std::size_t> shapes_;  // number of findings, by shape hash
  finding* first_due_ = nullptr;
  finding* last_due_ = nullptr;
};

}  // namespace scattergate::telemetry
