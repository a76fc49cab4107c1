#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

namespace scattergate::proxy {

/// A waiter's state in a turn_queue, which it keeps between its turns.
struct turn_ticket {
  std::chrono::nanoseconds next{0};  ///< the earliest virtual start time of its next turn
};

/// A fair queue for a resource that serves one waiter at a time. Known clients come before
/// strangers (client_identity), but at least every eighth turn is a stranger's if one waits, so
/// that none starves. Each group uses start-time fair queueing (Goyal, Vin and Cheng, 1996):
/// the waiter with the smallest virtual start time is next. The virtual time is the start time
/// of the latest turn. A new waiter's start time is the current virtual time. A returning
/// waiter's start time is later, by the duration of its last turn.
///
/// Thread-safety: one thread at a time.
template <typename Waiter>
class turn_queue {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return known_.empty() && strangers_.empty(); }

  /// Adds a waiter. `ticket`: the waiter's own. Throws std::bad_alloc.
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

  /// Ends the turn of the waiter that pop() returned last. `ticket`: the ticket of that waiter.
  /// `took`: the duration of its turn.
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
  // By virtual start time. At equal times: first come, first served.
  using line = std::multimap<std::chrono::nanoseconds, Waiter>;

  line known_;
  line strangers_;
  std::chrono::nanoseconds now_{0};  // the virtual time
  std::size_t known_in_a_row_ = 0;   // turns of known clients since the last stranger's
};

}  // namespace scattergate::proxy
