// How a session comes about: everything before the first byte is relayed.

#include <atomic>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

#include "net/proxy_header.hpp"
#include "proxy/session/session.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

using status = net::io_result::status;
using telemetry::close_reason;

/// The first byte of every TLS connection: a handshake record (RFC 8446, section 5.1).
constexpr std::byte tls_handshake{22};

/// Says why, but not more often than somebody would read it: every connection may fail alike.
void log_tls_failure(const upstream& mongos, std::size_t name, const char* reason) {
  static std::atomic<std::int64_t> quiet_until{0};
  const std::int64_t now = clock::now().time_since_epoch().count();
  std::int64_t until = quiet_until.load();
  constexpr std::chrono::nanoseconds quiet_for = std::chrono::seconds{10};
  if (now < until || !quiet_until.compare_exchange_strong(until, now + quiet_for.count())) {
    return;
  }
  telemetry::log::write(telemetry::log::severity::warning, telemetry::log::component::proxy,
                        1010, "TLS to mongos failed",
                        {{"upstream", to_string(mongos.names()[name])}, {"reason", reason}});
}

}  // namespace

void session::start() {
  if (!host_.loop().watch(client_.fd(), client_side_)) {
    return close(close_reason::client_error);
  }
  if (!listener_->client_tls) return unless_memory_fails([this] { connect(); });
  phase_ = phase::securing_client;
}

void session::secure_client() {
  if (!client_.is_tls()) {
    std::byte first{};
    const auto peeked = ::recv(client_.fd(), &first, 1, MSG_PEEK);
    if (peeked < 0 && errno == EAGAIN) return;
    if (peeked < 0) return close(close_reason::client_error);
    if (peeked == 0) return close(close_reason::client_closed);
    if (first != tls_handshake) {
      host_.judge().metrics().count_wire_error(wire::wire_errc::not_tls);
      return close(close_reason::wire_error);
    }
    client_.begin_tls(listener_->client_tls->accept_over(client_.fd()));
    if (!client_.is_tls()) return close(close_reason::tls_failed);
  }
  host_.loop().meter().charge(net::work_meter::handshake);
  const auto result = client_.handshake().what;
  if (result == status::blocked) return;
  if (result != status::done) return close(close_reason::tls_failed);
  connect();
}

void session::connect() {
  phase_ = phase::connecting;
  since_ = now_;
  target_ = upstream_.pinned();
  if (target_) {
    if (net::unique_fd socket = net::begin_connect(target_->address)) {
      return await_connection(std::move(socket));
    }
    if (net::is_out_of_resources(errno)) return give_up_out_of_resources();
    upstream_.unpin(*target_);
  }
  has_searched_ = true;
  host_.find_upstream(*this);
}

void session::on_found(upstream::found found) {
  unless_memory_fails([&] { take(std::move(found)); });
}

void session::take(upstream::found found) {
  if (phase_ != phase::connecting) return;
  if (found.is_out_of_resources) return give_up_out_of_resources();
  if (!found.socket) return give_up_connecting();
  target_ = found.to;
  await_connection(std::move(found.socket));
}

void session::await_connection(net::unique_fd socket) {
  mongos_ = net::transport(std::move(socket));
  replies_.is_hung_up = false;  // that was another's, which couldn't be reached
  if (!host_.loop().watch(mongos_.fd(), mongos_side_)) give_up_connecting();
}

void session::on_connection_ended() {
  if (net::connect_result(mongos_.fd()) == 0) return on_connected();
  host_.loop().forget(mongos_side_);
  mongos_.close();
  if (has_searched_) return give_up_connecting();
  upstream_.unpin(*target_);
  has_searched_ = true;
  host_.find_upstream(*this);
}

void session::give_up_connecting() {
  host_.judge().metrics().upstream_connect_failures.add();
  close(close_reason::upstream_unreachable);
}

/// No mongos is to blame, and none is left for it.
void session::give_up_out_of_resources() {
  host_.rest_accepting();
  give_up_connecting();
}

void session::on_connected() {
  host_.judge().metrics().upstream_connections_open.add();
  phase_ = phase::securing_upstream;
  if (listener_->proxy_protocol && !announce_client()) return give_up_connecting();
  if (!listener_->upstream_tls) return relay();
  const auto& name = upstream_.names()[target_->name];
  mongos_.begin_tls(listener_->upstream_tls->connect_over(mongos_.fd(), name.host));
  if (!mongos_.is_tls()) return give_up_connecting();
  secure_upstream();
}

/// A fresh socket takes so few bytes at once.
bool session::announce_client() {
  const auto header =
      net::proxy_header(net::peer_of(client_.fd()), net::local_of(client_.fd()));
  const net::io_result result = mongos_.write(header);
  return result.what == status::done && result.bytes == header.size();
}

void session::secure_upstream() {
  const auto result = mongos_.handshake().what;
  if (result == status::blocked) return;
  if (result == status::done) return relay();
  log_tls_failure(upstream_, target_->name, mongos_.tls_failure());
  give_up_connecting();
}

void session::relay() {
  phase_ = phase::relaying;
  since_ = active_at_ = now_ = host_.loop().now();
  listener_.reset();
  requests_.is_runnable = replies_.is_runnable = true;
  pump();
}

}  // namespace scattergate::proxy
