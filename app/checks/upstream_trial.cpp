#include "app/checks/upstream_trial.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/patience.hpp"
#include "net/blocking_connection.hpp"
#include "net/network.hpp"
#include "net/socket_address.hpp"
#include "net/tls_context.hpp"
#include "text/time_text.hpp"
#include "wire/bson.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/reply.hpp"

namespace scattergate::app {
namespace {

using clock = net::blocking_connection::clock;
using message = std::vector<std::byte>;

/// The time limit for connecting to one of several addresses, the same as the daemon's.
constexpr std::chrono::seconds address_time{2};

/// No server sends a larger reply to a hello.
constexpr std::int32_t most_hello_bytes = 1 << 20;

std::string advice_for_errno(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "start mongos there, or fix the upstream";
    case ETIMEDOUT:
      return "check for a firewall, and that the host is up";
    case ENETUNREACH:
    case EHOSTUNREACH:
      return "check that there is a route, and that the host is up";
    case ENOENT:
      return "fix the path of the socket, or start mongos with it";
    default:
      return "fix the upstream";
  }
}

std::string_view advice_for(net::certificate_fault fault) {
  switch (fault) {
    case net::certificate_fault::wrong_name:
      return "set upstream, or upstream_tls.server_name, to a name in mongos's certificate";
    case net::certificate_fault::expired:
      return "renew mongos's certificate, or that of its CA";
    case net::certificate_fault::not_yet_valid:
      return "check that the clocks of both hosts agree";
    case net::certificate_fault::untrusted:
      return "put the CA that issued mongos's certificate into upstream_tls.ca_file";
    case net::certificate_fault::none:
    case net::certificate_fault::other:
      break;
  }
  return "check that mongos uses TLS on this port (net.tls.mode), and see its log";
}

std::string text_field(wire::document_view in, std::string_view name) {
  const auto found = wire::find_field(in, name);
  return found && found->is_string() ? std::string{found->as_string()} : std::string{};
}

class trial {
 public:
  trial(const config::listener_options& listener, const net::endpoint& upstream,
        const net::tls_context* tls, connect_log& to)
      : listener_(listener),
        upstream_(upstream),
        tls_(tls),
        to_(to),
        name_("listener " + to_string(listener.listen) + ", upstream " + to_string(upstream)) {}

  [[nodiscard]] bool run() { return resolve() && connect() && secure() && greet(); }

 private:
  [[nodiscard]] std::string step(std::string_view what) const {
    return name_ + ", " + std::string{what};
  }
  bool fail(std::string_view what, std::string_view cause, std::string_view advice) {
    to_.fail(step(what), cause, advice);
    return false;
  }

  bool resolve();
  bool connect();
  bool secure();
  bool greet();
  void begin_step() { connection_->set_deadline(clock::now() + step_time); }
  [[nodiscard]] int connect_to(const net::socket_address& address, clock::time_point until);
  void try_others(const net::socket_address& than, clock::time_point until);
  [[nodiscard]] std::string why_unanswered() const;
  [[nodiscard]] std::string advice_for_unanswered() const;
  [[nodiscard]] std::optional<message> ask_hello();
  void judge_hello(wire::document_view reply);

