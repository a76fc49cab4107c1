// socket_address, peer_key, proxy_header and listener.

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/system_error.hpp>
#include <netinet/in.h>
#include <sys/un.h>

#include "net/listener.hpp"
#include "net/network.hpp"
#include "net/socket_address.hpp"
#include "tests/net/socket_pair.hpp"

namespace scattergate::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

socket_address tcp_address(const char* host, std::uint16_t port) {
  const tcp::endpoint made{asio::ip::make_address(host), port};
  return {made.data(), made.size()};
}

TEST(socket_address, is_shown_as_users_write_it) {
  EXPECT_EQ(host_of(tcp_address("10.0.0.7", 1)), "10.0.0.7");
  EXPECT_EQ(host_of(tcp_address("::1", 1)), "::1");
  EXPECT_EQ(host_of(tcp_address("::ffff:10.0.0.7", 1)), "10.0.0.7");
  EXPECT_EQ(host_of(unix_address("/run/x")), "unix");
  EXPECT_EQ(to_string(endpoint_of(tcp_address("10.0.0.7", 27017))), "10.0.0.7:27017");
  EXPECT_EQ(to_string(endpoint_of(unix_address("/run/x"))), "unix:/run/x");
}

TEST(socket_address, is_empty_where_there_is_no_peer) {
  const unique_fd alone{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  EXPECT_EQ(peer_of(alone.get()).size(), 0U);
}

TEST(socket_address, is_found_for_what_users_write) {
  EXPECT_EQ(resolve({"127.0.0.1", 27017, {}}).value().front(), tcp_address("127.0.0.1", 27017));
  EXPECT_EQ(resolve({"::1", 1, {}}).value().front(), tcp_address("::1", 1));
  EXPECT_EQ(resolve({{}, 0, "/run/x"}).value(), std::vector{unix_address("/run/x")});
}

TEST(socket_address, has_a_port_unless_it_is_of_a_unix_socket) {
  EXPECT_EQ(port_of(tcp_address("10.0.0.7", 27017)), 27017);
  EXPECT_EQ(port_of(tcp_address("::1", 27018)), 27018);
  EXPECT_EQ(port_of(unix_address("/run/x")), 0);
}

TEST(peer_key, has_a_text_for_people) {
  EXPECT_EQ(peer_text({127, 0, 0, 1}), "127.0.0.1");
  EXPECT_EQ(peer_text({0x20, 0x01, 0x0d, static_cast<char>(0xb8), 0, 1, 0, 2}),
            "2001:db8:1:2::/64");
  EXPECT_EQ(peer_text("uid:1000"), "uid:1000");
  EXPECT_EQ(peer_text("uid:0"), "uid:0");
  EXPECT_EQ(peer_text(""), "unknown");
}

TEST(peer_key, is_the_address_of_a_tcp_peer_without_its_port) {
  const listening_socket listening = listen_on({"127.0.0.1", 0, {}});
  const unique_fd peer = begin_connect(local_of(listening.socket.get()));
  EXPECT_EQ(peer_key(peer.get()), (std::string{127, 0, 0, 1}));
}

TEST(peer_key, is_that_of_ipv4_where_ipv6_maps_it) {
  const listening_socket listening = listen_on({"127.0.0.1", 0, {}});
  const unique_fd peer =
      begin_connect(tcp_address("::ffff:127.0.0.1", port_of(local_of(listening.socket.get()))));
  EXPECT_EQ(peer_key(peer.get()), (std::string{127, 0, 0, 1}));
}

TEST(peer_key, is_the_user_at_the_other_end_of_a_unix_socket) {
  const socket_pair pair;
  EXPECT_EQ(peer_key(pair.ours.get()), "uid:" + std::to_string(::geteuid()));
  EXPECT_EQ(peer_user(pair.ours.get()), ::geteuid());
}

TEST(peer_key, is_empty_where_there_is_no_peer) {
  const unique_fd alone{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  EXPECT_EQ(peer_key(alone.get()), "");
}

std::vector<int> numbers(const std::vector<std::byte>& bytes) {
  std::vector<int> made;
  for (const auto each : bytes) made.push_back(std::to_integer<int>(each));
  return made;
}

// The bytes are those of the PROXY protocol's specification, section 2.2.
constexpr int signature[] = {0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d,
                             0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};

std::vector<int> header(std::vector<int> rest) {
  rest.insert(rest.begin(), std::begin(signature), std::end(signature));
  return rest;
}

TEST(proxy_header, reports_both_ends_of_a_tcp_connection_in_network_order) {
  EXPECT_EQ(
      numbers(proxy_header(tcp_address("10.1.2.3", 0x1234), tcp_address("127.0.0.1", 27017))),
      header({0x21, 0x11, 0, 12, 10, 1, 2, 3, 127, 0, 0, 1, 0x12, 0x34, 0x69, 0x89}));
  std::vector<int> v6{0x21, 0x21, 0, 36};
  v6.insert(v6.end(), {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5});
  v6.insert(v6.end(), {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  v6.insert(v6.end(), {0x00, 0x50, 0x69, 0x89});
  EXPECT_EQ(numbers(proxy_header(tcp_address("2001:db8::5", 80), tcp_address("::1", 27017))),
            header(v6));
}

TEST(proxy_header, reports_no_address_of_a_unix_socket_or_of_who_has_gone) {
  const socket_address unix_end = unix_address("/run/x");
  EXPECT_EQ(numbers(proxy_header(unix_end, unix_end)), header({0x21, 0, 0, 0}));
  EXPECT_EQ(numbers(proxy_header({}, tcp_address("127.0.0.1", 1))), header({0x21, 0, 0, 0}));
  EXPECT_EQ(numbers(local_proxy_header()), header({0x20, 0, 0, 0}));
}

TEST(listener, takes_a_free_port_for_0_with_a_socket_for_each_worker) {
  const listener made = bind_listener({"127.0.0.1", 0, {}}, 3);
  EXPECT_NE(made.bound.port, 0);
  EXPECT_EQ(made.sockets.size(), 3U);
  for (const auto& each : made.sockets) {
    EXPECT_EQ(to_string(endpoint_of(local_of(each.get()))), to_string(made.bound));
    EXPECT_NE(::fcntl(each.get(), F_GETFL) & O_NONBLOCK, 0);
  }
}

TEST(listener, refuses_an_address_where_another_instance_listens) {
  const listener made = bind_listener({"127.0.0.1", 0, {}}, 2);
  EXPECT_THROW((void)bind_listener(made.bound, 2), boost::system::system_error);
}

TEST(listener, takes_the_place_of_a_unix_socket_that_no_one_listens_to) {
  const std::string path = testing::TempDir() + "scattergate-listener-test.sock";
  ::unlink(path.c_str());
  const endpoint address{{}, 0, path};
  {
    const listener first = bind_listener(address, 4);
    EXPECT_EQ(first.sockets.size(), 1U);
    EXPECT_THROW((void)bind_listener(address, 4), boost::system::system_error);
  }
  const listener second = bind_listener(address, 4);  // the file of the first is still there
  EXPECT_EQ(second.sockets.size(), 1U);
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace scattergate::net
