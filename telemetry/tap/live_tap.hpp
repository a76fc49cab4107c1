#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "telemetry/tap/tapped_command.hpp"

namespace scattergate::telemetry {

/// Which commands somebody wants to see, as far as workers look: a bit for each class, for
/// findings and for what is none.
/// Thread-safety: immutable.
class tap_interest {
 public:
  constexpr tap_interest() noexcept = default;  ///< in nothing

  [[nodiscard]] static constexpr tap_interest in(routing::routing_class routing,
                                                 bool is_finding) noexcept {
    const auto place = static_cast<unsigned>(routing) * 2 + (is_finding ? 1U : 0U);
    return tap_interest{std::uint32_t{1} << place};
  }
  [[nodiscard]] constexpr bool is_nothing() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr tap_interest operator|(tap_interest other) const noexcept {
    return tap_interest{bits_ | other.bits_};
  }
  [[nodiscard]] constexpr bool is_shared_with(tap_interest other) const noexcept {
    return (bits_ & other.bits_) != 0;
  }

 private:
  constexpr explicit tap_interest(std::uint32_t bits) noexcept : bits_(bits) {}

  std::uint32_t bits_ = 0;
};
static_assert(routing::routing_class_count * 2 <= 32);

/// Where workers leave commands that have completed, for those who look at /api/v1/tap: none
/// while nobody does, and so many a second at most, that a worker neither waits nor allocates.
/// What finds no room is counted. Of that room a part is kept for what is rare and looked for:
/// findings, and what asks every shard.
/// Thread-safety: any thread; listen(), take(), grant() and end() one at a time.
class live_tap {
 public:
  static constexpr std::size_t capacity = 1000;    ///< commands that wait, at most
  static constexpr std::size_t per_second = 1000;  ///< commands that are let in, on average
  static constexpr std::size_t kept_for_rare = 250;

  /// Whether anybody may look. Off at first.
  void allow(bool is_allowed) noexcept { is_allowed_.store(is_allowed); }
  [[nodiscard]] bool is_allowed() const noexcept { return is_allowed_.load(); }

  /// Whether such a command is wanted. On every command's way: one relaxed load.
  [[nodiscard]] bool wants(routing::routing_class routing, bool is_finding) const noexcept {
    const tap_interest wanted = wanted_.load(std::memory_order_relaxed);
    return !wanted.is_nothing() && wanted.is_shared_with(tap_interest::in(routing, is_finding));
  }

  /// Whether there is room for one more, which is the caller's then; otherwise it is counted.
  [[nodiscard]] bool admit(routing::routing_class routing, bool is_finding) noexcept;
  /// Leaves a command that was admitted, unless another thread is at work here. No heap.
  void leave(tapped_command command) noexcept;

  /// From now on these are wanted.
  void listen(tap_interest in);
  /// Nothing is wanted any more, nor kept.
  void end() noexcept;
  /// What was left since the last time, in the place of what `into` had.
  void take(std::vector<tapped_command>& into);
  /// Makes room for so many more, up to what fits.
  void grant(std::size_t more) noexcept;

  /// Commands that were wanted and found no room.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }
  /// How many listen.
  [[nodiscard]] std::size_t listeners() const noexcept { return listeners_.load(); }
  void set_listeners(std::size_t count) noexcept { listeners_.store(count); }

 private:
  std::atomic<tap_interest> wanted_{tap_interest{}};
  std::atomic<bool> is_allowed_{false};
  std::atomic<std::size_t> listeners_{0};
  std::atomic<std::size_t> room_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::mutex mutex_;
  std::vector<tapped_command> waiting_;  // under mutex_; has room for `capacity`, or for none
};

}  // namespace scattergate::telemetry
