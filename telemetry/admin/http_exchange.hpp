#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/system/error_code.hpp>

#include "net/tls_context.hpp"
#include "telemetry/admin/admin_pages.hpp"

/// HTTP for the admin server: connections, requests, replies with their HTTP header, and
/// streams of server-sent events (HTML standard, section 9.2).

namespace scattergate::telemetry {

namespace asio = boost::asio;
using boost::system::error_code;

/// Makes co_await on an Asio operation return its results, with the error, as a tuple instead
/// of throwing.
inline constexpr auto use_tuple = asio::as_tuple(asio::deferred);

/// A connection of the admin server, plain or TLS: one type for both, so that the HTTP code is
/// compiled only once. On failure, a function with a parameter `error` sets it. Thread-safety:
/// the thread of the socket's io_context.
///
/// The functions write results to parameters instead of returning them through co_await,
/// because g++ 12 destroys some temporaries of a co_await expression twice.
class admin_stream {
 public:
  using socket = asio::generic::stream_protocol::socket;

  /// Takes ownership of both arguments. `tls`: null for a plain connection; otherwise, call
  /// handshake() first.
  admin_stream(socket connected, net::ssl_handle tls);
  ~admin_stream();  ///< closes the connection
  admin_stream(const admin_stream&) = delete;
  admin_stream& operator=(const admin_stream&) = delete;

  /// Sets one deadline, `time` from now, for all later operations. When it passes, the pending
  /// operation fails and the connection is closed.
  void expires_after(std::chrono::steady_clock::duration time);
  /// Removes the deadline.
  void expires_never();

  /// Performs the server's TLS handshake. Does nothing on a plain connection.
  asio::awaitable<void> handshake(error_code& error);
  /// Waits for bytes and reads them into `room`. Sets `bytes` to their number: at least one,
  /// unless the read fails.
  asio::awaitable<void> read_some(asio::mutable_buffer room, std::size_t& bytes,
                                  error_code& error);
  /// Writes both parts completely, one after the other; if possible, in one system call.
  asio::awaitable<void> write(std::array<asio::const_buffer, 2> parts, error_code& error);

  /// Whether the peer has closed its side, or the connection has failed.
  [[nodiscard]] bool has_left();
  /// Shuts down the sending side; reading still works.
  void end_writes();
  /// Closes the socket at once. Pending operations fail.
  void close();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// The source of one connection's events.
class event_source {
 public:
  virtual ~event_source() = default;

  /// Whether more events may come.
  [[nodiscard]] virtual bool is_open() const noexcept = 0;
  /// A timer to wait on: it is cancelled when an event arrives or the source closes. Null if an
  /// event is already available.
  [[nodiscard]] virtual asio::steady_timer* awaited() noexcept = 0;
  /// Returns the pending events as text, ready to send. Never null; empty if there are none.
  [[nodiscard]] virtual std::shared_ptr<const std::string> next() = 0;
};

/// Sends the HTTP header and then the events of `from`. Ends when `from` closes, the peer
/// closes the connection, or an event can't be sent within 5 s. `version`: the request's HTTP
/// version, 10 or 11. `peer` and `from` must outlive the coroutine.
asio::awaitable<void> send_events(admin_stream& peer, unsigned version, event_source& from);

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
