#include "proxy/takeover/handover.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace scattergate::proxy {
namespace {

/// Takes every descriptor that the process may still have, while it lives.
class no_descriptors {
 public:
  no_descriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{64, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    for (int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC); fd >= 0;
         fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 0)) {
      held_.emplace_back(fd);
    }
  }
  ~no_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<net::unique_fd> held_;
};

class handover_test : public ::testing::Test {
 protected:
  handover_test() {
    std::string name = (std::filesystem::temp_directory_path() / "sgXXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = (folder_ / "handover.sock").string();
  }
  ~handover_test() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] net::unique_fd ask() const {
    net::unique_fd made{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    EXPECT_EQ(
        ::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return made;
  }

  std::filesystem::path folder_;
  std::string path_;
  boost::asio::io_context control_;
  std::vector<offered_socket> offered_;
};

TEST_F(handover_test, rests_while_there_are_no_descriptors_and_then_answers) {
  const handover_server server{path_, offered_, control_, [] {}};
  // UBSan takes a pipe to look at an object the first time: before there are no descriptors.
  control_.poll();
  control_.restart();
  const net::unique_fd asking = ask();
  {
    const no_descriptors any_more;
    // It tries a few times a second; it would have tried thousands of times.
    EXPECT_LT(control_.run_for(std::chrono::milliseconds{500}), 20U);
  }
  control_.restart();
  std::string message(16, '\0');
  while (::recv(asking.get(), message.data(), message.size(), MSG_DONTWAIT) < 0) {
    control_.run_one_for(std::chrono::seconds{1});
  }
  EXPECT_EQ(message.substr(0, 3), "end");
}

/// Runs the predecessor's loop while a successor asks.
bool ask_while_running(boost::asio::io_context& control, predecessor_connection& successor,
                       const std::string& path) {
  std::atomic<bool> is_done = false;
  bool has_sockets = false;
  std::thread asking{[&] {
    inherited_sockets sockets;
    has_sockets = successor.ask(path, sockets);
    is_done = true;
  }};
  while (!is_done) {
    control.restart();
    control.run_for(std::chrono::milliseconds{10});
  }
  asking.join();
  return has_sockets;
}

TEST_F(handover_test, a_silent_connection_delays_the_next_only_a_little) {
  bool has_successor = false;
  const handover_server server{path_, offered_, control_, [&] { has_successor = true; }};
  const net::unique_fd silent = ask();
  predecessor_connection successor;
  ASSERT_TRUE(ask_while_running(control_, successor, path_));
  successor.stop();
  while (!has_successor) control_.run_one_for(std::chrono::seconds{1});
  char any = 0;
  while (::recv(silent.get(), &any, 1, MSG_DONTWAIT) > 0) {
  }
  EXPECT_EQ(::recv(silent.get(), &any, 1, MSG_DONTWAIT), 0) << "it is closed";
}

TEST_F(handover_test, of_two_successors_the_second_learns_that_it_has_lost) {
  bool has_successor = false;
  std::optional<handover_server> server{std::in_place, path_, offered_, control_,
                                        [&] { has_successor = true; }};
  predecessor_connection slow;
  ASSERT_TRUE(ask_while_running(control_, slow, path_));
  EXPECT_FALSE(slow.has_lost_to_another(path_));
  predecessor_connection quick;
  ASSERT_TRUE(ask_while_running(control_, quick, path_));
  const handover_server next{path_, offered_, control_, [] {}};  // of `quick`
  quick.stop();
  while (!has_successor) control_.run_one_for(std::chrono::seconds{1});
  EXPECT_TRUE(slow.has_lost_to_another(path_));
}

TEST_F(handover_test, a_predecessor_that_dies_leaves_its_sockets) {
  std::optional<handover_server> server{std::in_place, path_, offered_, control_, [] {}};
  predecessor_connection successor;
  ASSERT_TRUE(ask_while_running(control_, successor, path_));
  server.reset();
  EXPECT_FALSE(successor.has_lost_to_another(path_));
}

}  // namespace
}  // namespace scattergate::proxy
