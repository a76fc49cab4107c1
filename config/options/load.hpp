#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/options/rule.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// Environment variables by name. load_options() uses only variables that begin with
/// SCATTERGATE_.
using environment = std::map<std::string, std::string>;

/// The process's own SCATTERGATE_ variables.
[[nodiscard]] environment process_environment();

/// The command-line flags of `scattergate run`; std::nullopt if not given.
struct flags {
  std::optional<std::string> config_file;  ///< --config
  std::optional<std::string> listen, upstream, catalog, catalog_uri, admin, audit, threads;
};

/// Options merged from flags, environment, file and defaults (in this order of precedence),
/// and all problems found while reading them. Usable only if `problems` is empty.
struct loaded_options {
  options value;
  origins from;  ///< the source of each value, for later problems
  std::vector<text::problem> problems;
};

/// The purpose of the options. `run`: serving clients; an upstream is required even if the
/// file has no listener. `inspect`: only showing or checking the options.
enum class purpose : std::uint8_t { run, inspect };

/// Reads the file named by `--config` (or by SCATTERGATE_CONFIG), the environment and the
/// flags. An empty variable counts as absent. An unknown variable SCATTERGATE_* is a problem,
/// except for the names that Kubernetes derives from a Service whose name begins with
/// "scattergate".
[[nodiscard]] loaded_options load_options(const flags& given, const environment& env,
                                          purpose intent = purpose::run);

/// Formats options as a configuration file with the same effect, with passwords hidden
/// (`scattergate config`).
[[nodiscard]] std::string to_yaml(const options& options);

/// A catalog, and the rules that its preset or file contains. Usable only if `problems` is
/// empty.
struct loaded_catalog {
  std::shared_ptr<const routing::catalog> value;
  std::vector<rule> rules;
  std::vector<text::problem> problems;
};

/// Reads `preset:NAME` or a catalog file (docs/catalog.md). Returns catalog::absent() for
/// `off`, and for `mongos`, because the cluster's catalog is loaded later (live_catalog.hpp).
[[nodiscard]] loaded_catalog load_catalog(const std::string& source);

/// The name in a catalog source of the form `preset:NAME`; std::nullopt for another form.
[[nodiscard]] std::optional<std::string_view> preset_name(std::string_view source) noexcept;

/// The text of a preset's catalog file, as a starting point for a new catalog file
/// (`scattergate catalog`); empty if there is no such preset.
[[nodiscard]] std::string_view preset_text(std::string_view name);
/// The names of all presets.
[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace scattergate::config
