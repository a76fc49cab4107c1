#include "app/gate/test_marker.hpp"

#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "text/percent.hpp"

namespace scattergate::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::string_view path = "/test";
constexpr std::size_t max_body = 16UL << 10;
constexpr std::size_t max_marking_connections = 256;
/// The maximum time until a connection's next request has arrived.
constexpr std::chrono::seconds request_time{60};

/// Applies a request to the running tests. Returns the status to reply with.
http::status mark(telemetry::running_tests& tests,
                  const http::request<http::string_body>& request) {
  const std::string_view target{request.target().data(), request.target().size()};
  if (target.substr(0, target.find('?')) != path) return http::status::not_found;
  const std::string worker = text::percent_decoded(text::query_parameter(target, "worker"));
  const bool begins =
      request.method() == http::verb::put || request.method() == http::verb::post;
  if (!begins && request.method() != http::verb::delete_) {
    return http::status::method_not_allowed;
  }
  if (begins && !request.body().empty()) {
    tests.begin(worker, request.body());
  } else {
    tests.end(worker);
  }
  return http::status::no_content;
}

}  // namespace

struct test_marker::impl {
  /// Reads and answers the requests of a connection, until it ends, fails or times out.
  asio::awaitable<void> serve(beast::tcp_stream peer) {
    beast::flat_buffer buffer{2 * max_body};
    for (bool goes_on = true; goes_on;) {
      peer.expires_after(request_time);
      http::request_parser<http::string_body> parser;
      parser.body_limit(max_body);
      co_await http::async_read(peer, buffer, parser, asio::use_awaitable);
      http::response<http::empty_body> reply{mark(*tests, parser.get()),
                                             parser.get().version()};
      reply.keep_alive(parser.get().keep_alive());
      reply.prepare_payload();
      co_await http::async_write(peer, reply, asio::use_awaitable);
      goes_on = reply.keep_alive();
    }
  }

  asio::awaitable<void> accept() {
    for (;;) {
      beast::tcp_stream peer{co_await acceptor.async_accept(asio::use_awaitable)};
      if (open == max_marking_connections) continue;
      ++open;
      asio::co_spawn(context, serve(std::move(peer)),
                     [this](const std::exception_ptr&) { --open; });
    }
  }

  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  std::shared_ptr<telemetry::running_tests> tests =
      std::make_shared<telemetry::running_tests>();
  std::size_t open = 0;
  std::thread thread;
};

test_marker::test_marker() : impl_(std::make_unique<impl>()) {}

test_marker::~test_marker() {
  impl_->context.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

text::result<void> test_marker::start() {
  try {
    const tcp::endpoint any{asio::ip::address_v4::loopback(), 0};
    impl_->acceptor.open(any.protocol());
    impl_->acceptor.bind(any);
    impl_->acceptor.listen();
    asio::co_spawn(impl_->context, impl_->accept(), asio::detached);
    impl_->thread = std::thread{[this] { impl_->context.run(); }};
  } catch (const std::exception& failure) {
    return text::problem{"--test-marker", failure.what()};
  }
  return {};
}

std::string test_marker::url() const {
  return "http://127.0.0.1:" + std::to_string(impl_->acceptor.local_endpoint().port()) +
         std::string{path};
}

std::shared_ptr<const telemetry::running_tests> test_marker::tests() const {
  return impl_->tests;
}

}  // namespace scattergate::app
