#include "proxy/takeover/service_manager.hpp"

#include <cstdlib>
#include <ctime>

#include <sys/socket.h>
#include <sys/un.h>

#include "net/socket_address.hpp"

namespace scattergate::proxy {
namespace {

/// The time by CLOCK_MONOTONIC, which systemd compares with the time of its reload request.
std::string monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::to_string(now.tv_sec * 1'000'000LL + now.tv_nsec / 1000);
}

/// Replaces line breaks by spaces: in a datagram, a line break begins another assignment.
std::string one_line(std::string_view text) {
  std::string line{text};
  for (char& each : line) {
    if (each == '\n') each = ' ';
  }
  return line;
}

}  // namespace

service_manager service_manager::from_environment() {
  const char* socket = std::getenv("NOTIFY_SOCKET");
  return service_manager{socket == nullptr ? std::string{} : std::string{socket}};
}

void service_manager::notify_ready(std::string_view status) const {
  send("READY=1\nSTATUS=" + one_line(status));
}

void service_manager::notify_reloading() const {
  send("RELOADING=1\nMONOTONIC_USEC=" + monotonic_microseconds());
}

void service_manager::notify_stopping(std::string_view status) const {
  send("STOPPING=1\nSTATUS=" + one_line(status));
}

void service_manager::send(std::string_view state) const {
  if (socket_.size() < 2 || socket_.size() >= sizeof sockaddr_un::sun_path) return;
  std::string name = socket_;
  if (name.front() == '@') name.front() = '\0';
  const net::socket_address to = net::unix_address(name);
  const net::unique_fd from{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!from) return;
  ::sendto(from.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT, to.data(),
           to.size());
}

}  // namespace scattergate::proxy
