#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "config/driver/connection_string.hpp"
#include "config/driver/proxied_uri.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/options/rule_reader.hpp"
#include "config/options/settings.hpp"
#include "config/text/input.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_readers.hpp"
#include "text/names.hpp"
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

/// Checks all options together, after each value was read and checked alone. Adds problems for
/// contradictions between values, missing values, duplicate addresses, unreadable files and
/// connection strings that the driver rejects. Omits problems that only follow from a value
/// that was found wrong before (origins::is_wrong).
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

/// Checks that each listener has an upstream (a mongos), and adds problems. A listener that
/// isn't in the configuration file comes from flags, the environment or defaults. It is checked
/// only for the purpose `run`, and only if `problems` is empty: otherwise, its upstream may be
/// in a part of the options that couldn't be read.
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

constexpr std::size_t max_listeners = 64;

// Paths of files to read are relative to the file that names them.
std::string relative_to(const std::string& file, const std::string& named) {
  return (std::filesystem::path{file}.parent_path() / named).string();
}

/// Joins the members of a list with commas; false if one isn't plain text.
bool read_list(const map_entry& entry, std::string& to, problem_log& problems) {
  for (const text_tree::node& one : members_of(entry.value, entry.key, problems)) {
    if (!one.is_scalar()) {
      problems.add(one.line(), std::string{entry.key} + ": expected text");
      return false;
    }
    to.append(to.empty() ? "" : ", ").append(one.text());
  }
  return true;
}

template <typename Of>
void read_setting(const map_entry& entry, const setting_of<Of>& known, Of& to,
                  problem_log& problems) {
  std::string text;
  const bool is_list = known.may_be_list && entry.value.is_list();
  if (!(is_list ? read_list(entry, text, problems) : read_text(entry, text, problems))) return;
  const bool is_file = known.names_file != nullptr && known.names_file(text);
  const auto set = known.set(to, is_file ? relative_to(problems.file(), text) : text);
  if (set) return;
  problems.add(entry.value.line(), std::string{entry.key} + ": " + set.error().what + ", not " +
                                       text::in_quotes(text));
}

void read_upstreams(const map_entry& entry, listener_options& to, problem_log& problems) {
  for (const text_tree::node& one : members_of(entry.value, "upstream", problems)) {
    const auto added =
        one.is_scalar() ? add_upstream(to, one.text()) : text::failure("expected an address");
    if (added) continue;
    problems.add(one.line(),
                 "upstream: " + added.error().what + ", not " + text::in_quotes(one.text()));
  }
}

/// Reads one listener.
class listener_reader {
 public:
  /// `name` is the listener's name in `from`.
  listener_reader(listener_options& to, std::string name, origins& from, problem_log& problems)
      : to_(to), name_(std::move(name)), from_(from), problems_(problems) {}

  void read(const text_tree::node& value) {
    note("", value.line());
    const std::size_t before = problems_.size();
    const auto entries = entries_of(value, "a listener", problems_);
    mark_wrong_since(before, name_);
    for (const map_entry& entry : entries) {
      const std::size_t problems_so_far = problems_.size();
      const listener_setting* known = find_listener_setting("", entry.key);
      if (known != nullptr) {
        read_known(entry, *known);
        mark_wrong_since(problems_so_far, name_ + "." + std::string{entry.key});
      } else {
        report_unknown(entry, "a listener", keys_of_section(listener_settings(), ""),
                       problems_);
        mark_wrong_since(problems_so_far, name_);
      }
    }
  }

 private:
  void read_known(const map_entry& entry, const listener_setting& known) {
    note("." + std::string{entry.key}, entry.line);
    if (entry.value.is_map() && is_section(entry.key)) {
      read_section(entry, known);
    } else if (entry.value.is_list() && entry.key == "upstream") {
      read_upstreams(entry, to_, problems_);
    } else {
      read_setting(entry, known, to_, problems_);
    }
  }

  void mark_wrong_since(std::size_t problems_before, std::string name) {
    if (problems_.size() != problems_before) from_.mark_wrong(std::move(name));
  }

  void note(const std::string& part, std::size_t line) {
    from_.note(name_ + part, problems_.file() + ":" + std::to_string(line));
  }

  static bool is_section(std::string_view key) {
    return !key.empty() && !keys_of_section(listener_settings(), key).empty();
  }

  // A map, even an empty one, means that the section is on.
  void read_section(const map_entry& section, const listener_setting& its_switch) {
    static_cast<void>(its_switch.set(to_, "on"));
    for (const map_entry& entry : entries_of(section.value, section.key, problems_)) {
      if (const auto* known = find_listener_setting(section.key, entry.key)) {
        note("." + name_of(section.key, entry.key), entry.value.line());
        read_setting(entry, *known, to_, problems_);
      } else {
        report_unknown(entry, section.key, keys_of_section(listener_settings(), section.key),
                       problems_);
      }
    }
  }

  listener_options& to_;
  std::string name_;
  origins& from_;
  problem_log& problems_;
};

