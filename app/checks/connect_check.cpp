#include "app/checks/connect_check.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/system/system_error.hpp>
#include <netinet/in.h>

#include "app/admin_client.hpp"
#include "app/patience.hpp"
#include "app/terminal.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/page_access.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/scalars.hpp"
#include "fleet/reading.hpp"
#include "net/blocking_connection.hpp"
#include "net/endpoint.hpp"
#include "net/listener.hpp"
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

/// Prints the steps of `check --connect` on standard output: a line for each step, as soon as
/// the step has ended. `what`: the step's name. `found` and `cause`: its result.
class connect_log {
 public:
  /// The step passed.
  void ok(std::string_view what, std::string_view found);
  /// The step passed, but the user should change something. `advice`: what to change.
  void warn(std::string_view what, std::string_view found, std::string_view advice);
  /// The step failed. `advice`: what the user can do.
  void fail(std::string_view what, std::string_view cause, std::string_view advice);

  /// Prints the last line: how many steps passed, how many had warnings and how many failed.
  void print_summary() const;

  /// Whether any step failed.
  [[nodiscard]] bool has_failures() const noexcept { return failures_ != 0; }

 private:
  std::size_t passed_ = 0;
  std::size_t warnings_ = 0;
  std::size_t failures_ = 0;
};

void print(std::string outcome, std::string_view what, std::string_view found,
           std::string_view advice = {}) {
  constexpr std::size_t width = 8;
  outcome.resize(width, ' ');
  std::string line = outcome + std::string{what} + ": " + std::string{found};
  if (!advice.empty()) line += "; " + std::string{advice};
  write_line(stdout, line);
}

void connect_log::ok(std::string_view what, std::string_view found) {
  ++passed_;
  print("ok", what, found);
}

void connect_log::warn(std::string_view what, std::string_view found, std::string_view advice) {
  ++warnings_;
  print("warning", what, found, advice);
}

void connect_log::fail(std::string_view what, std::string_view cause, std::string_view advice) {
  ++failures_;
  print("FAILED", what, cause, advice);
}

void connect_log::print_summary() const {
  std::printf("%zu ok, %zu %s, %zu failed%s\n", passed_, warnings_,
              warnings_ == 1 ? "warning" : "warnings", failures_,
              failures_ == 0 ? "" : "; steps that depend on a failed one were skipped");
}

