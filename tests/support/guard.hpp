#pragma once

#include <memory>
#include <span>

#include "tests/support/inspector_parts.hpp"

namespace scattergate::tests {

/// The number of shards of db.orders.
inline constexpr int orders_shards = 8;

/// A catalog with two sharded collections; all others, such as db.plain, are unsharded.
/// db.orders has the key {tenant: 1} and eight chunks, split at 0, 10, ..., 60, on the shards
/// "0" to "7". db.lines has the key {line: 1} and two chunks, split at 0.
[[nodiscard]] std::shared_ptr<const routing::catalog> orders_catalog();

/// An inspector (the part of the proxy that judges messages) with one rule, which rejects
/// commands that ask all shards of db.orders.
class guard {
 public:
  guard();

  /// Whether the inspector rejects `message`, a complete request with its header. REQUIRES: the
  /// header is valid and has the message's length.
  [[nodiscard]] bool rejects(std::span<const std::byte> message);

 private:
  inspector_parts parts_;
  proxy::judging_memory lent_;
  telemetry::memory_share share_{parts_.memory};
  proxy::client_identity client_{"10.0.0.7"};
  proxy::cursor_table cursors_;
};

}  // namespace scattergate::tests
