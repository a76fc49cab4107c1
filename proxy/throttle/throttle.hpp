#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "config/options/rule.hpp"
#include "proxy/throttle/fair_queue.hpp"

namespace scattergate::proxy {

/// The rate limiter of a rule with `action: throttle`, shared by all workers: a token bucket
/// (each command takes a token; tokens are added at a fixed rate), a limit on concurrent
/// commands, and a queue for commands that wait for either. The queue is fair among clients;
/// when it is full, a client with few places may displace one with many.
///
/// While commands wait, no tokens are lost, however late the queue is checked: tokens earned
/// since the last check go to the waiters. So under load the admitted rate is exact, and it
/// never exceeds burst plus rate.
///
/// Nothing is called when a token is earned: the owner of the first place must check again at
/// next_look().
///
/// Thread-safety: any thread; a mutex is held for a few instructions per admitted command.
class throttle {
 public:
  using clock = std::chrono::steady_clock;

  /// Notified when one of its places is admitted, displaced, or becomes first in the queue.
  /// Called on any thread, with the throttle's mutex held.
  class waker {
   public:
    virtual void wake() noexcept = 0;

   protected:
    ~waker() = default;
  };

  /// A place for one throttle's queue. Its address must not change while it waits.
  /// Thread-safety: its owner's thread; the throttle changes it from any.
  class place : private fair_queue::waiter {
   public:
    /// Whether it has been admitted. REQUIRES: enter() returned `waits`.
    [[nodiscard]] bool is_admitted() const noexcept {
      return state_.load(std::memory_order_acquire) == state::admitted;
    }
    /// Whether another client has displaced it; it isn't in the queue any more.
    [[nodiscard]] bool is_displaced() const noexcept {
      return state_.load(std::memory_order_acquire) == state::displaced;
    }
    /// Whether it is first in the queue.
    [[nodiscard]] bool is_first() const noexcept {
      return state_.load(std::memory_order_acquire) == state::first;
    }

   private:
    friend class throttle;
    enum class state : std::uint8_t { behind, first, admitted, displaced };
    void turn(state next) noexcept { state_.store(next, std::memory_order_release); }

    std::atomic<state> state_{state::behind};
    waker* owner_ = nullptr;  // guarded by the throttle's mutex
  };

  enum class answer : std::uint8_t {
    admitted,  ///< admitted: call release() when the request has completed
    waits,     ///< in the queue now
    full,      ///< not in the queue, which is full
  };

  throttle(const config::throttle_limits& limits, clock::time_point now);

  /// Admits a request of `client` (request_side::client_key), or puts it into the queue at
  /// `at`. Throws std::bad_alloc. REQUIRES: `at` is in no queue.
  [[nodiscard]] answer enter(place& at, waker& owner, clock::time_point now,
                             std::string_view client = {});

  /// Gives up waiting. Returns true if the request has already been admitted: forward it, or
  /// call release().
  [[nodiscard]] bool leave(place& at, clock::time_point now);

  /// Call it when an admitted request has completed.
  void release();

  /// The time at which the owner of the first place should check again; std::nullopt if only a
  /// release() can admit it.
  [[nodiscard]] std::optional<clock::time_point> next_look(clock::time_point now);

  /// Changes the limits; waiters keep their places.
  void set_limits(const config::throttle_limits& limits, clock::time_point now);
  /// Admits everything from now on. Call it when the rule is removed.
  void admit_all(clock::time_point now);

  /// The maximum time that a request may wait in the queue.
  [[nodiscard]] std::chrono::milliseconds longest_wait() const;
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t under_way() const;

 private:
  // A token has as many units as a period has nanoseconds. So each nanosecond earns as many
  // units as there are tokens per period: integers, without rounding.
  using units = std::int64_t;

  [[nodiscard]] units token() const noexcept;
  [[nodiscard]] units most(std::size_t tokens) const noexcept;
  [[nodiscard]] bool has_room() const noexcept;
  void take_one() noexcept;
  void earn(clock::time_point now) noexcept;
  void admit_waiters() noexcept;
  [[nodiscard]] place* first() const noexcept { return static_cast<place*>(queue_.first()); }
  void wake_first() noexcept;

  mutable std::mutex mutex_;
  config::throttle_limits limits_;
  units credit_;
  clock::time_point earned_at_;
  std::size_t under_way_ = 0;
  fair_queue queue_;
  bool is_open_ = false;
};

/// Releases an admitted command's slot when it is destroyed. Thread-safety: one thread at a
/// time.
class throttle_slot {
 public:
  throttle_slot() = default;
  explicit throttle_slot(std::shared_ptr<throttle> of) noexcept : of_(std::move(of)) {}
  throttle_slot(throttle_slot&& other) noexcept = default;
  throttle_slot& operator=(throttle_slot&& other) noexcept {
    give_back();
    of_ = std::move(other.of_);
    return *this;
  }
  ~throttle_slot() { give_back(); }

  /// Releases the slot now.
  void give_back() noexcept {
    if (const auto of = std::exchange(of_, nullptr)) of->release();
  }

 private:
  std::shared_ptr<throttle> of_;
};

}  // namespace scattergate::proxy
