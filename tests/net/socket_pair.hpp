#pragma once

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/unique_fd.hpp"

namespace scattergate::net {

/// Two connected Unix stream sockets: `ours` is non-blocking, `theirs` is blocking.
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

/// Two connected TCP sockets on loopback: `ours` is non-blocking, `theirs` is blocking.
struct tcp_pair {
  tcp_pair() {
    const unique_fd listening{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listening.get(), 1), 0);
    EXPECT_EQ(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
    theirs.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(theirs.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    ours.reset(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  }
  unique_fd ours;
  unique_fd theirs;
};

/// Sends all of `text` in one call; the test fails if the socket takes less.
inline void send_all(int fd, std::string_view text) {
  EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

/// Receives available bytes, at most `limit`; a blocking socket waits for the first one. Empty
/// at the end of the stream and on an error.
inline std::string receive(int fd, std::size_t limit = 4096) {
  std::string text(limit, '\0');
  ssize_t size = 0;
  do {  // the kernel interrupts a thread when it closes the thread's io_uring
    size = ::recv(fd, text.data(), text.size(), 0);
  } while (size < 0 && errno == EINTR);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace scattergate::net
