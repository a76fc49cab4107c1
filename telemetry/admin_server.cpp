#include "telemetry/admin_server.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "telemetry/admin_address.hpp"
#include "telemetry/admin_pages.hpp"
#include "telemetry/log.hpp"
#include "telemetry/spare_descriptors.hpp"

namespace scattergate::telemetry {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using protocol = asio::generic::stream_protocol;
using stream = boost::beast::basic_stream<protocol>;

constexpr std::size_t max_connections = 64;
constexpr std::size_t answers_in_want = 8;  // at once, with no descriptor free
constexpr std::size_t max_header_bytes = 8 * 1024;
constexpr std::chrono::seconds request_time{5};  // waiting for it, reading and answering it
constexpr std::chrono::milliseconds accept_pause{100};
constexpr std::chrono::seconds last_answers_time{1};
constexpr auto use_tuple = asio::as_tuple(asio::deferred);

using request_parser = http::request_parser<http::empty_body>;
using response = http::response<http::string_body>;

void log_failure(const std::exception_ptr& failure) noexcept {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    log::write(log::severity::error, log::component::admin, 8001,
               "An admin connection ended by an exception", {{"error", error.what()}});
  }
}

/// The status of the answer to a request that can't be read; none where only closing helps.
unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit) {
    return static_cast<unsigned>(http::status::request_header_fields_too_large);
  }
  if (error == http::error::unexpected_body || error == http::error::body_limit) {
    return static_cast<unsigned>(http::status::payload_too_large);
  }
  const bool is_http =
      error.category() == http::make_error_code(http::error::end_of_stream).category();
  const bool is_closed =
      error == http::error::end_of_stream || error == http::error::partial_message;
  return is_http && !is_closed ? static_cast<unsigned>(http::status::bad_request) : 0;
}

response framed(admin_reply reply, unsigned version, bool keep_alive) {
  response framed{static_cast<http::status>(reply.status), version};
  framed.set(http::field::server, "scattergate");
  framed.set(http::field::content_type, reply.content_type);
  framed.set(http::field::cache_control, "no-store");
  framed.set("X-Content-Type-Options", "nosniff");
  framed.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  if (framed.result() == http::status::method_not_allowed) {
    framed.set(http::field::allow, "GET, HEAD");
  }
  framed.keep_alive(keep_alive);
  framed.body() = std::move(reply.body);
  framed.prepare_payload();
  return framed;
}

// In optimised builds g++ 12 takes a coroutine frame that it has inlined for memory of another
// kind than Asio's operator delete frees.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

/// Writes the answer; of one to HEAD the header only. False where the connection is done.
asio::awaitable<bool> write(stream& to, response answer, bool is_head) {
  http::response_serializer<http::string_body> serializer{answer};
  error_code error;
  if (is_head) {
    std::tie(error, std::ignore) = co_await http::async_write_header(to, serializer, use_tuple);
  } else {
    std::tie(error, std::ignore) = co_await http::async_write(to, serializer, use_tuple);
  }
  co_return !error && answer.keep_alive();
}

/// Reads one request. The parser's own limit is one on each line and not on all of them.
asio::awaitable<error_code> read(stream& peer, boost::beast::flat_buffer& buffer,
                                 request_parser& parser) {
  parser.eager(true);
  parser.header_limit(max_header_bytes);
  std::size_t size = 0;
  while (!parser.is_done()) {
    const auto [error, bytes] = co_await http::async_read_some(peer, buffer, parser, use_tuple);
    if (error) co_return error;
    size += bytes;
    if (size > max_header_bytes) co_return http::error::header_limit;
  }
  co_return error_code{};
}

/// One request and its answer. False where the connection is done.
asio::awaitable<bool> serve_one(stream& peer, boost::beast::flat_buffer& buffer,
                                const admin_pages& pages, const bool& is_ending) {
  request_parser parser;
  peer.expires_after(request_time);
  const error_code error = co_await read(peer, buffer, parser);
  if (error) {
    const unsigned status = status_of(error);
    if (status == 0) co_return false;
    admin_reply refusal{.status = status, .body = "this request can't be answered\n"};
    co_return co_await write(peer, framed(std::move(refusal), 11, false), false);
  }
  const auto& request = parser.get();
  admin_reply reply = pages.answer(request.method_string(), request.target());
  const bool is_head = request.method() == http::verb::head;
  const bool may_ask_again = request.keep_alive() && !is_ending;
  co_return co_await write(peer, framed(std::move(reply), request.version(), may_ask_again),
                           is_head);
}

