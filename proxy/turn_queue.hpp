#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

namespace scattergate::proxy {

/// A waiter's state in a turn_queue. The waiter keeps the ticket between turns; a default
/// ticket is for a new waiter.
struct turn_ticket {
  std::chrono::nanoseconds next{0};  ///< the earliest start time of the waiter's next turn, in
                                     ///< virtual time (see turn_queue)
};

/// A fair queue for a resource that serves one waiter at a time; each use is a turn. Known
/// clients come before strangers (see client_identity::is_stranger()). If a stranger waits, at
/// least every eighth turn is a stranger's, so that strangers don't starve.
///
/// Within known clients, and within strangers, the order is start-time fair queueing (Goyal,
/// Vin and Cheng, 1996): the waiter with the smallest start time is next. Start times are in
/// virtual time, which both groups share: the virtual time is the largest start time of all
/// turns so far. A new waiter's start time is the current virtual time. A returning waiter's
/// start time is the virtual time of its last turn plus that turn's duration, but at least the
/// current virtual time.
///
/// Thread-safety: one thread at a time.
template <typename Waiter>
class turn_queue {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return known_.empty() && strangers_.empty(); }

  /// Adds a waiter. `ticket`: this waiter's ticket. Throws std::bad_alloc.
  void push(Waiter waiter, const turn_ticket& ticket, bool is_stranger) {
    line& at = is_stranger ? strangers_ : known_;
    at.emplace(std::max(ticket.next, now_), std::move(waiter));
  }

  /// Removes and returns the waiter whose turn it is. REQUIRES: the queue isn't empty.
  [[nodiscard]] Waiter pop() noexcept {
    const bool is_strangers =
        known_.empty() || (!strangers_.empty() && known_in_a_row_ == most_in_a_row);
    known_in_a_row_ = is_strangers ? 0 : std::min(known_in_a_row_ + 1, most_in_a_row);
    line& from = is_strangers ? strangers_ : known_;
    const auto next = from.begin();
    now_ = std::max(now_, next->first);
    Waiter taken = std::move(next->second);
    from.erase(next);
    return taken;
  }

  /// Ends the turn of the waiter that pop() returned last. `ticket`: this waiter's ticket.
  /// `took`: the duration of the turn.
  void end_turn(turn_ticket& ticket, std::chrono::nanoseconds took) noexcept {
    ticket.next = now_ + took;
  }

  /// Removes the waiters for which `is_gone` returns true.
  template <typename Predicate>
  void erase_if(Predicate is_gone) {
    for (line* each : {&known_, &strangers_}) {
      std::erase_if(*each, [&](const auto& waiting) { return is_gone(waiting.second); });
    }
  }

 private:
  static constexpr std::size_t most_in_a_row = 7;
  // By start time. At equal start times: first come, first served.
  using line = std::multimap<std::chrono::nanoseconds, Waiter>;

  line known_;
  line strangers_;
  std::chrono::nanoseconds now_{0};  // the virtual time
  std::size_t known_in_a_row_ = 0;   // turns of known clients since the last stranger's
};

}  // namespace scattergate::proxy
