#include "telemetry/admin/admin_stream.hpp"

#include <optional>
#include <tuple>
#include <utility>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <poll.h>

namespace scattergate::telemetry {

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

}  // namespace scattergate::telemetry
