#pragma once

#include <atomic>
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

#include "telemetry/audit/audit_log.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Holds the counts that the audit log must still write: for each finding (a shape to report,
/// such as a scatter), the sum over all workers since the finding's last audit line. Holds at
/// most `max_shapes` findings, plus two shared ones: `__failed__` (findings without a
/// successful command) and `__other__` (findings beyond the limit). Memory is bounded even if
/// the audit log can't be written.
///
/// Thread-safety: the account's thread adds counts, and the audit log's thread (the "writer")
/// takes them over. Neither blocks the other for long.
class finding_ledger {
 public:
  using clock = std::chrono::steady_clock;

  using on_new_shape = audit_log::on_new_shape;

  /// A finding and its counts since its last audit line. Only the writer accesses `owed`.
  struct finding {
    shape_delta owed;  ///< counts that the writer has taken over but not written yet

   private:
    friend finding_ledger;
    std::shared_ptr<const shape_details> details;  // the latest; never null
    digest::counts incoming;                       // counts that the writer hasn't taken over
    std::vector<std::uint64_t> fanout;             // the last command's shards
    bool has_been_due = false;                     // the finding's first line is or was due
    bool is_due = false;                           // the finding is in the list of due findings
    finding* next_due = nullptr;
    bool was_added_to = true;  // whether commands were counted since the last evict_quiet()
    clock::time_point quiet_since;
  };

  /// `totals` must outlive this object.
  finding_ledger(std::size_t max_shapes, on_new_shape new_shape, audit_totals& totals);

  /// Adds a worker's delta (new counts of a finding), and keeps the delta's details. Returns
  /// true if this is the finding's first delta, so that a line is due. If add() throws
  /// std::bad_alloc, nothing was counted.
  bool add(const shape_delta& delta);
  /// Makes the lines of all findings of these shapes due. `shape_hashes`: in ascending order.
  /// Returns true if any line is due.
  bool make_due(std::span<const std::uint64_t> shape_hashes) noexcept;

  /// For the writer: moves the counts of the first due finding into `owed`, and returns the
  /// finding; null if none is due. The finding stays due until pop_due().
  [[nodiscard]] finding* first_due();
  /// For the writer: removes the first due finding from the list of due findings.
  void pop_due() noexcept;
  /// For the writer: moves the counts of the finding with this number, from 0, into `owed`,
  /// and returns the finding; null past the last one. The shared findings come first.
  [[nodiscard]] finding* at(std::size_t number);

  /// For the writer: evicts findings that have no outstanding counts and had no commands for
  /// the time `quiet`. Call it periodically.
  void evict_quiet(clock::time_point now, std::chrono::nanoseconds quiet) noexcept;

  /// The number of findings, including the shared ones.
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
