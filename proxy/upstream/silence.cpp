#include "proxy/upstream/silence.hpp"

namespace scattergate::proxy {

std::optional<silence> silence_of(const telemetry::listener_facts& listener,
                                  std::chrono::steady_clock::time_point now,
                                  std::chrono::milliseconds no_reply) noexcept {
  if (no_reply.count() == 0 || listener.silence_millis(now) < no_reply.count()) {
    return std::nullopt;
  }
  const std::uint64_t clients = listener.clients_waiting();
  return silence{clients > 1 && listener.served_at_millis() != 0};
}

}  // namespace scattergate::proxy
