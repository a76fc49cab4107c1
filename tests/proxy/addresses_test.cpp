// socket_address, proxy_header, listener, acceptor and connection_counts.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/system/system_error.hpp>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "proxy/acceptor.hpp"
#include "proxy/connection_counts.hpp"
#include "proxy/listener.hpp"
#include "proxy/proxy_header.hpp"
#include "proxy/socket_address.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "tests/proxy/socket_pair.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

socket_address tcp_address(const char* host, std::uint16_t port) {
  return tcp::endpoint{asio::ip::make_address(host), port};
}

TEST(socket_address, is_shown_as_users_write_it) {
  EXPECT_EQ(host_of(tcp_address("10.0.0.7", 1)), "10.0.0.7");
  EXPECT_EQ(host_of(tcp_address("::1", 1)), "::1");
  EXPECT_EQ(host_of(tcp_address("::ffff:10.0.0.7", 1)), "10.0.0.7");
  EXPECT_EQ(host_of(asio::local::stream_protocol::endpoint{"/run/x"}), "unix");
  EXPECT_EQ(to_string(endpoint_of(tcp_address("10.0.0.7", 27017))), "10.0.0.7:27017");
  EXPECT_EQ(to_string(endpoint_of(asio::local::stream_protocol::endpoint{"/run/x"})),
            "unix:/run/x");
}

TEST(socket_address, is_empty_where_there_is_no_peer) {
  const unique_fd alone{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  EXPECT_EQ(peer_of(alone.get()).size(), 0U);
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

TEST(proxy_header, tells_both_ends_of_a_tcp_connection_in_network_order) {
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

TEST(proxy_header, tells_no_address_of_a_unix_socket_or_of_who_has_gone) {
  const socket_address unix_end = asio::local::stream_protocol::endpoint{"/run/x"};
  EXPECT_EQ(numbers(proxy_header(unix_end, unix_end)), header({0x21, 0, 0, 0}));
  EXPECT_EQ(numbers(proxy_header({}, tcp_address("127.0.0.1", 1))), header({0x21, 0, 0, 0}));
  EXPECT_EQ(numbers(local_proxy_header()), header({0x20, 0, 0, 0}));
}

TEST(connection_counts, admits_up_to_each_limit_and_again_when_somebody_leaves) {
  connection_counts counts;
  config::limit_options limits;
  limits.connections = 3;
  limits.connections_per_address = 2;
  EXPECT_TRUE(counts.admit("a", limits));
  EXPECT_TRUE(counts.admit("a", limits));
  EXPECT_FALSE(counts.admit("a", limits));
  EXPECT_TRUE(counts.admit("b", limits));
  EXPECT_FALSE(counts.admit("c", limits));
  EXPECT_EQ(counts.total(), 3U);
  counts.leave("a");
  EXPECT_FALSE(counts.admit("a", {.connections = 2}));
  EXPECT_TRUE(counts.admit("a", limits));
  for (const char* host : {"a", "a", "b"}) counts.leave(host);
  EXPECT_EQ(counts.total(), 0U);
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

TEST(listener, takes_the_place_of_a_unix_socket_that_nobody_listens_to) {
  const std::string path = testing::TempDir() + "scattergate-listener-test.sock";
  ::unlink(path.c_str());
  const config::endpoint address{{}, 0, path};
  {
    const listener first = bind_listener(address, 4);
    EXPECT_EQ(first.sockets.size(), 1U);
    EXPECT_THROW((void)bind_listener(address, 4), boost::system::system_error);
  }
  const listener second = bind_listener(address, 4);  // the file of the first is still there
  EXPECT_EQ(second.sockets.size(), 1U);
  ::unlink(path.c_str());
}

class acceptor_test : public testing::Test {
 protected:
  void connect_once() {
    clients.push_back(begin_connect(local_of(listening)));
    ASSERT_TRUE(clients.back());
  }
  telemetry::metrics_collector collector{20};
  telemetry::worker_metrics& metrics = collector.add_worker();
  event_loop loop;
  listener bound = bind_listener({"127.0.0.1", 0, {}}, 1);
  int listening = bound.sockets.front().get();
  std::vector<unique_fd> accepted;
  std::vector<unique_fd> clients;
};

TEST_F(acceptor_test, accepts_all_that_come_and_nothing_when_stopped) {
  acceptor accepting{std::move(bound.sockets.front()), loop, metrics,
                     [&](unique_fd connection) {
                       accepted.push_back(std::move(connection));
                       if (accepted.size() == 200) loop.stop();
                     }};
  for (int i = 0; i < 200; ++i) connect_once();
  accepting.start();
  loop.run();
  EXPECT_EQ(accepted.size(), 200U);
  accepting.stop();
  accepting.resume();
  EXPECT_EQ(metrics.accept_failures.get(), 0U);
}

TEST_F(acceptor_test, rests_where_descriptors_have_run_out_and_goes_on_later) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // They run out behind the first connection: UndefinedBehaviorSanitizer needs some of its own
  // at the first call.
  acceptor accepting{
      std::move(bound.sockets.front()), loop, metrics, [&](unique_fd connection) {
        const rlimit none{static_cast<rlim_t>(connection.get()) + 1, before.rlim_max};
        accepted.push_back(std::move(connection));
        if (accepted.size() == 2) return loop.stop();
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
      }};
  connect_once();
  connect_once();
  accepting.start();
  int turns = 0;
  loop.every(std::chrono::milliseconds{1}, [&] {
    if (++turns == 10) ::setrlimit(RLIMIT_NOFILE, &before);
    if (turns % 5 == 0) accepting.resume();
  });
  loop.run();
  EXPECT_EQ(accepted.size(), 2U);
  EXPECT_GE(metrics.accept_failures.get(), 1U);  // once for each try, and not for each turn
  EXPECT_LE(metrics.accept_failures.get(), 3U);
}

}  // namespace
}  // namespace scattergate::proxy
