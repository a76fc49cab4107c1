#include "proxy/session/session_setup.hpp"

#include <chrono>
#include <utility>

namespace scattergate::proxy {
namespace {

using first_byte = setup_sockets::first_byte;
using status = setup_sockets::status;
using telemetry::close_reason;

/// The time limit for connecting to mongos, including TLS.
constexpr std::chrono::seconds connect_time{5};

}  // namespace

session_setup::session_setup(std::shared_ptr<const listener_settings> listener,
                             upstream& mongos, setup_sockets& sockets,
                             telemetry::worker_metrics& metrics, clock::time_point now,
                             net::unique_fd reserved)
    : listener_(std::move(listener)),
      upstream_(mongos),
      sockets_(sockets),
      metrics_(metrics),
      since_(now),
      reserved_(std::move(reserved)),
      phase_(listener_->client_tls ? phase::securing_client : phase::connecting) {}

session_setup::outcome session_setup::over(close_reason why) noexcept {
  reason_ = why;
  return outcome::over;
}

session_setup::outcome session_setup::begin(clock::time_point now) {
  return is_securing_client() ? outcome::waiting : connect(now);
}

session_setup::outcome session_setup::on_client_ready(clock::time_point now) {
  if (!is_securing_client()) return outcome::waiting;
  if (!has_begun_client_tls_) {
    const auto first = sockets_.peek_client();
    if (first != first_byte::tls_handshake) return meet_client(first);
    if (!sockets_.begin_client_tls(*listener_->client_tls)) {
      return over(close_reason::tls_failed);
    }
    has_begun_client_tls_ = true;
  }
  return secure_client(now);
}

/// Handles a client that hasn't begun with a TLS handshake: waits for its first byte, or ends
/// the setup.
session_setup::outcome session_setup::meet_client(first_byte first) {
  switch (first) {
    case first_byte::none_yet:
      return outcome::waiting;
    case first_byte::ended:
      return over(close_reason::client_closed);
    case first_byte::other:
      metrics_.count_wire_error(wire::wire_errc::not_tls);
      return over(close_reason::wire_error);
    case first_byte::failed:
    case first_byte::tls_handshake:
      break;
  }
  return over(close_reason::client_error);
}

session_setup::outcome session_setup::secure_client(clock::time_point now) {
  const status result = sockets_.secure_client();
  if (result == status::blocked) return outcome::waiting;
  if (result != status::done) return over(close_reason::tls_failed);
  return connect(now);
}

session_setup::outcome session_setup::connect(clock::time_point now) {
  phase_ = phase::connecting;
  since_ = now;
  use_ = upstream_use{upstream_.choose()};
  if (!use_) return search();
  switch (sockets_.connect(use_->address(), std::move(reserved_))) {
    case setup_sockets::attempt::connecting:
      return outcome::waiting;
    case setup_sockets::attempt::out_of_resources:
      return give_up_out_of_resources();
    case setup_sockets::attempt::failed:
      break;
  }
  return search_elsewhere();
}

session_setup::outcome session_setup::search() {
  has_searched_ = true;
  reserved_.reset();  // the search connects by a descriptor of its own
  sockets_.search();
  return outcome::waiting;
}

session_setup::outcome session_setup::search_elsewhere() {
  upstream_.unpin(*use_);
  use_ = {};
  return search();
}

session_setup::outcome session_setup::on_found(upstream::found found) {
  if (phase_ != phase::connecting) return outcome::waiting;
  if (found.is_out_of_resources) return give_up_out_of_resources();
  if (!found.socket) return give_up();
  use_ = upstream_use{std::move(found.to)};
  return sockets_.use(std::move(found.socket)) ? outcome::waiting : give_up();
}

session_setup::outcome session_setup::on_upstream_ready(bool is_writable) {
  if (phase_ == phase::securing_upstream) return secure_upstream();
  if (phase_ != phase::connecting || !is_writable) return outcome::waiting;
  if (sockets_.finish_connect()) return on_connected();
  return has_searched_ ? give_up() : search_elsewhere();
}

session_setup::outcome session_setup::on_connected() {
  metrics_.upstream_connections_open.add();
  phase_ = phase::securing_upstream;
  if (listener_->proxy_protocol && !sockets_.announce_client()) return give_up();
  if (!listener_->upstream_tls) {
    upstream_.troubles().note_connected();
    return outcome::ready;
  }
  const std::string& host = use_->name().host;
  if (!sockets_.begin_upstream_tls(*listener_->upstream_tls, host)) return give_up();
  return secure_upstream();
}

session_setup::outcome session_setup::secure_upstream() {
  const status result = sockets_.secure_upstream();
  if (result == status::blocked) return outcome::waiting;
  if (result == status::done) {
    upstream_.troubles().note_tls_success();
    upstream_.troubles().note_connected();
    return outcome::ready;
  }
  use_->counts()->note(telemetry::upstream_failure::tls);
  upstream_.troubles().note_tls_failure(use_->name(), sockets_.upstream_tls_failure());
  return give_up();
}

session_setup::outcome session_setup::give_up() {
  metrics_.upstream_connect_failures.add();
  return over(close_reason::upstream_unreachable);
}

/// Ends the setup without unpinning mongos or trying another one: the failure is this host's.
session_setup::outcome session_setup::give_up_out_of_resources() {
  sockets_.pause_accepting();
  return over(close_reason::out_of_resources);
}

session_setup::outcome session_setup::check(clock::time_point now,
                                            const config::limit_options& limits) {
  if (is_securing_client()) {
    const bool is_late =
        limits.first_message.count() != 0 && now - since_ >= limits.first_message;
    return is_late ? over(close_reason::first_message) : outcome::waiting;
  }
  if (now - since_ < connect_time) return outcome::waiting;
  if (use_) upstream_.unpin(*use_);
  upstream_.note_timeout(connect_time);
  return give_up();
}

}  // namespace scattergate::proxy
