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

/// The parts of a connection that the inspector uses. A view: refers to members of the session.
struct inspected_connection {
  client_identity& client;          ///< the client's user, application and driver
  cursor_table& cursors;            ///< the open cursors of the connection's mongos
  telemetry::memory_share& memory;  ///< the connection's share of limits.memory
  bool guards_x509 = false;         ///< MONGODB-X509 must be rejected, because mongos sees
                                    ///< scattergate's certificate instead of the client's
  std::uint64_t id = 0;             ///< unique among the process's connections
  const std::string* counted_as = nullptr;  ///< the client's key in connection_counts: host or
                                            ///< user; null: the connection isn't counted
};

/// A request, or the part of it that has arrived. A view, valid while the bytes stay in place.
struct request_view {
  wire::message_header header;
  std::span<const std::byte> bytes;  ///< the part that has arrived, starting with the header
  const inspected_connection& connection;
  clock::time_point now;         ///< the current time
  std::size_t packed_bytes = 0;  ///< for decompressed content: the size of the compressed
                                 ///< message; otherwise 0
  bool is_late = false;          ///< the request has waited for the live catalog to be read
                                 ///< again, but that took too long

  /// Whether all bytes of the request have arrived.
  [[nodiscard]] bool is_whole() const noexcept {
    return bytes.size() == static_cast<std::size_t>(header.length);
  }
  /// A view of this compressed request's decompressed content.
  [[nodiscard]] request_view as(const unpacked_message& unpacked) const noexcept {
    return {unpacked.header, unpacked.bytes, connection, now, bytes.size(), is_late};
  }
  /// The number of bytes that the client has sent for this request so far.
  [[nodiscard]] std::size_t wire_bytes() const noexcept {
    return packed_bytes != 0 ? packed_bytes : bytes.size();
  }
};

/// Which replies mongos sends to a request, as far as the request's header and flags show it.
struct expected_replies {
  bool is_answered = false;   ///< a reply will come; also true if `is_uncertain`
  bool is_uncertain = false;  ///< a reply may come or may not
  bool may_stream = false;    ///< several replies may come (exhaust)
};

/// Derives the expected replies from the request's opCode and, for an OP_MSG, its flags.
[[nodiscard]] expected_replies expect_replies(const request_view& request) noexcept;

}  // namespace scattergate::proxy
