#include "telemetry/admin/http_exchange.hpp"

#include <array>
#include <sstream>

#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/write.hpp>

namespace scattergate::telemetry {
namespace {

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
