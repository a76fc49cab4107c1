#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

namespace scattergate::proxy {

/// A waiter's state between two turns in a turn_queue.
struct turn_ticket {
  std::chrono::nanoseconds next{0};  ///< the earliest virtual time of its next turn
};

/// A fair queue for a resource that serves one waiter at a time. Known clients come before
/// strangers, but every eighth turn is a stranger's, so that none starves. Each group uses
/// start-time fair queueing (Goyal, Vin and Cheng, 1996): the waiter with the smallest virtual
/// start time is next. A newcomer starts at the current virtual time; a returning waiter starts
/// later, by the duration of its last turn.
///
/// Thread-safety: one thread at a time.
template <typename Waiter>
class turn_queue {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return known_.empty() && strangers_.empty(); }

  /// Throws std::bad_alloc.
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

  /// Ends the turn of the waiter that pop() returned; `took`: its duration.
  void end_turn(turn_ticket& ticket, std::chrono::nanoseconds took) noexcept {
    ticket.next = now_ + took;
  }

  template <typename Predicate>
  void erase_if(Predicate is_gone) {
    for (line* each : {&known_, &strangers_}) {
      std::erase_if(*each, [&](const auto& waiting) { return is_gone(waiting.second); });
    }
  }

 private:
  static constexpr std::size_t most_in_a_row = 7;
  using line = std::multimap<std::chrono::nanoseconds, Waiter>;  // first come, first served at
                                                                 // equal times

  line known_;
  line strangers_;
  std::chrono::nanoseconds now_{0};
  std::size_t known_in_a_row_ = 0;
};

}  // namespace scattergate::proxy
