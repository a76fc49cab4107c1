#include "app/checks/connect_check.hpp"

#include <array>
#include <csignal>
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
#include <utility>
#include <vector>

#include <boost/system/system_error.hpp>
#include <netinet/in.h>

#include "app/admin_client.hpp"
#include "app/checks/connect_log.hpp"
#include "app/checks/upstream_trial.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/page_access.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/scalars.hpp"
#include "fleet/reading.hpp"
#include "net/listener.hpp"
#include "net/socket_address.hpp"
#include "net/tls_context.hpp"

namespace scattergate::app {
namespace {

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
