#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "config/options/rule.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {

/// A setting that has changed in the configuration, but that a reload (SIGHUP) doesn't apply.
struct ignored_setting {
  std::string name;  ///< "audit.file", "listeners[1].upstream"
  std::string why;   ///< the running and the new value, in one line
};

/// The settings in `loaded` that differ from those of a running daemon (`running`), but that a
/// reload doesn't apply. These are settings that need a restart and, if has_same_addresses() is
/// false, all listener settings.
[[nodiscard]] std::vector<ignored_setting> ignored_by_reload(const options& loaded,
                                                             const options& running);

/// Whether the listeners of both options have the same addresses for clients, in the same
/// order. If not, a reload applies no listener setting.
[[nodiscard]] bool has_same_addresses(const options& one, const options& other);

/// Warnings about valid rules: rules that never decide, and overlapping rules whose order
/// matters. `rules`: in the order of evaluation. `today`: to find rules whose last day has
/// passed. `catalog`: the catalog in use; null: unknown. Reports only what is certain.
[[nodiscard]] std::vector<text::problem> check_rules(std::span<const rule> rules,
                                                     text::day today,
                                                     const routing::catalog* catalog = nullptr);

}  // namespace scattergate::config
