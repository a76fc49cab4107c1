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

/// Environment variables by name. Only those that begin with SCATTERGATE_ are read.
using environment = std::map<std::string, std::string>;

/// The process's own SCATTERGATE_ variables.
[[nodiscard]] environment process_environment();

/// The command-line flags of `scattergate run`; std::nullopt if not given.
struct flags {
  std::optional<std::string> config_file;
  std::optional<std::string> listen, upstream, catalog, catalog_uri, admin, audit, threads;
};

/// Options merged from flag > environment > file > default, and all problems found while
/// reading them. Usable only if `problems` is empty.
struct loaded_options {
  options value;
  origins from;  ///< where the values of listeners and sections come from
  std::vector<text::problem> problems;
};

/// The purpose of the options. `run`: an upstream is required even if the file has no listener.
/// `look`: only to show or check them.
enum class purpose : std::uint8_t { run, inspect };

/// Reads the file named by `--config` (or by SCATTERGATE_CONFIG), the environment and the
/// flags. An unknown variable SCATTERGATE_* is a problem; an empty variable counts as absent.
[[nodiscard]] loaded_options load_options(const flags& given, const environment& env,
                                          purpose intent = purpose::run);

/// Formats options as a configuration file that yields them, with passwords hidden
/// (`scattergate config`).
[[nodiscard]] std::string to_yaml(const options& options);

/// A catalog and the rules of its preset, or problems.
struct loaded_catalog {
  std::shared_ptr<const routing::catalog> value;
  std::vector<rule> rules;
  std::vector<text::problem> problems;
};

/// Reads `preset:NAME` or a catalog file (docs/catalog.md). Returns the absent catalog for
/// `off`, and for `mongos`, whose catalog is loaded later (live_catalog.hpp).
[[nodiscard]] loaded_catalog load_catalog(const std::string& source);

/// The text of a preset's catalog file, as a starting point for a new catalog file
/// (`scattergate catalog`); empty if there is no such preset.
[[nodiscard]] std::string_view preset_text(std::string_view name);
[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace scattergate::config
