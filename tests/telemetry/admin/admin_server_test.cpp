#include "telemetry/admin/admin_server.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <list>
#include <ostream>
#include <string>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/sanitizer.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

namespace asio = boost::asio;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A client that sends given bytes and reads until the server closes.
class client {
 public:
  explicit client(const net::endpoint& to) : socket_(context_) {
    if (to.is_unix()) {
      socket_.connect(asio::local::stream_protocol::endpoint{to.path});
    } else {
      socket_.connect(asio::ip::tcp::endpoint{asio::ip::make_address(to.host), to.port});
    }
  }

  /// Does nothing if the server has closed already.
  void offer(std::string_view text) {
    boost::system::error_code ignored;
    asio::write(socket_, asio::buffer(text), ignored);
  }
  void end() { socket_.shutdown(asio::socket_base::shutdown_send); }

  void send(std::string_view text) { asio::write(socket_, asio::buffer(text)); }

  [[nodiscard]] std::string read_all() {
    std::string text;
    boost::system::error_code error;
    asio::read(socket_, asio::dynamic_buffer(text), error);
    return text;
  }

  [[nodiscard]] std::string read_some() {
    std::array<char, 4096> buffer{};
    boost::system::error_code error;
    const std::size_t size = socket_.read_some(asio::buffer(buffer), error);
    return {buffer.data(), size};
  }

 private:
  asio::io_context context_;
  asio::generic::stream_protocol::socket socket_;
};

class admin_server_test : public ::testing::Test {
 protected:
  admin_server_test() { server_.start(); }

  [[nodiscard]] std::string ask(std::string_view request) const {
    client peer{server_.bound()};
    peer.send(request);
    return peer.read_all();
  }

  metrics_collector metrics_{10};
  health health_;
  admin_server server_{net::listen_on({"127.0.0.1", 0, {}}), metrics_, health_, {}};
};

TEST_F(admin_server_test, serves_metrics) {
  const std::string answer =
      ask("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer,
              HasSubstr("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr("\nscattergate_connections 0\n"));
}

TEST_F(admin_server_test, answers_several_requests_on_one_connection) {
  const std::string answer =
      ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
          "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"
          "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 503 Service Unavailable"));
  EXPECT_THAT(answer, HasSubstr("not listening\nHTTP/1.1 404 Not Found"));
}

