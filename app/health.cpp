#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/subcommands.hpp"

namespace scattergate::app {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{3};  // for the whole exchange
constexpr std::size_t max_reply_bytes = 4096;

/// A file descriptor that closes itself.
/// Thread-safety: one thread.
class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

bool wait_for(const descriptor& socket, short events, clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
  pollfd watched{socket.get(), events, 0};
  return left.count() > 0 && poll(&watched, 1, static_cast<int>(left.count())) == 1;
}

descriptor connect_to(int family, const sockaddr* address, socklen_t size,
                      clock::time_point until) {
  descriptor made{socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!made.is_open()) return made;
  if (connect(made.get(), address, size) == 0) return made;
  if (errno != EINPROGRESS || !wait_for(made, POLLOUT, until)) return descriptor{-1};
  int error = 0;
  socklen_t error_size = sizeof error;
  getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &error, &error_size);
  return error == 0 ? std::move(made) : descriptor{-1};
}

descriptor connect_to_unix(const std::string& path, clock::time_point until) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                    until);
}

descriptor connect_to(const config::endpoint& to, clock::time_point until) {
  if (to.is_unix()) return connect_to_unix(to.path, until);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(to.port);
  if (getaddrinfo(to.host.c_str(), port.c_str(), &hints, &found) != 0) return descriptor{-1};
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    descriptor made = connect_to(one->ai_family, one->ai_addr, one->ai_addrlen, until);
    if (!made.is_open() && one->ai_next != nullptr) continue;
    freeaddrinfo(found);
    return made;
  }
  freeaddrinfo(found);
  return descriptor{-1};
}

// The whole reply, or what of it came in time.
std::string ask(const descriptor& socket, std::string_view request, clock::time_point until) {
  if (send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return {};
  }
  std::string reply;
  std::array<char, 512> part;
  while (reply.size() < max_reply_bytes && wait_for(socket, POLLIN, until)) {
    const ssize_t got = recv(socket.get(), part.data(), part.size(), 0);
    if (got <= 0) break;
    reply.append(part.data(), static_cast<std::size_t>(got));
  }
  return reply;
}

int fail(const std::string& where, std::string_view why) {
  std::fprintf(stderr, "%s: %.*s\n", where.c_str(), static_cast<int>(why.size()), why.data());
  return 1;
}

}  // namespace

int health(const std::optional<std::string>& admin) {
  config::flags given;
  given.admin = admin;
  const auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::look);
  if (const int status = report(loaded.problems); status != 0) return status;
  const config::endpoint& address = loaded.value.admin;
  const std::string where = to_string(address);
  const auto until = clock::now() + patience;
  const descriptor socket = connect_to(address, until);
  if (!socket.is_open()) return fail(where, "not reachable");
  const std::string reply = ask(
      socket, "GET /readyz HTTP/1.1\r\nHost: scattergate\r\nConnection: close\r\n\r\n", until);
  const std::string_view status_line = std::string_view{reply}.substr(0, reply.find('\r'));
  if (status_line.starts_with("HTTP/1.1 200")) return 0;
  if (status_line.empty()) return fail(where, "no answer");
  const std::size_t body = reply.find("\r\n\r\n");
  const std::string_view reason =
      body == reply.npos ? status_line : std::string_view{reply}.substr(body + 4);
  return fail(where, reason.empty() ? status_line : reason);
}

}  // namespace scattergate::app
