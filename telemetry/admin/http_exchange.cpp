#include "telemetry/admin/http_exchange.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/write.hpp>
#include <poll.h>

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::seconds event_time{5};  // the peer must accept an event within this time
constexpr std::string_view events_begin = "retry: 3000\n\n";  // milliseconds (HTML standard,
                                                              // 9.2.6)

/// Forbids inline code, other origins and framing.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

constexpr std::size_t read_bytes = 4 * 1024;  // per read

using response = http::response<http::empty_body>;

/// Adds the security headers that every answer has.
void guard(response& answer) {
  answer.set(http::field::server, "scattergate");
  answer.set(http::field::cache_control, "no-store");
  answer.set("X-Content-Type-Options", "nosniff");
  answer.set("Referrer-Policy", "no-referrer");
  answer.set("Content-Security-Policy", content_policy);
}

std::string text_of(const response& answer) {
  std::ostringstream text;
  text << answer.base();
  return std::move(text).str();
}

}  // namespace

struct admin_stream::impl {
  using timed_stream = boost::beast::basic_stream<asio::generic::stream_protocol>;

  impl(socket connected, net::ssl_handle state) : plain(std::move(connected)) {
    if (state) tls.emplace(plain, state.release());  // takes ownership
  }

  timed_stream plain;
  std::optional<asio::ssl::stream<timed_stream&>> tls;
};

admin_stream::admin_stream(socket connected, net::ssl_handle tls)
    : impl_(std::make_unique<impl>(std::move(connected), std::move(tls))) {}

admin_stream::~admin_stream() = default;

void admin_stream::expires_after(std::chrono::steady_clock::duration time) {
  impl_->plain.expires_after(time);
}

void admin_stream::expires_never() {
  impl_->plain.expires_never();
}

// g++ 12 wrongly warns, in optimised builds, that an inlined coroutine frame is freed with
// Asio's operator delete.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

asio::awaitable<void> admin_stream::handshake(error_code& error) {
  if (!impl_->tls) co_return;
  std::tie(error) =
      co_await impl_->tls->async_handshake(asio::ssl::stream_base::server, use_tuple);
}

asio::awaitable<void> admin_stream::read_some(asio::mutable_buffer room, std::size_t& bytes,
                                              error_code& error) {
  if (impl_->tls) {
    std::tie(error, bytes) = co_await impl_->tls->async_read_some(room, use_tuple);
  } else {
    std::tie(error, bytes) = co_await impl_->plain.async_read_some(room, use_tuple);
  }
}

asio::awaitable<void> admin_stream::write(std::array<asio::const_buffer, 2> parts,
                                          error_code& error) {
  if (impl_->tls) {
    std::tie(error, std::ignore) = co_await asio::async_write(*impl_->tls, parts, use_tuple);
  } else {
    std::tie(error, std::ignore) = co_await asio::async_write(impl_->plain, parts, use_tuple);
  }
}

#pragma GCC diagnostic pop

void admin_stream::end_writes() {
  error_code ignored;
  impl_->plain.socket().shutdown(asio::socket_base::shutdown_send, ignored);
}

/// Not by reading: with TLS, the peer's goodbye (close_notify) stays unread.
bool admin_stream::has_left() {
  pollfd peer{impl_->plain.socket().native_handle(), POLLRDHUP, 0};
  return ::poll(&peer, 1, 0) > 0;
}

void admin_stream::close() {
  impl_->plain.close();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // see admin_stream.cpp

asio::awaitable<void> send_events(admin_stream& peer, unsigned version, event_source& from) {
  const std::string header = event_stream_header(version);
  std::array parts{asio::buffer(header), asio::buffer(events_begin)};
  std::shared_ptr<const std::string> next;  // owns the text that `parts` points into
  for (error_code error;;) {
    peer.expires_after(event_time);
    co_await peer.write(parts, error);
    peer.expires_never();
    if (error || !from.is_open()) break;
    asio::steady_timer* const awaited = from.awaited();
    if (awaited != nullptr) co_await awaited->async_wait(use_tuple);
    next = from.next();
    parts = {asio::buffer(*next), asio::const_buffer{}};
  }
}

#pragma GCC diagnostic pop

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

framed_answer framed(const admin_reply& reply, unsigned version, bool keep_alive) {
  response framed{static_cast<http::status>(reply.status), version};
  framed.set(http::field::content_type, reply.content_type);
  framed.set(http::field::vary, "Accept, Accept-Encoding");
  if (reply.coding != content_coding::identity) {
    framed.set(http::field::content_encoding, label(reply.coding));
  }
  guard(framed);
  if (framed.result() == http::status::unauthorized) {
    framed.set(http::field::www_authenticate, "Basic realm=\"scattergate\", charset=\"UTF-8\"");
  }
  if (framed.result() == http::status::method_not_allowed) {
    framed.set(http::field::allow, "GET, HEAD");
  }
  framed.keep_alive(keep_alive);
  framed.content_length(reply.body.size());
  return {text_of(framed), reply.body, framed.keep_alive()};
}

std::string event_stream_header(unsigned version) {
  response framed{http::status::ok, version};
  guard(framed);
  framed.set(http::field::content_type, "text/event-stream");
  framed.keep_alive(false);
  return text_of(framed);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // see admin_stream.cpp

asio::awaitable<void> write(admin_stream& to, const framed_answer& answer, bool is_head,
                            bool& goes_on) {
  error_code error;
  const std::string_view body = is_head ? std::string_view{} : answer.body;
  const std::array parts{asio::buffer(answer.header), asio::buffer(body)};
  co_await to.write(parts, error);
  goes_on = !error && answer.keeps_alive;
}

asio::awaitable<void> read(admin_stream& peer, boost::beast::flat_buffer& buffer,
                           request_parser& parser, error_code& error) {
  parser.eager(true);
  // The parser's own limit applies to each line, not to the whole header.
  parser.header_limit(max_header_bytes);
  std::size_t size = 0;
  for (;;) {
    if (buffer.size() != 0) {
      const std::size_t used = parser.put(buffer.data(), error);
      buffer.consume(used);
      size += used;
      if (error == http::error::need_more) error = {};
      if (!error && size > max_header_bytes) error = http::error::header_limit;
      if (error || parser.is_done()) co_return;
    }
    if (buffer.size() + read_bytes > buffer.max_size()) {
      error = http::error::buffer_overflow;
      co_return;
    }
    std::size_t bytes = 0;
    co_await peer.read_some(buffer.prepare(read_bytes), bytes, error);
    buffer.commit(bytes);
    if (error == asio::error::eof) {
      error = parser.got_some() ? http::error::partial_message : http::error::end_of_stream;
    }
    if (error) co_return;
  }
}

#pragma GCC diagnostic pop

}  // namespace scattergate::telemetry
