#include <array>
#include <utility>

#include <unistd.h>

#include "config/load.hpp"
#include "config/options_file.hpp"
#include "config/settings.hpp"

namespace scattergate::config {
namespace {

constexpr std::string_view prefix = "SCATTERGATE_";
constexpr std::string_view config_variable = "SCATTERGATE_CONFIG";
constexpr std::string_view listen_variable = "SCATTERGATE_LISTEN";
constexpr std::string_view upstream_variable = "SCATTERGATE_UPSTREAM";

// A Kubernetes Service whose name begins with "scattergate" puts variables such as
// SCATTERGATE_SERVICE_HOST and SCATTERGATE_PORT_27117_TCP_ADDR into every container near it.
bool is_service_link(std::string_view name) {
  if (name.ends_with("_SERVICE_HOST") || name.find("_SERVICE_PORT") != name.npos) return true;
  const std::size_t port = name.rfind("_PORT");
  if (port == name.npos) return false;
  const std::string_view rest = name.substr(port + 5);
  return rest.empty() || rest.front() == '_';
}

const setting* setting_of(std::string_view variable) {
  for (const setting& one : settings()) {
    if (variable_of(one) == variable) return &one;
  }
  return nullptr;
}

void report(std::string where, const std::string& wrong, std::string_view text,
            problem_log& problems) {
  if (!wrong.empty()) problems.add_at(std::move(where), wrong + ", not " + in_quotes(text));
}

void apply(const environment& env, options& to, problem_log& problems) {
  for (const auto& [name, text] : env) {
    if (!name.starts_with(prefix) || text.empty() || name == config_variable) continue;
    if (name == listen_variable) {
      report(name, set_listen(to.listeners.front(), text), text, problems);
    } else if (name == upstream_variable) {
      report(name, set_upstream(to.listeners.front(), text), text, problems);
    } else if (const setting* known = setting_of(name)) {
      report(name, known->set(to, text), text, problems);
    } else if (!is_service_link(name)) {
      problems.add_at(name, "no setting has this name");
    }
  }
}

void apply(const flags& given, options& to, problem_log& problems) {
  if (given.listen) {
    report("--listen", set_listen(to.listeners.front(), *given.listen), *given.listen,
           problems);
  }
  if (given.upstream) {
    report("--upstream", set_upstream(to.listeners.front(), *given.upstream), *given.upstream,
           problems);
  }
  struct flag {
    const char* name;
    const std::optional<std::string>& text;
    const setting* known;
  };
  const std::array<flag, 4> plain = {{
      {"--catalog", given.catalog, find_setting("catalog", "source")},
      {"--admin", given.admin, find_setting("admin", "listen")},
      {"--audit", given.audit, find_setting("audit", "file")},
      {"--threads", given.threads, find_setting("workers", "threads")},
  }};
  for (const flag& one : plain) {
    if (one.text) report(one.name, one.known->set(to, *one.text), *one.text, problems);
  }
}

// An address that the kernel chooses, or that others may not have, collides with nothing.
bool collide(const endpoint& a, const endpoint& b) {
  return a == b && (a.is_unix() || a.port != 0);
}

void check_addresses(const options& made, const std::vector<std::size_t>& lines,
                     problem_log& problems) {
  const auto report_at = [&](std::size_t listener, std::string what) {
    if (listener < lines.size()) {
      problems.add(lines[listener], std::move(what));
    } else {
      problems.add_at("listeners", std::move(what));
    }
  };
  for (std::size_t i = 0; i < made.listeners.size(); ++i) {
    const endpoint& listen = made.listeners[i].listen;
    if (collide(listen, made.admin)) {
      report_at(i, to_string(listen) + " is the admin address too");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!collide(listen, made.listeners[j].listen)) continue;
      report_at(i, "a second listener on " + to_string(listen));
      break;
    }
  }
}

void check_upstreams(const options& made, const std::vector<std::size_t>& lines, purpose wanted,
                     problem_log& problems) {
  constexpr std::string_view missing = "the listener has no upstream";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (made.listeners[i].upstream.empty()) problems.add(lines[i], std::string{missing});
  }
  if (lines.empty() && wanted == purpose::run && made.listeners.front().upstream.empty()) {
    problems.add_at("--upstream",
                    "no mongos to forward to: give --upstream, "
                    "SCATTERGATE_UPSTREAM or a listener's upstream");
  }
}

}  // namespace

environment process_environment() {
  environment found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::size_t equals = text.find('=');
    if (!text.starts_with(prefix) || equals == text.npos) continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

loaded_options load_options(const flags& given, const environment& env, purpose wanted) {
  std::string file = given.config_file.value_or("");
  if (const auto named = env.find(std::string{config_variable});
      !given.config_file && named != env.end()) {
    file = named->second;
  }
  loaded_options loaded;
  problem_log problems{file};
  std::vector<std::size_t> lines;
  const bool has_file = given.config_file || !file.empty();
  if (has_file) lines = read_options_file(file, loaded.value, problems);
  const bool is_readable = problems.is_empty() || !lines.empty();
  if (loaded.value.listeners.empty()) loaded.value.listeners.emplace_back();
  apply(env, loaded.value, problems);
  apply(given, loaded.value, problems);
  check_addresses(loaded.value, lines, problems);
  // A file that couldn't be read may well have named the upstream.
  if (is_readable) check_upstreams(loaded.value, lines, wanted, problems);
  loaded.problems = problems.take();
  return loaded;
}

}  // namespace scattergate::config
