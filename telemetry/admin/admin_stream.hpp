#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

#include "net/tls_context.hpp"

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

}  // namespace scattergate::telemetry
