#include "telemetry/metrics/upstream_facts.hpp"

#include <algorithm>

#include "telemetry/metrics/daemon_facts.hpp"

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

std::string_view label(upstream_failure why) noexcept {
  switch (why) {
    case upstream_failure::dns:
      return "dns";
    case upstream_failure::refused:
      return "refused";
    case upstream_failure::timeout:
      return "timeout";
    case upstream_failure::tls:
      return "tls";
    case upstream_failure::closed:
      return "closed";
    case upstream_failure::other:
      break;
  }
  return "other";
}

}  // namespace scattergate::telemetry
