#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "config/driver/proxied_uri.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/options_check.hpp"
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