TEST_F(admin_server_test, answers_head_without_a_body) {
  const std::string answer =
      ask("HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(admin_server_test, answers_what_is_asked_before_the_client_ends_its_side) {
  client peer{server_.bound()};
  peer.send(
      "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nHEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  peer.end();
  const std::string answers = peer.read_all();
  EXPECT_THAT(answers, HasSubstr("\nscattergate_connections 0\n"));
  EXPECT_THAT(answers, EndsWith("\r\n\r\n"));
}

TEST_F(admin_server_test, an_answer_is_never_older_than_its_request) {
  client peer{server_.bound()};
  for (int i = 0; i < 50; ++i) {
    metrics_.facts().config_reloads = static_cast<std::uint64_t>(i);
    EXPECT_THAT(ask("GET /metrics?now HTTP/1.0\r\n\r\n"),
                HasSubstr("\nscattergate_config_reloads_total " + std::to_string(i) + "\n"));
  }
}

TEST_F(admin_server_test, speaks_http_1_0) {
  const std::string answer = ask("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.0 200 OK"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nok\n"));
}

TEST_F(admin_server_test, refuses_other_methods) {
  const std::string answer =
      ask("DELETE /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 Method Not Allowed"));
  EXPECT_THAT(answer, HasSubstr("\r\nAllow: GET, HEAD\r\n"));
}

TEST_F(admin_server_test, refuses_a_body) {
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello"),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(admin_server_test, refuses_a_header_of_too_many_short_lines) {
  std::string many = "GET /healthz HTTP/1.1\r\n";
  while (many.size() < 12'000) many += "X: y\r\n";
  EXPECT_THAT(ask(many + "\r\n"), StartsWith("HTTP/1.1 431 "));
}

TEST_F(admin_server_test, refuses_an_endless_header) {
  const std::string endless = "GET / HTTP/1.1\r\nHost: " + std::string(9'000, 'x');
  EXPECT_THAT(ask(endless), StartsWith("HTTP/1.1 431 "));
}

TEST_F(admin_server_test, refuses_what_is_not_http) {
  EXPECT_THAT(ask("\x16\x03\x01\x02\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost : x\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(admin_server_test, answers_while_others_hold_connections_open) {
  std::list<client> idle;
  for (int i = 0; i < 40; ++i) idle.emplace_back(server_.bound());
  EXPECT_THAT(ask("GET /healthz HTTP/1.0\r\n\r\n"), EndsWith("ok\n"));
}

/// Both ends of many connections are ours.
void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// A client that occupies connections.
struct holder {
  std::string_view name;
  std::string_view sends;
};
void PrintTo(const holder& each, std::ostream* to) {
  *to << each.name;
}

/// This process's resident memory; 0 under a sanitizer, which keeps freed memory.
std::size_t resident_bytes() {
  if (scattergate::tests::has_sanitizer) return 0;
  std::size_t virtual_pages = 0;
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> virtual_pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class admin_server_crowd_test : public admin_server_test,
                                public ::testing::WithParamInterface<holder> {};

INSTANTIATE_TEST_SUITE_P(
    all, admin_server_crowd_test,
    ::testing::Values(holder{"silent", ""},
                      holder{"slow_to_ask", "GET /metrics HTTP/1.1\r\nHost: "},
                      holder{"idle", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"},
                      holder{"never_reads", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"}),
    [](const auto& tested) { return std::string{tested.param.name}; });

TEST_P(admin_server_crowd_test, keeps_no_one_else_away) {
  // More than the kernel holds of one connection.
  metrics_.add_listener("a").show_upstreams(
      {{std::make_shared<upstream_facts>(std::string(1'000'000, 'u')), {}}});
  const std::size_t resident = resident_bytes();
  constexpr int crowd = 1'000;
  raise_descriptor_limit();
  std::list<client> held;
  for (int i = 0; i < crowd; ++i) {
    held.emplace_back(server_.bound());
    held.back().offer(GetParam().sends);
    if (i % 250 != 249) continue;
    EXPECT_THAT(ask("GET /healthz HTTP/1.0\r\n\r\n"), EndsWith("ok\n"));
    EXPECT_THAT(ask("GET /metrics HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.0 200"));
    // Some of the crowd had to go for it: it didn't wait until they had been there for too
    // long.
    EXPECT_GT(server_.guests_cut(), 0U);
    // An answer has some 3 MB: one for each of them would be 190 MB.
    EXPECT_LT(resident_bytes(), resident + 100'000'000);
  }
}

TEST_F(admin_server_test, survives_a_client_that_leaves_early) {
  for (int i = 0; i < 20; ++i) {
    client peer{server_.bound()};
    peer.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /met");
  }
  EXPECT_THAT(ask("GET /healthz HTTP/1.0\r\n\r\n"), EndsWith("ok\n"));
}

TEST_F(admin_server_test, refuses_an_address_that_is_taken) {
  EXPECT_THROW((void)net::listen_on(server_.bound()), boost::system::system_error);
}

TEST_F(admin_server_test, stops_with_connections_open) {
  client peer{server_.bound()};
  peer.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(peer.read_some(), Not(::testing::IsEmpty()));
  server_.stop();
  server_.stop();
  EXPECT_THROW(client{server_.bound()}, boost::system::system_error);
}

/// Whether this machine has the loopback address of IPv6.
bool has_ipv6() {
  asio::io_context context;
  boost::system::error_code error;
  asio::ip::tcp::acceptor probe{context};
  probe.open(asio::ip::tcp::v6(), error);
  if (!error) probe.bind({asio::ip::address_v6::loopback(), 0}, error);
  return !error;
}

TEST_F(admin_server_test, listens_on_ipv6) {
  if (!has_ipv6()) GTEST_SKIP() << "no IPv6 here";
  admin_server server{net::listen_on({"::1", 0, {}}), metrics_, health_, {}};
  server.start();
  client peer{server.bound()};
  peer.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_THAT(peer.read_all(), EndsWith("ok\n"));
}

TEST_F(admin_server_test, listens_on_a_unix_socket_and_replaces_a_stale_one) {
  const tests::temporary_folder folder;
  const net::endpoint address{"", 0, folder.file("admin.sock")};
  {
    // The leftover of a crash: a socket's file without a listener.
    asio::io_context context;
    asio::local::stream_protocol::acceptor left{context, {address.path}};
  }
  ASSERT_TRUE(std::filesystem::exists(address.path));
  {
    admin_server server{net::listen_on(address), metrics_, health_, {}};
    server.start();
    client peer{server.bound()};
    peer.send("GET /healthz HTTP/1.0\r\n\r\n");
    EXPECT_THAT(peer.read_all(), EndsWith("ok\n"));
    EXPECT_THROW((void)net::listen_on(address), boost::system::system_error);
  }
  net::forget_address(address);
  EXPECT_FALSE(std::filesystem::exists(address.path));
}

TEST_F(admin_server_test, leaves_a_file_in_its_sockets_place_alone) {
  const tests::temporary_folder folder;
  std::ofstream{folder.file("file")} << "precious";
  EXPECT_THROW((void)net::listen_on({"", 0, folder.file("file")}), boost::system::system_error);
  EXPECT_EQ(tests::read_file(folder.file("file")), "precious");
}

TEST(admin_server, shows_the_page_alone_at_the_pages_address) {
  metrics_collector metrics{10};
  const health health_now;
  net::listening_socket page_socket = net::listen_on({"127.0.0.1", 0, {}});
  const net::endpoint page = page_socket.bound;
  admin_server server{
      {net::listen_on({"127.0.0.1", 0, {}}), std::move(page_socket)}, metrics, health_now, {}};
  server.start();
  const auto status_of = [](const net::endpoint& at, std::string_view path) {
    client peer{at};
    peer.send("GET " + std::string{path} + " HTTP/1.0\r\nHost: localhost\r\n\r\n");
    return peer.read_all().substr(9, 3);
  };
  for (const std::string_view path : {"/metrics", "/healthz", "/metrics?x"}) {
    EXPECT_EQ(status_of(server.bound(), path), "200") << path;
    EXPECT_EQ(status_of(page, path), "404") << path;
  }
  EXPECT_EQ(status_of(server.bound(), "/"), "200");
  EXPECT_EQ(status_of(page, "/"), "200");
  EXPECT_EQ(status_of(page, "/page.js"), status_of(server.bound(), "/page.js"));
}

}  // namespace
}  // namespace scattergate::telemetry