void read_listeners(const map_entry& entry, options& to, origins& from, problem_log& problems) {
  for (const text_tree::node& one : members_of(entry.value, "listeners", problems)) {
    const std::size_t number = to.listeners.size();
    if (number == max_listeners) {
      problems.add(one.line(), "more than " + std::to_string(max_listeners) + " listeners");
      break;
    }
    listener_options& made = to.listeners.emplace_back();
    listener_reader{made, name_of_listener(number), from, problems}.read(one);
  }
}

std::vector<std::string_view> keys_of_file() {
  std::vector<std::string_view> keys = {"listeners", "rules"};
  for (const setting& one : settings()) {
    const std::string_view section = one.section.substr(0, one.section.find('.'));
    const std::string_view key = section.empty() ? one.key : section;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

/// Reads a section, which may have nested sections. `name`: its full name, such as "admin" or
/// "admin.tls".
void read_section(const map_entry& section, const std::string& name, options& to, origins& from,
                  problem_log& problems) {
  for (const map_entry& entry : entries_of(section.value, section.key, problems)) {
    const std::size_t problems_before = problems.size();
    const std::string inner = name_of(name, entry.key);
    from.note(inner, problems.file() + ":" + std::to_string(entry.value.line()));
    if (const setting* known = find_setting(name, entry.key)) {
      read_setting(entry, *known, to, problems);
      if (problems.size() != problems_before) from.mark_wrong(inner);
    } else if (!keys_of_section(settings(), inner).empty()) {
      read_section(entry, inner, to, from, problems);
    } else {
      report_unknown(entry, section.key, keys_of_section(settings(), name), problems);
      from.mark_wrong(name);
    }
  }
}

void read_tree(const text_tree::node& root, options& to, origins& from, problem_log& problems) {
  const auto entries = entries_of(root, "the configuration", problems);
  if (reject_foreign(entries, "a configuration", keys_of_file(), problems)) return;
  for (const map_entry& entry : entries) {
    if (entry.key == "listeners") {
      read_listeners(entry, to, from, problems);
    } else if (entry.key == "rules") {
      to.rules = read_rules(entry.value, problems);
    } else if (const setting* known = find_setting("", entry.key)) {
      read_setting(entry, *known, to, problems);
    } else if (!entry.key.empty() && !keys_of_section(settings(), entry.key).empty()) {
      read_section(entry, std::string{entry.key}, to, from, problems);
    } else {
      report_unknown(entry, "the configuration", keys_of_file(), problems);
    }
  }
}

/// Reads a configuration file into `to`, and records the line of each value in `from`. Adds
/// problems for an unreadable file and invalid values.
void read_options_file(const std::string& file, options& to, origins& from,
                       problem_log& problems) {
  problems.note_file(file);
  const auto content = read_file(file, max_config_bytes);
  if (!content) return problems.add_at(file, content.error().what);
  const auto parsed = parse_yaml(*content);
  if (!parsed) return problems.add(parsed.error());
  if (!parsed->is_empty()) read_tree(parsed->root(), to, from, problems);
}

template <typename Of>
void note_file_of(const setting_of<Of>& one, const Of& from, problem_log& to) {
  if (one.names_file == nullptr) return;
  std::string file = one.show(from);
  if (one.names_file(file)) to.note_file(std::move(file));
}

/// The options of connection strings that name files, under their current and former names
/// (specifications: uri-options).
constexpr std::array<std::string_view, 4> tls_file_options = {
    "tlsCAFile", "tlsCertificateKeyFile", "sslCertificateAuthorityFile",
    "sslClientCertificateKeyFile"};

/// Notes the files in the connection string of a live catalog. If the string is made from
/// upstream_tls, its files are noted as settings.
void note_files_of_uri(const options& made, problem_log& to) {
  const bool is_given = !made.catalog.uri.empty() || !made.catalog.uri_file.empty();
  if (!made.catalog.is_live() || !is_given) return;
  const auto uri = find_catalog_uri(made);
  if (!uri) return;
  const auto parts = parse_uri(uri->text);
  if (!parts) return;
  for (const std::string_view name : tls_file_options) {
    if (auto file = parts->option(name)) to.note_file(*std::move(file));
  }
}

/// Notes every file that a setting names and that is read (certificates, keys, secrets, the
/// catalog's file), and the TLS files that the catalog's connection string names.
void note_files(const options& made, problem_log& to) {
  for (const listener_options& listener : made.listeners) {
    for (const listener_setting& one : listener_settings()) note_file_of(one, listener, to);
  }
  for (const setting& one : settings()) note_file_of(one, made, to);
  note_files_of_uri(made, to);
}

constexpr std::string_view prefix = "SCATTERGATE_";
constexpr std::string_view config_variable = "SCATTERGATE_CONFIG";

// A Kubernetes Service whose name begins with "scattergate" puts variables such as
// SCATTERGATE_SERVICE_HOST and SCATTERGATE_PORT_27117_TCP_ADDR into every container in its
// namespace.
bool is_service_link(std::string_view name) {
  if (name.ends_with("_SERVICE_HOST") || name.find("_SERVICE_PORT") != name.npos) return true;
  const std::size_t port = name.rfind("_PORT");
  if (port == name.npos) return false;
  const std::string_view rest = name.substr(port + 5);
  return rest.empty() || rest.front() == '_';
}

/// Applies environment variables and flags. Those for listeners apply to the first listener.
class overrides {
 public:
  overrides(options& to, origins& from, problem_log& problems)
      : to_(to), from_(from), problems_(problems) {}

  /// Applies a value from `where`: the name of a variable or flag.
  void set(const setting& known, const std::string& where, std::string_view text) {
    note(name_of(known.section, known.key), where, known.set(to_, text), text);
  }

  void set(const listener_setting& known, const std::string& where, std::string_view text) {
    note(name_of_listener(0) + "." + name_of(known.section, known.key), where,
         known.set(to_.listeners.front(), text), text);
  }

  /// Sets the setting of `table` that has this variable; false if there is none.
  template <typename Table>
  [[nodiscard]] bool take_variable(const Table& table, const std::string& variable,
                                   std::string_view text) {
    for (const auto& one : table) {
      if (variable_of(one.section, one.key) != variable) continue;
      set(one, variable, text);
      return true;
    }
    return false;
  }

 private:
  void note(const std::string& name, const std::string& where, const text::result<void>& set,
            std::string_view text) {
    from_.note(name, where);
    if (set) return;
    problems_.add_at(where, set.error().what + ", not " + text::in_quotes(text));
    from_.mark_wrong(name);
  }

  options& to_;
  origins& from_;
  problem_log& problems_;
};

/// Suggests the variable that was probably meant.
std::string meant_instead_of(std::string_view variable) {
  std::vector<std::string> names{std::string{config_variable}};
  for (const auto& one : listener_settings())
    names.push_back(variable_of(one.section, one.key));
  for (const auto& one : settings()) names.push_back(variable_of(one.section, one.key));
  return text::did_you_mean(variable, {names.begin(), names.end()});
}

// Applies variables from the last name to the first, so that a switch, such as SCATTERGATE_TLS,
// is applied after the variables that begin with its name.
void apply(const environment& env, overrides& to, problem_log& problems) {
  for (auto at = env.rbegin(); at != env.rend(); ++at) {
    const auto& [name, text] = *at;
    if (!name.starts_with(prefix) || text.empty() || name == config_variable) continue;
    if (!to.take_variable(listener_settings(), name, text) &&
        !to.take_variable(settings(), name, text) && !is_service_link(name)) {
      problems.add_at(name, "no setting has this name" + meant_instead_of(name));
    }
  }
}

void apply(const flags& given, overrides& to) {
  if (given.listen) to.set(*find_listener_setting("", "listen"), "--listen", *given.listen);
  if (given.upstream) {
    to.set(*find_listener_setting("", "upstream"), "--upstream", *given.upstream);
  }
  struct flag {
    const char* name;
    const std::optional<std::string>& text;
    const setting* known;
  };
  const std::array<flag, 5> plain = {{
      {"--catalog", given.catalog, find_setting("catalog", "source")},
      {"--catalog-uri", given.catalog_uri, find_setting("catalog", "uri")},
      {"--admin", given.admin, find_setting("admin", "listen")},
      {"--audit", given.audit, find_setting("audit", "file")},
      {"--threads", given.threads, find_setting("workers", "threads")},
  }};
  for (const flag& one : plain) {
    if (one.text) to.set(*one.known, one.name, *one.text);
  }
}

}  // namespace

environment process_environment() {
  environment found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::size_t equals = text.find('=');
    if (!text.starts_with(prefix) || equals == text.npos) continue;
    // `scattergate gate` sets it for its child process.
    if (text.substr(0, equals) == "SCATTERGATE_URI") continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

loaded_options load_options(const flags& given, const environment& env, purpose intent) {
  std::string file = given.config_file.value_or("");
  if (const auto named = env.find(std::string{config_variable});
      !given.config_file && named != env.end()) {
    file = named->second;
  }
  loaded_options loaded;
  problem_log problems{file};
  if (given.config_file && file.empty()) {
    problems.add_at("--config", "expected a file's name, not ''");
  } else if (!file.empty()) {
    read_options_file(file, loaded.value, loaded.from, problems);
    loaded.value.file.name = file;
  }
  if (loaded.value.listeners.empty()) loaded.value.listeners.emplace_back();
  overrides over{loaded.value, loaded.from, problems};
  apply(env, over, problems);
  apply(given, over);
  check_upstreams(loaded.value, loaded.from, intent, problems);
  check_options(loaded.value, loaded.from, problems);
  note_files(loaded.value, problems);
  loaded.problems = problems.take();
  loaded.value.file.read = problems.take_files();
  return loaded;
}

}  // namespace scattergate::config
