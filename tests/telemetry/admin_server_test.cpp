#include "telemetry/admin_server.hpp"

#include <array>
#include <filesystem>
#include <list>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

namespace asio = boost::asio;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A client that sends what it is told and reads until the server closes.
/// Thread-safety: one thread.
class client {
 public:
  explicit client(const config::endpoint& to) : socket_(context_) {
    if (to.is_unix()) {
      socket_.connect(asio::local::stream_protocol::endpoint{to.path});
    } else {
      socket_.connect(asio::ip::tcp::endpoint{asio::ip::make_address(to.host), to.port});
    }
  }

  void send(std::string_view text) { asio::write(socket_, asio::buffer(text)); }

  [[nodiscard]] std::string read_all() {
    std::string text;
    boost::system::error_code error;
    asio::read(socket_, asio::dynamic_buffer(text), error);
    return text;
  }

  [[nodiscard]] bool has_answer() const { return socket_.available() != 0; }

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
  admin_server server_{{"127.0.0.1", 0, {}}, metrics_, health_, true};
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
          "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
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

TEST_F(admin_server_test, lets_those_beyond_the_bound_wait_until_there_is_room) {
  std::list<client> idle;
  for (int i = 0; i < 64; ++i) {
    idle.emplace_back(server_.bound());
    idle.back().send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(idle.back().read_some(), StartsWith("HTTP/1.1 200"));
  }
  client waiting{server_.bound()};
  waiting.send("GET /healthz HTTP/1.0\r\n\r\n");
  idle.back().send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(idle.back().read_some(), StartsWith("HTTP/1.1 200"));
  EXPECT_FALSE(waiting.has_answer());
  idle.pop_front();
  EXPECT_THAT(waiting.read_all(), EndsWith("ok\n"));
}

TEST_F(admin_server_test, survives_a_client_that_leaves_early) {
  for (int i = 0; i < 20; ++i) {
    client peer{server_.bound()};
    peer.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /met");
  }
  EXPECT_THAT(ask("GET /healthz HTTP/1.0\r\n\r\n"), EndsWith("ok\n"));
}

TEST_F(admin_server_test, refuses_an_address_that_is_taken) {
  EXPECT_THROW((admin_server{server_.bound(), metrics_, health_, true}),
               boost::system::system_error);
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
  admin_server server{{"::1", 0, {}}, metrics_, health_, true};
  server.start();
  client peer{server.bound()};
  peer.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_THAT(peer.read_all(), EndsWith("ok\n"));
}

TEST_F(admin_server_test, listens_on_a_unix_socket_and_replaces_a_stale_one) {
  const tests::temporary_folder folder;
  const config::endpoint address{"", 0, folder.file("admin.sock")};
  {
    // What a crash leaves behind: a socket's file that nobody listens on.
    asio::io_context context;
    asio::local::stream_protocol::acceptor left{context, {address.path}};
  }
  ASSERT_TRUE(std::filesystem::exists(address.path));
  {
    admin_server server{address, metrics_, health_, true};
    server.start();
    client peer{server.bound()};
    peer.send("GET /healthz HTTP/1.0\r\n\r\n");
    EXPECT_THAT(peer.read_all(), EndsWith("ok\n"));
    EXPECT_THROW((admin_server{address, metrics_, health_, true}), boost::system::system_error);
  }
  forget_address(address);
  EXPECT_FALSE(std::filesystem::exists(address.path));
}

TEST_F(admin_server_test, leaves_a_file_in_its_sockets_place_alone) {
  const tests::temporary_folder folder;
  std::ofstream{folder.file("file")} << "precious";
  EXPECT_THROW((admin_server{{"", 0, folder.file("file")}, metrics_, health_, true}),
               boost::system::system_error);
  EXPECT_EQ(tests::read_file(folder.file("file")), "precious");
}

}  // namespace
}  // namespace scattergate::telemetry
