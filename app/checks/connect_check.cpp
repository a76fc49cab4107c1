#include "app/checks/connect_check.hpp"

#include <csignal>
#include <memory>
#include <string>

#include "app/checks/catalog_trial.hpp"
#include "app/checks/connect_log.hpp"
#include "app/checks/fleet_trial.hpp"
#include "app/checks/port_trial.hpp"
#include "app/checks/upstream_trial.hpp"
#include "config/options/page_access.hpp"
#include "net/tls_context.hpp"

namespace scattergate::app {
namespace {

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
