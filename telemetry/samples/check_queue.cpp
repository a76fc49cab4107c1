#include "telemetry/samples/check_queue.hpp"

#include <utility>

#include "wire/command.hpp"

namespace scattergate::telemetry {

void check_queue::offer(const wire::command& command) {
  auto copy = wire::bare_command_of(command, largest_find);
  if (copy.empty()) {
    facts_.too_large.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  {
    const std::lock_guard lock{mutex_};
    if (waiting_) {
      facts_.busy.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    waiting_ = std::move(copy);
  }
  changed_.notify_one();
}

std::optional<std::vector<std::byte>> check_queue::wait_for_command(
    std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, patience, [this] { return waiting_ || is_stopped_; });
  if (is_stopped_) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

void check_queue::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopped_ = true;
  }
  changed_.notify_all();
}

bool check_queue::is_stopped() const {
  const std::lock_guard lock{mutex_};
  return is_stopped_;
}

}  // namespace scattergate::telemetry
