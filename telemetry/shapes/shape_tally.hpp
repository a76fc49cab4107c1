#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "telemetry/shapes/caller_slots.hpp"

namespace scattergate::telemetry {

/// Where a command was sent.
struct destination {
  std::uint32_t shards = 0;  ///< asked, where that is known
  routing::routing_class routing{};
  bool is_known = false;
  std::uint16_t unused = 0;  ///< so that all bits say something

  friend bool operator==(const destination& a, const destination& b) noexcept {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

/// How a command ended.
struct shape_ending {
  destination to;
  bool is_error = false;  ///< mongos answered with an error, or we did
  std::chrono::nanoseconds duration{0};
  std::chrono::steady_clock::time_point at;
};

/// What a worker counts of one shape between two hand-overs. Most commands are like the one
/// before, but for how long they took: those are counted in a run.
class shape_tally {
 public:
  using clock = std::chrono::steady_clock;

  explicit shape_tally(memory_budget& memory) noexcept : callers_(memory) {}

  /// Counts a command of a caller that may be new; null: nobody asks for who sent it.
  void count(const shape_ending& how, const caller_view* caller);

  /// The same where it isn't the first, and known_as() says that its caller isn't new. False
  /// where it is, and nothing is counted. No heap.
  [[nodiscard]] bool count_known(const shape_ending& how, std::uint64_t caller_id) noexcept {
    const bool goes_on = caller_id == run_.caller_id && how.to == run_.to;
    if (!goes_on && !change_run(how, caller_id)) return false;
    note(how);
    return true;
  }

  [[nodiscard]] bool is_empty() const noexcept { return run_.count == 0 && counts_.count == 0; }

  /// All of it, and starts from zero; where memory fails it, nothing has changed.
  [[nodiscard]] digest::counts take();

 private:
  /// What no client has: known_as() is odd, and 0 stands for one that isn't known yet.
  static constexpr std::uint64_t nobody = 2;

  /// Commands in a row that went to the same place, from the same caller.
  struct run {
    std::uint64_t caller_id = nobody;
    destination to;
    std::size_t slot = caller_slots::others;
    std::uint64_t count = 0;  // 0: nothing was counted at all
  };

  void note(const shape_ending& how) noexcept {
    ++run_.count;
    counts_.total += how.duration;
    counts_.longest = std::max(counts_.longest, how.duration);
    ++times_[digest::time_histogram::class_of(how.duration)];
    if (how.is_error) ++counts_.errors;
    last_ = how.at;
  }
  [[nodiscard]] bool change_run(const shape_ending& how, std::uint64_t caller_id) noexcept;
  void end_run() noexcept;

  run run_;
  clock::time_point first_, last_;
  digest::counts counts_;  // but of the run, and how many took how long:
  std::array<std::uint32_t, digest::time_histogram::class_count> times_{};
  caller_slots callers_;
};

}  // namespace scattergate::telemetry
