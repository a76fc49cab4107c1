#include "net/transport.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "net/ring_link.hpp"
#include "net/stream_calls.hpp"

namespace scattergate::net {
namespace {

using status = io_result::status;

/// TCP keepalive as MongoDB's drivers set it, because the drivers' own ends at scattergate: a
/// peer that has vanished without closing is noticed after 210 s without a byte.
constexpr int keepalive_idle_seconds = 120;
constexpr int keepalive_interval_seconds = 10;
constexpr int keepalive_probes = 9;

void set_option(int fd, int level, int name, int value = 1) noexcept {
  ::setsockopt(fd, level, name, &value, sizeof value);  // fails for a Unix socket, harmlessly
}

}  // namespace

void transport::closing::operator()(ring_link* link) const noexcept {
  link->close(false);
}

int transport::fd() const noexcept {
  return link_ ? link_->fd() : socket_.get();
}

transport::transport(unique_fd socket) noexcept : socket_(std::move(socket)) {
  if (!socket_) return;  // keeps errno, which says why there is no socket
  set_option(socket_.get(), IPPROTO_TCP, TCP_NODELAY);
  set_option(socket_.get(), SOL_SOCKET, SO_KEEPALIVE);
  set_option(socket_.get(), IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_seconds);
  set_option(socket_.get(), IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_seconds);
  set_option(socket_.get(), IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
}

/// Makes each read end after a record without application data, such as a key update or a
/// session ticket. Otherwise a peer that sends only such records would keep OpenSSL reading
/// indefinitely.
void transport::begin_tls(ssl_handle state) noexcept {
  tls_ = std::move(state);
  if (!tls_) return;
  SSL_clear_mode(tls_.get(), SSL_MODE_AUTO_RETRY);
  if (!link_) return;
  BIO* const over_link = make_ring_bio(*link_);
  if (over_link == nullptr) return tls_.reset();
  SSL_set_bio(tls_.get(), over_link, over_link);
}

io_result transport::tls_result(int returned, std::size_t bytes) noexcept {
  if (returned > 0) return {status::done, bytes};
  switch (SSL_get_error(tls_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return {status::blocked, 0};
    case SSL_ERROR_ZERO_RETURN:
      return {status::ended, 0};
    default:
      note_tls_failure();
      return {status::failed, 0};
  }
}

void transport::note_tls_failure() noexcept {
  const long verified = SSL_get_verify_result(tls_.get());
  const unsigned long error = ERR_peek_error();
  const bool is_end = ERR_GET_LIB(error) == ERR_LIB_SSL &&
                      ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  const char* reason = verified != X509_V_OK ? X509_verify_cert_error_string(verified)
                       : is_end              ? nullptr
                                             : ERR_reason_error_string(error);
  tls_failure_ = reason == nullptr ? "the connection was closed" : reason;
  has_tls_alert_ =
      ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) > SSL_AD_REASON_OFFSET;
  ERR_clear_error();
}

io_result transport::handshake() noexcept {
  ERR_clear_error();  // SSL_get_error() looks at the thread's whole error queue
  return tls_result(SSL_do_handshake(tls_.get()), 0);
}

/// Returns `blocked` only if nothing has arrived. If OpenSSL has consumed bytes without
/// application data, returns `done` with 0 bytes, because more may be waiting in the socket.
io_result transport::read_tls(std::span<std::byte> room) noexcept {
  BIO* const from = SSL_get_rbio(tls_.get());
  const std::uint64_t before = BIO_number_read(from);
  std::size_t bytes = 0;
  ERR_clear_error();
  const int returned = SSL_read_ex(tls_.get(), room.data(), room.size(), &bytes);
  const io_result result = tls_result(returned, bytes);
  const bool came = BIO_number_read(from) != before;
  return result.what == status::blocked && came ? io_result{status::done, 0} : result;
}

io_result transport::peek(std::byte& first) noexcept {
  return link_ ? link_->peek(first) : peek_now(socket_.get(), first);
}

io_result transport::read(std::span<std::byte> room) noexcept {
  if (tls_) return read_tls(room);
  return link_ ? link_->read(room) : receive_now(socket_.get(), room);
}

io_result transport::write(std::span<const std::byte> bytes) noexcept {
  if (tls_) {
    std::size_t written = 0;
    ERR_clear_error();
    const int returned = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &written);
    return tls_result(returned, written);
  }
  return link_ ? link_->write(bytes) : send_now(socket_.get(), bytes);
}

void transport::end_writes() noexcept {
  if (tls_ && SSL_is_init_finished(tls_.get()) == 1) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());
  }
  link_ ? link_->end_writes() : static_cast<void>(::shutdown(socket_.get(), SHUT_WR));
}

void transport::drop_unsent() noexcept {
  link_ ? link_->drop_unsent() : reset_when_closed(socket_.get());
}

void transport::close_cleanly() noexcept {
  if (!is_open()) return;
  end_writes();
  if (link_) {
    link_.release()->close(true);
  } else {
    discard_received(socket_.get());
  }
  close();
}

void transport::close() noexcept {
  tls_.reset();
  link_.reset();
  socket_.reset();
}

}  // namespace scattergate::net
