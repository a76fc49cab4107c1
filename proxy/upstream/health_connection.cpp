#include "proxy/upstream/health_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>

#include "net/proxy_header.hpp"
#include "proxy/upstream/upstream.hpp"
#include "wire/header.hpp"
#include "wire/hello.hpp"

namespace scattergate::proxy {
namespace {

using clock = net::patient_connection::clock;
using telemetry::upstream_failure;
using wire::limits::header_bytes;

/// The time limit of a check over one connection, from connecting to the end of the answer.
constexpr std::chrono::seconds check_time{2};

/// The maximum number of checks per connection: half a minute's, at the default interval.
constexpr int checks_of_one = 15;

/// The maximum size of an answer to a hello, in bytes; no server's answer is larger.
constexpr std::int32_t most_hello_bytes = 1 << 20;

}  // namespace

std::optional<health_connection::failure> health_connection::check(
    const net::socket_address& at, const std::string& host, const listener_settings& settings) {
  if (fits(at, settings)) {
    connection_->set_deadline(clock::now() + check_time);
    auto failed = greet();
    if (!failed) return failed;
    const bool is_silent = failed->reason == upstream_failure::timeout;
    connection_.reset();
    // That the connection has closed says nothing about mongos. A new one shows whether it
    // serves.
    if (is_silent) return failed;
  }
  auto failed = open(at, host, settings);
  if (!failed) failed = greet();
  if (failed) connection_.reset();
  return failed;
}

bool health_connection::fits(const net::socket_address& at,
                             const listener_settings& settings) const {
  return connection_ && checks_ < checks_of_one && at_ == at && tls_ == settings.upstream_tls &&
         has_proxy_header_ == settings.proxy_protocol;
}

std::optional<health_connection::failure> health_connection::open(
    const net::socket_address& at, const std::string& host, const listener_settings& settings) {
  at_ = at;
  tls_ = settings.upstream_tls;
  has_proxy_header_ = settings.proxy_protocol;
  checks_ = 0;
  connection_.reset();  // closes the old connection before the new one is opened
  connection_.emplace(at, clock::now() + check_time, stop_);
  if (!connection_->await_connected()) {
    const int error = errno;
    return failure{failure_of(error), std::generic_category().message(error)};
  }
  if (has_proxy_header_ && !connection_->write(net::local_proxy_header())) return unanswered();
  if (!tls_ || connection_->secure(tls_->connect_over(connection_->fd(), host))) return {};
  const std::string why = connection_->tls_failure();
  if (!why.empty()) return failure{upstream_failure::tls, "TLS: " + why};
  return failure{upstream_failure::timeout, "no answer to the TLS handshake within 2 seconds"};
}

std::optional<health_connection::failure> health_connection::greet() {
  ++checks_;
  std::array<std::byte, header_bytes> start{};
  // If writing fails because the server has closed, it may have sent a TLS alert with the
  // reason: read it.
  (void)connection_->write(wire::build_hello(checks_));
  if (!connection_->read(start)) return unanswered();
  const auto header = wire::parse_header(start);
  // An answer to an earlier hello says nothing about mongos's health now.
  if (!header || header->response_to != checks_ || header->length > most_hello_bytes) {
    return failure{upstream_failure::other, "it doesn't use MongoDB's wire protocol"};
  }
  if (!skip(static_cast<std::size_t>(header->length) - header_bytes)) return unanswered();
  return {};
}

/// Reads and discards the rest of an answer.
bool health_connection::skip(std::size_t bytes) {
  std::array<std::byte, 1024> room;
  while (bytes != 0) {
    const auto part = std::span{room}.first(std::min(bytes, room.size()));
    if (!connection_->read(part)) return false;
    bytes -= part.size();
  }
  return true;
}

health_connection::failure health_connection::unanswered() const {
  if (connection_->has_tls_alert()) {
    return {upstream_failure::tls, std::string{"TLS: "} + connection_->tls_failure()};
  }
  if (connection_->is_late()) return {upstream_failure::timeout, "no answer within 2 seconds"};
  const std::string closed = "it closed the connection without an answer";
  return {upstream_failure::closed,
          tls_ ? closed : closed + "; if it requires TLS, set upstream_tls"};
}

}  // namespace scattergate::proxy
