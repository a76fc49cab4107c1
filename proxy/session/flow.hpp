#pragma once

#include <optional>
#include <span>

#include "net/transport.hpp"
#include "proxy/flow_buffer.hpp"
#include "proxy/session/step.hpp"

namespace scattergate::proxy {

/// One direction of a session: the socket to read from, the socket to write to, and the bytes
/// in between.
struct flow {
  flow(net::transport& from, net::transport& to, block_pool& pool,
       telemetry::memory_share& share) noexcept
      : source(from), sink(to), buffer(pool, share) {}
  net::transport& source;       ///< the socket to read from
  net::transport& sink;         ///< the socket to write to
  flow_buffer buffer;           ///< the bytes between both sockets
  std::optional<step> in_hand;  ///< the session_fsm's last step (what to do next), if it isn't
                                ///< carried out yet
  std::span<const std::byte> injected;  ///< the unsent bytes of scattergate's own reply; they
                                        ///< are sent after the buffer's approved bytes, and
                                        ///< before the next step is carried out
  bool is_runnable = false;  ///< session::pump() must run this direction, because it may be
                             ///< able to continue
  bool is_readable = true;   ///< the source may have bytes: the last read didn't drain it
  bool is_writable = true;   ///< the sink may accept bytes: the last write didn't block
  bool is_yielding = false;  ///< other connections run first; this direction continues when the
                             ///< loop resumes the session
  bool is_hung_up = false;   ///< the source's peer has ended its stream: read until the end
  bool is_waiting = false;   ///< the last step was `wait`, `await` or `hold`: no further
                             ///< request is read until that wait ends (requests only)
  bool is_read_ahead = false;  ///< session::read_ahead() has already read the bytes that the
                               ///< next on_ready() reports
  bool has_ended = false;      ///< the source's stream has ended, and so has the stream to the
                               ///< sink

  /// Whether session::pump() may run this direction now.
  [[nodiscard]] bool may_run() const noexcept { return is_runnable && !is_yielding; }
  /// Whether there are no bytes to send or judge, and no step to carry out.
  [[nodiscard]] bool is_empty() const noexcept {
    return !in_hand && injected.empty() && buffer.is_empty();
  }
  /// Whether only a write is left to do until the source has more bytes.
  [[nodiscard]] bool ends_with_write() const noexcept {
    return in_hand && in_hand->what == step::verb::need && !is_readable && has_unsent();
  }
  /// Whether bytes are ready to send to the sink.
  [[nodiscard]] bool has_unsent() const noexcept {
    return !injected.empty() || !buffer.approved().empty();
  }
};

}  // namespace scattergate::proxy
