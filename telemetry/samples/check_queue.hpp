#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "routing/verdict.hpp"
#include "telemetry/samples/rate_gate.hpp"
#include "wire/command.hpp"

namespace scattergate::telemetry {

/// Counts of the results of the continuous self-check. For samples of `find` commands, it
/// compares the plan in mongos's explain reply with our verdict (the predicted routing).
struct check_facts {
  std::atomic<std::uint64_t> agreed{0};        ///< plan and verdict agree
  std::atomic<std::uint64_t> disagreed{0};     ///< plan and verdict differ
  std::atomic<std::uint64_t> failed{0};        ///< mongos failed to explain the command
  std::atomic<std::uint64_t> too_large{0};     ///< skipped: larger than largest_find
  std::atomic<std::uint64_t> busy{0};          ///< skipped: another command was queued
  std::atomic<std::uint64_t> incomparable{0};  ///< skipped: the plan can't be compared with the
                                               ///< verdict
};

/// A queue of at most one `find` command. Workers put samples of their `find` commands into
/// it; the self-check's thread takes them, to compare the verdict with mongos's explain. Owned
/// by the daemon. Thread-safety: any thread.
class check_queue {
 public:
  using clock = rate_gate::clock;

  /// The maximum size of a queued command, in bytes.
  static constexpr std::size_t largest_find = 16U << 10;

  /// Samples at most one `find` command per `interval`. If `interval` is zero, samples none.
  explicit check_queue(std::chrono::milliseconds interval) : gate_(interval, 4) {}

  /// Whether to queue this command by offer(): true for samples of `find` commands on sharded
  /// collections. Workers call it for each command; usually costs one relaxed load.
  [[nodiscard]] bool choose(const routing::verdict& verdict, clock::time_point now) noexcept {
    return verdict.command == routing::command_kind::find && is_sharded(verdict.routing) &&
           gate_.pass(now);
  }

  /// Whether choose() is likely to return true for a command of this kind and routing class.
  [[nodiscard]] bool is_due(routing::command_kind kind, routing::routing_class routing,
                            clock::time_point now) const noexcept {
    return kind == routing::command_kind::find && is_sharded(routing) && gate_.is_due(now);
  }

  /// Queues a copy of the command for the self-check, without arguments such as the session. If
  /// the copy is larger than `largest_find`, or another command is queued, only counts that.
  void offer(const wire::command& command);

  /// Takes the queued command, as BSON; waits for one for up to `patience`. Returns
  /// std::nullopt after that time or after stop().
  [[nodiscard]] std::optional<std::vector<std::byte>> wait_for_command(
      std::chrono::milliseconds patience);

  /// Ends all waits in wait_for_command().
  void stop();
  /// Whether stop() was called.
  [[nodiscard]] bool is_stopped() const;

  /// The counts of the self-check's results. The self-check's thread and this object add to
  /// them.
  [[nodiscard]] check_facts& facts() noexcept { return facts_; }

 private:
  [[nodiscard]] static bool is_sharded(routing::routing_class routing) noexcept {
    return routing == routing::routing_class::single_shard ||
           routing == routing::routing_class::multi_shard ||
           routing == routing::routing_class::scatter_gather;
  }

  rate_gate gate_;
  check_facts facts_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::vector<std::byte>> waiting_;  // guarded by mutex_
  bool is_stopped_ = false;                        // guarded by mutex_
};

}  // namespace scattergate::telemetry
