#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/admin_stream.hpp"

/// HTTP for the admin server: reads requests, adds the HTTP header to replies, and writes them.
namespace scattergate::telemetry {

namespace http = boost::beast::http;

/// The maximum size of a request's header, in bytes.
inline constexpr std::size_t max_header_bytes = 8 * 1024;

/// Parses the header of a request; a request with a body is an error.
using request_parser = http::request_parser<http::empty_body>;

/// A reply with its HTTP header, ready to write.
struct framed_answer {
  std::string header;        ///< including the empty line at its end
  std::string_view body;     ///< the body; points into the admin_reply, which must outlive it
  bool keeps_alive = false;  ///< the connection stays open for another request
};

/// The HTTP status to reply with if reading a request failed; 0: close the connection without a
/// reply.
[[nodiscard]] unsigned status_of(const error_code& error);

/// Makes the HTTP header of `reply`, which must outlive the result. `version`: the request's
/// HTTP version, 10 or 11. `keep_alive`: whether the connection may stay open for another
/// request.
[[nodiscard]] framed_answer framed(const admin_reply& reply, unsigned version, bool keep_alive);

/// The HTTP header of a stream of server-sent events, which ends when the connection closes.
/// `version`: the request's HTTP version, 10 or 11.
[[nodiscard]] std::string event_stream_header(unsigned version);

/// Writes the reply; for a HEAD request, only its header. Sets `goes_on` to whether the
/// connection stays open for another request; false also if writing fails.
asio::awaitable<void> write(admin_stream& to, const framed_answer& answer, bool is_head,
                            bool& goes_on);

/// Reads the header of one request into `parser`. Sets `error` if the header has more than
/// max_header_bytes, if the request has a body, or if reading fails. Bytes after the header
/// stay in `buffer` for the next request.
asio::awaitable<void> read(admin_stream& peer, boost::beast::flat_buffer& buffer,
                           request_parser& parser, error_code& error);

}  // namespace scattergate::telemetry
