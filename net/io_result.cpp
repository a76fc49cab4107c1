#include "net/io_result.hpp"

#include <array>
#include <cerrno>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace scattergate::net {
namespace {

using status = io_result::status;

io_result result_of(ssize_t moved) noexcept {
  if (moved > 0) return {status::done, static_cast<std::size_t>(moved)};
  if (moved == 0) return {status::ended, 0};
  return {errno == EAGAIN || errno == EWOULDBLOCK ? status::blocked : status::failed, 0};
}

}  // namespace

io_result peek_now(int fd, std::byte& first) noexcept {
  return result_of(::recv(fd, &first, 1, MSG_PEEK));
}

// glibc's recv() and send() are thread cancellation points, which costs two locked instructions
// per call. No thread is cancelled here.

io_result receive_now(int fd, std::span<std::byte> room) noexcept {
  ssize_t moved = 0;
  do {
    moved = ::syscall(SYS_recvfrom, fd, room.data(), room.size(), 0, nullptr, nullptr);
  } while (moved < 0 && errno == EINTR);
  return result_of(moved);
}

io_result send_now(int fd, std::span<const std::byte> bytes) noexcept {
  ssize_t moved = 0;
  do {
    moved = ::syscall(SYS_sendto, fd, bytes.data(), bytes.size(), MSG_NOSIGNAL, nullptr, 0);
  } while (moved < 0 && errno == EINTR);
  return result_of(moved);
}

void discard_received(int fd) noexcept {
  std::array<std::byte, 4096> discarded;
  for (int i = 0; i < 16; ++i) {
    if (::recv(fd, discarded.data(), discarded.size(), 0) <= 0) break;
  }
}

void reset_when_closed(int fd) noexcept {
  const linger at_once{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace scattergate::net