/// The time limit of a step of `check --connect`.
constexpr std::chrono::seconds step_time{5};
/// The text for a step that has exceeded `step_time`.
constexpr std::string_view too_late = "no answer within 5 s";
/// The time limit for the MongoDB driver to find a server, and for each reply.
constexpr std::chrono::milliseconds driver_time{4'000};

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

/// Connects to an upstream (a mongos) as the daemon would: resolves the name, connects by TCP,
/// starts TLS, and sends a hello. `tls`: null for no TLS. Prints each step to `to`, and stops
/// at the first step that fails. Returns whether a MongoDB server answered.
bool try_upstream(const config::listener_options& listener, const net::endpoint& upstream,
                  const net::tls_context* tls, connect_log& to) {
  return trial{listener, upstream, tls, to}.run();
}

using config::mongo_error;
using config::mongo_failure;
using config::mongo_result;

constexpr const char* application = "scattergate-check";

/// A collection of the database `config`. `is_needed`: no catalog is possible without it
/// (docs/catalog.md).
struct source {
  std::string_view name;
  bool is_needed;
};
constexpr std::array<source, 5> sources = {{
    {"collections", true},
    {"chunks", true},
    {"shards", false},
    {"databases", false},
    {"version", false},
}};

struct reached {
  std::unique_ptr<config::mongo_client> client;
  config::mongo_server server;
};

mongo_result<reached> reach(const std::string& uri) {
  auto opened = config::mongo_client::open(uri, {application, driver_time});
  if (!opened) return opened.error();
  auto server = (*opened)->connect();
  if (!server) return server.error();
  return reached{*std::move(opened), *std::move(server)};
}

/// Runs a first command, for which the driver authenticates.
mongo_result<void> log_in(config::mongo_client& client) {
  const auto answered =
      client.run("admin", config::bson_of_json(R"({"ping": 1})").value().view());
  if (!answered) return answered.error();
  return {};
}

/// Reads one document of a collection.
mongo_result<void> look_at(config::mongo_client& client, std::string_view collection) {
  const auto one = config::bson_of_json(R"({"limit": 1})").value();
  return client.find("config", collection, {}, one.view(),
                     [](wire::document_view) { return true; });
}

std::string_view advice_for(mongo_failure failure) {
  switch (failure) {
    case mongo_failure::bad_uri:
      return "fix the connection string";
    case mongo_failure::unauthorized:
      return "fix the user, the password or authSource in the connection string";
    case mongo_failure::unreachable:
    case mongo_failure::not_mongos:
    case mongo_failure::command_failed:
      break;
  }
  return "check that this connection string leads to a mongos that can be reached from here, "
         "and see its log";
}

/// `has_user`: whether the connection string may contain a user.
void try_rights(config::mongo_client& client, bool has_user, connect_log& to) {
  std::string readable;
  std::string unreadable;
  std::optional<mongo_error> why;
  bool is_needed = false;
  for (const source& one : sources) {
    const auto read = look_at(client, one.name);
    std::string& names = read ? readable : unreadable;
    names += (names.empty() ? "config." : ", config.") + std::string{one.name};
    if (read) continue;
    is_needed = is_needed || one.is_needed;
    if (!why) why = read.error();
    // The other collections would fail in the same way.
    if (why->kind == mongo_failure::unreachable) break;
  }
  constexpr std::string_view what = "catalog, rights";
  if (!why) return to.ok(what, "can read " + readable);
  const std::string found = "cannot read " + unreadable + ": " + why->text;
  if (why->kind != mongo_failure::unauthorized) {
    return to.fail(what, found, "see the log of mongos");
  }
  const std::string_view advice =
      has_user
          ? "grant the user the role clusterMonitor on admin, or the role in docs/catalog.md"
          : "put a connection string with a user into catalog.uri_file";
  is_needed ? to.fail(what, found, advice) : to.warn(what, found, advice);
}

/// Checks for `check --connect` whether a live catalog can be read from its mongos. Connects
/// with the catalog's credentials, and tries to read one document of each collection of the
/// database `config` that the catalog is made from. Prints the steps to `to`.
void try_catalog(const config::options& of, connect_log& to) {
  constexpr std::string_view what = "catalog, mongos";
  constexpr std::string_view login = "catalog, login";
  const auto uri = config::find_catalog_uri(of);
  if (!uri) {
    return to.fail(what, text::to_string(uri.error()), "put a connection string into it");
  }
  const mongo_result<reached> found = reach(uri->text);
  if (!found) {
    const mongo_error& why = found.error();
    const bool is_refused = why.kind == mongo_failure::unauthorized;
    return to.fail(is_refused ? login : what, why.text, advice_for(why.kind));
  }
  const config::mongo_server& server = found->server;
  if (!server.is_mongos) {
    return to.fail(what, server.address + " is not a mongos but " + server.type,
                   "point the connection string to a mongos");
  }
  to.ok(what, "connected to " + server.address);
  if (const auto logged_in = log_in(*found->client); !logged_in) {
    return to.fail(login, logged_in.error().text, advice_for(logged_in.error().kind));
  }
  const bool has_user = !of.catalog.uri.empty() || !of.catalog.uri_file.empty();
  try_rights(*found->client, has_user, to);
}

/// Reads the fleet's database. Returns in words how many sidecars it knows and how flushes
/// work.
config::mongo_result<std::string> look_at(const std::string& uri, const std::string& name) {
  auto opened = fleet::database::open(uri, name, driver_time);
  if (!opened) return opened.error();
  constexpr fleet::reading_bounds most{.sidecars = 1'000, .read_bytes = std::size_t{16} << 20};
  const auto status = fleet::read_status(**opened, most);
  if (!status) return status.error();
  return "known sidecars: " + std::to_string(status->sidecars.size()) +
         (status->incomplete ? " or more" : "") + "; flushes use " +
         ((*opened)->has_transactions() ? "transactions" : "marks: there are no transactions");
}

/// Checks for `check --connect` whether the fleet's database can be read, with the credentials
/// in fleet.uri_file. (A fleet is a set of sidecars that share a database.) Prints a step to
/// `to`; the step fails if no answer comes within 5 s.
void try_fleet(const config::options& of, connect_log& to) {
  const std::string what = "fleet, database " + of.fleet.database;
  const auto uri = config::find_fleet_uri(of);
  if (!uri) return to.fail(what, to_string(uri.error()), "put a connection string into it");
  const auto answer = look_at(uri->text, of.fleet.database);
  if (answer) return to.ok(what, *answer);
  to.fail(what, answer.error().text,
          answer.error().kind == config::mongo_failure::unauthorized
              ? "check the password in fleet.uri_file, and that the user has the role that "
                "scattergate "
                "fleet init prints"
              : "check that fleet.uri_file leads to a MongoDB that can be reached from here");
}

/// A process with a listening socket.
struct socket_owner {
  std::uint64_t process = 0;  ///< the process ID
  std::string name;           ///< the process's name in the kernel (comm), at most 15 bytes
};

namespace fs = std::filesystem;

/// Formats an address as /proc/net/tcp does: 32-bit words in host byte order, in hex.
std::string hex_words(const void* bytes, std::size_t size) {
  std::string text;
  for (std::size_t at = 0; at < size; at += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(bytes) + at, sizeof word);
    std::array<char, 12> digits{};
    std::snprintf(digits.data(), digits.size(), "%08X", word);
    text += digits.data();
  }
  return text;
}

std::string hex_of(const net::socket_address& address) {
  if (address.family() == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address.data(), sizeof in);
    return hex_words(&in.sin_addr, sizeof in.sin_addr);
  }
  if (address.family() != AF_INET6) return {};
  sockaddr_in6 in{};
  std::memcpy(&in, address.data(), sizeof in);
  return hex_words(&in.sin6_addr, sizeof in.sin6_addr);
}

