#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "proxy/judging/client_identity.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/unpacker.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "telemetry/memory_budget.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// A connection as the inspector sees it: its client, its upstream's cursors, and its share of
/// limits.memory.
struct inspected_connection {
  client_identity& client;
  cursor_table& cursors;
  telemetry::memory_share& memory;
  bool guards_x509 = false;  ///< MONGODB-X509 must be rejected, because mongos sees our
                             ///< certificate instead of the client's
  std::uint64_t id = 0;      ///< identifies the connection among those that share `cursors`
  const std::string* counted_as = nullptr;  ///< the client's key in connection_counts; null:
                                            ///< not counted
};

/// The current request. A view, valid while the bytes stay in place.
struct request_view {
  wire::message_header header;
  std::span<const std::byte> bytes;  ///< the part that has arrived, with the header
  const inspected_connection& connection;
  clock::time_point now;
  std::size_t packed_bytes = 0;  ///< if it was compressed: the size of the compressed message;
                                 ///< else 0

  /// Whether all bytes of the request have arrived.
  [[nodiscard]] bool is_whole() const noexcept {
    return bytes.size() == static_cast<std::size_t>(header.length);
  }
  /// This request with its decompressed content.
  [[nodiscard]] request_view as(const unpacked_message& unpacked) const noexcept {
    return {unpacked.header, unpacked.bytes, connection, now, bytes.size()};
  }
  /// The size on the wire of the part that has arrived, in bytes.
  [[nodiscard]] std::size_t bytes_that_came() const noexcept {
    return packed_bytes != 0 ? packed_bytes : bytes.size();
  }
};

}  // namespace scattergate::proxy
