#pragma once

#include <memory>
#include <span>

#include "tests/support/inspector_parts.hpp"

namespace scattergate::tests {

inline constexpr int orders_shards = 8;

/// Eight chunks of db.orders, {tenant: 1}, at 0, 10, 20, ... on the shards "0" to "7";
/// db.lines, {line: 1}, in two; db.plain, which isn't sharded.
[[nodiscard]] std::shared_ptr<const routing::catalog> orders_catalog();

/// An inspector with one rule: it rejects commands that scatter on db.orders.
class guard {
 public:
  guard();

  /// Whether the message doesn't reach mongos. REQUIRES: its header has its length.
  [[nodiscard]] bool rejects(std::span<const std::byte> message);

 private:
  inspector_parts parts_;
  proxy::judging_memory lent_;
  telemetry::memory_share share_{parts_.memory};
  proxy::client_identity client_{"10.0.0.7"};
  proxy::cursor_table cursors_;
};

}  // namespace scattergate::tests
