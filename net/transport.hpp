#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "net/io_result.hpp"
#include "net/tls_context.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

class ring_link;

/// A connected, non-blocking stream socket, plain or with TLS: the only socket interface that a
/// session uses. Readiness comes from the event_loop that watches it, edge-triggered: after
/// `blocked`, the next change is reported.
class transport {
 public:
  transport() noexcept = default;
  explicit transport(unique_fd socket) noexcept;

  /// Encrypts everything that follows, starting with handshake().
  void begin_tls(ssl_handle state) noexcept;
  [[nodiscard]] bool is_tls() const noexcept { return tls_ != nullptr; }
  [[nodiscard]] io_result handshake() noexcept;
  /// Why TLS failed, in OpenSSL's words.
  [[nodiscard]] const char* tls_failure() const noexcept { return tls_failure_; }
  /// Whether the failure was an alert from the peer. In TLS 1.3 a server may reject a client's
  /// certificate after the client has completed the handshake.
  [[nodiscard]] bool has_tls_alert() const noexcept { return has_tls_alert_; }

  /// The first unread byte, which stays unread. REQUIRES: TLS hasn't begun.
  [[nodiscard]] io_result peek(std::byte& first) noexcept;
  /// Reads into `room`. Fewer bytes than `room` holds means that the socket is drained, except
  /// with TLS. REQUIRES: `room` isn't empty.
  [[nodiscard]] io_result read(std::span<std::byte> room) noexcept;
  [[nodiscard]] io_result write(std::span<const std::byte> bytes) noexcept;

  /// Closes our side for writing; the peer sees the end of the stream.
  void end_writes() noexcept;

  /// Makes close() reset the connection, discarding unsent data. Without it, a peer that
  /// doesn't read would delay the end of the connection indefinitely.
  void drop_unsent() noexcept;

  /// Closes so that the peer receives all that was written, then the end of the stream: unread
  /// bytes in our receive queue would cause a reset.
  void close_cleanly() noexcept;
  void close() noexcept;

  [[nodiscard]] int fd() const noexcept;
  [[nodiscard]] bool is_open() const noexcept { return socket_ || link_; }

  // For an engine that watches it.
  /// The socket, which move_to() gives back in another form.
  [[nodiscard]] unique_fd release() noexcept { return std::move(socket_); }
  void move_to(ring_link& link) noexcept { link_.reset(&link); }

 private:
  void note_tls_failure() noexcept;
  [[nodiscard]] io_result tls_result(int returned, std::size_t bytes) noexcept;
  [[nodiscard]] io_result read_tls(std::span<std::byte> room) noexcept;

  struct closing {
    void operator()(ring_link* link) const noexcept;
  };

  unique_fd socket_;  // unless there is a link_
  bool has_tls_alert_ = false;
  ssl_handle tls_;
  const char* tls_failure_ = "";
  std::unique_ptr<ring_link, closing> link_;  // null where an engine isn't on a ring
};

}  // namespace scattergate::net
