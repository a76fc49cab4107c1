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

/// What a rule with `action: throttle` holds its commands to, on all workers together: a token
/// bucket, which gives each command a token and gets so many a second back; so many commands
/// under way at once; and a queue of those that have to wait for the one or the other. Clients
/// take turns in it; and when it is full, one that holds few places gets one of those of the
/// client that holds most.
///
/// While somebody waits, tokens aren't lost however late anybody looks: what has come since the
/// last look goes to those who waited for it. So the rate is reached exactly under load, and no
/// more than the burst and the rate ever go on.
///
/// Nobody is called when a token has come: whoever is first in the queue looks when it is due
/// (next_look()).
///
/// Thread-safety: any thread; a mutex, held for a few instructions for each one who is let on.
class throttle {
 public:
  using clock = std::chrono::steady_clock;

  /// Notified, from any thread and under the throttle's mutex, when one of its places has been
  /// let on or displaced, or is first in a queue now.
  class waker {
   public:
    virtual void wake() noexcept = 0;

   protected:
    ~waker() = default;
  };

  /// A place in the queue of one throttle, or in none. It stays where it is while it waits.
  /// Thread-safety: its owner's, but for the throttle.
  class place : private fair_queue::waiter {
   public:
    /// Whether it has been let on. REQUIRES: it waits.
    [[nodiscard]] bool is_let_on() const noexcept {
      return state_.load(std::memory_order_acquire) == state::let_on;
    }
    /// Whether another client's has taken its place: it isn't in the queue any more.
    [[nodiscard]] bool is_displaced() const noexcept {
      return state_.load(std::memory_order_acquire) == state::displaced;
    }
    /// Whether nobody is before it.
    [[nodiscard]] bool is_first() const noexcept {
      return state_.load(std::memory_order_acquire) == state::first;
    }

   private:
    friend class throttle;
    enum class state : std::uint8_t { behind, first, let_on, displaced };
    void turn(state next) noexcept { state_.store(next, std::memory_order_release); }

    std::atomic<state> state_{state::behind};
    waker* owner_ = nullptr;  // under the throttle's mutex
  };

  enum class answer : std::uint8_t {
    let_on,  ///< it goes on, and tells by release() when it is over
    waits,   ///< it is in the queue now
    full,    ///< it isn't: the queue is
  };

  throttle(const config::throttle_limits& limits, clock::time_point now);

  /// Asks for a place for a request of `client` (request_side::client_key). Throws
  /// std::bad_alloc.
  /// REQUIRES: `at` is in no queue.
  [[nodiscard]] answer enter(place& at, waker& owner, clock::time_point now,
                             std::string_view client = {});

  /// Takes one who has waited out of the queue, unless he was displaced. True where he had been
  /// let on before: he goes on, or else has to release().
  [[nodiscard]] bool leave(place& at, clock::time_point now);

  /// One who was let on is over.
  void release();

  /// When the first in the queue should look again; nothing where only others can let him on.
  [[nodiscard]] std::optional<clock::time_point> next_look(clock::time_point now);

  /// Other limits hold from now on. Who waits keeps his place.
  void use(const config::throttle_limits& limits, clock::time_point now);
  /// Everybody goes on from now on: there is no such rule any more.
  void open(clock::time_point now);

  [[nodiscard]] std::chrono::milliseconds longest_wait() const;
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t under_way() const;

 private:
  // A token is worth as many units as a period has nanoseconds, so that a nanosecond is worth
  // as many as tokens come in a period: whole numbers, and nothing is ever rounded.
  using units = std::int64_t;

  [[nodiscard]] units token() const noexcept;
  [[nodiscard]] units most(std::size_t tokens) const noexcept;
  [[nodiscard]] bool has_room() const noexcept;
  void take_one() noexcept;
  void earn(clock::time_point now) noexcept;
  void let_on() noexcept;
  [[nodiscard]] place* first() const noexcept { return static_cast<place*>(queue_.first()); }
  void tell_first() noexcept;

  mutable std::mutex mutex_;
  config::throttle_limits limits_;
  units credit_;
  clock::time_point earned_at_;
  std::size_t under_way_ = 0;
  fair_queue queue_;
  bool is_open_ = false;
};

/// A command that was let on, until it is over.
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

  void give_back() noexcept {
    if (const auto of = std::exchange(of_, nullptr)) of->release();
  }

 private:
  std::shared_ptr<throttle> of_;
};

}  // namespace scattergate::proxy