  const config::listener_options& listener_;
  const net::endpoint& upstream_;
  const net::tls_context* tls_;
  connect_log& to_;
  std::string name_;
  std::vector<net::socket_address> addresses_;
  std::optional<net::blocking_connection> connection_;
};

bool trial::resolve() {
  const auto found =
      answer_within(step_time, [name = upstream_] { return net::resolve(name); });
  if (!found) return fail("DNS", too_late, "check that the name servers can be reached");
  if (!*found) {
    return fail("DNS", found->error().message(), "fix the upstream's name, or the DNS");
  }
  addresses_ = **found;
  if (upstream_.is_unix() || net::parse_ip_address(upstream_.host)) return true;
  std::string hosts;
  for (const auto& address : addresses_) {
    hosts += (hosts.empty() ? "" : ", ") + net::host_of(address);
  }
  to_.ok(step("DNS"), hosts);
  return true;
}

/// Returns 0, or the errno.
int trial::connect_to(const net::socket_address& address, clock::time_point until) {
  connection_.emplace(address, std::min(until, clock::now() + address_time));
  return connection_->await_connected() ? 0 : errno;
}

bool trial::connect() {
  const auto until = clock::now() + step_time;
  int error = ETIMEDOUT;
  for (const auto& address : addresses_) {
    if (clock::now() >= until) break;
    error = connect_to(address, until);
    if (error != 0) continue;
    to_.ok(step("TCP"), "connected to " + to_string(net::endpoint_of(address)));
    try_others(address, until);
    begin_step();
    if (!listener_.proxy_protocol || connection_->write(net::local_proxy_header())) return true;
    return fail("TCP", why_unanswered(), advice_for_unanswered());
  }
  return fail("TCP", std::generic_category().message(error), advice_for_errno(error));
}

/// Warns of the other addresses of the same IP version that refuse connections: the daemon uses
/// them, too.
void trial::try_others(const net::socket_address& than, clock::time_point until) {
  for (const auto& address : addresses_) {
    if (address == than || address.family() != than.family() || clock::now() >= until) continue;
    net::blocking_connection other{address, std::min(until, clock::now() + address_time)};
    if (other.await_connected()) continue;
    const int error = errno;
    to_.warn(
        step("TCP"),
        to_string(net::endpoint_of(address)) + ": " + std::generic_category().message(error),
        advice_for_errno(error) + ", or remove the address from the name's DNS records");
  }
}

bool trial::secure() {
  if (tls_ == nullptr) return true;
  begin_step();
  net::ssl_handle made = tls_->connect_over(connection_->fd(), upstream_.host);
  const SSL* const state = made.get();  // the connection owns the state
  if (state == nullptr) return fail("TLS", "no memory", "try again");
  if (!connection_->secure(std::move(made))) {
    const std::string_view said = connection_->tls_failure();
    const std::string why = said.empty() ? why_unanswered() : std::string{said};
    return fail("TLS", why, advice_for(net::fault_of_peer(state)));
  }
  const net::certificate_life life = net::life_of_peer(state);
  const auto now = std::chrono::system_clock::now();
  const std::string until =
      "mongos's certificate is valid until " +
      text::time_text(std::chrono::system_clock::time_point{std::chrono::seconds{life.ends}});
  if (life.phase(now) == net::certificate_phase::expires_soon) {
    to_.warn(step("TLS"), until, "renew it");
  } else {
    to_.ok(step("TLS"), until);
  }
  return true;
}

std::string trial::why_unanswered() const {
  const std::string_view said = connection_->tls_failure();
  if (!said.empty()) return "TLS: " + std::string{said};
  if (connection_->is_late()) return std::string{too_late};
  return "it closed the connection without an answer";
}

std::string trial::advice_for_unanswered() const {
  if (connection_->is_late()) return "check whether mongos hangs, and see its log";
  if (tls_ != nullptr) {
    return "if mongos requires a client certificate, set upstream_tls.cert_file";
  }
  return listener_.proxy_protocol ? "if mongos requires TLS, set upstream_tls; if it expects "
                                    "no PROXY header, set proxy_protocol: off"
                                  : "if mongos requires TLS, set upstream_tls";
}

/// Sends a hello and returns the whole reply; std::nullopt after reporting a failure.
std::optional<message> trial::ask_hello() {
  message reply(wire::limits::header_bytes);
  if (!connection_->write(wire::build_hello(1)) || !connection_->read(reply)) {
    fail("hello", why_unanswered(), advice_for_unanswered());
    return std::nullopt;
  }
  const auto header = wire::parse_header(std::span{reply}.first<wire::limits::header_bytes>());
  if (!header || header->length > most_hello_bytes) {
    fail("hello", "it does not use MongoDB's wire protocol", "fix the upstream");
    return std::nullopt;
  }
  reply.resize(static_cast<std::size_t>(header->length));
  if (connection_->read(std::span{reply}.subspan(wire::limits::header_bytes))) return reply;
  fail("hello", why_unanswered(), advice_for_unanswered());
  return std::nullopt;
}

void trial::judge_hello(wire::document_view reply) {
  if (text_field(reply, "msg") == "isdbgrid") return to_.ok(step("hello"), "a mongos answers");
  const std::string set = text_field(reply, "setName");
  if (set.empty()) {
    return to_.warn(step("hello"), "the server is not a mongos", "use the address of a mongos");
  }
  to_.warn(step("hello"), "a member of the replica set " + set + " answers, not a mongos",
           "use the address of a mongos: drivers connect to the members of a replica set "
           "directly, unless they use directConnection=true");
}

bool trial::greet() {
  begin_step();
  const auto reply = ask_hello();
  if (!reply) return false;
  const auto header = wire::parse_header(std::span{*reply}.first<wire::limits::header_bytes>());
  const auto parsed = wire::parse_op_msg(*header, *reply);
  if (header->op != wire::opcode::msg || !parsed) {
    return fail("hello", "its answer cannot be read", "check what listens there");
  }
  judge_hello(parsed->body);
  return true;
}

}  // namespace

bool try_upstream(const config::listener_options& listener, const net::endpoint& upstream,
                  const net::tls_context* tls, connect_log& to) {
  return trial{listener, upstream, tls, to}.run();
}

}  // namespace scattergate::app
