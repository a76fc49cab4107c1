#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options/options.hpp"

namespace scattergate::config {

/// A setting that has changed in the configuration file, but that a reload doesn't apply.
struct ignored_setting {
  std::string name;  ///< "audit.file", "listeners[1].upstream"
  std::string why;   ///< its current and its new value, in one line
};

/// The settings in `loaded` that a reload doesn't apply to a daemon with the options `running`:
/// those that need a restart, and all listener settings if listener addresses differ.
[[nodiscard]] std::vector<ignored_setting> ignored_by_reload(const options& loaded,
                                                             const options& running);

/// Whether both options have listeners with the same addresses and the same mongos. If not, a
/// reload changes no listener.
[[nodiscard]] bool has_same_addresses(const options& one, const options& other);

/// Whether a reload applies a setting ("audit.interval"; docs/configuration.md, column HUP).
[[nodiscard]] bool is_reloadable(std::string_view name) noexcept;

}  // namespace scattergate::config
