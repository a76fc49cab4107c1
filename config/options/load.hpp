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

/// The environment variables of this process that begin with SCATTERGATE_. Omits
/// SCATTERGATE_URI, which `scattergate gate` sets for its command.
[[nodiscard]] environment process_environment();

/// The command-line flags that set options, as texts; std::nullopt if not given.
struct flags {
  std::optional<std::string> config_file;  ///< --config
  std::optional<std::string> listen, upstream, catalog, catalog_uri, admin, audit, threads;
};

/// Options merged from flags, environment, file and defaults; the first source that has a value
/// wins. Also has all problems found while reading them. Use `value` only if `problems` is
/// empty.
struct loaded_options {
  options value;
  origins from;  ///< the source of each value, for problems that are found later
  std::vector<text::problem> problems;
};

/// The purpose for which options are loaded. `run`: serving clients, which requires an upstream
/// (a mongos) even if the file has no listener. `inspect`: only showing or checking the
/// options.
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

/// A catalog (which collections are sharded, and how), and the rules that its preset or file
/// contains. Use it only if `problems` is empty.
struct loaded_catalog {
  std::shared_ptr<const routing::catalog> value;
  std::vector<rule> rules;
  std::vector<text::problem> problems;
  files_read files;  ///< the files that the catalog's file names, such as a chunksFile
};

/// Reads the catalog `preset:NAME` or a catalog file (docs/catalog.md). For `off`, and for
/// `mongos`, returns catalog::absent(), in which no collection is known. With `mongos`,
/// live_catalog reads the cluster's catalog later.
[[nodiscard]] loaded_catalog load_catalog(const std::string& source);

/// The name in a catalog source of the form `preset:NAME`; std::nullopt for another form.
[[nodiscard]] std::optional<std::string_view> preset_name(std::string_view source) noexcept;

/// The text of a preset's catalog file, as a starting point for a new catalog file
/// (`scattergate catalog`); empty if there is no such preset.
[[nodiscard]] std::string_view preset_text(std::string_view name);
/// The names of all presets.
[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace scattergate::config
