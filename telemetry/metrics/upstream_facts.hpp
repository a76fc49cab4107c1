#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "wire/enum_count.hpp"

namespace scattergate::telemetry {

/// Why a client connection or a health check failed to reach a mongos.
enum class upstream_failure : std::uint8_t {
  dns,      ///< the name has no address, or the name server doesn't answer
  refused,  ///< the connection was refused
  timeout,  ///< no connection, or no reply, in time
  tls,      ///< the TLS handshake failed, or the certificate isn't trusted
  closed,   ///< mongos closed the connection instead of replying
  other,    ///< any other failure
};
inline constexpr std::size_t upstream_failure_count = wire::enum_count<upstream_failure>();
/// The failure's label in metrics.
[[nodiscard]] std::string_view label(upstream_failure why) noexcept;

/// The result of the last health check.
enum class upstream_health : std::uint8_t {
  unknown,  ///< no check has ended
  up,
  down,    ///< it doesn't answer a hello
  silent,  ///< it answers a hello, but no commands
};

/// The state of one mongos to which a listener may forward. Thread-safety: any thread.
struct upstream_facts {
  /// `named`: the configured name of the mongos.
  explicit upstream_facts(std::string named) : name(std::move(named)) {}

  /// Counts a failure to reach this mongos.
  void note(upstream_failure why) noexcept {
    failures[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  }

  const std::string name;
  std::atomic<upstream_health> health{upstream_health::unknown};  ///< the result of the last
                                                                  ///< health check
  /// Number of failures, by upstream_failure.
  std::array<std::atomic<std::uint64_t>, upstream_failure_count> failures{};
};

}  // namespace scattergate::telemetry
