#pragma once

#include <optional>
#include <span>

#include "net/transport.hpp"
#include "proxy/flow_buffer.hpp"
#include "proxy/session/step.hpp"

namespace scattergate::proxy {

/// One direction of a session: its source, its destination and the bytes on the way.
struct flow {
  flow(net::transport& from, net::transport& to, block_pool& pool,
       telemetry::memory_share& share) noexcept
      : source(from), sink(to), buffer(pool, share) {}
  net::transport& source;
  net::transport& sink;
  flow_buffer buffer;
  std::optional<step> in_hand;          ///< returned by the fsm, not carried out yet
  std::span<const std::byte> injected;  ///< a reply of ours, to be sent first
  bool is_runnable = false;
  bool is_readable = true;  ///< there may be bytes to read: the last read didn't drain the
                            ///< socket
  bool is_writable = true;
  bool is_yielding = false;        ///< yielded to other connections: continues next turn
  bool is_hung_up = false;         ///< the source has closed its side: read to the end
  bool waits_for_replies = false;  ///< too many requests are pending, or work is running
  bool is_read_ahead = false;      ///< for the readiness that on_ready() will report
  bool has_ended = false;          ///< the source's FIN was passed on

  [[nodiscard]] bool may_run() const noexcept { return is_runnable && !is_yielding; }
  /// Whether no bytes are on the way, and no step is left to carry out.
  [[nodiscard]] bool is_empty() const noexcept {
    return !in_hand && injected.empty() && buffer.is_empty();
  }
  /// Whether sending what is approved is all that is left to do until more is read.
  [[nodiscard]] bool ends_with_write() const noexcept {
    return in_hand && in_hand->what == step::verb::need && !is_readable && has_unsent();
  }
  [[nodiscard]] bool has_unsent() const noexcept {
    return !injected.empty() || !buffer.approved().empty();
  }
};

}  // namespace scattergate::proxy