bool is_any(std::string_view hex) {
  return hex.find_first_not_of('0') == hex.npos;
}

/// Adds the inodes of the sockets in `table` (/proc/net/tcp) that listen on the address.
void add_listeners(const char* table, const std::string& host, const std::string& port,
                   std::set<std::string>& inodes) {
  constexpr std::string_view listening = "0A";
  std::ifstream lines{table};
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::istringstream words{line};
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    const std::size_t colon = local.find(':');
    if (state != listening || colon == local.npos || local.substr(colon + 1) != port) continue;
    const std::string at = local.substr(0, colon);
    if (at == host || is_any(at) || is_any(host)) inodes.insert("socket:[" + inode + "]");
  }
}

bool has_one_of(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code failed;  // another user's process, or the process has ended
  for (auto file = fs::directory_iterator{process / "fd", failed};
       !failed && file != fs::directory_iterator{}; file.increment(failed)) {
    std::error_code gone;
    if (sockets.contains(fs::read_symlink(file->path(), gone))) return true;
  }
  return false;
}

/// Finds the process that listens on `address` (IPv4 or IPv6), in /proc. A process that listens
/// on the wildcard address (0.0.0.0 or ::) with the same port counts, too. If `address` is a
/// wildcard address itself, any process that listens on the port counts. std::nullopt if there
/// is none, or if this user may not list the process's open files.
std::optional<socket_owner> listening_on(const net::socket_address& address) {
  const std::string host = hex_of(address);
  if (host.empty()) return std::nullopt;
  std::array<char, 8> port{};
  std::snprintf(port.data(), port.size(), "%04X", net::port_of(address));
  std::set<std::string> sockets;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    add_listeners(table, host, port.data(), sockets);
  }
  if (sockets.empty()) return std::nullopt;
  std::error_code failed;
  for (auto each = fs::directory_iterator{"/proc", failed};
       !failed && each != fs::directory_iterator{}; each.increment(failed)) {
    const auto process = config::parse_count(each->path().filename().string());
    if (!process || !has_one_of(each->path(), sockets)) continue;
    socket_owner found{*process, {}};
    std::ifstream name{each->path() / "comm"};
    std::getline(name, found.name);
    return found;
  }
  return std::nullopt;
}

bool is_in_use(const net::endpoint& address) {
  if (address.is_unix()) return false;  // a stale socket file looks like an address in use
  try {
    static_cast<void>(net::listen_on(address));
  } catch (const boost::system::system_error& failure) {
    return failure.code() == boost::system::errc::address_in_use;
  }
  return false;
}

