#include "config/options/options_check.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "config/driver/connection_string.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/options/settings.hpp"
#include "config/text/input.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

/// An address to be bound, and its purpose.
struct bound_address {
  net::endpoint address;
  std::string name;  // the setting's name
  std::string use;
};

std::vector<bound_address> addresses_of(const options& made) {
  std::vector<bound_address> found = {{made.admin, "admin.listen", "the admin address"}};
  if (made.admin_page_listen) {
    found.push_back({*made.admin_page_listen, "admin.page_listen", "the page's address"});
  }
  if (!made.handover.socket.empty()) {
    found.push_back({{{}, 0, made.handover.socket}, "handover.socket", "the handover socket"});
  }
  for (std::size_t i = 0; i < made.listeners.size(); ++i) {
    found.push_back({made.listeners[i].listen, name_of_listener(i) + ".listen",
                     "another listener's address"});
  }
  return found;
}

// Whether two addresses collide. An address with a kernel-chosen port never does.
bool collide(const net::endpoint& a, const net::endpoint& b) {
  return a == b && (a.is_unix() || a.port != 0);
}

void check_addresses(const options& made, const origins& from, problem_log& problems) {
  std::vector<bound_address> all = addresses_of(made);
  std::erase_if(all, [&](const bound_address& one) { return from.is_wrong(one.name); });
  for (auto later = all.begin(); later != all.end(); ++later) {
    const auto taken = std::find_if(all.begin(), later, [&](const bound_address& earlier) {
      return collide(earlier.address, later->address);
    });
    if (taken == later) continue;
    problems.add_at(from.of(later->name),
                    to_string(later->address) + " is already used as " + taken->use);
  }
}

