#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::net {

/// The outcome of a read, a write or a handshake.
struct io_result {
  enum class status : std::uint8_t {
    done,  ///< `bytes` were moved, or the handshake has completed; a read of 0 bytes: TLS data
           ///< without content
    blocked,  ///< nothing now; the loop reports when to retry
    ended,    ///< the peer has closed its side
    failed,   ///< the connection is broken
  };
  status what = status::blocked;
  std::size_t bytes = 0;
};

// System calls on a non-blocking stream socket.
[[nodiscard]] io_result peek_now(int fd, std::byte& first) noexcept;
[[nodiscard]] io_result receive_now(int fd, std::span<std::byte> room) noexcept;
[[nodiscard]] io_result send_now(int fd, std::span<const std::byte> bytes) noexcept;

/// Reads and discards what has arrived, within limits: closing a socket with unread bytes
/// would reset the connection, and lose what was sent.
void discard_received(int fd) noexcept;

/// Makes closing `fd` reset the connection, discarding unsent data.
void reset_when_closed(int fd) noexcept;

}  // namespace scattergate::net
