#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// Clients of a listener wait for replies, and no command succeeds meanwhile.
struct silence {
  bool is_proof = false;  ///< several clients wait. One client alone may have sent a slow
                          ///< command; so may all clients while inspection is off, because it
                          ///< isn't known then whether other commands succeed.
};

/// Whether a listener's mongos is silent: a client has waited for `no_reply` or longer, and no
/// command has succeeded for as long. std::nullopt if not, or if `no_reply` is 0.
[[nodiscard]] std::optional<silence> silence_of(const telemetry::listener_facts& listener,
                                                std::chrono::steady_clock::time_point now,
                                                std::chrono::milliseconds no_reply) noexcept;

}  // namespace scattergate::proxy
