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

/// The rate limiter of a rule with `action: throttle`, shared by all workers. It has a token
/// bucket (each command takes a token; tokens are added at a fixed rate), a limited number of
/// slots (each command occupies one until it has completed), and a queue for commands that wait
/// for a token or a slot. The queue is fair among clients. When it is full, a client with few
/// waiting commands may displace a command of a client with many.
///
/// While commands wait, no tokens are lost, however late the queue is checked: the next check
/// gives the tokens earned since then to the waiters. So under load, the admitted rate is
/// exact, and it never exceeds the burst plus the rate.
///
/// The throttle has no timer: the owner of the first place must check again at next_look().
///
/// Thread-safety: any thread; a mutex is held for a few instructions per admitted command.
class throttle {
 public:
  using clock = std::chrono::steady_clock;

  /// The owner of places in queues, typically a worker.
  class waker {
   public:
    /// Called when one of its places is admitted, displaced, or becomes first in the queue.
    /// Runs on any thread, with the throttle's mutex held, so it must not call the throttle.
    virtual void wake() noexcept = 0;

   protected:
    ~waker() = default;
  };

  /// A request's place in the queue of one throttle. Its address must not change while it is in
  /// the queue. Thread-safety: its functions may be called on its owner's thread; the throttle
  /// changes it on any thread.
  class place : private fair_queue::waiter {
   public:
    /// Whether the request has been admitted. REQUIRES: enter() returned `waits`.
    [[nodiscard]] bool is_admitted() const noexcept {
      return state_.load(std::memory_order_acquire) == state::admitted;
    }
    /// Whether another client's request has displaced it, so that it has left the queue.
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

  /// The result of enter().
  enum class entry_result : std::uint8_t {
    admitted,  ///< the request is admitted: call release() when it has completed
    waits,     ///< the request is in the queue now
    full,      ///< the request isn't in the queue, because the queue is full or not configured
  };

  throttle(const config::throttle_limits& limits, clock::time_point now);

  /// Admits a request of `client` (request_side::client_key), or puts it into the queue. `at`:
  /// its place for the queue. `owner`: woken when the place changes. Throws std::bad_alloc.
  /// REQUIRES: `at` is in no queue.
  [[nodiscard]] entry_result enter(place& at, waker& owner, clock::time_point now,
                                   std::string_view client = {});

  /// Ends a request's wait: removes it from the queue. Returns true if it has already been
  /// admitted: then forward it, or call release(). REQUIRES: enter() returned `waits`.
  [[nodiscard]] bool leave(place& at, clock::time_point now);

  /// Frees the slot of an admitted request. Call it when the request has completed.
  void release();

  /// Admits requests for which tokens have been earned. Returns when the owner of the first
  /// place must call this function again; std::nullopt if only a release() can admit that
  /// place.
  [[nodiscard]] std::optional<clock::time_point> next_look(clock::time_point now);

  /// Changes the limits. Requests in the queue keep their places.
  void set_limits(const config::throttle_limits& limits, clock::time_point now);
  /// Admits everything from now on. Call it when the rule is removed.
  void admit_all(clock::time_point now);

  /// The maximum time that a request may wait in the queue.
  [[nodiscard]] std::chrono::milliseconds longest_wait() const;
  /// The number of requests in the queue.
  [[nodiscard]] std::size_t waiting() const;
  /// The number of admitted requests that haven't completed.
  [[nodiscard]] std::size_t under_way() const;

 private:
  // A token has as many units as the rate's period has nanoseconds. So each nanosecond earns as
  // many units as there are tokens per period: an integer, without rounding.
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
  units credit_;                 // the tokens in the bucket
  clock::time_point earned_at_;  // until when tokens have been added
  std::size_t under_way_ = 0;
  fair_queue queue_;
  bool is_open_ = false;  // admit_all() was called
};

/// The slot of an admitted command; may be empty. Its destructor releases the slot.
/// Thread-safety: one thread at a time.
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

  /// Releases the slot now. Does nothing if it is empty.
  void give_back() noexcept {
    if (const auto of = std::exchange(of_, nullptr)) of->release();
  }

 private:
  std::shared_ptr<throttle> of_;
};

}  // namespace scattergate::proxy
