#include "net/blocking_connection.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>

namespace scattergate::net {
namespace {

using status = io_result::status;

}  // namespace

bool blocking_connection::await_connected() {
  if (!transport_.is_open()) return false;  // failed in the constructor, which set errno
  errno = wait(POLLOUT) ? connect_result(fd()) : ETIMEDOUT;
  return errno == 0;
}

bool blocking_connection::secure(ssl_handle state) {
  transport_.begin_tls(std::move(state));
  return transport_.is_tls() &&
         moved([this] { return transport_.handshake(); }, POLLIN).what == status::done;
}

bool blocking_connection::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto sent = moved([&] { return transport_.write(bytes); }, POLLOUT);
    if (sent.what != status::done) return false;
    bytes = bytes.subspan(sent.bytes);
  }
  return true;
}

bool blocking_connection::read(std::span<std::byte> room) {
  while (!room.empty()) {
    const auto received = read_some(room);
    if (received.what != status::done) return false;
    room = room.subspan(received.bytes);
  }
  return true;
}

io_result blocking_connection::read_some(std::span<std::byte> room) {
  return moved([&] { return transport_.read(room); }, POLLIN);
}

template <typename Attempt>
io_result blocking_connection::moved(Attempt attempt, short awaited) {
  for (;;) {
    const io_result result = attempt();
    if (result.what != status::blocked || !wait(awaited)) return result;
  }
}

bool blocking_connection::wait(short awaited) const {
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - clock::now());
  std::array<pollfd, 2> waiting{{{fd(), awaited, 0}, {stop_, POLLIN, 0}}};
  return rest.count() > 0 &&
         ::poll(waiting.data(), waiting.size(), static_cast<int>(rest.count())) > 0 &&
         waiting[1].revents == 0;
}

}  // namespace scattergate::net
