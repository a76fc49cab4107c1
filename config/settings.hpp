#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options.hpp"

namespace scattergate::config {

/// One scalar of the configuration: the one place that knows its name in the file, in the
/// environment and on the command line, how it is read, and how it is written.
struct setting {
  std::string_view section;  ///< empty at the top of the file
  std::string_view key;

  /// Takes the value over; returns what would have been right where it is bad, else nothing.
  std::string (*set)(options& to, std::string_view text);

  /// The value as set() reads it.
  std::string (*show)(const options& from);
};

/// All scalars, in the order in which they are shown; those of listeners and rules excepted.
[[nodiscard]] std::span<const setting> settings() noexcept;

/// The setting, or null.
[[nodiscard]] const setting* find_setting(std::string_view section,
                                          std::string_view key) noexcept;

/// "SCATTERGATE_AUDIT_FILE".
[[nodiscard]] std::string variable_of(const setting& setting);

/// Sets a listener's own address; returns as setting::set does.
[[nodiscard]] std::string set_listen(listener_options& to, std::string_view text);

/// Sets a listener's upstreams from addresses with commas between them; likewise.
[[nodiscard]] std::string set_upstream(listener_options& to, std::string_view text);

/// Adds one upstream; likewise.
[[nodiscard]] std::string add_upstream(listener_options& to, std::string_view text);

}  // namespace scattergate::config
