#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "telemetry/tap/tapped_command.hpp"

namespace scattergate::telemetry {

/// The categories of commands that the tap's listeners (clients of /api/v1/tap) receive. Each
/// routing class has two categories: findings (commands to report, such as scatters), and other
/// commands. Thread-safety: immutable.
class tap_interest {
 public:
  constexpr tap_interest() noexcept = default;  ///< the empty set

  /// The set with one category.
  [[nodiscard]] static constexpr tap_interest in(routing::routing_class routing,
                                                 bool is_finding) noexcept {
    const auto place = static_cast<unsigned>(routing) * 2 + (is_finding ? 1U : 0U);
    return tap_interest{std::uint32_t{1} << place};
  }
  /// Whether the set is empty.
  [[nodiscard]] constexpr bool is_nothing() const noexcept { return bits_ == 0; }
  /// The union of both sets.
  [[nodiscard]] constexpr tap_interest operator|(tap_interest other) const noexcept {
    return tap_interest{bits_ | other.bits_};
  }
  /// Whether both sets have a category in common.
  [[nodiscard]] constexpr bool is_shared_with(tap_interest other) const noexcept {
    return (bits_ & other.bits_) != 0;
  }

 private:
  constexpr explicit tap_interest(std::uint32_t bits) noexcept : bits_(bits) {}

  std::uint32_t bits_ = 0;
};
static_assert(routing::routing_class_count * 2 <= 32);

/// A bounded buffer of completed commands, which workers fill and tap_feed drains for the
/// listeners of /api/v1/tap. The number of commands per second is limited. Workers neither
/// wait nor allocate; a command that finds no room is dropped and counted. Part of the room is
/// reserved for findings and scatter-gathers. Thread-safety: any thread; call listen(),
/// drain_into(), grant() and end() from one thread at a time (tap_feed's).
class live_tap {
 public:
  static constexpr std::size_t capacity = 1000;      ///< the maximum number of waiting commands
  static constexpr std::size_t per_second = 1000;    ///< commands admitted per second, on
                                                     ///< average
  static constexpr std::size_t kept_for_rare = 250;  ///< room for findings and scatter-gathers
                                                     ///< only

  /// Enables or disables the tap (admin.tap). Initially the tap is disabled.
  void allow(bool is_allowed) noexcept { is_allowed_.store(is_allowed); }
  [[nodiscard]] bool is_allowed() const noexcept { return is_allowed_.load(); }

  /// Whether a listener receives commands of this category. Workers call it for each command;
  /// costs one relaxed load.
  [[nodiscard]] bool has_listener_for(routing::routing_class routing,
                                      bool is_finding) const noexcept {
    const tap_interest interest = interest_.load(std::memory_order_relaxed);
    return !interest.is_nothing() &&
           interest.is_shared_with(tap_interest::in(routing, is_finding));
  }

  /// Reserves room for one command. If there is no room, counts the command as dropped and
  /// returns false.
  [[nodiscard]] bool admit(routing::routing_class routing, bool is_finding) noexcept;
  /// Adds a command for which admit() returned true. If another thread holds the lock or the
  /// buffer is full, drops the command and counts it as dropped. Doesn't allocate.
  void push(tapped_command command) noexcept;

  /// Starts collecting commands of these categories, or changes the categories.
  void listen(tap_interest interest);
  /// Stops collecting and discards all waiting commands.
  void end() noexcept;
  /// Replaces the contents of `into` by the commands added since the last call.
  void drain_into(std::vector<tapped_command>& into);
  /// Adds room for `more` commands, up to `capacity` in total. tap_feed calls it regularly, so
  /// that workers can add `per_second` commands per second on average.
  void grant(std::size_t more) noexcept;

  /// The number of commands of the listeners' categories that admit() and push() have dropped.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }
  /// The number of listeners, for metrics. tap_feed sets it by set_listeners().
  [[nodiscard]] std::size_t listeners() const noexcept { return listeners_.load(); }
  /// Sets the number that listeners() returns.
  void set_listeners(std::size_t count) noexcept { listeners_.store(count); }

 private:
  std::atomic<tap_interest> interest_{tap_interest{}};
  std::atomic<bool> is_allowed_{false};
  std::atomic<std::size_t> listeners_{0};
  std::atomic<std::size_t> room_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::mutex mutex_;
  std::vector<tapped_command> waiting_;  // guarded by mutex_; has capacity for `capacity` or
                                         // for none
};

}  // namespace scattergate::telemetry
