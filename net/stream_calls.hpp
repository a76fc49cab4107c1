#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace scattergate::net {

/// The outcome of a read, a write or a handshake.
struct io_result {
  /// How the operation ended.
  enum class status : std::uint8_t {
    done,     ///< `bytes` were read or written, or the handshake has completed; a TLS read may
              ///< return 0 bytes
    blocked,  ///< would block; retry when the event_loop reports the socket as ready
    ended,    ///< the peer sends no more bytes (end of stream)
    failed,   ///< the connection is broken
  };
  status what = status::blocked;  ///< how the operation ended
  std::size_t bytes = 0;  ///< number of bytes read or written; 0 unless `what` is `done`
};

// System calls on a non-blocking stream socket. The calls that every command needs are inline.

/// Converts `moved`, the return value of a read or write call, to an io_result. 0 is the end of
/// the stream. If `moved` is negative, reads errno.
[[nodiscard]] inline io_result result_of(ssize_t moved) noexcept {
  using enum io_result::status;
  if (moved > 0) return {done, static_cast<std::size_t>(moved)};
  if (moved == 0) return {ended, 0};
  return {errno == EAGAIN || errno == EWOULDBLOCK ? blocked : failed, 0};
}

/// Copies the first unread byte, which stays unread.
[[nodiscard]] inline io_result peek_now(int fd, std::byte& first) noexcept {
  return result_of(::recv(fd, &first, 1, MSG_PEEK));
}

// glibc's recv() and send() are thread cancellation points, which costs two locked instructions
// per call. No thread is cancelled here.

/// Reads the bytes that have arrived, as many as fit in `room`.
[[nodiscard]] inline io_result receive_now(int fd, std::span<std::byte> room) noexcept {
  ssize_t moved = 0;
  do {
    moved = ::syscall(SYS_recvfrom, fd, room.data(), room.size(), 0, nullptr, nullptr);
  } while (moved < 0 && errno == EINTR);
  return result_of(moved);
}

/// Writes as many bytes as the socket accepts.
[[nodiscard]] inline io_result send_now(int fd, std::span<const std::byte> bytes) noexcept {
  ssize_t moved = 0;
  do {
    moved = ::syscall(SYS_sendto, fd, bytes.data(), bytes.size(), MSG_NOSIGNAL, nullptr, 0);
  } while (moved < 0 && errno == EINTR);
  return result_of(moved);
}

/// Reads and discards up to 64 KiB of received bytes. Call it before closing: unread bytes
/// would make close() reset the connection, and the peer could lose bytes that we have sent.
inline void discard_received(int fd) noexcept {
  std::array<std::byte, 4096> discarded;
  for (int i = 0; i < 16; ++i) {
    if (::recv(fd, discarded.data(), discarded.size(), 0) <= 0) break;
  }
}

/// Makes close(`fd`) reset the connection and discard unsent bytes.
inline void reset_when_closed(int fd) noexcept {
  const linger at_once{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace scattergate::net
