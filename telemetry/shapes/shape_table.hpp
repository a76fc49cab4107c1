#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "telemetry/shapes/shape_details.hpp"
#include "telemetry/shapes/shape_tally.hpp"

namespace scattergate::telemetry {

/// Limits how many entries ("places") of shape_tables are for findings of strangers
/// (unauthenticated clients). The limit is for all workers together. Thread-safety: any thread.
class stranger_places {
 public:
  /// The maximum number of these places.
  static constexpr std::size_t most = 200;

  /// Reserves a place. Returns false if `most` places are reserved already.
  [[nodiscard]] bool try_reserve() noexcept {
    std::size_t taken = taken_.load(std::memory_order_relaxed);
    while (taken < most) {
      if (taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// Releases a reserved place.
  void release() noexcept { taken_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> taken_{0};
};

/// The maximum number of findings in a table: `max_shapes`, plus stranger_places::most for
/// unauthenticated clients.
[[nodiscard]] constexpr std::size_t with_strangers(std::size_t max_shapes) noexcept {
  return max_shapes + stranger_places::most;
}

/// A worker's bounded table of query shapes (commands without values). Counts completed
/// commands per shape until drain_counts() hands the counts to the `account`. A shape's entry
/// is called its place. Commands without a place of their own count in shared places. Findings
/// (commands to report) count in `__other__` if the table is full, or in `__failed__`: see
/// begin_failed(). Other commands count only in the digest's totals. Places without recent
/// commands are freed. Thread-safety: the worker's thread.
class shape_table {
 public:
  using clock = std::chrono::steady_clock;

  /// A pending command's reference to its place (entry). The place isn't freed before
  /// complete() or cancel().
  struct ticket {
    std::uint32_t place = 0;
  };

  /// Holds at most `max_shapes` findings and at most `max_shapes` other shapes. `strangers`
  /// limits the additional findings of strangers (unauthenticated clients); null: there are
  /// none. Reserves all memory from `memory`. `memory` and `strangers` must outlive the table
  /// and all details that it hands over.
  shape_table(std::size_t max_shapes, memory_budget& memory,
              stranger_places* strangers = nullptr);
  ~shape_table();

  /// Begins to count a command in its shape's place. If the shape has none, and the table is
  /// full, uses a shared place. Returns std::nullopt if the shape has none but the table has
  /// room, or if the place's details are outdated, for example because this command has a worse
  /// routing class: then call admit() with new details. `fanout`: the shards that this command
  /// reaches; no bits if unknown. Doesn't allocate.
  [[nodiscard]] std::optional<ticket> begin(const shape_key& key,
                                            routing::routing_class routing = {},
                                            const fanout_view& fanout = {}) noexcept;

  /// Begins another command in the place of a completed ticket, with the same reached shards.
  /// Doesn't allocate. REQUIRES: since `of` was completed, evict_quiet() freed no places and
  /// outdate_details() wasn't called.
  [[nodiscard]] ticket begin_again(ticket of) noexcept {
    ++entries_[of.place]->under_way;
    return of;
  }

  /// Begins a finding in `__failed__`: a failed command whose shape has no place, or a command
  /// of an unauthenticated client that may not have a place. Doesn't allocate.
  [[nodiscard]] ticket begin_failed() noexcept { return begin_at(failed); }
  /// Begins a command that is no finding and has no place. Doesn't allocate.
  [[nodiscard]] ticket begin_rowless() noexcept { return begin_at(rowless); }

  /// Begins a command for which begin() returned std::nullopt. Replaces the details of the
  /// shape's place, or makes a place with these details. If there is no room, an existing place
  /// keeps its old details, and a shape without a place counts in a shared place.
  [[nodiscard]] ticket admit(shape_details details);

  /// Begins a finding of a stranger (an unauthenticated client): in the shape's existing
  /// place, otherwise in a new place if `strangers` permits one, otherwise in `__failed__`.
  [[nodiscard]] ticket admit_strangers(shape_details details);

  /// Call it when a known client has used a place. If only strangers (unauthenticated clients)
  /// had used it, it no longer counts as one of the strangers' places. Changes nothing if the
  /// table is full.
  void make_ordinary(ticket of) noexcept;

  /// Counts a command when it was answered or rejected, or when its client disconnected.
  /// Returns true for the first finding in its place. Then call drain_counts() at once, so that
  /// the audit log writes the finding without delay; it returns that place first.
  /// `is_strangers`: whether a stranger (an unauthenticated client) sent the command. A place
  /// of known clients doesn't count a stranger's commands by caller. Doesn't allocate if the
  /// place counts this caller separately already.
  [[nodiscard]] bool complete(ticket of, const shape_ending& how, const caller_view& caller,
                              bool is_strangers = false);

  /// A fast path of complete(). Counts a command if its place isn't shared, has undrained
  /// counts, and counts this caller separately. Otherwise returns false and counts nothing:
  /// call complete(). `caller_id`: the hash that known_as() returns. Doesn't allocate.
  [[nodiscard]] bool complete_known(ticket of, const shape_ending& how,
                                    std::uint64_t caller_id) noexcept {
    entry& shape = *entries_[of.place];
    if (of.place < shared || !shape.tally.count_known(how, caller_id)) return false;
    --shape.under_way;
    return true;
  }

  /// The details of the ticket's place. REQUIRES: the command is pending or was just counted.
  [[nodiscard]] const std::shared_ptr<const shape_details>& details_of(
      ticket of) const noexcept {
    return entries_[of.place]->details;
  }

  /// Ends a command without counting it.
  void cancel(ticket of) noexcept;

  /// Returns and resets the counts of at most `most` places. Cheap if there are no counts. If
  /// memory runs out, returns fewer places, or throws std::bad_alloc instead of returning
  /// none; the rest stays for the next call.
  [[nodiscard]] std::vector<shape_delta> drain_counts(std::size_t most);
  /// Whether drain_counts() would return any counts.
  [[nodiscard]] bool has_counts() const noexcept { return !dirty_.empty(); }

  /// Frees places that had no commands for `quiet`, unless they have undrained counts or
  /// pending commands. Call it often: it checks only a few times per `quiet`. Returns the
  /// number of freed places; if not 0, completed tickets are invalid for begin_again().
  std::size_t evict_quiet(clock::time_point now, std::chrono::nanoseconds quiet);

  /// Marks all details as outdated, so that begin() requests new details. Call it after a
  /// reload of the catalog or the rules.
  void outdate_details() noexcept { ++generation_; }

  /// The number of commands counted in `__other__`.
  [[nodiscard]] std::uint64_t overflow_count() const noexcept { return overflow_; }

 private:
  /// One place. The first members, which each command changes, share a cache line.
  struct alignas(64) entry {
    explicit entry(memory_budget& memory) noexcept : tally(memory) {}

    void set_details(std::shared_ptr<const shape_details> said);
    void note(const fanout_view& reached) noexcept;
    [[nodiscard]] bool is_stale(std::uint64_t now, routing::routing_class routing,
                                std::string_view why_in_comment) const noexcept;

    std::uint32_t under_way = 0;  // tickets neither completed nor cancelled
    bool was_seen = false;
    bool is_strangers = false;       // only strangers have used the place
    bool was_counted_lately = true;  // whether drained since the last evict_quiet()
    shape_tally tally;
    clock::time_point quiet_since;
    std::shared_ptr<const shape_details> details;
    std::uint64_t generation = 0;       // generation_ when the details were made
    std::vector<std::uint64_t> fanout;  // the last command's shards; has capacity for all
  };
  // Indexes of the shared places.
  static constexpr std::uint32_t other = 0;
  static constexpr std::uint32_t failed = 1;
  static constexpr std::uint32_t rowless = 2;
  static constexpr std::size_t shared = 3;

  [[nodiscard]] bool is_full(bool for_finding) const noexcept {
    return own_[for_finding ? 1 : 0] >= max_shapes_;
  }
  [[nodiscard]] static std::uint32_t shared_place(bool for_finding) noexcept {
    return for_finding ? other : rowless;
  }
  [[nodiscard]] ticket begin_at(std::uint32_t position) noexcept;
  [[nodiscard]] ticket renew(std::uint32_t position, std::shared_ptr<const shape_details> said);
  std::uint32_t add_own(std::shared_ptr<const shape_details> details);
  void give_up_place(const entry& of) noexcept;
  std::uint32_t add_entry(std::shared_ptr<const shape_details> details);
  [[nodiscard]] bool is_quiet(entry& shape, clock::time_point now,
                              std::chrono::nanoseconds quiet) const noexcept;

  shape_index index_;
  std::vector<std::unique_ptr<entry>> entries_;  // null: a freed place
  std::vector<std::uint32_t> free_;              // freed indexes
  std::vector<std::uint32_t> dirty_;             // indexes with counts; has capacity for all
  std::array<std::size_t, 2> own_{};  // number of own places: other shapes, and findings
  std::size_t max_shapes_;
  memory_budget& memory_;
  stranger_places* strangers_;
  std::uint64_t overflow_ = 0;  // commands counted in `__other__`
  std::uint64_t generation_ = 0;
  clock::time_point swept_;
};

}  // namespace scattergate::telemetry
