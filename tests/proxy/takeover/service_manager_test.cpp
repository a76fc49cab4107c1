#include <array>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/unique_fd.hpp"
#include "proxy/takeover/systemd.hpp"

namespace scattergate::proxy {
namespace {

/// A stand-in for systemd: a datagram socket, at a path or (with '@') of an abstract name.
class manager_socket {
 public:
  explicit manager_socket(const std::string& name)
      : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  }

  /// The datagrams that have come, each followed by a bar.
  [[nodiscard]] std::string take_all() const {
    std::string all;
    std::array<char, 4096> part;
    ssize_t size = 0;
    while ((size = ::recv(fd_.get(), part.data(), part.size(), 0)) > 0) {
      all.append(part.data(), static_cast<std::size_t>(size)).append("|");
    }
    return all;
  }

 private:
  net::unique_fd fd_;
};

std::string own_name(const std::string& suffix) {
  return "scattergate-notify-" + std::to_string(::getpid()) + suffix;
}

TEST(service_manager, is_notified_at_a_path) {
  const auto path = std::filesystem::temp_directory_path() / own_name("-path");
  const manager_socket systemd{path.string()};
  service_manager{path.string()}.notify_ready("Listening");
  EXPECT_EQ(systemd.take_all(), "READY=1\nSTATUS=Listening|");
  std::filesystem::remove(path);
}

TEST(service_manager, is_notified_under_an_abstract_name) {
  const std::string name = "@" + own_name("-abstract");
  const manager_socket systemd{name};
  service_manager{name}.notify_stopping("Draining");
  EXPECT_EQ(systemd.take_all(), "STOPPING=1\nSTATUS=Draining|");
}

TEST(service_manager, is_notified_when_a_reload_began) {
  const std::string name = "@" + own_name("-reload");
  const manager_socket systemd{name};
  timespec before{};
  clock_gettime(CLOCK_MONOTONIC, &before);
  service_manager{name}.notify_reloading();
  const std::string sent = systemd.take_all();
  const std::string start = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_TRUE(sent.starts_with(start)) << sent;
  EXPECT_GE(std::stoll(sent.substr(start.size())), before.tv_sec * 1'000'000);
}

TEST(service_manager, reads_one_state_from_one_status) {
  const std::string name = "@" + own_name("-line");
  const manager_socket systemd{name};
  service_manager{name}.notify_ready("bad.yaml:3:\nSTOPPING=1");
  EXPECT_EQ(systemd.take_all(), "READY=1\nSTATUS=bad.yaml:3: STOPPING=1|");
}

TEST(service_manager, need_not_be_there) {
  const std::array<std::string, 4> unreachable{"", "/", "/nonexistent/notify",
                                               std::string(200, 'x')};
  for (const std::string& name : unreachable) {
    const service_manager manager{name};
    manager.notify_reloading();
    manager.notify_ready("Listening");
  }
}

}  // namespace
}  // namespace scattergate::proxy
