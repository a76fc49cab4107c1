#include "app/admin_client.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace scattergate::app {
namespace {

using clock = std::chrono::steady_clock;

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

descriptor connect_to(const net::endpoint& to, clock::time_point until) {
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

struct received {
  std::string bytes;
  bool is_whole = false;
};

// What of the reply comes in time.
received ask(const descriptor& socket, std::string_view request, std::size_t max_bytes,
             clock::time_point until) {
  if (send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return {};
  }
  received reply;
  std::array<char, 4096> part;
  while (reply.bytes.size() < max_bytes && wait_for(socket, POLLIN, until)) {
    const ssize_t got = recv(socket.get(), part.data(), part.size(), 0);
    reply.is_whole = got == 0;
    if (got <= 0) break;
    reply.bytes.append(part.data(), static_cast<std::size_t>(got));
  }
  return reply;
}

}  // namespace

admin_answer get_from_admin(const net::endpoint& address, std::string_view path,
                            std::size_t max_bytes, std::chrono::seconds patience) {
  const auto until = clock::now() + patience;
  const descriptor socket = connect_to(address, until);
  admin_answer answer;
  answer.is_connected = socket.is_open();
  if (!answer.is_connected) return answer;
  const std::string request = "GET " + std::string{path} +
                              " HTTP/1.1\r\nHost: scattergate\r\nConnection: close\r\n\r\n";
  received reply = ask(socket, request, max_bytes, until);
  answer.is_whole = reply.is_whole;
  answer.status_line = reply.bytes.substr(0, reply.bytes.find('\r'));
  const std::size_t head = reply.bytes.find("\r\n\r\n");
  if (head != reply.bytes.npos) answer.body = reply.bytes.substr(head + 4);
  return answer;
}

}  // namespace scattergate::app
