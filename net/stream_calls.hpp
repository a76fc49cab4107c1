#pragma once

#include <cerrno>
#include <cstddef>
#include <span>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/io_result.hpp"

namespace scattergate::net {

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
void discard_received(int fd) noexcept;

/// Makes close(`fd`) reset the connection and discard unsent bytes.
void reset_when_closed(int fd) noexcept;

}  // namespace scattergate::net
