#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "telemetry/history/history.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Counts the commands of one query shape by caller (the sender: application, driver, user,
/// address, comment). Up to max_callers callers have a slot each; all other callers share one
/// count. A slot without counts may be reused for another caller. Thread-safety: the worker's
/// thread.
class caller_slots {
 public:
  /// `memory`: the slots reserve their memory from it; must outlive this object.
  explicit caller_slots(memory_budget& memory) noexcept : memory_(memory) {}
  ~caller_slots() { memory_.release(slots_.size() * slot_bytes); }
  caller_slots(const caller_slots&) = delete;
  caller_slots& operator=(const caller_slots&) = delete;

  /// The index that stands for callers without a slot.
  static constexpr std::size_t others = max_callers;

  /// The index of a caller's slot; `others` if the caller has no slot. `caller_id`: the hash
  /// that known_as() returns for the caller.
  [[nodiscard]] std::size_t find(std::uint64_t caller_id) const noexcept {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].id == caller_id) return i;
    }
    return others;
  }
  /// Returns the index of a caller's slot, and assigns a slot if the caller has none. Returns
  /// `others` if there is no room. Keeps the caller's first test. Allocates only for a caller
  /// without a slot, or without a test.
  [[nodiscard]] std::size_t find_or_take(const caller_view& caller);

  /// Adds `count` commands to a slot. `to`: the slot's index; `others`: adds them to the count
  /// of all other callers.
  void add(std::size_t to, std::uint64_t count) noexcept {
    (to == others ? others_ : slots_[to].caller.count) += count;
  }

  /// Appends the callers with their counts to `to`.
  void append_to(digest::callers& to) const;
  /// Resets all counts to zero; callers keep their slots until the slots are reused.
  void reset() noexcept;

 private:
  struct slot {
    std::uint64_t id = 0;  // the caller's known_as()
    digest::caller caller;
  };
  /// The memory of a slot with texts of maximum size: once here, and once in the delta that the
  /// worker hands to the account.
  static constexpr std::size_t slot_bytes = 2 * (sizeof(slot) + 6 * max_caller_text);

  [[nodiscard]] slot* idle_slot();
  [[nodiscard]] bool add_slot();

  memory_budget& memory_;

  std::vector<slot> slots_;
  std::uint64_t others_ = 0;
};

/// Where mongos routed a command, according to the verdict.
struct destination {
  std::uint32_t shards = 0;  ///< number of shards asked; valid if `is_known`
  routing::routing_class routing{};
  bool is_known = false;     ///< whether the number of shards is known
  std::uint16_t unused = 0;  ///< fills the padding, so that equality may compare all bits

  friend bool operator==(const destination& a, const destination& b) noexcept {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

/// The outcome of a command, for shape_tally.
struct shape_ending {
  destination to;
  bool is_error = false;                     ///< mongos or scattergate replied with an error
  std::chrono::nanoseconds duration{0};      ///< from the command to its reply
  std::chrono::steady_clock::time_point at;  ///< when the command ended
  bool is_refused = false;                   ///< scattergate didn't forward the command
};

/// A worker's counts of one query shape since the last drain_counts(). Consecutive commands
/// with equal destination and caller form a run, which is counted as a whole, because usually
/// only their durations differ. Thread-safety: the worker's thread.
class shape_tally {
 public:
  using clock = std::chrono::steady_clock;

  /// `memory`: the budget for caller_slots, the counts by caller; must outlive this object.
  explicit shape_tally(memory_budget& memory) noexcept : callers_(memory) {}

  /// Counts a command. `caller`: the sender, who gets a slot in caller_slots if there is room;
  /// null: the command isn't counted by caller.
  void count(const shape_ending& how, const caller_view* caller);

  /// Counts a command if !is_empty() and the command's caller has a slot. Otherwise returns
  /// false and counts nothing: call count(). `caller_id`: the hash that known_as() returns for
  /// the caller. Doesn't allocate.
  [[nodiscard]] bool count_known(const shape_ending& how, std::uint64_t caller_id) noexcept {
    const bool goes_on = caller_id == run_.caller_id && how.to == run_.to;
    if (!goes_on && !change_run(how, caller_id)) return false;
    note(how);
    return true;
  }

  /// Whether there are no counts to drain.
  [[nodiscard]] bool is_empty() const noexcept { return run_.count == 0 && counts_.count == 0; }

  /// Returns and resets all counts. If drain_counts() throws std::bad_alloc, nothing has
  /// changed.
  [[nodiscard]] digest::counts drain_counts();
  /// Returns and resets the numbers of refused commands. Call it after drain_counts().
  [[nodiscard]] refusals take_refusals() noexcept { return std::exchange(refused_, {}); }

 private:
  /// Not a caller's id: known_as() is odd, and 0 means unknown.
  static constexpr std::uint64_t no_caller = 2;

  /// Consecutive commands with equal destination and caller. Most commands change only the run,
  /// last_ and one bucket. The run and last_ fill most of one cache line.
  struct run {
    std::uint64_t caller_id = no_caller;
    destination to;
    std::uint64_t count = 0;  // 0: nothing was counted
    std::chrono::nanoseconds total{0};
    std::chrono::nanoseconds longest{0};
    std::size_t slot = caller_slots::others;
  };

  void note(const shape_ending& how) noexcept {
    ++run_.count;
    run_.total += how.duration;
    run_.longest = std::max(run_.longest, how.duration);
    ++times_[digest::time_histogram::bucket_of(how.duration)];
    if (how.is_error) note_error(how);
    last_ = how.at;
  }
  void note_error(const shape_ending& how) noexcept {
    ++counts_.errors;
    if (!how.is_refused) return;
    ++refused_.all;
    if (how.to.routing == routing::routing_class::scatter_gather) ++refused_.scatters;
  }
  [[nodiscard]] bool change_run(const shape_ending& how, std::uint64_t caller_id) noexcept;
  void end_run() noexcept;

  run run_;
  clock::time_point last_;
  clock::time_point first_;
  digest::counts counts_;  // without the current run, except for its errors
  refusals refused_;
  std::array<std::uint32_t, digest::time_histogram::bucket_count> times_{};
  caller_slots callers_;
};

}  // namespace scattergate::telemetry
