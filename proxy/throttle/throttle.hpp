#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/options/rule.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::proxy {

/// A queue that is fair among clients. Each client has a FIFO of its own, called a line; the
/// lines take turns (round robin). A new client's first turn comes after one turn of each
/// other client. Each operation takes O(log n) time for n clients. Thread-safety: one thread
/// at a time.
class fair_queue {
  struct line;

 public:
  /// An entry of the queue. The caller owns it, and must not move or destroy it while it is in
  /// the queue.
  class waiter {
   public:
    waiter() = default;
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

   private:
    friend class fair_queue;
    waiter* before_ = nullptr;
    waiter* behind_ = nullptr;
    line* in_ = nullptr;
  };

  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
  /// The number of waiters of all clients.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The waiter whose turn is next; null if the queue is empty.
  [[nodiscard]] waiter* first() const noexcept {
    return lines_.empty() ? nullptr : lines_.front().first;
  }

  /// Appends `last` to the line of `client`. Throws std::bad_alloc, and then leaves the queue
  /// unchanged. REQUIRES: `last` is in no queue.
  void push(waiter& last, std::string_view client);
  /// Removes first(). If other clients wait, the next turn is another client's. REQUIRES: the
  /// queue isn't empty.
  void pop() noexcept;
  /// Removes a waiter from any position. REQUIRES: `gone` is in this queue.
  void remove(waiter& gone) noexcept;

  /// The waiter to evict from a full queue in favour of a new waiter of `client`: the newest
  /// waiter in the longest line. Null if the new waiter would make the line of `client` at
  /// least as long as the longest line.
  [[nodiscard]] waiter* displaced_by(std::string_view client) const noexcept;

 private:
  struct line {
    std::string client;
    waiter* first = nullptr;
    waiter* last = nullptr;
    std::size_t waiters = 0;
  };
  struct longer {
    bool operator()(const line* a, const line* b) const noexcept {
      return a->waiters != b->waiters ? a->waiters > b->waiters : std::less<>{}(a, b);
    }
  };

  [[nodiscard]] line& line_of(std::string_view client);
  void set_waiters(line& of, std::size_t waiters) noexcept;
  void end(line& empty) noexcept;

  std::list<line> lines_;  // the lines with waiters, in the order of their turns
  std::unordered_map<std::string_view, std::list<line>::iterator, wire::seeded_text_hash,
                     std::equal_to<>>
      by_client_;
  std::set<line*, longer> by_length_;
  std::size_t size_ = 0;
};

/// The rate limiter of a rule with `action: throttle`, shared by all workers. It has a token
/// bucket: each command takes a token, and tokens are added at a fixed rate. It has a limited
/// number of slots: each command occupies a slot until it has completed. Commands that find no
/// token or no slot wait in a queue, which is fair among clients. When the queue is full, a
/// client with few waiting commands may displace a command of a client with many.
///
/// While commands wait, no tokens are lost, even if the queue is checked late: the next check
/// gives the waiters all tokens earned since the last check. Under load, the admitted rate is
/// therefore exact.
///
/// The throttle has no timer. The owner of the first place in the queue must call next_look()
/// at the time that next_look() returned last.
///
/// Thread-safety: any thread; a mutex is held for a few instructions per admitted command.
class throttle {
 public:
  using clock = std::chrono::steady_clock;

  /// The interface by which a throttle wakes the worker that owns a place in the queue.
  class waker {
   public:
    /// The throttle calls this when a request of the worker is admitted, is displaced, or
    /// becomes first in the queue. Runs on any thread, with the throttle's mutex held, so it
    /// must not call the throttle.
    virtual void wake() noexcept = 0;

   protected:
    ~waker() = default;
  };

  /// A request's place in the queue of one throttle. The caller owns the place, and must not
  /// move or destroy it while it is in the queue. Thread-safety: its functions are for the
  /// owner's thread; the throttle changes the place on any thread.
  class place : private fair_queue::waiter {
   public:
    /// Whether the request has been admitted. REQUIRES: enter() returned `waits`.
    [[nodiscard]] bool is_admitted() const noexcept {
      return state_.load(std::memory_order_acquire) == state::admitted;
    }
    /// Whether the throttle has removed the request from the full queue, to make room for
    /// another client's request.
    [[nodiscard]] bool is_displaced() const noexcept {
      return state_.load(std::memory_order_acquire) == state::displaced;
    }
    /// Whether the request is first in the queue.
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

  /// Admits a request, or puts it into the queue. `client`: identifies the client by its
  /// network address, or by its user on a Unix socket. `at`: the request's place for the
  /// queue. `owner`: woken when the place changes. Throws std::bad_alloc. REQUIRES: `at` is in
  /// no queue.
  [[nodiscard]] entry_result enter(place& at, waker& owner, clock::time_point now,
                                   std::string_view client = {});

  /// Ends a request's wait: removes the request from the queue. Returns true if the throttle
  /// has already admitted the request. Then the caller must call release(): at once, or when
  /// the forwarded request has completed. REQUIRES: enter() returned `waits`.
  [[nodiscard]] bool leave(place& at, clock::time_point now);

  /// Frees the slot of an admitted request. Call it when the request has completed.
  void release();

  /// Admits the requests for which there are tokens and slots now. Returns the time at which
  /// the owner of the first place must call this function again. std::nullopt if the queue is
  /// empty, or if the first request lacks no token, only a slot that a release() frees.
  [[nodiscard]] std::optional<clock::time_point> next_look(clock::time_point now);

  /// Changes the limits. Requests in the queue keep their places.
  void set_limits(const config::throttle_limits& limits, clock::time_point now);
  /// Admits all waiting requests, and all later ones until set_limits(). Call it when the rule
  /// is removed.
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

/// Owns the slot of an admitted command, or none. The destructor releases the slot, so that
/// the throttle can admit another command. Thread-safety: one thread at a time.
class throttle_slot {
 public:
  throttle_slot() = default;
  /// Owns a slot of `of`, which has admitted the command.
  explicit throttle_slot(std::shared_ptr<throttle> of) noexcept : of_(std::move(of)) {}
  throttle_slot(throttle_slot&& other) noexcept = default;
  throttle_slot& operator=(throttle_slot&& other) noexcept {
    give_back();
    of_ = std::move(other.of_);
    return *this;
  }
  ~throttle_slot() { give_back(); }

  /// Releases the slot now. Does nothing if this object owns none.
  void give_back() noexcept {
    if (const auto of = std::exchange(of_, nullptr)) of->release();
  }

 private:
  std::shared_ptr<throttle> of_;
};

/// The throttles (rate limiters) of all rules, by rule name. Throttles survive reloads. If a
/// rule stays, even with other limits, its waiting requests keep their places in the queue. If
/// a rule is removed, its waiting requests are all admitted. Thread-safety: one thread at a
/// time.
class throttle_register {
 public:
  /// Replaces the previous rules by `rules`. Returns the throttle of each rule, in the order
  /// of `rules`; null for a rule that doesn't throttle, or is a dry run. If several rules have
  /// the same name, only the first keeps its previous throttle.
  [[nodiscard]] std::vector<std::shared_ptr<throttle>> renew(
      std::span<const config::rule> rules, throttle::clock::time_point now);

 private:
  std::map<std::string, std::shared_ptr<throttle>> by_name_;
};

}  // namespace scattergate::proxy
