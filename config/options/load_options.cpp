#include <array>
#include <utility>

#include <unistd.h>

#include "config/options/load.hpp"
#include "config/options/option_files.hpp"
#include "config/options/options_check.hpp"
#include "config/options/options_file.hpp"
#include "config/options/settings.hpp"
#include "config/text/problem_log.hpp"
#include "text/nearest.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

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
