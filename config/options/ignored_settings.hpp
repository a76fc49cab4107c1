#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options/options.hpp"

namespace scattergate::config {

/// A setting that has changed in the configuration, but that a reload (SIGHUP) doesn't apply.
struct ignored_setting {
  std::string name;  ///< "audit.file", "listeners[1].upstream"
  std::string why;   ///< the current and the new value, in one line
};

/// The settings in `loaded` that a reload doesn't apply to a daemon with the options `running`:
/// those that need a restart and, if has_same_addresses() is false, all listener settings.
/// Returns only settings whose values differ.
[[nodiscard]] std::vector<ignored_setting> ignored_by_reload(const options& loaded,
                                                             const options& running);

/// Whether the listeners of both options have the same addresses and the same mongos. If not,
/// a reload changes no listener.
[[nodiscard]] bool has_same_addresses(const options& one, const options& other);

/// Whether a reload applies the setting with this name, such as "audit.interval"
/// (docs/configuration.md, column HUP).
[[nodiscard]] bool is_reloadable(std::string_view name) noexcept;

}  // namespace scattergate::config
