#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// The state of one address of a mongos's name. Thread-safety: any thread.
struct address_facts {
  /// `shown`: the address and port as text.
  explicit address_facts(std::string shown) : address(std::move(shown)) {}

  const std::string address;
  std::atomic<upstream_health> health{upstream_health::unknown};  ///< the result of the last
                                                                  ///< health check
  std::atomic<std::uint64_t> connections{0};  ///< number of client connections that use it
  std::atomic<bool> is_active{false};         ///< new client connections may use it now
  std::atomic<bool> is_draining{false};       ///< its connections end when they are idle
};

/// The counts of one name of a mongos to which a listener may forward. Thread-safety: any
/// thread.
struct upstream_facts {
  /// `named`: the configured name of the mongos.
  explicit upstream_facts(std::string named) : name(std::move(named)) {}

  /// Counts a failure to reach this mongos.
  void note(upstream_failure why) noexcept {
    failures[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  }

  const std::string name;
  /// Whether the name has no known address, and the last attempt to find one has failed.
  std::atomic<bool> is_unresolved{false};
  /// The number of addresses of the name that aren't used, because there are too many.
  std::atomic<std::uint64_t> addresses_left_out{0};
  /// Number of failures, by upstream_failure.
  std::array<std::atomic<std::uint64_t>, upstream_failure_count> failures{};
};

/// A mongos's name with its addresses, which may change. Thread-safety: any thread.
struct upstream_entry {
  std::shared_ptr<upstream_facts> counts;                 ///< never null
  std::vector<std::shared_ptr<address_facts>> addresses;  ///< in the name server's order

  /// `up` if any address is up; `down` if all are down, or the name can't be resolved.
  [[nodiscard]] upstream_health health() const noexcept;
  /// Whether new client connections may use one of the addresses now.
  [[nodiscard]] bool is_active() const noexcept;
};

}  // namespace scattergate::telemetry
