#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options/options.hpp"

namespace scattergate::config {

/// What a file says by now, and a running daemon doesn't go by.
struct ignored_setting {
  std::string name;  ///< "audit.file", "listeners[1].upstream"
  std::string why;   ///< what it is and what it would be, in one line
};

/// The settings of `loaded` that a daemon which runs by `running` leaves as they are: those
/// that change only at a restart, and all of the listeners where their addresses do.
[[nodiscard]] std::vector<ignored_setting> ignored_by_reload(const options& loaded,
                                                             const options& running);

/// Whether the listeners of both are bound to the same addresses, for the same mongos: where
/// they aren't, a reload changes none of them.
[[nodiscard]] bool has_same_addresses(const options& one, const options& other);

/// Whether a reload takes a setting over ("audit.interval"; docs/configuration.md, column HUP).
[[nodiscard]] bool is_reloadable(std::string_view name) noexcept;

}  // namespace scattergate::config
