#include "net/blocking_connection.hpp"

#include <array>
#include <cerrno>
#include <string>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "net/listener.hpp"
#include "tests/net/socket_pair.hpp"

namespace scattergate::net {
namespace {

using clock = blocking_connection::clock;
using status = io_result::status;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A timeout that a passing test never reaches.
constexpr seconds plenty{30};

class blocking_connection_test : public testing::Test {
 protected:
  [[nodiscard]] blocking_connection begin(clock::duration patience, int stop = -1) const {
    return {local_of(listening_.socket.get()), clock::now() + patience, stop};
  }

  /// The other end, which blocks.
  [[nodiscard]] unique_fd accept() const {
    return unique_fd{::accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  }

 private:
  listening_socket listening_ = listen_on({"127.0.0.1", 0, {}});
};

TEST_F(blocking_connection_test, writes_all_and_reads_what_comes_until_the_end) {
  auto ours = begin(plenty);
  ASSERT_TRUE(ours.await_connected());
  unique_fd theirs = accept();
  EXPECT_TRUE(ours.write(std::as_bytes(std::span{std::string_view{"hello"}})));
  EXPECT_EQ(receive(theirs.get()), "hello");
  send_all(theirs.get(), "abcdef");
  theirs.reset();
  std::array<char, 4> room{};
  EXPECT_TRUE(ours.read(std::as_writable_bytes(std::span{room})));
  EXPECT_EQ((std::string_view{room.data(), room.size()}), "abcd");
  EXPECT_EQ(ours.read_some(std::as_writable_bytes(std::span{room})).bytes, 2U);
  EXPECT_EQ(ours.read_some(std::as_writable_bytes(std::span{room})).what, status::ended);
}

TEST_F(blocking_connection_test, waits_until_its_deadline_and_no_longer) {
  auto ours = begin(milliseconds{50});
  ASSERT_TRUE(ours.await_connected());
  std::array<std::byte, 4> room{};
  EXPECT_EQ(ours.read_some(room).what, status::blocked);
  EXPECT_FALSE(ours.read(room));
}

TEST_F(blocking_connection_test, ends_where_it_must_stop) {
  const socket_pair stop;
  auto ours = begin(plenty, stop.ours.get());
  ASSERT_TRUE(ours.await_connected());
  send_all(stop.theirs.get(), "!");
  std::array<std::byte, 4> room{};
  EXPECT_EQ(ours.read_some(room).what, status::blocked);
}

TEST_F(blocking_connection_test, is_not_connected_where_no_one_listens) {
  listening_socket gone = listen_on({"127.0.0.1", 0, {}});
  const socket_address address = local_of(gone.socket.get());
  gone.socket.reset();
  EXPECT_FALSE(blocking_connection(address, clock::now() + plenty).await_connected());
}

TEST_F(blocking_connection_test, says_that_there_is_no_descriptor) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto ours = begin(plenty);
  const bool is_connected = ours.await_connected();
  const int error = errno;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(is_connected);
  EXPECT_EQ(error, EMFILE);
}

TEST_F(blocking_connection_test, notices_a_peer_that_has_vanished) {
  auto ours = begin(plenty);
  ASSERT_TRUE(ours.await_connected());
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(ours.fd(), level, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE) +
                option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT),
            210);
}

}  // namespace
}  // namespace scattergate::net
