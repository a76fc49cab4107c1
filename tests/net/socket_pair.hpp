#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/unique_fd.hpp"

namespace scattergate::net {

/// Two connected stream sockets; ours doesn't block.
struct socket_pair {
  socket_pair() {
    std::array<int, 2> both{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()), 0);
    ours.reset(both[0]);
    theirs.reset(both[1]);
    ::fcntl(both[0], F_SETFL, O_NONBLOCK);
  }
  unique_fd ours;
  unique_fd theirs;
};

inline void send_all(int fd, std::string_view text) {
  EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

/// What is there, up to `limit` bytes; empty at the end.
inline std::string receive(int fd, std::size_t limit = 4096) {
  std::string text(limit, '\0');
  const auto size = ::recv(fd, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace scattergate::net
