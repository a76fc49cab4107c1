#pragma once

#include <chrono>
#include <cstddef>
#include <tuple>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "telemetry/admin/admin_pages.hpp"

/// HTTP as the admin address speaks it: reading a request, framing and writing an answer, over
/// whatever stream.
namespace scattergate::telemetry {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

inline constexpr auto use_tuple = asio::as_tuple(asio::deferred);
inline constexpr std::size_t max_header_bytes = 8 * 1024;

using request_parser = http::request_parser<http::empty_body>;
using response = http::response<http::span_body<const char>>;

/// The status of the answer to a request that can't be read; none where only closing helps.
[[nodiscard]] unsigned status_of(const error_code& error);

/// What stands in the header of every answer: what browsers are to leave alone.
void guard(http::fields& header);

/// The answer as HTTP frames it; its body stays where it is.
[[nodiscard]] response framed(const admin_reply& reply, unsigned version, bool keep_alive);

// In optimised builds g++ 12 takes a coroutine frame that it has inlined for memory of another
// kind than Asio's operator delete frees.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

/// Writes the answer; of one to HEAD the header only. False where the connection is done.
template <typename Stream>
asio::awaitable<bool> write(Stream& to, response answer, bool is_head) {
  http::response_serializer<http::span_body<const char>> serializer{answer};
  error_code error;
  if (is_head) {
    std::tie(error, std::ignore) = co_await http::async_write_header(to, serializer, use_tuple);
  } else {
    std::tie(error, std::ignore) = co_await http::async_write(to, serializer, use_tuple);
  }
  co_return !error && answer.keep_alive();
}

/// Reads one request. The parser's own limit is one on each line and not on all of them.
template <typename Stream>
asio::awaitable<error_code> read(Stream& peer, boost::beast::flat_buffer& buffer,
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

#pragma GCC diagnostic pop

}  // namespace scattergate::telemetry
