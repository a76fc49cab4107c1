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

/// HTTP at the admin address: reads a request, frames and writes an answer.
namespace scattergate::telemetry {

namespace http = boost::beast::http;

inline constexpr std::size_t max_header_bytes = 8 * 1024;

using request_parser = http::request_parser<http::empty_body>;

/// An answer, framed as HTTP.
struct framed_answer {
  std::string header;     ///< including the empty line at its end
  std::string_view body;  ///< points into the reply
  bool keeps_alive = false;
};

/// The HTTP status for an unreadable request; 0 if the connection must be closed without an
/// answer.
[[nodiscard]] unsigned status_of(const error_code& error);

/// Frames `reply`, which must outlive the result.
[[nodiscard]] framed_answer framed(const admin_reply& reply, unsigned version, bool keep_alive);

/// The header of a stream of server-sent events; the stream ends with its connection.
[[nodiscard]] std::string event_stream_header(unsigned version);

/// Writes the answer, or only its header for HEAD. `goes_on`: keep the connection open.
asio::awaitable<void> write(admin_stream& to, const framed_answer& answer, bool is_head,
                            bool& goes_on);

/// Reads one request; its header may take up to max_header_bytes. Bytes after it stay in
/// `buffer`.
asio::awaitable<void> read(admin_stream& peer, boost::beast::flat_buffer& buffer,
                           request_parser& parser, error_code& error);

}  // namespace scattergate::telemetry
