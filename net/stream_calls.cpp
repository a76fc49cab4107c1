#include "net/stream_calls.hpp"

#include <array>

namespace scattergate::net {

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
