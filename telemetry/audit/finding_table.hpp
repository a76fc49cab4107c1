#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "telemetry/audit/finding.hpp"
#include "telemetry/audit/finding_index.hpp"

namespace scattergate::telemetry {

/// The findings of one worker: a bounded table that counts them as their commands complete,
/// and hands the counts over. Whether a command has earned its finding a place of its own is
/// known at its reply, so that is when a place is taken; what has earned none is counted in one
/// `__failed__`, and what finds no room in one `__other__`. A place that nothing was counted in
/// for a while is given back.
class finding_table {
 public:
  using clock = std::chrono::steady_clock;

  /// A finding under way: from the command to its reply. Valid until completed or cancelled;
  /// its place isn't given back before.
  struct ticket {
    std::uint32_t finding = 0;
  };

  /// Findings of their own, and their callers, are kept out of `memory`; what has no room in it
  /// is counted in `__other__`. `memory` must outlive the table and what it hands over.
  finding_table(std::size_t max_shapes, memory_budget& memory);
  ~finding_table();

  /// Begins a finding that has a place, or would find no room for one. Nothing where
  /// admit() needs its details: it has no place yet, or what is said of it is to be renewed.
  /// `fanout`: of the command, without bits where it isn't known. No heap.
  [[nodiscard]] std::optional<ticket> begin(const finding_key& key,
                                            const fanout_view& fanout = {}) noexcept;

  /// Begins one more of a finding that has had its place since the last give_back_quiet() that
  /// gave any back, and the last renew_details(); its fan-out is the same as before. No heap.
  [[nodiscard]] ticket begin_again(ticket of) noexcept;

  /// Begins `__failed__`. No heap.
  [[nodiscard]] ticket begin_failed() noexcept { return begin_at(failed); }

  /// Begins a finding that begin() gave nothing for, in a place of its own while there is room.
  [[nodiscard]] ticket admit(finding_details details);

  /// Counts the finding, at its reply, its rejection or its disconnect. True where it is the
  /// first of its key on this worker: hand over now, the audit log writes it at once. No heap
  /// where the caller is known too.
  [[nodiscard]] bool complete(ticket of, std::chrono::nanoseconds duration,
                              const caller_view& caller);

  /// What was begun is counted elsewhere.
  void cancel(ticket of) noexcept;

  /// Takes the counts of at most `most` findings since they were last taken; they start from
  /// zero. Cheap where nothing came.
  [[nodiscard]] std::vector<finding_delta> take(std::size_t most);
  [[nodiscard]] bool has_counts() const noexcept { return !dirty_.empty(); }

  /// Gives back the places in which nothing was counted for `quiet`, whose counts have been
  /// taken and of which no command is under way; looks for them now and then. How many: after
  /// any, tickets that were completed mean nothing to begin_again().
  std::size_t give_back_quiet(clock::time_point now, std::chrono::nanoseconds quiet);

  /// After a reload of the catalog or the rules: what is said of known findings is stale, and
  /// begin() takes their keys again when admit() has brought it anew.
  void renew_details() noexcept { ++generation_; }

  [[nodiscard]] std::uint64_t overflow_count() const noexcept;  ///< counted in `__other__`

 private:
  struct entry;
  // The shared places.
  static constexpr std::uint32_t other = 0;
  static constexpr std::uint32_t failed = 1;
  static constexpr std::size_t shared = 2;

  [[nodiscard]] bool is_full() const noexcept {
    return entries_.size() - free_.size() >= max_shapes_ + shared;
  }
  [[nodiscard]] ticket begin_at(std::uint32_t position) noexcept;
  std::uint32_t add_entry(std::shared_ptr<const finding_details> details);
  [[nodiscard]] bool is_quiet(entry& finding, clock::time_point now,
                              std::chrono::nanoseconds quiet) const noexcept;

  finding_index index_;
  std::vector<std::unique_ptr<entry>> entries_;  // null: a place that was given back
  std::vector<std::uint32_t> free_;              // these
  std::vector<std::uint32_t> dirty_;  // entries with a count; has room for all of them
  std::size_t max_shapes_;
  memory_budget& memory_;
  std::uint64_t overflow_ = 0;
  std::uint64_t generation_ = 0;
  clock::time_point swept_;
};

}  // namespace scattergate::telemetry
