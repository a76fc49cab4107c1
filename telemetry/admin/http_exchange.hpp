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

/// An answer as HTTP frames it.
struct framed_answer {
  std::string header;     ///< with the empty line that ends it
  std::string_view body;  ///< the reply's own
  bool keeps_alive = false;
};

/// The status of the answer to a request that can't be read; 0 where only closing helps.
[[nodiscard]] unsigned status_of(const error_code& error);

/// Frames `reply`, which must outlive the result.
[[nodiscard]] framed_answer framed(const admin_reply& reply, unsigned version, bool keep_alive);

/// The header of a stream of server-sent events, which ends with its connection.
[[nodiscard]] std::string event_stream_header(unsigned version);

/// Writes the answer; of one to HEAD the header only. `goes_on`: the peer may ask again.
asio::awaitable<void> write(admin_stream& to, const framed_answer& answer, bool is_head,
                            bool& goes_on);

/// Reads one request, whose header takes at most max_header_bytes. What came behind it stays in
/// `buffer`.
asio::awaitable<void> read(admin_stream& peer, boost::beast::flat_buffer& buffer,
                           request_parser& parser, error_code& error);

}  // namespace scattergate::telemetry
