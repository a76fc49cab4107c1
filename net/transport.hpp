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
/// session uses. After an operation has returned `blocked`, the event_loop reports once when to
/// retry (edge-triggered). Thread-safety: use it on the loop's thread only.
class transport {
 public:
  transport() noexcept = default;
  explicit transport(unique_fd socket) noexcept;

  /// Encrypts everything that follows, starting with handshake(). Check is_tls() afterwards: it
  /// is false if `state` is null or if out of memory.
  void begin_tls(ssl_handle state) noexcept;
  [[nodiscard]] bool is_tls() const noexcept { return tls_ != nullptr; }
  /// Continues the TLS handshake. `blocked`: call it again when the socket is ready.
  [[nodiscard]] io_result handshake() noexcept;
  /// OpenSSL's reason for a TLS failure; "" if TLS hasn't failed.
  [[nodiscard]] const char* tls_failure() const noexcept { return tls_failure_; }
  /// Whether TLS failed because the peer sent an alert. In TLS 1.3 a server may reject a
  /// client's certificate after the client has completed the handshake.
  [[nodiscard]] bool has_tls_alert() const noexcept { return has_tls_alert_; }

  /// Copies the first unread byte, which stays unread. REQUIRES: begin_tls() wasn't called.
  [[nodiscard]] io_result peek(std::byte& first) noexcept;
  /// Reads into `room`. Without TLS, a result shorter than `room` means that the socket is
  /// drained. REQUIRES: `room` isn't empty.
  [[nodiscard]] io_result read(std::span<std::byte> room) noexcept;
  /// Writes as many bytes as the socket accepts.
  [[nodiscard]] io_result write(std::span<const std::byte> bytes) noexcept;

  /// Shuts down our side for writing; the peer sees the end of the stream.
  void end_writes() noexcept;

  /// Makes close() reset the connection and discard unsent data. Otherwise a peer that doesn't
  /// read would keep the connection alive indefinitely.
  void drop_unsent() noexcept;

  /// Discards unread bytes, then closes: the peer receives everything that was written, then
  /// the end of the stream. Unread bytes would cause a reset instead.
  void close_cleanly() noexcept;
  /// Closes the socket. Does nothing if it is closed.
  void close() noexcept;

  [[nodiscard]] int fd() const noexcept;
  [[nodiscard]] bool is_open() const noexcept { return socket_ || link_; }

  // Called by the io_uring engine when it starts to watch this socket.
  /// Gives up ownership of the socket, for a ring_link. REQUIRES: move_to() is called next.
  [[nodiscard]] unique_fd release() noexcept { return std::move(socket_); }
  /// Does all further I/O through `link`. Takes over the duty to close it.
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
