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

inline constexpr auto use_tuple = asio::as_tuple(asio::deferred);

/// A connection of the admin address, plain or under TLS. It is one type, so that what speaks
/// HTTP over it is compiled once. Thread-safety: one thread, that of the socket's context.
///
/// Results go into parameters, not through co_await: g++ 12 destroys some temporaries of a
/// co_await expression twice.
class admin_stream {
 public:
  using socket = asio::generic::stream_protocol::socket;

  /// `tls`: the state of a TLS connection, which begins with handshake(); null: plain.
  admin_stream(socket connected, net::ssl_handle tls);
  ~admin_stream();
  admin_stream(const admin_stream&) = delete;
  admin_stream& operator=(const admin_stream&) = delete;

  /// Closes the connection when an operation takes longer than this from now.
  void expires_after(std::chrono::steady_clock::duration time);
  void expires_never();

  /// The server's side of the TLS handshake. Does nothing on a plain connection.
  asio::awaitable<void> handshake(error_code& error);
  /// Reads what there is, at least one byte unless it fails.
  asio::awaitable<void> read_some(asio::mutable_buffer room, std::size_t& bytes,
                                  error_code& error);
  /// Writes all of both parts, in one call where the kernel takes them.
  asio::awaitable<void> write(std::array<asio::const_buffer, 2> parts, error_code& error);

  /// Whether the peer has closed its side, and all that it sent before has been read.
  [[nodiscard]] bool has_left();
  /// Sends the end of the stream; the peer may still be read.
  void end_writes();
  void close();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
