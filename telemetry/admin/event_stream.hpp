#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>

#include "telemetry/admin/http_exchange.hpp"

/// Server-sent events (HTML, 9.2) over a connection of the admin address.
namespace scattergate::telemetry {

using admin_stream = boost::beast::basic_stream<asio::generic::stream_protocol>;
using admin_tls_stream = asio::ssl::stream<admin_stream>;

inline admin_stream& lowest(admin_stream& of) {
  return of;
}
inline admin_stream& lowest(admin_tls_stream& of) {
  return of.next_layer();
}

inline constexpr std::chrono::seconds event_time{5};  // to take some: who is slower is dropped
inline constexpr std::string_view events_begin = "retry: 3000\n\n";  // milliseconds (9.2.6)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // see http_exchange.hpp

/// Tells `from` of what comes, until it goes, reads too slowly, or nothing more comes. `From`:
/// is_open(); awaited(), a timer that is cancelled when there is something, or null where there
/// is already; next(), that text.
template <typename Stream, typename From>
asio::awaitable<void> tell_events(Stream& peer, unsigned version, From& from) {
  http::response<http::empty_body> header{http::status::ok, version};
  guard(header);
  header.set(http::field::content_type, "text/event-stream");
  header.keep_alive(false);  // its end is the connection's
  http::response_serializer<http::empty_body> serializer{header};
  lowest(peer).expires_after(event_time);
  error_code error;
  std::tie(error, std::ignore) = co_await http::async_write_header(peer, serializer, use_tuple);
  auto next = std::make_shared<const std::string>(events_begin);
  while (!error && from.is_open()) {
    lowest(peer).expires_after(event_time);
    std::tie(error, std::ignore) =
        co_await asio::async_write(peer, asio::buffer(*next), use_tuple);
    lowest(peer).expires_never();
    if (error || !from.is_open()) break;
    asio::steady_timer* const awaited = from.awaited();
    if (awaited != nullptr) co_await awaited->async_wait(use_tuple);
    next = from.next();
  }
}

#pragma GCC diagnostic pop

}  // namespace scattergate::telemetry
