#pragma once

#include <memory>
#include <span>

#include "proxy/inspector.hpp"
#include "telemetry/metrics_collector.hpp"

namespace scattergate::tests {

inline constexpr int orders_shards = 8;

/// Eight chunks of db.orders, {tenant: 1}, at 0, 10, 20, ... on the shards "0" to "7"; db.lines,
/// {line: 1}, in two; db.plain, which isn't sharded.
[[nodiscard]] std::shared_ptr<const routing::catalog> orders_catalog();

/// An inspector under the one rule that nobody may scatter on db.orders.
/// Thread-safety: one thread.
class guard {
 public:
  guard();

  /// Whether the message, which is as long as its header says, is kept from mongos.
  [[nodiscard]] bool rejects(std::span<const std::byte> message);

 private:
  telemetry::metrics_collector collector_{20};
  telemetry::worker_metrics& metrics_ = collector_.add_worker();
  telemetry::memory_budget findings_memory_{64UL * 1024 * 1024};
  telemetry::finding_table findings_{100, findings_memory_};
  telemetry::audit_log audit_{
      {"off", std::chrono::seconds{60}, 100, std::chrono::hours{24}, {}}, {}};
  telemetry::memory_budget memory_{64UL * 1024 * 1024};
  telemetry::memory_share share_{memory_};
  proxy::inspector inspector_{metrics_, findings_, audit_, collector_.facts()};
  proxy::client_identity client_{"10.0.0.7"};
  proxy::cursor_table cursors_;
};

}  // namespace scattergate::tests