bool is_loopback_host(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Whether a connection to `upstream` arrives at the listening address `listen`. Resolves no
/// names except localhost.
bool leads_to(const net::endpoint& upstream, const net::endpoint& listen) {
  if (collide(upstream, listen)) return true;
  if (upstream.is_unix() || listen.is_unix() || upstream.port != listen.port) return false;
  const bool is_local = is_loopback_host(upstream.host);
  if (listen.host == "0.0.0.0") return is_local && upstream.host != "::1";
  if (listen.host == "::") return is_local;
  const bool names_localhost = upstream.host == "localhost" || listen.host == "localhost";
  return names_localhost && is_local && is_loopback_host(listen.host);
}

/// Whether connections to the listener `at` arrive at the listener `to`, through any number of
/// listeners. `seen`: by index, the listeners to look at no more.
bool forwards_to(const std::vector<listener_options>& all, std::size_t at, std::size_t to,
                 std::vector<bool>& seen) {
  seen[at] = true;
  for (std::size_t next = 0; next < all.size(); ++next) {
    const bool leads = std::ranges::any_of(all[at].upstream, [&](const net::endpoint& one) {
      return leads_to(one, all[next].listen);
    });
    if (!leads) continue;
    if (next == to || (!seen[next] && forwards_to(all, next, to, seen))) return true;
  }
  return false;
}

/// A listener must not forward to itself: each connection would open another, without end.
void check_loops(const options& made, const origins& from, problem_log& problems) {
  for (std::size_t i = 0; i < made.listeners.size(); ++i) {
    const std::string name = name_of_listener(i);
    if (from.is_wrong(name + ".listen") || from.is_wrong(name + ".upstream")) continue;
    std::vector<bool> seen(made.listeners.size());
    if (!forwards_to(made.listeners, i, i, seen)) continue;
    problems.add_at(from.of(name + ".upstream"), "the upstream leads back to this listener, " +
                                                     to_string(made.listeners[i].listen) +
                                                     ": expected a mongos");
  }
}

void check_tls(const listener_options& listener, const std::string& name, const origins& from,
               problem_log& problems) {
  if (listener.tls && listener.tls->cert_file.empty() &&
      !from.is_wrong(name + ".tls.cert_file")) {
    problems.add_at(from.of(name + ".tls"), "tls needs a cert_file");
  }
  if (!listener.upstream_tls) return;
  if (from.is_wrong(name + ".upstream_tls")) return;
  if (listener.upstream_tls->cert_file.empty() && !listener.upstream_tls->key_file.empty()) {
    problems.add_at(from.of(name + ".upstream_tls.key_file"), "key_file needs a cert_file");
  }
  const bool is_nameless = listener.upstream_tls->server_name.empty();
  const auto local = std::find_if(listener.upstream.begin(), listener.upstream.end(),
                                  [](const net::endpoint& one) { return one.is_unix(); });
  if (is_nameless && local != listener.upstream.end()) {
    problems.add_at(
        from.of(name + ".upstream_tls"),
        "upstream_tls needs a server_name, because " + to_string(*local) + " has no host name");
  }
}

void check_files(const listener_options& listener, const std::string& name, const origins& from,
                 problem_log& problems) {
  for (const listener_setting& one : listener_settings()) {
    const std::string file = one.show(listener);
    if (one.names_file == nullptr || !one.names_file(file)) continue;
    const auto checked = check_readable(file, max_pem_bytes);
    if (checked) continue;
    problems.add_at(
        from.of(name + "." + name_of(one.section, one.key)),
        std::string{one.key} + ": " + text::in_quotes(file) + " " + checked.error().what);
  }
}

/// Whether the driver accepts the connection string.
text::result<void> check_uri(const text::result<catalog_uri>& found) {
  if (!found) return found.error();
  return check_connection_string(found->text);
}

void check_verify(const options& made, const origins& from, problem_log& problems) {
  const verify_options& verify = made.verify;
  const bool is_given = !verify.uri_file.empty();
  if (!verify.self_check || (!is_given && made.listeners.front().upstream.empty())) return;
  if (const auto checked = check_uri(find_self_check_uri(made)); !checked) {
    problems.add_at(from.of(is_given ? "verify.uri_file" : "verify.self_check"),
                    text::to_string(checked.error()));
  }
}

void check_admin(const admin_access_options& access, const origins& from,
                 problem_log& problems) {
  const auto check = [&](const std::string& file, const char* name) {
    if (file.empty()) return;
    if (const auto checked = check_readable(file, max_pem_bytes); !checked) {
      problems.add_at(from.of(name), text::in_quotes(file) + " " + checked.error().what);
    }
  };
  check(access.token_file, "admin.token_file");
  check(access.tls.cert_file, "admin.tls.cert_file");
  check(access.tls.key_file, "admin.tls.key_file");
  if (access.tls.cert_file.empty() && !access.tls.key_file.empty() &&
      !from.is_wrong("admin.tls.cert_file")) {
    problems.add_at(from.of("admin.tls.key_file"), "key_file needs a cert_file");
  }
}

/// The state file is replaced at each write, so no other setting may name the same file.
void check_state(const options& made, const origins& from, problem_log& problems) {
  const std::string& file = made.state.file;
  if (file.empty()) return;
  const auto place = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  std::error_code failed;
  const bool is_folder =
      !place(file).has_filename() || std::filesystem::is_directory(file, failed);
  if (is_folder) problems.add_at(from.of("state.file"), text::in_quotes(file) + " is a folder");
  const std::array<std::pair<const std::string*, std::string_view>, 4> others = {{
      {&made.audit.file, "the audit log"},
      {&made.log.file, "the log"},
      {&made.handover.socket, "the handover socket"},
      {&made.advise.salt_file, "the salt file"},
  }};
  for (const auto& [other, use] : others) {
    if (other->empty() || place(*other) != place(file)) continue;
    problems.add_at(from.of("state.file"),
                    text::in_quotes(file) + " is " + std::string{use} + " too");
  }
}

/// A fleet needs a state file: only counts in the state file are flushed, so that a restart
/// flushes no count twice.
void check_fleet(const options& made, const origins& from, problem_log& problems) {
  const fleet_options& fleet = made.fleet;
  if (!fleet.is_on()) {
    if (!fleet.name.empty() && !from.is_wrong("fleet.uri_file")) {
      problems.add_at(from.of("fleet.name"), "a fleet needs fleet.uri_file");
    }
    return;
  }
  const std::string place = from.of("fleet.uri_file");
  if (made.state.file.empty() && !from.is_wrong("state.file")) {
    problems.add_at(place, "a fleet needs state.file");
  }
  if (fleet.name.empty() && !from.is_wrong("fleet.name")) {
    problems.add_at(place, "fleet.name is missing: give each sidecar its own");
  }
  if (const auto checked = check_uri(find_fleet_uri(made)); !checked) {
    problems.add_at(place, text::to_string(checked.error()));
  }
}

/// Checks the catalog's connection string. Never quotes it, because it may contain a password.
void check_catalog(const catalog_options& catalog, const origins& from, problem_log& problems) {
  const bool is_file = catalog.uri.empty();
  if (!catalog.is_live() || (is_file && catalog.uri_file.empty())) return;
  const auto checked =
      check_uri(is_file ? read_uri_file(catalog.uri_file) : catalog_uri{catalog.uri});
  if (!checked) {
    problems.add_at(from.of(is_file ? "catalog.uri_file" : "catalog.uri"),
                    text::to_string(checked.error()));
  }
}

/// A listener that balances connections needs mongos's load balancer port, which requires a
/// PROXY header.
void check_choice(const listener_options& of, const std::string& name, const origins& from,
                  problem_log& problems) {
  if (of.choice != upstream_choice::connections || of.proxy_protocol) return;
  if (from.is_wrong(name + ".proxy_protocol")) return;
  problems.add_at(from.of(name + ".upstream_choice"),
                  "upstream_choice: connections needs proxy_protocol: v2, mongos's "
                  "loadBalancerPort, and drivers with loadBalanced=true");
}

}  // namespace

void check_options(const options& made, const origins& from, problem_log& problems) {
  check_addresses(made, from, problems);
  check_loops(made, from, problems);
  check_catalog(made.catalog, from, problems);
  check_admin(made.admin_access, from, problems);
  if (made.admin_page_listen && !made.admin_page && !from.is_wrong("admin.page")) {
    problems.add_at(from.of("admin.page_listen"), "there is no page with admin.page: off");
  }
  check_state(made, from, problems);
  check_fleet(made, from, problems);
  check_verify(made, from, problems);
  for (std::size_t i = 0; i < made.listeners.size(); ++i) {
    check_tls(made.listeners[i], name_of_listener(i), from, problems);
    check_choice(made.listeners[i], name_of_listener(i), from, problems);
    check_files(made.listeners[i], name_of_listener(i), from, problems);
  }
}

void check_upstreams(const options& made, const origins& from, purpose intent,
                     problem_log& problems) {
  // If something couldn't be read or has a misspelt name, it may have been the upstream.
  const bool is_all_read = problems.is_empty();
  for (std::size_t i = 0; i < made.listeners.size(); ++i) {
    const std::string name = name_of_listener(i);
    if (!made.listeners[i].upstream.empty() || from.is_wrong(name + ".upstream")) continue;
    if (from.has(name)) {
      problems.add_at(from.of(name), "the listener has no upstream");
    } else if (intent == purpose::run && is_all_read) {
      problems.add_at("--upstream",
                      "no mongos to forward to: set --upstream, SCATTERGATE_UPSTREAM or a "
                      "listener's upstream");
    }
  }
}

}  // namespace scattergate::config
