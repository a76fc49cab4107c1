#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/tls_context.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// How a read, a write or a handshake went.
struct io_result {
  enum class status : std::uint8_t {
    done,     ///< `bytes` were moved, or the handshake is over; 0 bytes were read where TLS had
              ///< something to say for itself
    blocked,  ///< nothing now: the loop will tell when
    ended,    ///< the peer sends nothing more
    failed,   ///< the connection is broken
  };
  status what = status::blocked;
  std::size_t bytes = 0;
};

/// A connected, non-blocking stream socket, plain or under TLS: all that a session knows of
/// sockets. Whoever uses it is told of readiness by an event_loop, edge-triggered: `blocked`
/// means that the next change will be told.
class transport {
 public:
  transport() noexcept = default;
  explicit transport(unique_fd socket) noexcept;

  /// Everything from now on is under TLS, beginning with handshake().
  void begin_tls(ssl_handle state) noexcept;
  [[nodiscard]] bool is_tls() const noexcept { return tls_ != nullptr; }
  [[nodiscard]] io_result handshake() noexcept;
  /// Why TLS failed, in OpenSSL's words.
  [[nodiscard]] const char* tls_failure() const noexcept { return tls_failure_; }
  /// Whether that was an alert of the peer. In TLS 1.3 a server refuses a client's certificate
  /// when the handshake is over for the client.
  [[nodiscard]] bool has_tls_alert() const noexcept { return has_tls_alert_; }

  /// REQUIRES: `room` isn't empty. Fewer bytes than room are all that there was, unless under
  /// TLS.
  [[nodiscard]] io_result read(std::span<std::byte> room) noexcept;
  [[nodiscard]] io_result write(std::span<const std::byte> bytes) noexcept;

  /// Tells the peer that nothing more will come.
  void end_writes() noexcept;

  /// Has close() reset the connection: what the peer hasn't taken yet would keep the end of it
  /// from arriving for as long as it doesn't read.
  void drop_unsent() noexcept;

  /// Closes so that the peer sees an orderly end behind all that was written: bytes left
  /// unread in our receive queue would make it a reset.
  void close_cleanly() noexcept;
  void close() noexcept;

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }
  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(socket_); }

 private:
  void note_tls_failure() noexcept;
  [[nodiscard]] io_result tls_result(int returned, std::size_t bytes) noexcept;
  [[nodiscard]] io_result read_tls(std::span<std::byte> room) noexcept;

  unique_fd socket_;
  bool has_tls_alert_ = false;
  ssl_handle tls_;
  const char* tls_failure_ = "";
};

}  // namespace scattergate::net
