#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

namespace scattergate::proxy {

/// What a turn_queue keeps of somebody between two turns.
struct turn_ticket {
  std::chrono::nanoseconds next{0};  ///< the place in the queue that the last turn leaves
};

/// Those who wait for turns at something that only one can use at a time. Known clients come
/// before strangers, but for one turn in eight, so that no stranger waits for ever. Among the
/// ones or the others whoever has used least lately comes first, by start-time fair queueing
/// (Goyal, Vin and Cheng, 1996): a virtual time tells how far turns have come; who has waited
/// for nothing lately begins there, and who goes on as much later as the last turn has taken.
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

  /// Takes out whose turn it is. REQUIRES: somebody waits.
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

  /// The turn of the last one that came out is over, and has taken so long.
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
  using line =
      std::multimap<std::chrono::nanoseconds, Waiter>;  // first come first, at one place

  line known_;
  line strangers_;
  std::chrono::nanoseconds now_{0};
  std::size_t known_in_a_row_ = 0;
};

}  // namespace scattergate::proxy