/// Whether a scattergate answers at the admin address.
bool runs_already(const config::options& of) {
  const bool has_tls = !of.admin_access.tls.cert_file.empty();
  constexpr std::size_t max_bytes = 4096;
  const auto answer =
      get_from_admin({of.admin, has_tls}, "/healthz?verbose", max_bytes, step_time);
  return answer && answer->is_good() && answer->body == "[+]answering ok\nok\n";
}

void try_port(const std::string& setting, const net::endpoint& address, bool is_running,
              connect_log& to) {
  if (!is_in_use(address)) return;
  const std::string what = setting + " " + to_string(address);
  const auto owner = listening_on(net::resolve(address).value().front());
  const std::string used =
      "in use by " + (owner ? owner->name + " (process " + std::to_string(owner->process) + ")"
                            : std::string{"a process that this user can't see"});
  if (is_running) return to.ok(what, used + "; a scattergate runs here already");
  if (!owner) {
    return to.warn(what, used, "run can't start, unless systemd holds the address for it");
  }
  if (owner->name == "systemd") return to.ok(what, used + ", for socket activation");
  to.fail(what, used, "run can't start: stop that process, or set another address");
}

/// Checks for `check --connect` whether `run` could use the configured TCP addresses. Prints a
/// step to `to` for each address that is in use, with the process that uses it. The step passes
/// if a running scattergate answers at the admin address, or if the process is systemd (socket
/// activation). The step is a warning if this user may not see the process. Otherwise it fails,
/// because `run` couldn't bind the address.
void try_ports(const config::options& of, connect_log& to) {
  const bool is_running = is_in_use(of.admin) && runs_already(of);
  for (const config::listener_options& one : of.listeners) {
    try_port("listen", one.listen, is_running, to);
  }
  try_port("admin.listen", of.admin, is_running, to);
  if (of.admin_page_listen) {
    try_port("admin.page_listen", *of.admin_page_listen, is_running, to);
  }
}

/// Tries the upstreams of a listener; returns whether one answers.
bool try_listener(const config::listener_options& listener, connect_log& to) {
  std::shared_ptr<const net::tls_context> tls;
  if (listener.upstream_tls) {  // usable: check_start() has verified these options
    tls = net::tls_context::for_upstream(*listener.upstream_tls).value();
  }
  bool is_reached = false;
  for (const net::endpoint& upstream : listener.upstream) {
    is_reached = try_upstream(listener, upstream, tls.get(), to) || is_reached;
  }
  return is_reached;
}

/// Prints the files that check_start() has verified.
void report_files(const config::options& of, connect_log& to) {
  if (!of.state.file.empty()) {
    to.ok("state file " + of.state.file, "its directory is writable");
  }
  if (of.audit.file != "-" && of.audit.file != "off") {
    to.ok("audit log " + of.audit.file, "is writable");
  }
}

void report_page(const config::options& of, connect_log& to) {
  const config::page_door door = config::page_door_of(of);
  const std::string scheme = of.admin_access.tls.cert_file.empty() ? "http://" : "https://";
  const std::string address = scheme + to_string(door.at) + "/";
  switch (door.access) {
    case config::page_access::off:
      return to.ok("page", "off (admin.page: off)");
    case config::page_access::loopback:
      return to.ok("page", "every user of this host can open " + address);
    case config::page_access::guarded:
      return to.ok("page", "anyone with the token in admin.token_file can open " + address);
    case config::page_access::unreachable:
      return to.warn("page", to_string(door.at) + " refuses it for everyone",
                     config::advice_for_page());
  }
}

}  // namespace

int check_connections(const config::loaded_options& loaded) {
  std::signal(SIGPIPE, SIG_IGN);
  const config::options& of = loaded.value;
  connect_log log;
  try_ports(of, log);
  bool is_first_reached = false;
  for (const config::listener_options& listener : of.listeners) {
    const bool is_reached = try_listener(listener, log);
    if (&listener == &of.listeners.front()) is_first_reached = is_reached;
  }
  const bool has_own_mongos = !of.catalog.uri.empty() || !of.catalog.uri_file.empty();
  if (of.catalog.is_live() && (has_own_mongos || is_first_reached)) try_catalog(of, log);
  if (of.fleet.is_on()) try_fleet(of, log);
  report_files(of, log);
  report_page(of, log);
  log.print_summary();
  return log.has_failures() ? 1 : 0;
}

}  // namespace scattergate::app
