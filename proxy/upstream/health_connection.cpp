#include "proxy/upstream/health_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "net/proxy_header.hpp"
#include "proxy/upstream/upstream.hpp"
#include "wire/header.hpp"
#include "wire/health_commands.hpp"
#include "wire/server_error.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::upstream_failure;
using wire::limits::header_bytes;

/// The maximum number of checks per connection: half a minute's, at the default interval.
constexpr int checks_of_one = 15;

/// The maximum size of a reply, in bytes; no server's reply is larger.
constexpr std::int32_t most_reply_bytes = 1 << 20;

/// Whether a mongos that replies with this error can't reach the servers that it needs.
bool is_cut_off(std::int32_t code) noexcept {
  using enum wire::server_errc;
  switch (static_cast<wire::server_errc>(code)) {
    case host_unreachable:
    case host_not_found:
    case max_time_ms_expired:
    case network_timeout:
    case shutdown_in_progress:
    case failed_to_satisfy_read_preference:
    case network_interface_exceeded_time_limit:
    case exceeded_time_limit:
    case not_primary_no_secondary_ok:
    case interrupted_at_shutdown:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<health_connection::failure> health_connection::check(const target& of,
                                                                   depth asked) {
  bool is_old = fits(of);
  if (!is_old || checks_ >= checks_of_one) {
    auto unopened = open(of);
    // The old connection serves if there is no descriptor for a new one.
    is_old = is_old && unopened && unopened->in == part::resources;
    if (unopened && !is_old) {
      connection_.reset();
      return unopened;
    }
  }
  if (is_old) connection_->set_deadline(clock::now() + timeout_);
  auto failed = greet();
  if (failed && is_old && failed->reason != upstream_failure::timeout) {
    // That the connection has closed says nothing about mongos. A new one shows whether it
    // serves.
    failed = open(of);
    if (!failed) failed = greet();
  }
  if (!failed && asked == depth::command) failed = command();
  if (failed) connection_.reset();
  return failed;
}

/// Whether connection_ leads to this mongos.
bool health_connection::fits(const target& of) const {
  return connection_ && at_ == of.address && tls_ == of.settings.upstream_tls &&
         has_proxy_header_ == of.settings.proxy_protocol;
}

/// Replaces connection_. Keeps the old one if this process is out of resources.
std::optional<health_connection::failure> health_connection::open(const target& of) {
  net::patient_connection made{of.address, clock::now() + timeout_, stop_};
  if (!made.await_connected()) {
    const int error = errno;
    const bool is_ours = net::is_out_of_resources(error);
    return failure{failure_of(error), std::generic_category().message(error),
                   is_ours ? part::resources : part::hello};
  }
  connection_ = std::move(made);
  at_ = of.address;
  tls_ = of.settings.upstream_tls;
  has_proxy_header_ = of.settings.proxy_protocol;
  checks_ = 0;
  if (has_proxy_header_ && !connection_->write(net::local_proxy_header())) return unanswered();
  if (!tls_ || connection_->secure(tls_->connect_over(connection_->fd(), of.host))) return {};
  const std::string why = connection_->tls_failure();
  if (!why.empty()) return failure{upstream_failure::tls, "TLS: " + why};
  return failure{upstream_failure::timeout, "no answer to the TLS handshake" + in_time()};
}

std::optional<health_connection::failure> health_connection::greet() {
  ++checks_;
  wire::reply_facts ignored;
  ++last_;
  return answer_to(wire::build_hello(last_), last_, ignored);
}

/// Asks mongos for something that its config servers must answer.
std::optional<health_connection::failure> health_connection::command() {
  const auto refuse = [](upstream_failure reason, const std::string& why) {
    return failure{reason, "it answers a hello, but not a command: " + why, part::command};
  };
  connection_->set_deadline(clock::now() + timeout_);
  for (const auto build : {wire::build_shards_read, wire::build_user_lookup}) {
    wire::reply_facts facts;
    ++last_;
    if (const auto failed = answer_to(build(last_), last_, facts)) {
      return refuse(failed->reason, failed->why);
    }
    if (facts.ok) return {};
    if (is_cut_off(facts.code)) {
      return refuse(upstream_failure::other,
                    "error " + std::to_string(facts.code) + ", " +
                        std::string{wire::name_of(wire::server_errc{facts.code})});
    }
  }
  return {};  // an error that mongos finds by itself: nothing shows that it is cut off
}

/// Sends a message, and reads the reply's facts. `id`: the message's requestID.
std::optional<health_connection::failure> health_connection::answer_to(
    std::span<const std::byte> message, std::int32_t id, wire::reply_facts& facts) {
  std::array<std::byte, header_bytes> start{};
  // If writing fails because the server has closed, it may have sent a TLS alert with the
  // reason: read it.
  (void)connection_->write(message);
  if (!connection_->read(start)) return unanswered();
  const auto header = wire::parse_header(start);
  // An answer to an earlier message says nothing about mongos's health now.
  if (!header || header->response_to != id || header->length > most_reply_bytes) {
    return failure{upstream_failure::other, "it doesn't use MongoDB's wire protocol"};
  }
  wire::reply_scanner reply;
  reply.begin(*header);
  if (!scan(reply, static_cast<std::size_t>(header->length) - header_bytes)) {
    return unanswered();
  }
  facts = reply.facts();
  return {};
}

/// Reads and scans the rest of a reply.
bool health_connection::scan(wire::reply_scanner& reply, std::size_t bytes) {
  std::array<std::byte, 1024> room;
  while (bytes != 0) {
    const auto part = std::span{room}.first(std::min(bytes, room.size()));
    if (!connection_->read(part)) return false;
    reply.feed(part);
    bytes -= part.size();
  }
  return true;
}

health_connection::failure health_connection::unanswered() const {
  if (connection_->has_tls_alert()) {
    return {upstream_failure::tls, std::string{"TLS: "} + connection_->tls_failure()};
  }
  if (connection_->is_late()) return {upstream_failure::timeout, "no answer" + in_time()};
  const std::string closed = "it closed the connection without an answer";
  return {upstream_failure::closed,
          tls_ ? closed : closed + "; if it requires TLS, set upstream_tls"};
}

/// " within 2 seconds"
std::string health_connection::in_time() const {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(timeout_);
  if (whole != timeout_) return " within " + std::to_string(timeout_.count()) + " ms";
  const std::string unit = whole.count() == 1 ? " second" : " seconds";
  return " within " + std::to_string(whole.count()) + unit;
}

}  // namespace scattergate::proxy
