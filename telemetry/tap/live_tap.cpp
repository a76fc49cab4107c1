#include "telemetry/tap/live_tap.hpp"

#include <utility>

namespace scattergate::telemetry {

bool live_tap::admit(routing::routing_class routing, bool is_finding) noexcept {
  const bool is_rare = is_finding || routing == routing::routing_class::scatter_gather;
  const std::size_t kept = is_rare ? 0 : kept_for_rare;
  std::size_t room = room_.load(std::memory_order_relaxed);
  while (room > kept) {
    if (room_.compare_exchange_weak(room, room - 1, std::memory_order_relaxed)) return true;
  }
  dropped_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void live_tap::push(tapped_command command) noexcept {
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (lock && waiting_.size() < waiting_.capacity()) {
    waiting_.push_back(std::move(command));
  } else {
    dropped_.fetch_add(1, std::memory_order_relaxed);
  }
}

void live_tap::listen(tap_interest interest) {
  {
    const std::lock_guard lock{mutex_};
    if (waiting_.capacity() == 0) {
      waiting_.reserve(capacity);
      room_.store(capacity, std::memory_order_relaxed);
    }
  }
  interest_.store(interest, std::memory_order_relaxed);
}

void live_tap::end() noexcept {
  interest_.store({}, std::memory_order_relaxed);
  std::vector<tapped_command> gone;
  const std::lock_guard lock{mutex_};
  waiting_.swap(gone);
  room_.store(0, std::memory_order_relaxed);
}

void live_tap::drain_into(std::vector<tapped_command>& into) {
  into.clear();
  into.reserve(capacity);
  const std::lock_guard lock{mutex_};
  if (waiting_.capacity() != 0) waiting_.swap(into);
}

void live_tap::grant(std::size_t more) noexcept {
  std::size_t room = room_.load(std::memory_order_relaxed);
  while (!room_.compare_exchange_weak(room, std::min(room + more, capacity),
                                      std::memory_order_relaxed)) {
  }
}

}  // namespace scattergate::telemetry
