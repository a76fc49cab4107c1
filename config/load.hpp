#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.hpp"
#include "config/rule.hpp"
#include "routing/catalog.hpp"

namespace scattergate::config {

/// What is wrong with a file, an environment variable or a flag, and where.
struct problem {
  std::string where;  ///< "scattergate.yaml:12", "SCATTERGATE_AUDIT_FILE", "--threads"
  std::string what;   ///< in words
  friend bool operator==(const problem&, const problem&) = default;
};

/// "where: what".
[[nodiscard]] std::string to_string(const problem& problem);

/// Looks an environment variable up; std::getenv in the program, a map in tests.
using environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The flags of `run`, each only where it was given.
struct flags {
  std::optional<std::string> config_file;
  std::optional<std::string> listen, upstream, catalog, admin, audit, threads;
};

/// Options as they came out of flag > environment > file > default, and all that was wrong on
/// the way: usable only where `problems` is empty.
struct loaded_options {
  options value;
  std::vector<problem> problems;
};
[[nodiscard]] loaded_options load_options(const flags& given, const environment& env);

/// The options as a file that would give them again, secrets hidden (`scattergate config`).
[[nodiscard]] std::string to_yaml(const options& options);

/// A catalog and the rules that a preset brings, or problems.
struct loaded_catalog {
  std::shared_ptr<const routing::catalog> value;
  std::vector<rule> rules;
  std::vector<problem> problems;
};

/// Reads `preset:NAME` or a catalog file (contract.md, "Catalog file"). Empty source: the
/// absent catalog.
[[nodiscard]] loaded_catalog load_catalog(const std::string& source);

/// The catalog as a file that load_catalog reads, chunks included (`scattergate catalog`).
[[nodiscard]] std::string preset_text(std::string_view name);
[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace scattergate::config
