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

/// Environment variables by name. Only those that begin with SCATTERGATE_ are looked at.
using environment = std::map<std::string, std::string>;

/// The process's own SCATTERGATE_ variables.
[[nodiscard]] environment process_environment();

/// The flags of `run`, each only where it was given.
struct flags {
  std::optional<std::string> config_file;
  std::optional<std::string> listen, upstream, catalog, catalog_uri, admin, audit, threads;
};

/// Options as they came out of flag > environment > file > default, and all that was wrong on
/// the way: usable only where `problems` is empty.
struct loaded_options {
  options value;
  origins from;  ///< of what listeners and sections hold
  std::vector<text::problem> problems;
};

/// What the options are wanted for: only `run` misses an upstream where no listener is written.
enum class purpose : std::uint8_t { run, look };

/// Reads the file named by `--config` (else by SCATTERGATE_CONFIG), the environment and the
/// flags. A variable SCATTERGATE_* that stands for nothing is a problem, an empty one is as
/// good as absent.
[[nodiscard]] loaded_options load_options(const flags& given, const environment& env,
                                          purpose wanted = purpose::run);

/// The options as a file that would give them again, secrets hidden (`scattergate config`).
[[nodiscard]] std::string to_yaml(const options& options);

/// A catalog and the rules that a preset brings, or problems.
struct loaded_catalog {
  std::shared_ptr<const routing::catalog> value;
  std::vector<rule> rules;
  std::vector<text::problem> problems;
};

/// Reads `preset:NAME` or a catalog file (docs/catalog.md). `off`, and `mongos`, whose catalog
/// comes later (live_catalog.hpp): the absent catalog.
[[nodiscard]] loaded_catalog load_catalog(const std::string& source);

/// A preset as the catalog file that it is, to start one's own from (`scattergate catalog`);
/// empty where there is none of that name.
[[nodiscard]] std::string_view preset_text(std::string_view name);
[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace scattergate::config