asio::awaitable<void> serve(stream peer, const admin_pages& pages, const bool& is_ending) {
  boost::beast::flat_buffer buffer{2 * max_header_bytes};
  while (co_await serve_one(peer, buffer, pages, is_ending)) {
  }
  error_code ignored;
  peer.socket().shutdown(asio::socket_base::shutdown_send, ignored);
}

#pragma GCC diagnostic pop

}  // namespace

struct admin_server::impl {
  impl(listening_socket socket, const metrics_collector& metrics, const health& health_now,
       bool page)
      : pages(metrics, health_now, page),
        acceptor(context),
        slot_free(context),
        farewell(context) {
    acceptor.assign(protocol{socket.family, 0}, socket.fd);
    bound = std::move(socket.bound);
  }

  asio::awaitable<void> accept_all();
  void run() noexcept;
  void leave();

  admin_pages pages;
  asio::io_context context{1};
  asio::basic_socket_acceptor<protocol> acceptor;
  asio::steady_timer slot_free;
  asio::steady_timer farewell;
  spare_descriptors spare{answers_in_want * spare_descriptors::per_answer};
  std::size_t open = 0;
  bool is_ending = false;   // nothing more is accepted
  bool is_leaving = false;  // nor waited for, but for the last answers
  config::endpoint bound;
  std::thread thread;
};

asio::awaitable<void> admin_server::impl::accept_all() {
  while (acceptor.is_open()) {
    if (open >= max_connections) {
      slot_free.expires_at(asio::steady_timer::time_point::max());
      co_await slot_free.async_wait(use_tuple);
      continue;
    }
    auto [error, socket] = co_await acceptor.async_accept(use_tuple);
    if (error == asio::error::no_descriptors && spare.release()) continue;
    if (error) {  // not at once again
      slot_free.expires_after(accept_pause);
      co_await slot_free.async_wait(use_tuple);
      continue;
    }
    ++open;
    asio::co_spawn(context, serve(stream{std::move(socket)}, pages, is_ending),
                   [this](const std::exception_ptr& failure) {
                     --open;
                     spare.refill();
                     slot_free.cancel();
                     if (is_leaving && open == 0) context.stop();
                     log_failure(failure);
                   });
  }
}

void admin_server::impl::leave() {
  if (!is_ending || open == 0) return context.stop();
  is_leaving = true;
  farewell.expires_after(last_answers_time);
  farewell.async_wait([this](const error_code&) { context.stop(); });
}

void admin_server::impl::run() noexcept {
  log::set_thread_name("admin");
  while (!context.stopped()) {
    try {
      context.run();
    } catch (...) {
      log_failure(std::current_exception());
    }
  }
}

admin_server::admin_server(const config::endpoint& address, const metrics_collector& metrics,
                           const health& health_now, bool page)
    : admin_server(listen_on(address), metrics, health_now, page) {}

admin_server::admin_server(listening_socket socket, const metrics_collector& metrics,
                           const health& health_now, bool page)
    : impl_(std::make_unique<impl>(std::move(socket), metrics, health_now, page)) {}

admin_server::~admin_server() {
  stop();
}

void admin_server::show_samples(std::function<std::string()> lines) {
  impl_->pages.show_samples(std::move(lines));
}

void admin_server::start() {
  asio::co_spawn(impl_->context, impl_->accept_all(), log_failure);
  impl_->thread = std::thread{[this] { impl_->run(); }};
}

void admin_server::stop_accepting() {
  asio::post(impl_->context, [this] {
    error_code ignored;
    impl_->is_ending = true;
    impl_->acceptor.close(ignored);
    impl_->slot_free.cancel();
  });
}

void admin_server::stop() {
  asio::post(impl_->context, [this] { impl_->leave(); });
  if (impl_->thread.joinable()) impl_->thread.join();
  error_code ignored;
  impl_->acceptor.close(ignored);
}

config::endpoint admin_server::bound() const {
  return impl_->bound;
}

}  // namespace scattergate::telemetry
