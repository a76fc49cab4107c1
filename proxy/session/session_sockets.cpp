// Implements the part of session that sets it up: setup_sockets, and the outcomes of
// session_setup.

#include <cerrno>
#include <utility>

#include "net/proxy_header.hpp"
#include "proxy/session/session.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::close_reason;

/// The first byte of every TLS connection: a handshake record (RFC 8446, section 5.1).
constexpr std::byte tls_handshake_record{22};

}  // namespace

void session::start() {
  if (!host_.loop().watch(client_, client_side_)) {
    return close(close_reason::client_error);
  }
  unless_memory_fails([this] { take(setup_->begin(now_)); });
}

void session::on_found(upstream::found found) {
  if (!setup_) return;
  unless_memory_fails([&] { take(setup_->on_found(std::move(found))); });
}

void session::go_on_with_setup(direction from_here, const net::event_loop::readiness& now) {
  // During the client's TLS handshake, the handshake itself reports the failure.
  if (has_client_failed_ && !setup_->is_securing_client()) {
    return close(close_reason::client_error);
  }
  take(from_here == requests ? setup_->on_client_ready(now_)
                             : setup_->on_upstream_ready(now.writable));
}

void session::take(session_setup::outcome outcome) {
  switch (outcome) {
    case session_setup::outcome::waiting:
      return;
    case session_setup::outcome::ready:
      return relay();
    case session_setup::outcome::over:
      return close(setup_->reason());
  }
}

void session::relay() {
  use_ = setup_->take_use();
  setup_.reset();
  phase_ = phase::relaying;
  since_ = active_at_ = now_ = host_.loop().now();
  requests_.is_runnable = replies_.is_runnable = true;
  pump();
}

setup_sockets::first_byte session::peek_client() noexcept {
  std::byte first{};
  switch (client_.peek(first).what) {
    case status::blocked:
      return first_byte::none_yet;
    case status::ended:
      return first_byte::ended;
    case status::failed:
      return first_byte::failed;
    case status::done:
      break;
  }
  return first == tls_handshake_record ? first_byte::tls_handshake : first_byte::other;
}

bool session::begin_client_tls(const net::tls_context& tls) {
  client_.begin_tls(tls.accept_over(client_.fd()));
  return client_.is_tls();
}

net::io_result::status session::secure_client() {
  host_.loop().meter().charge(net::work_meter::handshake_cost);
  return client_.handshake().what;
}

setup_sockets::attempt session::connect(const net::socket_address& to, net::unique_fd by) {
  net::unique_fd socket = net::begin_connect(to, std::move(by));
  if (!socket && !net::is_out_of_resources(errno)) return attempt::failed;
  return socket && use(std::move(socket)) ? attempt::connecting : attempt::out_of_resources;
}

void session::search() {
  host_.find_upstream(*this);
}

bool session::use(net::unique_fd found) {
  mongos_ = net::transport(std::move(found));
  replies_.is_hung_up = false;  // was set by an earlier socket that couldn't connect
  return host_.loop().watch(mongos_, mongos_side_);
}

bool session::finish_connect() noexcept {
  if (net::connect_result(mongos_.fd()) == 0) return true;
  host_.loop().unwatch(mongos_, mongos_side_);
  mongos_.close();
  return false;
}

/// Fails if the socket doesn't accept the whole header at once: a new socket has room for it.
bool session::announce_client() {
  const auto header =
      net::proxy_header(net::peer_of(client_.fd()), net::local_of(client_.fd()));
  const net::io_result result = mongos_.write(header);
  return result.what == status::done && result.bytes == header.size();
}

bool session::begin_upstream_tls(const net::tls_context& tls, const std::string& host) {
  mongos_.begin_tls(tls.connect_over(mongos_.fd(), host));
  return mongos_.is_tls();
}

net::io_result::status session::secure_upstream() {
  return mongos_.handshake().what;
}

const char* session::upstream_tls_failure() const noexcept {
  return mongos_.tls_failure();
}

void session::pause_accepting() {
  host_.pause_accepting();
}

}  // namespace scattergate::proxy
