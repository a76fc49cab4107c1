#include "proxy/takeover/systemd.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/text/scalars.hpp"
#include "net/socket_address.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;

constexpr int first_inherited = 3;  // SD_LISTEN_FDS_START

std::uint64_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : config::parse_count(text).value_or(0);
}

bool is_listening(int fd) {
  int listens = 0;
  socklen_t size = sizeof listens;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens == 1;
}

bool listens_on(int fd, const net::endpoint& address) {
  const net::socket_address local = net::local_of(fd);
  if (address.is_unix()) return net::endpoint_of(local).path == address.path;
  const auto found = net::resolve(address);
  return found && std::find(found->begin(), found->end(), local) != found->end();
}

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

std::vector<net::unique_fd> inherited_sockets::take(const net::endpoint& address) {
  std::vector<net::unique_fd> taken;
  const std::string text = to_string(address);
  const auto first = std::find_if(sockets_.begin(), sockets_.end(), [&](const auto& one) {
    return one.first == text || listens_on(one.second.get(), address);
  });
  if (first == sockets_.end()) return taken;
  const net::socket_address local = net::local_of(first->second.get());
  std::erase_if(sockets_, [&](auto& one) {
    if (net::local_of(one.second.get()) != local) return false;
    taken.push_back(std::move(one.second));
    return true;
  });
  return taken;
}

void inherited_sockets::close_rest() {
  for (const auto& [configured, socket] : sockets_) {
    log::write(log::severity::warning, log::component::proxy, 1021,
               "Inherited socket closed; its address isn't configured",
               {{"address", to_string(net::endpoint_of(net::local_of(socket.get())))}});
  }
  sockets_.clear();
}

void inherit_from_systemd(inherited_sockets& into) {
  const bool is_ours = number_in("LISTEN_PID") == static_cast<std::uint64_t>(::getpid());
  const std::uint64_t count = is_ours ? number_in("LISTEN_FDS") : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const int fd = first_inherited + static_cast<int>(i);
    if (!is_listening(fd)) continue;
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    into.add({}, net::unique_fd{fd});
  }
  for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) {
    ::unsetenv(variable);
  }
}

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
