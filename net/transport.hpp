#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "net/stream_calls.hpp"
#include "net/tls_context.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

class ring_link;

/// A non-blocking stream socket, with or without TLS: the only socket interface that a session
/// uses. After an operation has returned `blocked`, the event_loop reports once when to retry
/// (edge-triggered). Thread-safety: use it only on the event_loop's thread.
class transport {
 public:
  /// A closed transport.
  transport() noexcept = default;
  /// Takes ownership of `socket`, which may still be connecting.
  explicit transport(unique_fd socket) noexcept;

  /// Encrypts all later I/O with TLS; call handshake() next. If `state` is null or memory is
  /// exhausted, does nothing, and is_tls() stays false.
  void begin_tls(ssl_handle state) noexcept;
  /// Whether the connection uses TLS, even if the handshake hasn't completed.
  [[nodiscard]] bool is_tls() const noexcept { return tls_ != nullptr; }
  /// Continues the TLS handshake. `blocked`: call it again when the socket is ready.
  [[nodiscard]] io_result handshake() noexcept;
  /// The reason of a TLS failure, as text; "" if TLS hasn't failed.
  [[nodiscard]] const char* tls_failure() const noexcept { return tls_failure_; }
  /// Whether TLS failed because the peer sent an alert. Such an alert may follow a completed
  /// handshake: in TLS 1.3, a server may then still reject the client's certificate.
  [[nodiscard]] bool has_tls_alert() const noexcept { return has_tls_alert_; }

  /// Copies the first unread byte, which stays unread. REQUIRES: begin_tls() wasn't called.
  [[nodiscard]] io_result peek(std::byte& first) noexcept;
  /// Reads into `room`. Without TLS, a result shorter than `room` means that the socket is
  /// drained. REQUIRES: `room` isn't empty.
  [[nodiscard]] io_result read(std::span<std::byte> room) noexcept;
  /// Writes as many bytes as the socket accepts.
  [[nodiscard]] io_result write(std::span<const std::byte> bytes) noexcept;

  /// Shuts down the socket for writing; the peer sees the end of the stream.
  void end_writes() noexcept;

  /// Makes close() reset the connection and discard unsent bytes. Without this call, a peer
  /// that doesn't read could keep the connection alive indefinitely.
  void drop_unsent() noexcept;

  /// Discards received bytes, then closes: the peer gets all written bytes, then the end of
  /// the stream. close() alone would reset the connection if received bytes were unread.
  void close_cleanly() noexcept;
  /// Closes the socket. Does nothing if it is closed.
  void close() noexcept;

  /// The socket's descriptor; -1 if closed.
  [[nodiscard]] int fd() const noexcept;
  /// Whether there is a socket; false after close().
  [[nodiscard]] bool is_open() const noexcept { return socket_ || link_; }

  // The io_uring engine calls release() and move_to() when it starts to watch this socket.
  /// Gives up ownership of the socket to a ring_link. REQUIRES: move_to() is called next.
  [[nodiscard]] unique_fd release() noexcept { return std::move(socket_); }
  /// Does all later I/O through `link`. close() closes `link`, and the engine then destroys it.
  void move_to(ring_link& link) noexcept { link_.reset(&link); }

 private:
  void note_tls_failure() noexcept;
  [[nodiscard]] io_result tls_result(int returned, std::size_t bytes) noexcept;
  [[nodiscard]] io_result read_tls(std::span<std::byte> room) noexcept;

  struct closing {
    void operator()(ring_link* link) const noexcept;
  };

  unique_fd socket_;  // empty if there is a link_
  bool has_tls_alert_ = false;
  ssl_handle tls_;
  const char* tls_failure_ = "";
  std::unique_ptr<ring_link, closing> link_;  // null unless io_uring watches this socket
};

}  // namespace scattergate::net
