#include "telemetry/metrics/daemon_facts.hpp"

#include <algorithm>
#include <utility>

#include "wire/label_table.hpp"

namespace scattergate::telemetry {

std::uint64_t listener_facts::clients_waiting() const noexcept {
  std::uint64_t all = 0;
  for (const reply_waits& each : waits) all += each.clients.load();
  return all;
}

std::int64_t listener_facts::longest_wait_millis() const noexcept {
  std::int64_t longest = 0;
  for (const reply_waits& each : waits) {
    longest = std::max(longest, each.longest_millis.load());
  }
  return longest;
}

std::int64_t listener_facts::served_at_millis() const noexcept {
  std::int64_t last = 0;
  for (const reply_waits& each : waits) last = std::max(last, each.served_at_millis.load());
  return last;
}

std::int64_t listener_facts::silence_millis(
    std::chrono::steady_clock::time_point now) const noexcept {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const std::int64_t waited = longest_wait_millis();
  const std::int64_t served_at = served_at_millis();
  if (served_at == 0) return waited;
  return std::min(waited,
                  duration_cast<milliseconds>(now.time_since_epoch()).count() - served_at);
}

std::uint64_t listener_facts::open_cursors() const noexcept {
  std::uint64_t all = 0;
  for (const reply_waits& each : waits) all += each.open_cursors.load();
  return all;
}

void listener_facts::show_upstreams(std::vector<upstream_entry> now) {
  const std::lock_guard lock{mutex_};
  upstreams_ = std::move(now);
}

std::vector<upstream_entry> listener_facts::upstreams() const {
  const std::lock_guard lock{mutex_};
  return upstreams_;
}

upstream_health upstream_entry::health() const noexcept {
  using enum upstream_health;
  if (addresses.empty()) return counts->is_unresolved ? down : unknown;
  const auto is = [](upstream_health state) {
    return [state](const auto& one) { return one->health.load() == state; };
  };
  if (std::ranges::any_of(addresses, is(up))) return up;
  if (std::ranges::any_of(addresses, is(unknown))) return unknown;
  return std::ranges::any_of(addresses, is(silent)) ? silent : down;
}

bool upstream_entry::is_active() const noexcept {
  return std::ranges::any_of(addresses, [](const auto& one) { return one->is_active.load(); });
}

std::string_view label(upstream_failure why) noexcept {
  static constexpr wire::label_table<upstream_failure> labels{{
      {upstream_failure::dns, "dns"},
      {upstream_failure::refused, "refused"},
      {upstream_failure::timeout, "timeout"},
      {upstream_failure::tls, "tls"},
      {upstream_failure::closed, "closed"},
      {upstream_failure::other, "other"},
  }};
  return labels[why];
}

}  // namespace scattergate::telemetry
