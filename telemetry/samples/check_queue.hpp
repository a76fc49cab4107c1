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

/// How the standing self-check has come out so far.
struct check_facts {
  std::atomic<std::uint64_t> agreed{0};
  std::atomic<std::uint64_t> disagreed{0};
  std::atomic<std::uint64_t> failed{0};     ///< mongos didn't explain it
  std::atomic<std::uint64_t> too_large{0};  ///< finds that were left out, from here on
  std::atomic<std::uint64_t> busy{0};
  std::atomic<std::uint64_t> incomparable{0};
};

/// Where workers leave a copy of a find now and then, for the thread that has mongos explain
/// it. One waits at a time.
/// Thread-safety: any thread.
class check_queue {
 public:
  using clock = rate_gate::clock;

  static constexpr std::size_t largest_find = 16U << 10;  ///< bytes

  /// One find per `interval` at most; zero: none at all.
  explicit check_queue(std::chrono::milliseconds interval) : gate_(interval, 4) {}

  /// Chooses a find on a sharded collection now and then: whether this one should be left here.
  /// On every command's way: one relaxed load at most.
  [[nodiscard]] bool choose(const routing::verdict& verdict, clock::time_point now) noexcept {
    return verdict.command == routing::command_kind::find && is_sharded(verdict.routing) &&
           gate_.pass(now);
  }

  /// Whether choose() is likely to be true for a find of this class.
  [[nodiscard]] bool is_due(routing::command_kind kind, routing::routing_class routing,
                            clock::time_point now) const noexcept {
    return kind == routing::command_kind::find && is_sharded(routing) && gate_.is_due(now);
  }

  /// Copies the command, unless it is too large or another one waits.
  void leave(const wire::command& command);

  /// The command that waits, or the next; nothing once `patience` is over or after stop().
  [[nodiscard]] std::optional<std::vector<std::byte>> take(std::chrono::milliseconds patience);

  /// Nobody waits in take() any more.
  void stop();
  [[nodiscard]] bool is_stopped() const;

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
  std::optional<std::vector<std::byte>> waiting_;  // under mutex_
  bool is_stopped_ = false;                        // likewise
};

}  // namespace scattergate::telemetry
